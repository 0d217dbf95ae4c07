/// Tracks the browsers of a capturer, and the captures that wait for one.
///
/// Pure: each event is a mutating function that returns the action to perform. Each browser is tracked from its start
/// to its end, and each start until it succeeds or fails, so that closing can wait for all of them. The captures in a
/// shared browser are counted, so that a browser that is to be replaced ends after the last of them.
struct BrowserPoolStateMachine<Browser: AnyObject & Sendable, Waiter: Sendable, Closer: Sendable>: Sendable {
    private enum State: Sendable {
        /// There is no shared browser; the next capture starts one.
        case idle
        /// The shared browser is starting, and these captures wait for it.
        case starting([Waiter])
        /// Captures share this browser.
        case running(Browser)
        /// The pool is closed and starts no more browsers.
        case closed
    }

    private var state = State.idle
    /// The browsers that have started and not ended: the shared one, those for a single capture, and those that are
    /// ending.
    private(set) var browsers: [Browser] = []
    /// The captures in each browser that is or was shared, until it ends.
    private var uses: [ObjectIdentifier: Use] = [:]
    /// The number of browsers that are starting.
    private var starts = 0
    private var closers: [Closer] = []

    private struct Use: Sendable {
        var captures: Int
        /// Whether the browser ends after the last capture.
        var isRetired = false
    }

    var isClosed: Bool { if case .closed = state { true } else { false } }

    /// The shared browser; `nil` if there is none.
    var shared: Browser? { if case .running(let browser) = state { browser } else { nil } }

    enum AcquireAction: Sendable {
        case use(Browser)
        /// Start the shared browser, after ending one that is no longer usable. The capture waits.
        case start(replacing: Browser?)
        /// Wait for the browser that is starting.
        case wait
        /// The pool is closed.
        case fail
    }

    /// Requests the shared browser for a capture, which must call ``release(_:isWorn:)`` when it ends.
    mutating func acquire(_ waiter: Waiter, isUsable: (Browser) -> Bool) -> AcquireAction {
        switch state {
        case .idle:
            starts += 1
            state = .starting([waiter])
            return .start(replacing: nil)
        case .starting(let waiters):
            state = .starting(waiters + [waiter])
            return .wait
        case .running(let browser):
            if isUsable(browser) {
                uses[ObjectIdentifier(browser)]?.captures += 1
                return .use(browser)
            }
            starts += 1
            state = .starting([waiter])
            return .start(replacing: browser)
        case .closed:
            return .fail
        }
    }

    enum StartAction: Sendable {
        /// These captures use the browser. Empty for a browser that runs a single capture.
        case use([Waiter])
        /// End the browser, because the pool was closed in the meantime.
        case end
    }

    /// Handles the start of the shared browser.
    mutating func started(_ browser: Browser) -> StartAction {
        starts -= 1
        browsers.append(browser)
        // Waiters were notified when the pool was closed.
        guard case .starting(let waiters) = state else { return .end }
        state = .running(browser)
        uses[ObjectIdentifier(browser)] = Use(captures: waiters.count)
        return .use(waiters)
    }

    /// Handles a failed start of the shared browser; returns the captures to fail and the closers to resume.
    mutating func startFailed() -> (failing: [Waiter], closers: [Closer]) {
        starts -= 1
        guard case .starting(let waiters) = state else { return ([], takeClosers()) }
        state = .idle
        return (waiters, [])
    }

    /// Requests a browser for a single capture; returns whether to start one.
    mutating func startDedicated() -> Bool {
        if isClosed { return false }
        starts += 1
        return true
    }

    /// Handles the start of a browser for a single capture.
    mutating func startedDedicated(_ browser: Browser) -> StartAction {
        starts -= 1
        browsers.append(browser)
        return isClosed ? .end : .use([])
    }

    /// Handles a failed start of a browser for a single capture; returns the closers to resume.
    mutating func startDedicatedFailed() -> [Closer] {
        starts -= 1
        return takeClosers()
    }

    /// Handles the end of a capture in a shared browser.
    ///
    /// - Parameters:
    ///   - browser: The browser, which may have ended already.
    ///   - isWorn: Whether to replace the browser: later captures don't use it.
    /// - Returns: Whether this was the last capture in a browser that is replaced; the caller must then end it.
    mutating func release(_ browser: Browser, isWorn: Bool) -> Bool {
        guard var use = uses.removeValue(forKey: ObjectIdentifier(browser)) else { return false }
        use.captures -= 1
        if isWorn, shared === browser {
            use.isRetired = true
            discard(browser)
        }
        if use.isRetired, use.captures == 0 { return true }
        uses[ObjectIdentifier(browser)] = use
        return false
    }

    /// Stops sharing a browser, which the caller must end before it calls ``ended(_:)``.
    mutating func discard(_ browser: Browser) {
        if shared === browser { state = .idle }
    }

    /// Handles the end of a browser and all its processes; may be called more than once.
    ///
    /// - Returns: The closers to resume.
    mutating func ended(_ browser: Browser) -> [Closer] {
        discard(browser)
        browsers.removeAll { $0 === browser }
        uses[ObjectIdentifier(browser)] = nil
        return takeClosers()
    }

    struct CloseAction: Sendable {
        /// The captures to fail, which wait for a browser.
        var failing: [Waiter] = []
        /// The browsers to end.
        var ending: [Browser] = []
        /// The closers to resume.
        var closers: [Closer] = []
    }

    /// Prevents further starts; the closer waits until all browsers have ended.
    mutating func close(_ closer: Closer) -> CloseAction {
        var action = CloseAction(ending: browsers)
        if case .starting(let waiters) = state { action.failing = waiters }
        state = .closed
        uses = [:]
        closers.append(closer)
        action.closers = takeClosers()
        return action
    }

    private mutating func takeClosers() -> [Closer] {
        guard isClosed, browsers.isEmpty, starts == 0 else { return [] }
        defer { closers = [] }
        return closers
    }
}
