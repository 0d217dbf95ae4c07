import Futures

/// Runs the state machine of an ``Autosave``, one transition at a time, and performs its actions.
///
/// Its timers and writes retain it, so that it isn't released while a write is pending or will be retried.
final class AutosaveStorage<Value: Sendable>: Sendable {
    private typealias Machine = AutosaveStateMachine<Value, Promise<Void, StoreError>>

    private let name: String
    private let machine: Lock<Machine>
    private let time: Stopwatch
    private let chance: @Sendable () -> Double
    private let onStatus: @Sendable () -> Void
    private let write: @Sendable (Value) async throws(StoreError) -> Void
    private let group: SaveGroup?

    init(
        name: String, settings: AutosaveSettings, onStatus: @escaping @Sendable () -> Void,
        write: @escaping @Sendable (Value) async throws(StoreError) -> Void
    ) {
        self.name = name
        self.machine = Lock(
            Machine(delay: settings.delay, longestDelay: settings.longestDelay, backoff: settings.backoff))
        self.time = Stopwatch(settings.clock)
        self.chance = settings.backoff.random
        self.onStatus = onStatus
        self.write = write
        self.group = settings.group
    }

    deinit {
        group?.remove(ObjectIdentifier(self))
    }
}

extension AutosaveStorage {
    var status: SaveStatus { machine.withLock { $0.status } }

    func save(_ value: Value, isUrgent: Bool) {
        let now = time.elapsed
        let (action, hasNewStatus) = machine.withLock { machine in
            let before = machine.status
            let action = machine.save(value, isUrgent: isUrgent, now: now)
            return (action, !machine.status.isEquivalent(to: before))
        }
        perform(action)
        if hasNewStatus { onStatus() }
    }

    func flush(within limit: Duration?) async throws(StoreError) {
        let written = Promise<Void, StoreError>(
            onAbandon: { [name] in
                StoreError(.cancelled, "\(name) was closed while a caller waited for it to be written.")
            })
        let deadline = limit.map { (limit: $0, end: time.elapsed + $0) }
        switch machine.withLock({ $0.flush(written) }) {
        case .done: return
        case .wait: break
        case .write(let value, let cancel): perform(.write(value, cancelling: cancel))
        }
        var end = written.future
        if let deadline {
            let late = StoreError(
                .timedOut,
                "\(name) was not written within \(deadline.limit). The program keeps trying while it runs.")
            end = end.timeout(at: deadline.end, of: time, error: late)
        }
        try await end.value(
            onCancel: StoreError(
                .cancelled, "Waiting for \(self.name) to be written was cancelled. It will still be written."))
    }

    private func perform(_ action: Machine.Action) {
        switch action {
        case .none:
            break
        case .startTimer(let id, let deadline):
            let timer = Task { await self.run(id, until: deadline) }
            if machine.withLock({ $0.timerStarted(id, cancel: { timer.cancel() }) }) { timer.cancel() }
        case .write(let value, let cancel):
            cancel?()
            Task { await self.run(value) }
        }
    }

    private func run(_ timer: Machine.TimerID, until deadline: Duration) async {
        var now: Duration?
        do {
            try await time.sleep(until: deadline)
            now = time.elapsed
        } catch {
            // A clock that fails to sleep must not prevent a write.
            if Task.isCancelled { return }
        }
        perform(machine.withLock { [now] in $0.timerFired(timer, now: now) })
    }

    private func run(_ value: Value) async {
        let action: Machine.EndAction
        let outcome: Result<Void, StoreError>
        do throws(StoreError) {
            try await write(value)
            let now = time.elapsed
            action = machine.withLock { $0.wrote(now: now) }
            outcome = .success(())
        } catch {
            let now = time.elapsed
            let chance = chance()
            action = machine.withLock { $0.failed(error, chance: chance, now: now) }
            outcome = .failure(error)
        }
        perform(action.next)
        onStatus()
        for waiter in action.waiters { waiter.settle(outcome) }
    }
}

extension AutosaveStorage: SaveGroupMember {}
