import Dispatch
import Futures

/// Waits on a thread for an asynchronous operation.
///
/// The body of a transaction isn't asynchronous, because it occupies the thread of its connection, and neither is a backup.
/// This is for the rare case that one needs something from the network. Swift's cooperative threads must never wait like this: the operation
/// needs one of them, and there are few.
enum BlockingWait {
    /// Runs an operation and waits for its end.
    ///
    /// - Parameters:
    ///   - limit: How long the operation may take; it's then cancelled, and this throws `timedOut` as soon as it has
    ///     ended.
    ///   - operation: The operation, which runs in a task of its own.
    /// - Returns: The operation's result.
    /// - Throws: The operation's error; `queryFailed` if the thread belongs to a task.
    static func run<Value: Sendable>(
        within limit: Duration, _ operation: @escaping @Sendable () async throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        guard withUnsafeCurrentTask(body: { $0 == nil }) else {
            throw StoreError(
                .queryFailed, "A task must not wait for the blobs' store. Use an asynchronous transaction.")
        }
        let outcome = Lock<Result<Value, StoreError>?>(nil)
        let ended = DispatchSemaphore(value: 0)
        // Owned by this call, which waits for its end.
        Task(priority: .userInitiated) {
            let result: Result<Value, StoreError>
            do throws(StoreError) {
                result = .success(try await withDeadline(limit, late: { late(limit) }, operation: operation))
            } catch {
                result = .failure(error)
            }
            outcome.withLock { $0 = result }
            ended.signal()
        }
        ended.wait()
        guard let result = outcome.withLock({ $0 }) else { throw late(limit) }
        return try result.get()
    }

    private static func late(_ limit: Duration) -> StoreError {
        StoreError(
            .timedOut,
            "The blobs' store took longer than \(limit.components.seconds) s. Try again.")
    }
}
