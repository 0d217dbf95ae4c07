import Dispatch
import Futures

/// Runs long computations on threads of their own.
///
/// The threads of Swift's concurrency are few, and a page whose content takes long to go through must not hold them.
enum Computation {
    private static let queue = DispatchQueue(
        label: "meanwhile.capture.computation", qos: .userInitiated, attributes: .concurrent)

    /// Runs work to its end.
    ///
    /// - Parameter work: Asks the function that it is given whether the task was cancelled, and then ends soon.
    /// - Returns: What the work returns, also where the task was cancelled.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable (_ isCancelled: @escaping () -> Bool) -> Value
    ) async -> Value {
        let cancellation = Cancellation()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async {
                    continuation.resume(returning: work { cancellation.isCancelled.withLock(\.self) })
                }
            }
        } onCancel: {
            cancellation.isCancelled.withLock { $0 = true }
        }
    }

    private final class Cancellation: Sendable {
        let isCancelled = Lock(false)
    }
}
