/// Which browsers a capturer has, and which captures wait for one.
///
/// Pure: every event is a mutating function that returns what is to be done. Each browser is known from its start to its end, and
/// each start until it has succeeded or failed, so that closing waits for all of them.
struct BrowserPoolStateMachine<Browser: AnyObject & Sendable, Waiter: Sendable, Closer: Sendable>: Sendable {
    private enum State: Sendable {
        /// No browser is shared; the next capture starts one.
        case idle
        /// The shared browser is being started for these captures.
        case starting([Waiter])
        /// Captures share this browser.
        case running(Browser)
        /// No browser is started any more.
        case closed
    }

    private var state = State.idle
    /// The browsers that have started and not ended: the shared one, those for one capture, and those that are being ended.
    private(set) var browsers: [Browser] = []
    /// How many browsers are being started.
    private var starts = 0
    private var closers: [Closer] = []

    var isClosed: Bool { if case .closed = state { true } else { false } }

    /// The browser that captures share; `nil` if there is none.
    var shared: Browser? { if case .running(let browser) = state { browser } else { nil } }

    enum AcquireAction: Sendable {
        /// Use this browser.
        case use(Browser)
        /// Start the shared browser, after the end of another one that can't be used any more. The capture waits.
        case start(replacing: Browser?)
        /// The capture waits for the browser that is being started.
        case wait
        /// The pool is closed.
        case fail
    }

    /// A capture needs the shared browser.
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
            if isUsable(browser) { return .use(browser) }
            starts += 1
            state = .starting([waiter])
            return .start(replacing: browser)
        case .closed:
            return .fail
        }
    }

    enum StartAction: Sendable {
        /// These captures use the browser: those that have waited for it, or the one that it was started for.
        case use([Waiter])
        /// The pool was closed meanwhile: end the browser.
        case end
    }

    /// The shared browser has started.
    mutating func started(_ browser: Browser) -> StartAction {
        starts -= 1
        browsers.append(browser)
        // Waiters were told when the pool was closed.
        guard case .starting(let waiters) = state else { return .end }
        state = .running(browser)
        return .use(waiters)
    }

    /// The shared browser couldn't be started; returns the captures that fail, and the closers whose wait is over.
    mutating func startFailed() -> (failing: [Waiter], closers: [Closer]) {
        starts -= 1
        guard case .starting(let waiters) = state else { return ([], takeClosers()) }
        state = .idle
        return (waiters, [])
    }

    /// A capture needs a browser of its own; returns whether to start one.
    mutating func startAlone() -> Bool {
        if isClosed { return false }
        starts += 1
        return true
    }

    /// A browser for one capture has started.
    mutating func startedAlone(_ browser: Browser) -> StartAction {
        starts -= 1
        browsers.append(browser)
        return isClosed ? .end : .use([])
    }

    /// A browser for one capture couldn't be started; returns the closers whose wait is over.
    mutating func startAloneFailed() -> [Closer] {
        starts -= 1
        return takeClosers()
    }

    /// A browser is of no use to later captures: end it, and call ``ended(_:)``.
    mutating func discard(_ browser: Browser) {
        if shared === browser { state = .idle }
    }

    /// A browser has ended, with all its processes; it may be told more than once.
    ///
    /// - Returns: The closers whose wait is over.
    mutating func ended(_ browser: Browser) -> [Closer] {
        discard(browser)
        browsers.removeAll { $0 === browser }
        return takeClosers()
    }

    struct CloseAction: Sendable {
        /// Captures that wait for a browser.
        var failing: [Waiter] = []
        /// Browsers to end.
        var ending: [Browser] = []
        /// The closers whose wait is over.
        var closers: [Closer] = []
    }

    /// Starts no browser from now on; the closer waits until each browser has ended.
    mutating func close(_ closer: Closer) -> CloseAction {
        var action = CloseAction(ending: browsers)
        if case .starting(let waiters) = state { action.failing = waiters }
        state = .closed
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
