import CProcessControl
import Foundation
import Futures
import Jobs
import Logging
import SystemPackage

/// Keeps a number of workers running as child processes of the server.
///
/// A worker that exits, crashes or hangs is replaced, after a pause that grows while workers end soon after their
/// start.
final class WorkerSupervisor: Sendable {
    /// The pauses before a worker is replaced.
    ///
    /// After a run of at least a minute, the pause is the shortest.
    private static let backoff = Backoff(firstPause: .milliseconds(200), longestPause: .seconds(30), jitter: 0)
    private static let longRun = Duration.seconds(60)

    private let count: Int
    private let configuration: ChildProcess.Configuration
    private let queue: any JobQueue
    private let logger = Logger(label: "meanwhile.workers")

    /// Creates a supervisor without starting workers.
    init(count: Int, configuration: ChildProcess.Configuration, queue: any JobQueue) {
        self.count = count
        self.configuration = configuration
        self.queue = queue
        // The server becomes the parent of processes that a killed worker leaves behind.
        _ = meanwhile_adopt_orphans()
    }

    /// Keeps the workers running until the task is cancelled, and returns when all have exited.
    func run() async {
        await withTaskGroup { group in
            for number in 0..<count { group.addTask { await self.keepRunning(number + 1) } }
        }
    }

    private func keepRunning(_ number: Int) async {
        var failures = 0
        while !Task.isCancelled {
            let name = "serve-\(number)-\(UUID().uuidString.lowercased())"
            let stopwatch = Stopwatch(ContinuousClock())
            let end = await runWorker(name)
            // Lets another worker retry its jobs now, instead of when their leases expire.
            try? await queue.endLeases(ofWorker: name)
            if Task.isCancelled { return }
            failures = stopwatch.elapsed >= Self.longRun ? 1 : failures + 1
            let pause = Self.backoff.pause(after: failures)
            logger.warning(
                "a worker has ended; another is started",
                metadata: ["worker": "\(number)", "end": "\(end)", "pause": "\(pause)"])
            try? await stopwatch.sleep(until: stopwatch.elapsed + pause)
        }
    }

    /// Runs a worker until it exits, and ends it if the task is cancelled.
    private func runWorker(_ name: String) async -> String {
        var configuration = configuration
        configuration.arguments += ["--name", name]
        let worker: ChildProcess
        do throws(Errno) {
            worker = try ChildProcess("worker", configuration) { _ in true }
        } catch {
            return JobWords.notStarted("\(error)")
        }
        return await withTaskCancellationHandler {
            await worker.waitForEnd().message
        } onCancel: {
            worker.requestEnd()
        }
    }
}
