import Futures
import Testing

@testable import Persistence

/// The state machine of an autosave, without concurrency: every order of events up to a certain length.
@Suite(.timeLimit(.minutes(20))) struct AutosaveStateMachineTests {
    @Test func everyOrderOfEventsWritesTheLatestValue() {
        var count = 0
        let problem = World().firstProblem(within: 8, counting: &count)
        #expect(problem == nil)
        // If there were fewer, some events would have been left out.
        #expect(count > 100_000, "\(count) orders")
    }

    @Test func pausesGrowAndAreShortenedByJitter() {
        var machine = World.Machine(delay: .zero, longestDelay: .zero, backoff: AutosaveSettings.backoff)
        _ = machine.save(1, isUrgent: false, now: .zero)
        let pauses = [0, 0, 1, 0, 0, 0, 0, 0, 0.5].map { chance -> Duration? in
            guard case .startTimer(let timer, let pause) = machine.failed(.temporary, chance: chance, now: .zero).next
            else { return nil }
            _ = machine.timerFired(timer, now: .zero)
            return pause
        }
        #expect(pauses == [1, 2, 2, 8, 16, 32, 60, 60, 45].map { .seconds($0) })
    }

    @Test func successResetsThePauses() {
        var machine = World.Machine(delay: .zero, longestDelay: .zero, backoff: AutosaveSettings.backoff)
        _ = machine.save(1, isUrgent: false, now: .zero)
        for _ in 0..<3 {
            guard case .startTimer(let timer, let pause) = machine.failed(.temporary, chance: 0, now: .zero).next else {
                Issue.record("no pause")
                return
            }
            #expect(pause == .seconds(1))
            _ = machine.timerFired(timer, now: .zero)
            _ = machine.wrote(now: .zero)
            _ = machine.save(1, isUrgent: false, now: .zero)
        }
    }
}

/// A state machine, and a model of what a correct writer around it observes.
private struct World: EventDriven {
    typealias Machine = AutosaveStateMachine<Int, Int>

    enum Event: CaseIterable {
        case save
        case saveImmediately
        case flush
        case timer
        case success
        case temporaryFailure
        case permanentFailure
    }

    /// The first violation.
    private(set) var problem: String?
    private var machine = Machine(delay: .seconds(2), longestDelay: .seconds(3), backoff: AutosaveSettings.backoff)
    private var now = Duration.zero
    private var latest = 0
    private var written = 0
    private var inFlight: Int?
    private var attempts = 0
    private var timer: (id: Machine.TimerID, fires: Duration)?
    private var oldTimers: [Machine.TimerID] = []
    /// When the oldest unwritten value began to wait.
    private var firstUnwritten: Duration?
    private var isStuck = false
    private var isFailing = false
    private var isUrgent = false
    /// The waiting flushes: the value that each waits for, and the number of write attempts before it.
    private var waiters: [(id: Int, value: Int, attempts: Int)] = []
    private var lastWaiter = 0

    init() {}

    func isPossible(_ event: Event) -> Bool {
        switch event {
        case .save, .saveImmediately, .flush: true
        case .timer: timer != nil
        case .success, .temporaryFailure, .permanentFailure: inFlight != nil
        }
    }

    mutating func handle(_ event: Event) {
        switch event {
        case .save, .saveImmediately: save(isUrgent: event == .saveImmediately)
        case .flush: flush()
        case .timer: fire()
        case .success: succeed()
        case .temporaryFailure: fail(.temporary)
        case .permanentFailure: fail(.permanent)
        }
        check()
    }

    /// Lets all operations succeed from now on.
    mutating func drain() {
        while true {
            if inFlight != nil { succeed() } else if timer != nil { fire() } else { break }
        }
        if isStuck {
            flush()
            succeed()
        }
        verify(written == latest, "\(written) is written, but \(latest) is the latest")
        verify(machine.status.isSaved)
        verify(waiters.isEmpty)
    }

    private mutating func save(isUrgent: Bool) {
        now += .seconds(1)
        latest += 1
        isStuck = false
        if firstUnwritten == nil { firstUnwritten = now }
        self.isUrgent = self.isUrgent || isUrgent
        perform(machine.save(latest, isUrgent: isUrgent, now: now))
        if isUrgent && !isFailing { verify(inFlight != nil) }
    }

    private mutating func flush() {
        lastWaiter += 1
        let waiter = (lastWaiter, latest, attempts)
        switch machine.flush(lastWaiter) {
        case .done:
            verify(written == latest)
        case .wait:
            verify(inFlight != nil)
            waiters.append(waiter)
        case .write(let value, let cancel):
            waiters.append(waiter)
            perform(.write(value, cancelling: cancel))
        }
    }

    private mutating func fire() {
        guard let timer else { return }
        now = max(now, timer.fires)
        self.timer = nil
        perform(machine.timerFired(timer.id, now: now))
        oldTimers.append(timer.id)
    }

    private mutating func succeed() {
        guard let value = inFlight else { return }
        inFlight = nil
        written = value
        isFailing = false
        firstUnwritten = written == latest ? nil : now
        let end = machine.wrote(now: now)
        for id in end.waiters { verify(waiters.first { $0.id == id }.map { $0.value <= value } == true) }
        waiters.removeAll { end.waiters.contains($0.id) }
        verify(!waiters.contains { $0.value <= value }, "a waiter got no outcome")
        perform(end.next)
        verify(!isUrgent || inFlight != nil || written == latest, "an urgent value waits")
    }

    private mutating func fail(_ error: StoreError) {
        guard let value = inFlight else { return }
        inFlight = nil
        isFailing = true
        let end = machine.failed(error, chance: 0, now: now)
        for id in end.waiters { verify(waiters.first { $0.id == id }.map { $0.attempts < attempts } == true) }
        waiters.removeAll { end.waiters.contains($0.id) }
        verify(!waiters.contains { $0.attempts < attempts }, "a waiter got no outcome")
        isStuck = error.code == .notEncodable && value == latest && waiters.isEmpty
        perform(end.next)
        verify(machine.status.failure?.code == error.code)
    }

    private mutating func perform(_ action: Machine.Action) {
        switch action {
        case .none:
            break
        case .startTimer(let id, let deadline):
            verify(timer == nil, "two timers")
            verify(deadline > now)
            timer = (id, deadline)
            let isSuperfluous = machine.timerStarted(id, cancel: {})
            verify(!isSuperfluous)
        case .write(let value, let cancel):
            verify(inFlight == nil, "two writes")
            verify(value == latest, "\(value) is written, but \(latest) is the latest")
            verify((timer != nil) == (cancel != nil), "a timer still runs")
            if let timer { oldTimers.append(timer.id) }
            timer = nil
            inFlight = value
            isUrgent = false
            attempts += 1
            isStuck = false
        }
    }

    private mutating func check() {
        if inFlight == nil {
            verify(waiters.isEmpty, "a flush waits, but nothing is being written")
            verify(written == latest || timer != nil || isStuck, "no write of \(latest) is scheduled")
        }
        if written == latest && inFlight == nil && !isFailing {
            verify(machine.status.isSaved)
            verify(timer == nil)
        }
        if let firstUnwritten, let timer, !isFailing {
            verify(timer.fires <= firstUnwritten + .seconds(3), "the value waits longer than the longest delay")
        }
        for id in oldTimers {
            let action = machine.timerFired(id, now: now)
            guard case .none = action else {
                verify(false, "an old timer had an effect")
                continue
            }
            let isSuperfluous = machine.timerStarted(id, cancel: {})
            verify(isSuperfluous)
        }
    }

    private mutating func verify(_ condition: Bool, _ message: String = "", line: Int = #line) {
        if !condition && problem == nil { problem = "\(message) (line \(line))" }
    }
}
