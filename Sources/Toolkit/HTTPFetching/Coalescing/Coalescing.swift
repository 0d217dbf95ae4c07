import Futures
import Loading

/// Work that is done once at a time for each key, for all who want it, and says how far it is.
///
/// Like `SingleFlight` of `Futures`, with progress, with the priority of the most urgent waiter, and with work that nobody
/// waits for. A waiter who is cancelled leaves, and fails none of the others; when the last has left, the work is cancelled.
final class Coalescing<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Progress = @Sendable (FetchProgress) -> Void

    private struct Waiter: Sendable {
        var continuation: CheckedContinuation<Result<Value, FetchError>, Never>
        var progress: Progress?
    }

    private typealias StateMachine = CoalescingStateMachine<Key, TaskHandle, Waiter, FetchProgress>

    private let machine = Lock(StateMachine())

    /// The work that is under way, for whoever does it.
    struct Flight: Sendable {
        /// Cancels the work; the waiters get its outcome.
        let handle: TaskHandle
        /// Tells the waiters how far it is.
        let report: Progress
    }

    typealias Operation = @Sendable (Flight) async throws(FetchError) -> Value
}

extension Coalescing {
    /// Whether work for a key is under way and can be joined.
    func isUnderWay(_ key: Key) -> Bool { machine.withLock { $0.isUnderWay(key) } }

    /// How many wait for the work of a key.
    func waiterCount(_ key: Key) -> Int { machine.withLock { $0.waiterCount(key) } }

    /// Whether nothing is under way, and nothing remembered.
    var isIdle: Bool { machine.withLock { $0.isEmpty } }

    /// Does the work, or waits for it where it is being done already.
    ///
    /// - Parameters:
    ///   - key: What tells work apart.
    ///   - progress: Told how far it is: what there is already, and what comes. Never two at a time.
    ///   - operation: The work. It runs in a task of its own, with the priority of the most urgent who waits for it.
    /// - Returns: What it made.
    /// - Throws: What it threw; `cancelled` if this waiter was.
    func run(_ key: Key, progress: Progress?, operation: @escaping Operation) async throws(FetchError) -> Value {
        let id = machine.withLock { $0.newWaiter() }
        let result = await withTaskCancellationHandler {
            await escalating(id) {
                await withCheckedContinuation { continuation in
                    join(key, id, Waiter(continuation: continuation, progress: progress), operation)
                }
            }
        } onCancel: {
            leave(id)
        }
        if Task.isCancelled { machine.withLock { $0.forget(id) } }
        return try result.get()
    }

    /// Does work that nobody waits for, unless it is being done or there is too much of it.
    ///
    /// - Returns: Whether it was begun.
    @discardableResult
    func runInBackground(_ key: Key, limit: Int, operation: @escaping Operation) -> Bool {
        let handle = TaskHandle()
        switch machine.withLock({ $0.joinInBackground(key, limit: limit, new: handle) }) {
        case .start(let flight):
            start(flight, handle, operation, priority: .background)
            return true
        case .leave:
            return false
        }
    }

    /// Cancels all that is under way; from now on nothing is started.
    func close() {
        for handle in machine.withLock({ $0.close() }) { handle.cancel() }
    }
}

extension Coalescing {
    private func escalating(
        _ id: StateMachine.WaiterID, _ wait: () async -> Result<Value, FetchError>
    ) async -> Result<Value, FetchError> {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return await wait() }
        return await withTaskPriorityEscalationHandler {
            await wait()
        } onPriorityEscalated: { _, priority in
            machine.withLock { $0.escalate(id, to: priority.rawValue) }?.escalate(to: priority)
        }
    }

    private func join(_ key: Key, _ id: StateMachine.WaiterID, _ waiter: Waiter, _ operation: @escaping Operation) {
        let priority = Task.currentPriority
        let handle = TaskHandle()
        let action = machine.withLock {
            $0.join(
                key, id, waiter, listens: waiter.progress != nil, priority: priority.rawValue, new: handle)
        }
        switch action {
        case .start(let flight):
            start(flight, handle, operation, priority: priority)
        case .wait(let flight, let hurry, let tell):
            hurry?.escalate(to: priority)
            if tell { self.tell(flight) }
        case .cancelled(let waiter):
            waiter.continuation.resume(returning: .failure(.cancelled))
        case .closed(let waiter):
            waiter.continuation.resume(returning: .failure(.closed))
        }
    }

    private func start(
        _ id: StateMachine.FlightID, _ handle: TaskHandle, _ operation: @escaping Operation, priority: TaskPriority
    ) {
        let flight = Flight(handle: handle) { progress in
            if self.machine.withLock({ $0.progressed(id, progress) }) { self.tell(id) }
        }
        // Owned by its waiters: the last to leave cancels it, and ``close()`` does.
        let task = Task(priority: priority) {
            let result: Result<Value, FetchError>
            do throws(FetchError) {
                result = .success(try await operation(flight))
            } catch {
                result = .failure(error)
            }
            for waiter in self.machine.withLock({ $0.end(id) }) { waiter.continuation.resume(returning: result) }
        }
        handle.attach(task)
    }

    private func leave(_ id: StateMachine.WaiterID) {
        switch machine.withLock({ $0.leave(id) }) {
        case .left(let waiter):
            waiter.continuation.resume(returning: .failure(.cancelled))
        case .leftLast(let waiter, let handle):
            handle.cancel()
            waiter.continuation.resume(returning: .failure(.cancelled))
        case .none:
            break
        }
    }

    private func tell(_ id: StateMachine.FlightID) {
        while let (waiters, progress) = machine.withLock({ $0.nextToTell(id) }) {
            for waiter in waiters { waiter.progress?(progress) }
        }
    }
}

extension FetchError {
    static let cancelled = FetchError(.cancelled, "The fetch was cancelled: nobody waits for it any more.")
    static let closed = FetchError(.closed, "The fetcher has been shut down. Make a new one.")
}
