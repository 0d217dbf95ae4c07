import Dispatch

/// Runs what waits for the disk on threads of its own.
///
/// The threads of Swift's concurrency are few, and one that waits for a disk is one that serves nobody.
package enum DiskWork {
    private static let queue = DispatchQueue(
        label: "meanwhile.persistence.disk", qos: .userInitiated, attributes: .concurrent)

    /// Runs work to its end, whether or not the task is cancelled meanwhile.
    ///
    /// - Throws: What the work throws.
    package static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(PersistenceError) -> Value
    ) async throws(PersistenceError) -> Value {
        let result: Result<Value, PersistenceError> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(PersistenceError) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}

/// Runs an actor that waits for the disk, for the same reason.
final class DiskExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "meanwhile.persistence.store", qos: .userInitiated)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
