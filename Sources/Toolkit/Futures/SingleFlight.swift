/// Work that is done once at a time for each key, for all who want it.
///
/// The first who asks starts the work; whoever asks before it is done waits for the same outcome. A waiter who is
/// cancelled leaves, and fails none of the others, also if it was the first; when the last has left, the work is
/// cancelled, and the next who asks starts anew. Outcomes are not kept.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable, Failure: Error>: Sendable {
    /// A value, and whether others got it too.
    public struct Landing: Sendable {
        /// What the work has made.
        public let value: Value
        /// Whether anybody else asked for it meanwhile.
        public let isShared: Bool
    }

    private struct Outcome: Sendable {
        let result: Result<Value, Failure>
        let isShared: Bool
    }

    private typealias StateMachine = SingleFlightStateMachine<Key, Future<Outcome, Never>>

    private let machine = Lock(StateMachine())
    private let cancellation: @Sendable () -> Failure

    /// Creates one with no work under way.
    ///
    /// - Parameter cancellation: What a waiter throws who was cancelled.
    public init(onCancel cancellation: @escaping @autoclosure @Sendable () -> Failure) {
        self.cancellation = cancellation
    }
}

extension SingleFlight where Failure == any Error {
    /// Creates one with no work under way, whose waiters throw `CancellationError` when they are cancelled.
    public convenience init() {
        self.init(onCancel: CancellationError())
    }
}

extension SingleFlight {
    /// Does the work, or waits for it where it is being done already.
    ///
    /// - Parameters:
    ///   - key: What tells work apart.
    ///   - operation: The work. It runs in a task of its own, with the first waiter's priority and task-local values, and
    ///     is cancelled when nobody waits for it any more.
    /// - Returns: What it made.
    /// - Throws: What it threw, or what a waiter throws who was cancelled.
    public func run(
        _ key: Key, operation: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Landing {
        if Task.isCancelled { throw cancellation() }
        let (flight, future) = join(key, operation)
        switch await future.cancellableResult() {
        case .success(let outcome):
            return Landing(value: try outcome.result.get(), isShared: outcome.isShared)
        case .none:
            let cancel = machine.withLock { $0.leave(flight) }
            cancel?()
            throw cancellation()
        }
    }

    /// Lets the next who asks start anew, whatever is under way: who waits for that gets its outcome all the same.
    public func forget(_ key: Key) {
        machine.withLock { $0.forget(key) }
    }

    /// The keys of the work that is under way and can be joined.
    public var keys: Set<Key> { machine.withLock { Set($0.keys) } }

    /// How many wait for the work of a key, for the tests.
    package func waiterCount(_ key: Key) -> Int { machine.withLock { $0.waiterCount(key) } }

    private func join(
        _ key: Key, _ operation: @escaping @Sendable () async throws(Failure) -> Value
    ) -> (StateMachine.FlightID, Future<Outcome, Never>) {
        let outcome = Future<Outcome, Never>()
        switch machine.withLock({ $0.join(key, new: outcome) }) {
        case .wait(let flight, let outcome):
            return (flight, outcome)
        case .start(let flight):
            let task = Task {
                let result: Result<Value, Failure>
                do throws(Failure) {
                    result = .success(try await operation())
                } catch {
                    result = .failure(error)
                }
                // First, so that who comes now starts anew; the waiters keep the outcome.
                let isShared = machine.withLock { $0.end(flight) }
                outcome.settle(.success(Outcome(result: result, isShared: isShared)))
            }
            switch machine.withLock({ $0.started(flight, cancel: { task.cancel() }) }) {
            case .run: break
            case .cancel: task.cancel()
            }
            return (flight, outcome)
        }
    }
}
