import Futures

/// What an ``Autosave`` has to write, and when.
///
/// Pure: every event is a mutating function that returns an action. Times are relative to the start of the stopwatch.
struct AutosaveStateMachine<Value: Sendable, Waiter: Sendable>: Sendable {
    typealias Cancel = @Sendable () -> Void

    /// Identifies a timer.
    struct TimerID: Hashable, Sendable {
        fileprivate let number: Int
    }

    /// A value that is not being written yet.
    private struct Pending: Sendable {
        var value: Value
        /// When to write it if no newer value arrives.
        var due: Duration
        /// When to write it at the latest.
        let latest: Duration
    }

    /// A running timer.
    ///
    /// It may fire before the value is due; then another one is started.
    private struct Timer: Sendable {
        let id: TimerID
        var cancel: Cancel?
    }

    private struct Flush: Sendable {
        let waiter: Waiter
        /// The flush succeeds once the value with this number, or a later one, is written.
        let number: Int
        /// The number of attempts that had begun before the flush.
        let attempts: Int
    }

    private enum State: Sendable {
        /// Everything is written.
        case idle
        /// A value is waiting for newer ones.
        case waiting(Pending, Timer)
        /// The value with this number is being written; a newer one may be pending.
        case writing(Value, number: Int, newer: Pending?)
        /// The last attempt failed; the next one begins when the timer fires.
        case pausing(Pending, Timer)
        /// The last attempt failed, and a retry would too; the next one begins when a value is saved or a caller flushes.
        case blocked(Pending)
    }

    private let delay: Duration
    private let longestDelay: Duration
    private let backoff: Backoff
    private var state = State.idle
    private var flushes: [Flush] = []
    /// The number of values passed to ``save(_:isUrgent:now:)``; each value is identified by the number it got.
    private var saveCount = 0
    private var attempts = 0
    /// The number of failed attempts since the last success, and the error of the last one.
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
        /// Call ``timerFired(_:now:)`` at that time, and register with ``timerStarted(_:cancel:)`` how to cancel the timer.
        case startTimer(TimerID, at: Duration)
        /// Write this value, and report ``wrote(now:)`` or ``failed(_:chance:now:)``.
        case write(Value, cancelling: Cancel?)
    }

    /// Enqueues a value.
    mutating func save(_ value: Value, isUrgent: Bool, now: Duration) -> Action {
        saveCount += 1
        switch state {
        case .idle, .blocked:
            if isUrgent { return write(value) }
            return wait(pending(value, after: nil, isUrgent: false, now: now), now: now)
        case .waiting(let pending, let timer):
            if isUrgent { return write(value, cancelling: timer.cancel) }
            // The timer fires early and is then restarted, which is cheaper than a new timer for each value.
            state = .waiting(self.pending(value, after: pending, isUrgent: false, now: now), timer)
            return .none
        case .writing(let written, let number, let newer):
            state = .writing(
                written, number: number, newer: pending(value, after: newer, isUrgent: isUrgent, now: now))
            return .none
        case .pausing(var pending, let timer):
            // A new value doesn't shorten the backoff, so that saving more often doesn't contact the store more often.
            pending.value = value
            state = .pausing(pending, timer)
            return .none
        }
    }

    /// Handles a timer that has fired; `now` is `nil` if the clock failed, and then the value is written at once.
    mutating func timerFired(_ id: TimerID, now: Duration?) -> Action {
        switch state {
        case .waiting(let pending, let timer) where timer.id == id:
            if let now, now < pending.due { return wait(pending, now: now) }
            return write(pending.value)
        case .pausing(let pending, let timer) where timer.id == id:
            return write(pending.value)
        case .idle, .waiting, .writing, .pausing, .blocked:
            // The timer was cancelled too late.
            return .none
        }
    }

    /// Registers how to cancel a timer.
    ///
    /// - Returns: Whether the timer is no longer needed.
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
        case .idle, .waiting, .writing, .pausing, .blocked:
            return true
        }
    }

    enum FlushAction: Sendable {
        /// Everything is written.
        case done
        /// A value is being written; the waiter is notified when all values saved so far are, or a later attempt fails.
        case wait
        /// Write this value at once; the waiter is notified of the outcome.
        case write(Value, cancelling: Cancel?)
    }

    /// Registers a waiter for all values saved so far.
    mutating func flush(_ waiter: Waiter) -> FlushAction {
        let flush = Flush(waiter: waiter, number: saveCount, attempts: attempts)
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
        case .blocked(let pending):
            flushes.append(flush)
            begin(pending.value)
            return .write(pending.value, cancelling: nil)
        }
    }

    struct EndAction: Sendable {
        /// The waiters to notify of the outcome of the write.
        var waiters: [Waiter] = []
        var next = Action.none
    }

    /// Handles a successful write.
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

    /// Handles a failed write.
    ///
    /// Waiters that flushed before the attempt began are notified; for later ones, another attempt begins at once.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - chance: A random number from 0 to 1, for the backoff.
    ///   - now: The current time.
    /// - Returns: The waiters to notify, and the next action.
    mutating func failed(_ error: StoreError, chance: Double, now: Duration) -> EndAction {
        guard case .writing(let value, _, let newer) = state else { return impossible() }
        failures += 1
        failure = error
        let notified = takeFlushes { [attempts] in $0.attempts < attempts }
        let pending = newer ?? Pending(value: value, due: now, latest: now)
        if !flushes.isEmpty { return EndAction(waiters: notified, next: write(pending.value)) }
        if error.isTransient {
            var backoff = backoff
            backoff.random = { chance }
            let pause = backoff.pause(after: failures)
            let timer = newTimer()
            state = .pausing(pending, timer)
            return EndAction(waiters: notified, next: .startTimer(timer.id, at: now + pause))
        }
        if newer != nil { return EndAction(waiters: notified, next: wait(pending, now: now)) }
        state = .blocked(pending)
        return EndAction(waiters: notified)
    }
}

extension AutosaveStateMachine {
    private func pending(_ value: Value, after older: Pending?, isUrgent: Bool, now: Duration) -> Pending {
        let latest = isUrgent ? now : older?.latest ?? now + longestDelay
        return Pending(value: value, due: min(now + delay, latest), latest: latest)
    }

    private mutating func begin(_ value: Value) {
        attempts += 1
        state = .writing(value, number: saveCount, newer: nil)
    }

    private mutating func write(_ value: Value, cancelling cancel: Cancel? = nil) -> Action {
        begin(value)
        return .write(value, cancelling: cancel)
    }

    /// Waits until the value is due, or writes it if it is due already.
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
    /// Whether a retry may succeed without any other change.
    var isTransient: Bool {
        switch code {
        case .newerVersion, .notEncodable, .notDecodable, .invalidName, .closed: false
        default: true
        }
    }
}
