import Dispatch
import FuturesFoundation

/// Runs what waits for the disk on ``WorkerThreads/disk``.
///
/// The threads of Swift's concurrency are few, and one that waits for a disk is one that serves nobody.
package enum DiskWork {
    /// Runs work to its end, whether or not the task is cancelled meanwhile.
    ///
    /// - Throws: What the work throws.
    package static func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await WorkerThreads.disk.runToEnd { _ in
            Result { () throws(Failure) in try work() }
        }.get()
    }
}

/// Runs an actor that waits for the disk, for the same reason.
package final class DiskExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "meanwhile.disk", qos: .userInitiated)

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
