import Futures

/// What an ``Autosave`` has to write, and when.
///
/// Pure: every event is a mutating function that says what is to be done. Times are since the beginning.
struct AutosaveStateMachine<Value: Sendable, Waiter: Sendable>: Sendable {
    typealias Cancel = @Sendable () -> Void

    /// Tells timers apart.
    struct TimerID: Hashable, Sendable {
        fileprivate let number: Int
    }

    /// A value that nobody writes yet.
    private struct Pending: Sendable {
        var value: Value
        /// When it is to be written, if nothing newer comes.
        var due: Duration
        /// When it is to be written whatever comes.
        let latest: Duration
    }

    /// A timer that runs.
    ///
    /// It may run out before the value is due: then another one is started.
    private struct Timer: Sendable {
        let id: TimerID
        var cancel: Cancel?
    }

    private struct Flush: Sendable {
        let waiter: Waiter
        /// Which value must be written for it: that one, or a later one.
        let number: Int
        /// How many attempts had begun before it.
        let attempts: Int
    }

    private enum State: Sendable {
        /// All is written.
        case idle
        /// A value waits for newer ones.
        case waiting(Pending, Timer)
        /// A value is being written: the one of that number. Newer ones may wait.
        case writing(Value, number: Int, newer: Pending?)
        /// The last attempt failed; the next one comes with the timer.
        case pausing(Pending, Timer)
        /// The last attempt failed, and another one would too, until something is given or somebody asks.
        case stuck(Pending)
    }

    private let delay: Duration
    private let longestDelay: Duration
    private let backoff: Backoff
    private var state = State.idle
    private var flushes: [Flush] = []
    /// How many values were given.
    private var given = 0
    private var attempts = 0
    /// How many attempts failed since the last that did not, and why the last one did.
    private var failures = 0
    private var failure: StoreError?
    private var lastTimer = 0

    init(delay: Duration, longestDelay: Duration, backoff: Backoff) {
        self.delay = delay
        self.longestDelay = longestDelay
        self.backoff = backoff
    }

    var status: SaveStatus {
        if let failure { return .failed(failure) }
        if case .idle = state { return .saved }
        return .saving
    }

    enum Action: Sendable {
        case none
        /// Call ``timerFired(_:now:)`` at that time, and say with ``timerStarted(_:cancel:)`` how not to.
        case startTimer(TimerID, at: Duration)
        /// Write this, and say with ``wrote(now:)`` or ``failed(_:chance:now:)`` what came of it.
        case write(Value, cancelling: Cancel?)
    }

    /// A value was given.
    mutating func save(_ value: Value, isUrgent: Bool, now: Duration) -> Action {
        given += 1
        switch state {
        case .idle, .stuck:
            if isUrgent { return write(value) }
            return wait(pending(value, after: nil, isUrgent: false, now: now), now: now)
        case .waiting(let pending, let timer):
            if isUrgent { return write(value, cancelling: timer.cancel) }
            // The timer runs out early, and is then started again: that is cheaper than a new one for each value.
            state = .waiting(self.pending(value, after: pending, isUrgent: false, now: now), timer)
            return .none
        case .writing(let written, let number, let newer):
            state = .writing(
                written, number: number, newer: pending(value, after: newer, isUrgent: isUrgent, now: now))
            return .none
        case .pausing(var pending, let timer):
            // It waits with the others: the store is not asked more often because more is given.
            pending.value = value
            state = .pausing(pending, timer)
            return .none
        }
    }

    /// A timer has run out; without a time, the clock refused to wait, and nothing is put off any more.
    mutating func timerFired(_ id: TimerID, now: Duration?) -> Action {
        switch state {
        case .waiting(let pending, let timer) where timer.id == id:
            if let now, now < pending.due { return wait(pending, now: now) }
            return write(pending.value)
        case .pausing(let pending, let timer) where timer.id == id:
            return write(pending.value)
        case .idle, .waiting, .writing, .pausing, .stuck:
            // A timer that was cancelled too late.
            return .none
        }
    }

    /// Notes how a timer is cancelled.
    ///
    /// - Returns: Whether it is not needed any more.
    mutating func timerStarted(_ id: TimerID, cancel: @escaping Cancel) -> Bool {
        switch state {
        case .waiting(let pending, var timer) where timer.id == id:
            timer.cancel = cancel
            state = .waiting(pending, timer)
            return false
        case .pausing(let pending, var timer) where timer.id == id:
            timer.cancel = cancel
            state = .pausing(pending, timer)
            return false
        case .idle, .waiting, .writing, .pausing, .stuck:
            return true
        }
    }

    enum FlushAction: Sendable {
        /// All is written.
        case done
        /// The waiter is told when it is.
        case wait
        /// The waiter is told when it is; write this at once.
        case write(Value, cancelling: Cancel?)
    }

    /// Somebody waits for all that was given.
    mutating func flush(_ waiter: Waiter) -> FlushAction {
        let flush = Flush(waiter: waiter, number: given, attempts: attempts)
        switch state {
        case .idle:
            return .done
        case .writing:
            flushes.append(flush)
            return .wait
        case .waiting(let pending, let timer), .pausing(let pending, let timer):
            flushes.append(flush)
            begin(pending.value)
            return .write(pending.value, cancelling: timer.cancel)
        case .stuck(let pending):
            flushes.append(flush)
            begin(pending.value)
            return .write(pending.value, cancelling: nil)
        }
    }

    struct EndAction: Sendable {
        /// To be told that it is written, or that it could not be.
        var waiters: [Waiter] = []
        var next = Action.none
    }

    /// The write has succeeded.
    mutating func wrote(now: Duration) -> EndAction {
        guard case .writing(_, let number, let newer) = state else { return impossible() }
        failures = 0
        failure = nil
        let done = takeFlushes { $0.number <= number }
        guard let newer else {
            state = .idle
            return EndAction(waiters: done)
        }
        return EndAction(waiters: done, next: flushes.isEmpty ? wait(newer, now: now) : write(newer.value))
    }

    /// The write has failed.
    ///
    /// Who began to wait before it began is told; who came later gets an attempt of their own, at once.
    ///
    /// - Parameters:
    ///   - error: Why.
    ///   - chance: From 0 to 1, for the pause.
    ///   - now: The time.
    /// - Returns: What is to be done.
    mutating func failed(_ error: StoreError, chance: Double, now: Duration) -> EndAction {
        guard case .writing(let value, _, let newer) = state else { return impossible() }
        failures += 1
        failure = error
        let told = takeFlushes { [attempts] in $0.attempts < attempts }
        let pending = newer ?? Pending(value: value, due: now, latest: now)
        if !flushes.isEmpty { return EndAction(waiters: told, next: write(pending.value)) }
        if error.mayPass {
            var backoff = backoff
            backoff.random = { chance }
            let pause = backoff.pause(after: failures)
            let timer = newTimer()
            state = .pausing(pending, timer)
            return EndAction(waiters: told, next: .startTimer(timer.id, at: now + pause))
        }
        if newer != nil { return EndAction(waiters: told, next: wait(pending, now: now)) }
        state = .stuck(pending)
        return EndAction(waiters: told)
    }
}

extension AutosaveStateMachine {
    private func pending(_ value: Value, after older: Pending?, isUrgent: Bool, now: Duration) -> Pending {
        let latest = isUrgent ? now : older?.latest ?? now + longestDelay
        return Pending(value: value, due: min(now + delay, latest), latest: latest)
    }

    private mutating func begin(_ value: Value) {
        attempts += 1
        state = .writing(value, number: given, newer: nil)
    }

    private mutating func write(_ value: Value, cancelling cancel: Cancel? = nil) -> Action {
        begin(value)
        return .write(value, cancelling: cancel)
    }

    /// Waits until it is due, if only for a moment.
    private mutating func wait(_ pending: Pending, now: Duration) -> Action {
        guard pending.due > now else { return write(pending.value) }
        let timer = newTimer()
        state = .waiting(pending, timer)
        return .startTimer(timer.id, at: pending.due)
    }

    private mutating func newTimer() -> Timer {
        lastTimer += 1
        return Timer(id: TimerID(number: lastTimer))
    }

    private mutating func takeFlushes(where isTaken: (Flush) -> Bool) -> [Waiter] {
        let taken = flushes.filter(isTaken)
        flushes.removeAll(where: isTaken)
        return taken.map(\.waiter)
    }

    private func impossible(_ event: StaticString = #function) -> EndAction {
        assertionFailure("\(event): nothing is being written")
        return EndAction()
    }
}

extension StoreError {
    /// Whether the same may go well later, without anybody changing anything.
    var mayPass: Bool {
        switch code {
        case .newerVersion, .notEncodable, .notDecodable, .invalidName, .closed: false
        default: true
        }
    }
}
