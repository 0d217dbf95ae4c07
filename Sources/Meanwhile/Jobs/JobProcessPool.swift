import CProcessControl
import Foundation
import Futures
import Jobs
import Logging
import Persistence
import SystemPackage

/// Runs each attempt in a process of its own, so that a job that crashes, loops or exhausts memory can't harm the
/// worker.
///
/// The pool keeps one idle process running and, after the first job that needs a browser, another one with a browser.
actor JobProcessPool {
    /// The configuration of a pool.
    struct Configuration: Sendable {
        /// The data folder, which input paths are relative to.
        var data: DataFolder
        /// How child processes are started.
        var process = ChildProcess.Configuration()
        /// Called with the path of each job's input; if it is a blob, its file must exist afterwards.
        var makeLocal: @Sendable (_ input: String) async throws(StoreError) -> Void = { _ in }
        /// Copies inputs and outputs from and to servers with another data folder; `nil` without a bucket.
        var transfer: JobTransfer?
        /// How long the idle process with a browser is kept running.
        var idleTimeout = Duration.seconds(600)
    }

    /// The pool's configuration.
    nonisolated let configuration: Configuration
    private let logger = Logger(label: "meanwhile.jobs")
    private var idle: JobProcess?
    private var idleWithBrowser: JobProcess?
    private var idleTimer: Task<Void, Never>?
    /// All processes that haven't exited.
    private var processes: [ObjectIdentifier: JobProcess] = [:]
    private var isClosed = false

    init(_ configuration: Configuration) {
        self.configuration = configuration
        // The worker becomes the parent of browsers whose job process has died, and can end and reap them.
        _ = meanwhile_adopt_orphans()
    }
}

extension JobProcessPool {
    /// Starts the idle process.
    func start() {
        prepareIdle(hasBrowser: false)
    }

    /// Runs an attempt in a process of its own.
    ///
    /// If the task is cancelled, the process is ended.
    ///
    /// - Returns: The outcome. Unless it is a success, the output folder is removed.
    func run(_ lease: JobLease, progress: @escaping @Sendable (Data) -> Void) async -> JobAttempt {
        guard let kind = JobKind(rawValue: lease.job.kind) else {
            return .failed(
                JobError(code: "kind", message: JobWords.unknownKind(lease.job.kind), canRetry: false))
        }
        var folder = configuration.data.jobs.output(lease.outputName)
        folder.transfer = configuration.transfer
        do throws(JobError) {
            let report = try await result(of: kind, lease, output: folder, progress)
            logger.debug("A job is done", metadata: ["kind": "\(lease.job.kind)", "attempt": "\(lease.attempt)"])
            return .succeeded(report)
        } catch {
            folder.remove()
            // A job's own error is reported to its requester; the log is for processes that couldn't start, died or
            // took too long.
            let isProcessFailure = [JobError.notStartedCode, JobError.lostCode, JobError.lateCode].contains(error.code)
            logger.log(
                level: isProcessFailure ? .warning : .debug, "\(error.message)",
                metadata: [
                    "kind": "\(lease.job.kind)", "code": "\(error.code)", "attempt": "\(lease.attempt)",
                ])
            switch error.code {
            // A durable job waits until the machine has resources again; a request's job fails after a few attempts.
            case JobError.notStartedCode where lease.job.lifetime == .durable:
                // Keep the slot occupied, so that the remaining jobs don't all try at once.
                try? await Stopwatch(ContinuousClock()).sleep(until: .seconds(1))
                return .postponed
            case JobError.notStartedCode: return .lost(error)
            case JobError.lostCode: return .lost(error)
            default: return .failed(error)
            }
        }
    }

    /// Ends all processes, which fails their jobs.
    func close() async {
        isClosed = true
        idleTimer?.cancel()
        (idle, idleWithBrowser) = (nil, nil)
        await withTaskGroup { group in
            for process in processes.values { group.addTask { await process.end() } }
        }
    }

    private func result(
        of kind: JobKind, _ lease: JobLease, output: JobFolder, _ progress: @escaping @Sendable (Data) -> Void
    ) async throws(JobError) -> Data {
        if isClosed { throw .closed }
        let file = try await open(lease.job.input)
        defer { try? file?.close() }
        do throws(StoreError) {
            try output.make()
        } catch {
            guard (error.cause as? Errno)?.isResourceExhaustion == true else { throw .lost(error.message) }
            throw .notStarted(error.message)
        }
        let process: JobProcess
        do throws(Errno) {
            process = try takeProcess(hasBrowser: kind.needsBrowser)
        } catch {
            let message = JobWords.noProcess("\(error)")
            throw error.isResourceExhaustion ? .notStarted(message) : .lost(message)
        }
        let order = JobOrder(
            kind: kind, payload: lease.job.payload, output: output.path, freeDisk: configuration.data.budget.freeDisk,
            request: lease.job.request)
        let result = await result(
            of: order, in: process, input: file, limit: JobFaultInjection.limit(lease.job.attemptLimit), progress)
        prepareIdle(hasBrowser: kind.needsBrowser)
        switch result {
        case .success(let report):
            guard configuration.transfer != nil else {
                endLater(process)
                return report
            }
            // The process must not change its output while it is copied.
            await process.end()
            try await send(output)
            return report
        case .failure(let error):
            // The folder can be removed only when the process can no longer write to it.
            await process.end()
            throw isClosed ? .closed : error
        }
    }

    /// Stores an output for the server.
    ///
    /// If the store fails, this tries again for as long as the attempt has its lease.
    private func send(_ output: JobFolder) async throws(JobError) {
        guard let transfer = configuration.transfer else { return }
        do throws(StoreError) {
            try await transfer.untilDone { () async throws(StoreError) in try await transfer.send(output: output) }
        } catch {
            if isClosed { throw .closed }
            if Task.isCancelled { throw .cancelled }
            throw JobError(code: JobError.storageCode, message: JobWords.outputNotSent(error.message), canRetry: false)
        }
    }

    private func open(_ input: String?) async throws(JobError) -> FileDescriptor? {
        guard let input else { return nil }
        do {
            try await configuration.makeLocal(input)
            let copy = try await configuration.transfer?.receive(input: input)
            // The open file is still read.
            defer { if let copy { unlink(copy) } }
            let path = copy.map { FilePath($0) } ?? FilePath(configuration.data.path).appending(input)
            return try FileDescriptor.open(path, .readOnly, options: [.noFollow, .closeOnExec])
        } catch let error as Errno where error.isResourceExhaustion {
            throw .notStarted(JobWords.inputNotOpened("\(error)"))
        } catch let error as StoreError where ![.missing, .corrupt].contains(error.code) {
            // This machine may be cut off from the bucket, or its disk full.
            throw .notStarted(JobWords.inputNotOpened(error.message))
        } catch {
            // The requester removes its input file when it stops waiting.
            throw JobError(code: "input", message: JobWords.inputNotRead("\(error)"), canRetry: true)
        }
    }

    /// Runs a job in a process, and ends the process at the job's time limit or when the task is cancelled.
    private func result(
        of order: JobOrder, in process: JobProcess, input: FileDescriptor?, limit: Duration,
        _ progress: @escaping @Sendable (Data) -> Void
    ) async -> Result<Data, JobError> {
        do throws(JobError) {
            return .success(
                try await withDeadline(limit, late: { .late(limit) }) { () async throws(JobError) in
                    try await withTaskCancellationHandler {
                        await process.run(order, input: input, progress: progress)
                    } onCancel: {
                        process.requestEnd()
                    }.get()
                })
        } catch {
            return .failure(error.code == JobError.lostCode && Task.isCancelled ? .cancelled : error)
        }
    }

    // MARK: Processes

    private func takeProcess(hasBrowser: Bool) throws(Errno) -> JobProcess {
        let taken = hasBrowser ? idleWithBrowser : idle
        if hasBrowser { idleWithBrowser = nil } else { idle = nil }
        if let taken, !taken.hasEnded { return taken }
        return try startProcess(hasBrowser: hasBrowser)
    }

    private func startProcess(hasBrowser: Bool) throws(Errno) -> JobProcess {
        var configuration = self.configuration.process
        if let port = self.configuration.data.serverPort { configuration.arguments += ["--own-port", "\(port)"] }
        // It may serve another request than the one whose job needed it.
        let started = RequestID.$current.withValue(nil) {
            Result { () throws(Errno) in try JobProcess(hasBrowser: hasBrowser, configuration) }
        }
        let process = try started.get()
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

    /// Ends a process that has reported its result but doesn't exit by itself.
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
