/// Runs each operation once at a time: callers that ask for the same key meanwhile share one run and its outcome.
///
/// ```swift
/// let loads = SingleFlight<URL, Data, Never, any Error>()
/// let data = try await loads.run(url) { try await load(url) }.value
/// ```
///
/// A caller that is cancelled stops waiting and fails no other. When the last one stops, the operation is cancelled, and the next caller
/// starts it anew. Outcomes aren't stored. An operation can report its progress to all callers; `Progress` is `Never` for one that doesn't.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable, Progress: Sendable, Failure: Error>: Sendable
{
    /// A value, and whether other callers got it too.
    public struct Landing: Sendable {
        /// What the operation returned.
        public let value: Value
        /// Whether another caller asked for it meanwhile.
        public let isShared: Bool
    }

    /// A run of an operation, as the operation sees it.
    package struct Flight: Sendable {
        /// Cancels the run; the callers get its outcome.
        package let handle: TaskHandle
        /// Reports the progress to the callers.
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

    /// Creates one that runs nothing; its callers throw `cancelled` when they are cancelled, and `closed` after ``close()``.
    package init(
        onCancel cancelled: @escaping @autoclosure @Sendable () -> Failure,
        onClose closed: @escaping @autoclosure @Sendable () -> Failure
    ) {
        self.cancelled = cancelled
        self.closed = closed
    }

    /// Creates one that runs nothing; its callers throw `cancelled` when they are cancelled.
    public convenience init(onCancel cancelled: @escaping @autoclosure @Sendable () -> Failure) {
        self.init(onCancel: cancelled(), onClose: cancelled())
    }
}

extension SingleFlight where Failure == any Error {
    /// Creates one that runs nothing; its callers throw a `CancellationError` when they are cancelled.
    public convenience init() {
        self.init(onCancel: CancellationError())
    }
}

extension SingleFlight {
    /// Runs an operation, or waits for the run of that key that is under way.
    ///
    /// The operation runs in a task of its own, with the first caller's task-local values and the priority of the most urgent caller. It is
    /// cancelled when no caller waits for it any more. Throws what it threw, or the error of a caller that is cancelled.
    public func run(
        _ key: Key, operation: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Landing {
        try await runFlight(key, progress: nil) { _ throws(Failure) in try await operation() }
    }

    /// Runs an operation that reports its progress, or waits for the run of that key; see ``run(_:operation:)``.
    ///
    /// `progress` is called with the newest progress, if there is any, and with each that follows, one at a time.
    public func run(
        _ key: Key, progress: @escaping @Sendable (Progress) -> Void,
        operation: @escaping @Sendable (_ report: @Sendable (Progress) -> Void) async throws(Failure) -> Value
    ) async throws(Failure) -> Landing {
        try await runFlight(key, progress: progress) { flight throws(Failure) in try await operation(flight.report) }
    }

    /// Lets the next caller start a run, also if one is under way; that goes on for the callers that wait for it.
    public func forget(_ key: Key) {
        machine.withLock { $0.forget(key) }
    }

    /// The keys of the runs that are under way and can be joined.
    public var keys: Set<Key> { machine.withLock { Set($0.keys) } }

    /// The number of callers that wait for the run of a key.
    package func waiterCount(_ key: Key) -> Int { machine.withLock { $0.waiterCount(key) } }

    /// Whether nothing is under way, and nothing remembered.
    package var isIdle: Bool { machine.withLock { $0.isEmpty } }

    /// Runs an operation, or waits for the run that is under way.
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

    /// Starts a run, or joins the one that is under way; `nil` after ``close()``.
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
        // Owned by its waiters: the last to leave cancels it, and so does ``close()``.
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
