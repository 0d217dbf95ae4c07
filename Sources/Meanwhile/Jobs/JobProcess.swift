import Foundation
import Futures
import Jobs
import SystemPackage

/// A child process, `meanwhile job`, that runs one job and then exits.
final class JobProcess: Sendable {
    /// The receiver of progress reports.
    private final class Listener: Sendable {
        let progress = Lock<(@Sendable (Data) -> Void)?>(nil)
    }

    private let child: ChildProcess
    private let listener = Listener()
    private let outcome: Promise<Result<Data, JobError>, Never>

    /// Starts a process, which then waits for its job.
    ///
    /// - Throws: The system's error if no file or socket can be opened. If the process can't be started, its job fails.
    init(hasBrowser: Bool, _ configuration: ChildProcess.Configuration) throws(Errno) {
        let outcome = Promise<Result<Data, JobError>, Never>(valueOnAbandon: { .failure(.lost(JobWords.exited)) })
        self.outcome = outcome
        var configuration = configuration
        if hasBrowser { configuration.arguments.insert("--browser", at: 0) }
        child = try ChildProcess("job", configuration) { [listener] message in
            switch try? JSONDecoder().decode(JobReport.self, from: message) {
            case .progress(let data): listener.progress.withLock(\.self)?(data)
            case .done(let data): outcome.resolve(.success(data))
            case .failed(let error): outcome.resolve(.failure(error))
            case nil: return false
            }
            return true
        }
    }

    /// Sends the job to the process, and waits for its result.
    ///
    /// - Returns: The result or an error, with ``JobError/lostCode`` if the process exited without a result, or
    ///   ``JobError/notStartedCode`` if it couldn't be started.
    func run(
        _ order: JobOrder, input: FileDescriptor?, progress: @escaping @Sendable (Data) -> Void
    ) async -> Result<Data, JobError> {
        listener.progress.withLock { $0 = progress }
        do {
            try child.send(order, with: input)
        } catch {
            // The process has exited, and its exit status explains more than this error does.
            requestEnd()
        }
        let ending = Task { [child, outcome] in
            let end = await child.waitForEnd()
            outcome.resolve(.failure(end.ranOutOfResources ? .notStarted(end.message) : .lost(end.message)))
        }
        defer { ending.cancel() }
        return await outcome.future.value
    }

    /// Whether the process has exited.
    var hasEnded: Bool { child.hasEnded }

    /// Ends the process and its browser, and returns when both have exited.
    func end() async {
        await child.end()
    }

    /// Requests the end of the process and its browser without waiting.
    func requestEnd() {
        child.requestEnd()
    }

    /// Waits until the process has exited.
    func waitForEnd() async {
        _ = await child.waitForEnd()
    }
}

extension JobError {
    /// The code of jobs that couldn't be started because processes, memory, files or disk space had run out.
    static let notStartedCode = "notStarted"

    static func notStarted(_ why: String) -> JobError {
        JobError(code: notStartedCode, message: JobWords.jobNotStarted(why), canRetry: true)
    }

    static func lost(_ end: String) -> JobError {
        JobError(
            code: lostCode, message: JobWords.lost(end), canRetry: true)
    }

    static func late(_ limit: Duration) -> JobError {
        JobError(
            code: lateCode, message: JobWords.late("\(limit)"), canRetry: true)
    }
}
