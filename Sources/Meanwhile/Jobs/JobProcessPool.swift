import CProcessControl
import Foundation
import Futures
import Logging
import Persistence
import SystemPackage

/// Runs each job in a process of its own, so that a job that crashes, loops or takes memory can't harm the server.
///
/// A job whose process dies is tried once more. The pool keeps one idle process started, and after the first job that needs a browser
/// also one with a browser.
actor JobProcessPool {
    /// How jobs run.
    struct Configuration: Sendable {
        /// The folder for the jobs' output.
        var folder: String
        /// How processes are started.
        var process = JobProcess.Configuration()
        /// How many jobs with a browser run at a time; further ones wait.
        var simultaneousBrowserJobs = 2
        /// How many jobs without a browser run at a time; further ones wait.
        var simultaneousOtherJobs = 4
        /// How often a job is tried if its process dies.
        var attempts = 2
        /// How long the idle process with a browser is kept.
        var idleTimeout = Duration.seconds(600)
    }

    /// The result of a job with its output folder, which is removed when this object is deallocated.
    final class Outcome: Sendable {
        let report: Data
        let folder: JobFolder

        init(report: Data, folder: JobFolder) {
            (self.report, self.folder) = (report, folder)
        }

        deinit {
            folder.remove()
        }
    }

    private let configuration: Configuration
    private let ownPorts = Lock<Set<Int>>([])
    private let logger = Logger(label: "meanwhile.jobs")
    private let browserTurns: TurnQueue<JobError>
    private let otherTurns: TurnQueue<JobError>
    private var idle: JobProcess?
    private var idleWithBrowser: JobProcess?
    private var idleTimer: Task<Void, Never>?
    /// All processes that have not exited.
    private var processes: [ObjectIdentifier: JobProcess] = [:]
    private var isClosed = false

    init(_ configuration: Configuration) {
        self.configuration = configuration
        browserTurns = TurnQueue(
            limit: configuration.simultaneousBrowserJobs, cancelled: .cancelled, closed: .closed)
        otherTurns = TurnQueue(limit: configuration.simultaneousOtherJobs, cancelled: .cancelled, closed: .closed)
        // The server becomes the parent of browsers whose job process has died, so that it can end and reap them.
        _ = meanwhile_adopt_orphans()
    }
}

extension JobProcessPool {
    /// Starts the idle process.
    func start() {
        prepareIdle(hasBrowser: false)
    }

    /// Denies a port of this server to all processes that start from now on.
    nonisolated func deny(ownPort: Int) {
        ownPorts.withLock { _ = $0.insert(ownPort) }
    }

    /// Runs a job in a process of its own.
    ///
    /// - Parameters:
    ///   - kind: The kind of job.
    ///   - payload: The job's parameters, of the type that the kind needs.
    ///   - input: The path of the job's input file.
    ///   - limit: How long a try may take, from when the job's turn comes.
    ///   - progress: Called with each progress report, on any thread.
    /// - Returns: The result.
    /// - Throws: The job's own error; or that its process died, took too long, or was ended.
    func run(
        _ kind: JobKind, _ payload: some Encodable & Sendable, input: String? = nil, limit: Duration,
        progress: @escaping @Sendable (Data) -> Void = { _ in }
    ) async throws(JobError) -> Outcome {
        let encoded: Data
        do {
            encoded = try JSONEncoder().encode(payload)
        } catch {
            throw JobError(code: "payload", message: "\(error)", canRetry: false)
        }
        let job = Job(
            kind: kind, payload: encoded, input: input, limit: JobTrap.limit(limit), progress: progress)
        return try await (kind.needsBrowser ? browserTurns : otherTurns).run { [self] () throws(JobError) in
            try await runAttempts(of: job)
        }
    }

    /// Ends all processes.
    ///
    /// Running and waiting jobs fail, and no more can be started.
    func close() async {
        isClosed = true
        idleTimer?.cancel()
        (idle, idleWithBrowser) = (nil, nil)
        await withTaskGroup { group in
            for process in processes.values { group.addTask { await process.end() } }
        }
    }

    private struct Job: Sendable {
        var kind: JobKind
        var payload: Data
        var input: String?
        var limit: Duration
        var progress: @Sendable (Data) -> Void
    }

    private func runAttempts(of job: Job) async throws(JobError) -> Outcome {
        var attempt = 1
        while true {
            do throws(JobError) {
                return try await runOnce(job)
            } catch {
                // A job's own error goes to the caller; the log is for processes that died or took too long.
                let level = [JobError.lostCode, JobError.lateCode].contains(error.code) ? Logger.Level.warning : .debug
                logger.log(
                    level: level, "\(error.message)",
                    metadata: ["kind": "\(job.kind.rawValue)", "code": "\(error.code)", "attempt": "\(attempt)"])
                guard error.code == JobError.lostCode, attempt < configuration.attempts, !isClosed, !Task.isCancelled
                else { throw error }
                attempt += 1
            }
        }
    }

    private func runOnce(_ job: Job) async throws(JobError) -> Outcome {
        if isClosed { throw .closed }
        let file = try Self.open(job.input)
        defer { try? file?.close() }
        let folder: JobFolder
        do throws(PersistenceError) {
            folder = try JobFolder(in: configuration.folder)
        } catch {
            throw JobError(code: "storage", message: error.message, canRetry: true)
        }
        let process: JobProcess
        do throws(Errno) {
            process = try takeProcess(hasBrowser: job.kind.needsBrowser)
        } catch {
            folder.remove()
            throw JobError(code: "storage", message: "No process can be started: \(error)", canRetry: true)
        }
        let result = await result(of: job, in: process, input: file, output: folder)
        prepareIdle(hasBrowser: job.kind.needsBrowser)
        switch result {
        case .success(let report):
            endLater(process)
            return Outcome(report: report, folder: folder)
        case .failure(let error):
            // The folder can be removed only when the process can't write into it any more.
            await process.end()
            folder.remove()
            throw isClosed ? .closed : error
        }
    }

    private static func open(_ path: String?) throws(JobError) -> FileDescriptor? {
        guard let path else { return nil }
        do {
            return try FileDescriptor.open(path, .readOnly, options: [.noFollow, .closeOnExec])
        } catch {
            throw JobError(code: "storage", message: "The job's input can't be read: \(error)", canRetry: true)
        }
    }

    /// Runs a job in a process, and ends the process at the job's time limit or when the task is cancelled.
    private func result(
        of job: Job, in process: JobProcess, input: FileDescriptor?, output: JobFolder
    ) async -> Result<Data, JobError> {
        let isLate = Lock(false)
        let timer = Task {
            guard (try? await Stopwatch(ContinuousClock()).sleep(until: job.limit)) != nil else { return }
            isLate.withLock { $0 = true }
            process.requestEnd()
        }
        defer { timer.cancel() }
        let order = JobOrder(kind: job.kind, payload: job.payload, output: output.path)
        let result = await withTaskCancellationHandler {
            await process.run(order, input: input, progress: job.progress)
        } onCancel: {
            process.requestEnd()
        }
        if case .failure(let error) = result, error.code == JobError.lostCode {
            if Task.isCancelled { return .failure(.cancelled) }
            if isLate.withLock(\.self) { return .failure(.late(job.limit)) }
        }
        return result
    }

    // MARK: Processes

    private func takeProcess(hasBrowser: Bool) throws(Errno) -> JobProcess {
        let taken = hasBrowser ? idleWithBrowser : idle
        if hasBrowser { idleWithBrowser = nil } else { idle = nil }
        if let taken, !taken.hasEnded { return taken }
        return try startProcess(hasBrowser: hasBrowser)
    }

    private func startProcess(hasBrowser: Bool) throws(Errno) -> JobProcess {
        var start = configuration.process
        for port in ownPorts.withLock(\.self).sorted() { start.arguments += ["--own-port", "\(port)"] }
        let process = try JobProcess(hasBrowser: hasBrowser, start)
        processes[ObjectIdentifier(process)] = process
        Task { [weak self] in
            await process.waitForEnd()
            await self?.forget(process)
        }
        return process
    }

    private func forget(_ process: JobProcess) {
        processes[ObjectIdentifier(process)] = nil
    }

    /// Ends a process that has reported its result and doesn't exit by itself.
    private func endLater(_ process: JobProcess) {
        Task {
            _ = try? await Stopwatch(ContinuousClock()).sleep(until: .seconds(30))
            process.requestEnd()
        }
    }

    private func prepareIdle(hasBrowser: Bool) {
        guard !isClosed else { return }
        if (hasBrowser ? idleWithBrowser : idle)?.hasEnded != false {
            do throws(Errno) {
                let process = try startProcess(hasBrowser: hasBrowser)
                if hasBrowser { idleWithBrowser = process } else { idle = process }
            } catch {
                logger.warning("no process can be started", metadata: ["error": "\(error)"])
            }
        }
        guard hasBrowser else { return }
        idleTimer?.cancel()
        idleTimer = Task { [idleTimeout = configuration.idleTimeout] in
            guard (try? await Stopwatch(ContinuousClock()).sleep(until: idleTimeout)) != nil else { return }
            idleWithBrowser?.requestEnd()
            idleWithBrowser = nil
        }
    }
}

extension JobError {
    static let cancelled = JobError(code: "cancelled", message: "It was cancelled.", canRetry: true)
    static let closed = JobError(code: "closed", message: "Meanwhile is ending.", canRetry: true)

    /// The code of a job that exceeded its time limit.
    static let lateCode = "tookTooLong"

    static func late(_ limit: Duration) -> JobError {
        JobError(code: lateCode, message: "It was not done within \(limit), and was ended.", canRetry: true)
    }
}
