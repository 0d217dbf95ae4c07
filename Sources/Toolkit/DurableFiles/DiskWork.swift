import Dispatch
import FuturesFoundation

/// Runs blocking disk access on the threads of ``WorkerThreads/disk``.
///
/// Swift's cooperative threads are few, and a thread that blocks can't run other tasks.
package enum DiskWork {
    /// Runs work to completion, whether or not the task is cancelled meanwhile.
    package static func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await WorkerThreads.disk.runUncancellable { _ in
            Result { () throws(Failure) in try work() }
        }.get()
    }
}

/// An executor for actors that block on disk access, so that they don't block Swift's cooperative threads.
package final class DiskExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "meanwhile.disk", qos: .userInitiated)

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
