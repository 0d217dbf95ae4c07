import Testing

@testable import Capture

/// Tests the pool's state machine without browsers, with every order of events up to a length.
@Suite(.timeLimit(.minutes(20))) struct BrowserPoolStateMachineTests {
    @Test func everyOrderOfEventsAnswersEachCallerAndEndsEachBrowser() {
        var count = 0
        let problem = PoolWorld().firstProblem(within: 7, counting: &count)
        #expect(problem == nil)
        // The expected number of orders: fewer would mean that events are left out.
        #expect(count > 40_000, "\(count) orders")
    }

    @Test func capturesDuringAStartShareItsBrowser() {
        var machine = PoolWorld.Machine()
        let browser = PooledBrowser()
        guard case .start(replacing: nil) = machine.acquire(1, isUsable: { _ in true }) else {
            _ = fail()
            return
        }
        guard case .wait = machine.acquire(2, isUsable: { _ in true }) else {
            _ = fail()
            return
        }
        guard case .use(let waiters) = machine.started(browser) else {
            _ = fail()
            return
        }
        #expect(waiters == [1, 2] && machine.shared === browser)
        guard case .use(let used) = machine.acquire(3, isUsable: { _ in true }) else {
            _ = fail()
            return
        }
        #expect(used === browser)
    }

    @Test func exitedBrowserIsReplaced() {
        var machine = PoolWorld.Machine()
        let browser = PooledBrowser()
        _ = machine.acquire(1, isUsable: { _ in true })
        _ = machine.started(browser)
        guard case .start(let old) = machine.acquire(2, isUsable: { _ in false }) else {
            _ = fail()
            return
        }
        #expect(old === browser && machine.shared == nil && machine.browsers.count == 1)
        #expect(machine.ended(browser).isEmpty && machine.browsers.isEmpty)
        // The end of the old browser doesn't affect the start in progress.
        guard case .use(let waiters) = machine.started(PooledBrowser()) else {
            _ = fail()
            return
        }
        #expect(waiters == [2])
    }

    @Test func browserThatStartsAfterClosingIsEnded() {
        var machine = PoolWorld.Machine()
        let browser = PooledBrowser()
        _ = machine.acquire(1, isUsable: { _ in true })
        let action = machine.close(7)
        #expect(action.failing == [1] && action.closers.isEmpty)
        guard case .end = machine.started(browser) else {
            _ = fail()
            return
        }
        #expect(machine.ended(browser) == [7])
    }

    @Test func replacedBrowserEndsAfterItsLastCapture() {
        var machine = PoolWorld.Machine()
        let browser = PooledBrowser()
        _ = machine.acquire(1, isUsable: { _ in true })
        _ = machine.acquire(2, isUsable: { _ in true })
        _ = machine.started(browser)
        let isFirstTheLast = machine.release(browser, isWorn: true)
        #expect(!isFirstTheLast)
        #expect(machine.shared == nil && machine.browsers.count == 1)
        guard case .start(replacing: nil) = machine.acquire(3, isUsable: { _ in true }) else {
            _ = fail()
            return
        }
        let next = PooledBrowser()
        _ = machine.started(next)
        let isSecondTheLast = machine.release(browser, isWorn: false)
        #expect(isSecondTheLast)
        #expect(machine.shared === next && machine.browsers.count == 2)
        #expect(machine.ended(browser).isEmpty && machine.browsers.count == 1)
        let isReplaced = machine.release(next, isWorn: false)
        #expect(!isReplaced)
    }

    private func fail() -> Bool {
        Issue.record("another action was expected")
        return false
    }
}

/// A stand-in for a browser, with only an identity.
private final class PooledBrowser: Sendable {}

/// A state machine, with a model of the pool around it.
private struct PoolWorld {
    typealias Machine = BrowserPoolStateMachine<PooledBrowser, Int, Int>

    enum Event: CaseIterable {
        case capture, started, startFailed, captureDedicated, startedDedicated, startDedicatedFailed
        case exit, discard, discardDedicated, ended, release, releaseWorn, close
    }

    /// The first problem found.
    private(set) var problem: String?
    private var machine = Machine()
    private var isStarting = false
    private var dedicatedStarts = 0
    /// The shared browser, and whether it has exited.
    private var shared: (browser: PooledBrowser, hasExited: Bool)?
    private var dedicated: [PooledBrowser] = []
    /// The captures in progress, each by its browser, oldest first.
    private var captures: [PooledBrowser] = []
    /// The browsers that end after their last captures.
    private var retired: [PooledBrowser] = []
    /// The browsers that are being terminated.
    private var ending: [PooledBrowser] = []
    private var isClosed = false
    private var waiters: Set<Int> = []
    private var closers: Set<Int> = []
    private var lastNumber = 0

    func isPossible(_ event: Event) -> Bool {
        switch event {
        case .capture, .captureDedicated: true
        case .started, .startFailed: isStarting
        case .startedDedicated, .startDedicatedFailed: dedicatedStarts > 0
        case .exit: shared?.hasExited == false
        case .discard: shared != nil
        case .discardDedicated: !dedicated.isEmpty
        case .ended: !ending.isEmpty
        case .release, .releaseWorn: !captures.isEmpty
        case .close: closers.count < 2
        }
    }

    mutating func handle(_ event: Event) {
        switch event {
        case .capture: capture()
        case .started: started()
        case .startFailed: startFailed()
        case .captureDedicated:
            let isAllowed = machine.startDedicated()
            verify(isAllowed != isClosed, "a browser is started after the close")
            if isAllowed { dedicatedStarts += 1 }
        case .startedDedicated: startedDedicated()
        case .startDedicatedFailed:
            dedicatedStarts -= 1
            resume(machine.startDedicatedFailed())
        case .exit: shared?.hasExited = true
        case .discard:
            guard let browser = shared?.browser else { return }
            machine.discard(browser)
            ending.append(browser)
            shared = nil
        case .discardDedicated: ending.append(dedicated.removeFirst())
        case .ended: resume(machine.ended(ending.removeFirst()))
        case .release: release(isWorn: false)
        case .releaseWorn: release(isWorn: true)
        case .close: close()
        }
        check()
    }

    private mutating func capture() {
        lastNumber += 1
        switch machine.acquire(
            lastNumber, isUsable: { [shared] in $0 === shared?.browser && shared?.hasExited == false })
        {
        case .use(let browser):
            verify(browser === shared?.browser && shared?.hasExited == false, "a capture gets another browser")
            captures.append(browser)
        case .start(let old):
            verify(!isStarting && !isClosed, "two starts, or one after the close")
            verify(old === shared?.browser, "another browser is replaced")
            if let old { ending.append(old) }
            shared = nil
            isStarting = true
            waiters.insert(lastNumber)
        case .wait:
            verify(isStarting, "a capture waits, but no browser is being started")
            waiters.insert(lastNumber)
        case .fail:
            verify(isClosed, "an open pool refuses a capture")
        }
    }

    private mutating func started() {
        isStarting = false
        let browser = PooledBrowser()
        switch machine.started(browser) {
        case .use(let resumed):
            verify(!isClosed && Set(resumed) == waiters, "other captures get the browser")
            captures += waiters.map { _ in browser }
            waiters = []
            shared = (browser, false)
        case .end:
            verify(isClosed, "a browser is terminated without a reason")
            ending.append(browser)
        }
    }

    private mutating func startFailed() {
        isStarting = false
        let action = machine.startFailed()
        verify(Set(action.failing) == waiters, "other captures fail")
        waiters = []
        resume(action.closers)
    }

    private mutating func startedDedicated() {
        dedicatedStarts -= 1
        let browser = PooledBrowser()
        switch machine.startedDedicated(browser) {
        case .use: dedicated.append(browser)
        case .end: ending.append(browser)
        }
        verify(isClosed == !dedicated.contains { $0 === browser }, "a closed pool hands out a browser")
    }

    private mutating func release(isWorn: Bool) {
        let browser = captures.removeFirst()
        if isWorn, shared?.browser === browser {
            retired.append(browser)
            shared = nil
        }
        let isLast = retired.contains { $0 === browser } && !captures.contains { $0 === browser }
        verify(machine.release(browser, isWorn: isWorn) == isLast, "a replaced browser ends too early, or not at all")
        guard isLast else { return }
        retired.removeAll { $0 === browser }
        ending.append(browser)
    }

    private mutating func close() {
        lastNumber += 1
        isClosed = true
        closers.insert(lastNumber)
        let action = machine.close(lastNumber)
        verify(Set(action.failing) == waiters, "other captures fail")
        waiters = []
        let live = ending + dedicated + retired + (shared.map { [$0.browser] } ?? [])
        verify(
            Set(action.ending.map(ObjectIdentifier.init)) == Set(live.map(ObjectIdentifier.init)),
            "a browser is not terminated")
        ending = live
        (dedicated, retired, shared) = ([], [], nil)
        resume(action.closers)
    }

    private mutating func resume(_ resumed: [Int]) {
        for closer in resumed { verify(closers.remove(closer) != nil, "a close call is resumed twice") }
    }

    private mutating func check() {
        let live = ending.count + dedicated.count + retired.count + (shared == nil ? 0 : 1)
        verify(machine.browsers.count == live, "\(machine.browsers.count) of \(live) browsers are known")
        verify(machine.isClosed == isClosed && machine.shared === shared?.browser)
        verify(waiters.isEmpty || isStarting, "a capture waits, but no browser is being started")
        let isGone = isClosed && live == 0 && !isStarting && dedicatedStarts == 0
        verify(closers.isEmpty == (isGone || !isClosed), "closers wait too long, or not long enough")
    }

    private mutating func verify(_ condition: Bool, _ message: String = "the states differ") {
        if !condition { problem = problem ?? message }
    }

    /// Closes the pool, and lets every remaining operation succeed.
    private mutating func drain() {
        handle(.close)
        while let event = [Event.started, .startedDedicated, .ended].first(where: isPossible) { handle(event) }
        verify(waiters.isEmpty && closers.isEmpty && machine.browsers.isEmpty, "a caller or a browser remains")
    }

    /// Tries every order of events up to a length, and returns the first problem.
    func firstProblem(after events: [Event] = [], within length: Int, counting count: inout Int) -> String? {
        count += 1
        var last = self
        last.drain()
        if let problem = last.problem { return "\(problem), after \(events)" }
        guard length > 0 else { return nil }
        for event in Event.allCases where isPossible(event) {
            var next = self
            next.handle(event)
            if let problem = next.firstProblem(after: events + [event], within: length - 1, counting: &count) {
                return problem
            }
        }
        return nil
    }
}
