/// Coalesces operations: concurrent callers with the same key share one run and its outcome.
///
/// ```swift
/// let loads = SingleFlight<URL, Data, Never, any Error>()
/// let data = try await loads.run(url) { try await load(url) }.value
/// ```
///
/// A cancelled caller stops waiting and doesn't affect the others. When the last caller is cancelled, so is the
/// operation, and the next caller starts a new run. Outcomes aren't stored. An operation can report progress to all its
/// callers; `Progress` is `Never` for one that doesn't.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable, Progress: Sendable, Failure: Error>: Sendable
{
    /// A value, and whether other callers shared its run.
    public struct Landing: Sendable {
        /// The operation's return value.
        public let value: Value
        /// Whether the run has had several callers.
        public let isShared: Bool
    }

    /// The part of a run that its operation can use.
    package struct Flight: Sendable {
        /// Cancels the run; its callers receive its outcome.
        package let handle: TaskHandle
        /// Reports progress to the callers.
        package let report: @Sendable (Progress) -> Void
    }

    package typealias Operation = @Sendable (Flight) async throws(Failure) -> Value

    private struct Waiter: Sendable {
        let outcome: Promise<Landing, Failure>
        let progress: (@Sendable (Progress) -> Void)?
    }

    private typealias StateMachine = SingleFlightStateMachine<Key, TaskHandle, Waiter, Progress>

    private let machine = Lock(StateMachine())
    private let cancelled: @Sendable () -> Failure
    private let closed: @Sendable () -> Failure

    /// Creates an instance whose calls throw `cancelled` if their task is cancelled, and `closed` after ``close()``.
    package init(
        onCancel cancelled: @escaping @autoclosure @Sendable () -> Failure,
        onClose closed: @escaping @autoclosure @Sendable () -> Failure
    ) {
        self.cancelled = cancelled
        self.closed = closed
    }

    /// Creates an instance whose calls throw `cancelled` if their task is cancelled.
    public convenience init(onCancel cancelled: @escaping @autoclosure @Sendable () -> Failure) {
        self.init(onCancel: cancelled(), onClose: cancelled())
    }
}

extension SingleFlight where Failure == any Error {
    /// Creates an instance whose calls throw a `CancellationError` if their task is cancelled.
    public convenience init() {
        self.init(onCancel: CancellationError())
    }
}

extension SingleFlight {
    /// Runs an operation, or joins the run in progress for the key.
    ///
    /// The operation runs in a task of its own, with the first caller's task-local values and the priority of the most
    /// urgent caller. It is cancelled when no caller waits for it any more. Throws the operation's error, or the
    /// cancellation error if this caller is cancelled.
    public func run(
        _ key: Key, operation: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Landing {
        try await runFlight(key, progress: nil) { _ throws(Failure) in try await operation() }
    }

    /// Runs an operation that reports progress, or joins the run in progress for the key; see ``run(_:operation:)``.
    ///
    /// A caller that joins receives the newest report, if there is one, and then later reports. The calls of `progress`
    /// don't overlap. A report that isn't delivered yet is replaced by a newer one.
    public func run(
        _ key: Key, progress: @escaping @Sendable (Progress) -> Void,
        operation: @escaping @Sendable (_ report: @Sendable (Progress) -> Void) async throws(Failure) -> Value
    ) async throws(Failure) -> Landing {
        try await runFlight(key, progress: progress) { flight throws(Failure) in try await operation(flight.report) }
    }

    /// Makes the next caller start a new run; a run in progress continues for the callers that wait for it.
    public func forget(_ key: Key) {
        machine.withLock { $0.forget(key) }
    }

    /// The keys of the runs that can be joined.
    public var keys: Set<Key> { machine.withLock { Set($0.keys) } }

    /// The number of callers that wait for the run of a key.
    package func waiterCount(_ key: Key) -> Int { machine.withLock { $0.waiterCount(key) } }

    /// Whether there are no runs and no waiters.
    package var isIdle: Bool { machine.withLock { $0.isEmpty } }

    /// Runs an operation, or joins the run in progress.
    package func runFlight(
        _ key: Key, progress: (@Sendable (Progress) -> Void)?, operation: @escaping Operation
    ) async throws(Failure) -> Landing {
        if Task.isCancelled { throw cancelled() }
        let outcome = Promise<Landing, Failure>(onAbandon: closed)
        guard let id = join(key, Waiter(outcome: outcome, progress: progress), operation) else { throw closed() }
        let result = await withTaskCancellationHandler {
            await escalating(id) { await outcome.future.result }
        } onCancel: {
            leave(id)
        }
        return try result.get()
    }

    /// Cancels all runs, and starts no others from now on.
    package func close() {
        for handle in machine.withLock({ $0.close() }) { handle.cancel() }
    }
}

extension SingleFlight {
    private func escalating(
        _ id: StateMachine.WaiterID, _ wait: () async -> Result<Landing, Failure>
    ) async -> Result<Landing, Failure> {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return await wait() }
        return await withTaskPriorityEscalationHandler {
            await wait()
        } onPriorityEscalated: { _, priority in
            machine.withLock { $0.escalate(id, to: priority.rawValue) }?.escalate(to: priority)
        }
    }

    /// Starts a run, or joins the one in progress; `nil` after ``close()``.
    private func join(_ key: Key, _ waiter: Waiter, _ operation: @escaping Operation) -> StateMachine.WaiterID? {
        let priority = Task.currentPriority
        let handle = TaskHandle()
        let action = machine.withLock {
            $0.join(key, waiter, listens: waiter.progress != nil, priority: priority.rawValue, new: handle)
        }
        switch action {
        case .start(let flight, let id):
            start(flight, handle, operation, priority: priority)
            return id
        case .wait(let flight, let id, let urgent, let tell):
            urgent?.escalate(to: priority)
            if tell { self.tell(flight) }
            return id
        case .closed:
            return nil
        }
    }

    private func start(
        _ id: StateMachine.FlightID, _ handle: TaskHandle, _ operation: @escaping Operation, priority: TaskPriority
    ) {
        let flight = Flight(handle: handle) { progress in
            if self.machine.withLock({ $0.progressed(id, progress) }) { self.tell(id) }
        }
        // Owned by its waiters: it is cancelled when the last one leaves, and by ``close()``.
        let task = Task(priority: priority) {
            let result: Result<Value, Failure>
            do throws(Failure) {
                result = .success(try await operation(flight))
            } catch {
                result = .failure(error)
            }
            let (waiters, isShared) = self.machine.withLock { $0.end(id) }
            let landing = result.map { Landing(value: $0, isShared: isShared) }
            for waiter in waiters { waiter.outcome.settle(landing) }
        }
        handle.attach(task)
    }

    private func leave(_ id: StateMachine.WaiterID) {
        guard let (waiter, abandoned) = machine.withLock({ $0.leave(id) }) else { return }
        abandoned?.cancel()
        waiter.outcome.reject(cancelled())
    }

    private func tell(_ id: StateMachine.FlightID) {
        while let (waiters, progress) = machine.withLock({ $0.nextToTell(id) }) {
            for waiter in waiters { waiter.progress?(progress) }
        }
    }
}
