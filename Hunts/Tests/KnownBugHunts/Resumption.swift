import Interleaving
import Synchronization

/// A continuation that reports a second resumption as a failed check.
///
/// `CheckedContinuation` ends the process instead: the explorer prints the seed, but can't minimise the schedule.
final class Resumption<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value, any Error>?>

    init(_ continuation: CheckedContinuation<Value, any Error>) {
        self.continuation = Mutex(continuation)
    }

    func resume(returning value: Value) {
        take()?.resume(returning: value)
    }

    func resume(throwing error: any Error) {
        take()?.resume(throwing: error)
    }

    private func take() -> CheckedContinuation<Value, any Error>? {
        let taken = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        check(taken != nil, "a continuation was resumed twice")
        return taken
    }
}
