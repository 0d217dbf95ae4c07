import CProcessControl
import Foundation
import Futures
import Logging
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Runs each job in a child of its own: what reads bytes from outside can't stop or slow this process.
///
/// A child that dies takes only its own job with it, which is tried once more. One spare child is kept started, and after the
/// first job that needs a browser, one more with a browser.
actor JobChildren {
    /// How jobs run.
    struct Configuration: Sendable {
        /// The folder of jobs' files.
        var folder: String
        /// How children are started.
        var child = JobChild.Configuration()
        /// How many jobs that need a browser run at a time; further ones wait for their turn.
        var simultaneousPages = 2
        /// How many others run at a time.
        var simultaneousOthers = 4
        /// How often a job is tried whose child dies.
        var attempts = 2
        /// How long a child with a browser waits for its job, before it is ended to make room.
        var patience = Duration.seconds(600)
    }

    /// What came of a job: what its child told, and its files, which go with this object.
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
    private var free: [Bool: Int]
    private var waiting: [Bool: [Promise<Void, JobFault>]] = [:]
    /// The child for the next job, by whether it has a browser.
    private var spares: [Bool: JobChild] = [:]
    private var spareEnd: Task<Void, Never>?
    /// All that run, also those that are ending.
    private var children: [ObjectIdentifier: JobChild] = [:]
    private var isClosed = false

    init(_ configuration: Configuration) {
        self.configuration = configuration
        free = [true: configuration.simultaneousPages, false: configuration.simultaneousOthers]
        // Processes that children leave behind become this one's, so that they can be ended and reaped.
        _ = meanwhile_adopt_orphans()
    }
}

extension JobChildren {
    /// Starts the spare child.
    func start() {
        prepareSpare(hasBrowser: false)
    }

    /// Lets no child that starts from now on connect to a port of this program's own.
    nonisolated func keepAway(from port: Int) {
        ownPorts.withLock { _ = $0.insert(port) }
    }

    /// Runs a job in a child of its own.
    ///
    /// - Parameters:
    ///   - kind: The kind of job.
    ///   - payload: What is to be done, as the kind has it.
    ///   - input: The path of a file that it reads.
    ///   - limit: How long it may take, from when its turn comes.
    ///   - progress: Told how far it is, on any thread.
    /// - Returns: What came of it.
    /// - Throws: Why nothing came of it: what the child said, or how it ended.
    func run(
        _ kind: JobKind, _ payload: some Encodable & Sendable, input: String? = nil, limit: Duration,
        progress: @escaping @Sendable (Data) -> Void = { _ in }
    ) async throws(JobFault) -> Outcome {
        let encoded: Data
        do {
            encoded = try JSONEncoder().encode(payload)
        } catch {
            throw JobFault(code: "payload", message: "\(error)", canRetry: false)
        }
        try await takeTurn(kind.needsBrowser)
        defer { endTurn(kind.needsBrowser) }
        var attempt = 1
        while true {
            do throws(JobFault) {
                return try await runOnce(kind, encoded, input: input, limit: limit, progress: progress)
            } catch {
                // What the child says of its job is for whoever asked; how a child ends is for the log.
                logger.log(
                    level: error.isOfProcess ? .warning : .debug, "\(error.message)",
                    metadata: ["kind": "\(kind.rawValue)", "code": "\(error.code)", "attempt": "\(attempt)"])
                guard error.code == JobFault.lostCode, attempt < configuration.attempts, !isClosed, !Task.isCancelled
                else { throw error }
                attempt += 1
            }
        }
    }

    /// Ends all children; jobs that run fail, and none can be begun any more.
    func close() async {
        isClosed = true
        spareEnd?.cancel()
        spares = [:]
        for promise in waiting.values.joined() { promise.reject(.closed) }
        await withTaskGroup { group in
            for child in children.values { group.addTask { await child.end() } }
        }
    }

    private func runOnce(
        _ kind: JobKind, _ payload: Data, input: String?, limit: Duration,
        progress: @escaping @Sendable (Data) -> Void
    ) async throws(JobFault) -> Outcome {
        if isClosed { throw .closed }
        let (child, folder, file): (JobChild, JobFolder, FileDescriptor?)
        do {
            file = try input.map { try FileDescriptor.open($0, .readOnly, options: [.noFollow, .closeOnExec]) }
            folder = try JobFolder(in: configuration.folder)
        } catch {
            throw JobFault(code: "storage", message: "The job's files can't be used: \(error)", canRetry: true)
        }
        defer { try? file?.close() }
        do throws(Errno) {
            child = try takeChild(hasBrowser: kind.needsBrowser)
        } catch {
            folder.remove()
            throw JobFault(code: "storage", message: "No process can be started: \(error)", canRetry: true)
        }
        let order = JobOrder(kind: kind, payload: payload, output: folder.path)
        let result = await outcome(
            of: order, in: child, input: file, limit: JobTrap.limit(limit), progress: progress)
        leave(child, isDone: (try? result.get()) != nil)
        prepareSpare(hasBrowser: kind.needsBrowser)
        switch result {
        case .success(let report): return Outcome(report: report, folder: folder)
        case .failure(let fault):
            // Nobody writes there any more.
            await child.end()
            folder.remove()
            throw isClosed ? .closed : fault
        }
    }

    /// What comes of a job in time; a child that takes too long, or isn't wanted any more, is ended.
    private func outcome(
        of order: JobOrder, in child: JobChild, input: FileDescriptor?, limit: Duration,
        progress: @escaping @Sendable (Data) -> Void
    ) async -> Result<Data, JobFault> {
        let isLate = Lock(false)
        let timer = Task {
            guard (try? await Stopwatch(ContinuousClock()).sleep(until: limit)) != nil else { return }
            isLate.withLock { $0 = true }
            await child.end()
        }
        defer { timer.cancel() }
        let result = await withTaskCancellationHandler {
            await child.run(order, input: input, progress: progress)
        } onCancel: {
            child.requestEnd()
        }
        if case .failure(let fault) = result, fault.code == JobFault.lostCode {
            if Task.isCancelled { return .failure(.cancelled) }
            if isLate.withLock(\.self) { return .failure(.late(limit)) }
        }
        return result
    }

    // MARK: Turns

    private func takeTurn(_ needsBrowser: Bool) async throws(JobFault) {
        if isClosed { throw .closed }
        if free[needsBrowser, default: 0] > 0 {
            free[needsBrowser, default: 0] -= 1
            return
        }
        let turn = Promise<Void, JobFault>(onAbandon: { .closed })
        waiting[needsBrowser, default: []].append(turn)
        let result = await withTaskCancellationHandler {
            await turn.future.result
        } onCancel: {
            // If its turn has just come, it has it, and the job notices the cancellation.
            turn.reject(.cancelled)
        }
        try result.get()
    }

    private func endTurn(_ needsBrowser: Bool) {
        while waiting[needsBrowser]?.isEmpty == false {
            // One that was cancelled is passed over.
            if waiting[needsBrowser]?.removeFirst().resolve(()) == true { return }
        }
        free[needsBrowser, default: 0] += 1
    }

    // MARK: Children

    private func takeChild(hasBrowser: Bool) throws(Errno) -> JobChild {
        if let spare = spares.removeValue(forKey: hasBrowser), !spare.hasEnded { return spare }
        return try startChild(hasBrowser: hasBrowser)
    }

    private func startChild(hasBrowser: Bool) throws(Errno) -> JobChild {
        var start = configuration.child
        for port in ownPorts.withLock(\.self).sorted() { start.arguments += ["--own-port", "\(port)"] }
        let child = try JobChild(hasBrowser: hasBrowser, start)
        children[ObjectIdentifier(child)] = child
        Task { [weak self] in
            await child.waitForEnd()
            await self?.forget(child)
        }
        return child
    }

    private func forget(_ child: JobChild) {
        children[ObjectIdentifier(child)] = nil
    }

    /// A child that has done its job ends by itself, soon; any other is ended.
    private func leave(_ child: JobChild, isDone: Bool) {
        guard isDone else { return child.requestEnd() }
        Task {
            _ = try? await Stopwatch(ContinuousClock()).sleep(until: .seconds(30))
            child.requestEnd()
        }
    }

    private func prepareSpare(hasBrowser: Bool) {
        guard !isClosed else { return }
        if spares[hasBrowser]?.hasEnded != false {
            do {
                spares[hasBrowser] = try startChild(hasBrowser: hasBrowser)
            } catch {
                logger.warning("no child can be started", metadata: ["error": "\(error)"])
            }
        }
        guard hasBrowser else { return }
        spareEnd?.cancel()
        spareEnd = Task { [patience = configuration.patience] in
            guard (try? await Stopwatch(ContinuousClock()).sleep(until: patience)) != nil else { return }
            spares.removeValue(forKey: true)?.requestEnd()
        }
    }
}

extension JobFault {
    static let cancelled = JobFault(code: "cancelled", message: "It was cancelled.", canRetry: true)
    static let closed = JobFault(code: "closed", message: "Meanwhile is ending.", canRetry: true)

    /// Whether it is about the child, and not about what it was to do.
    var isOfProcess: Bool { [Self.lostCode, Self.lateCode].contains(code) }

    static let lateCode = "tookTooLong"

    static func late(_ limit: Duration) -> JobFault {
        JobFault(
            code: lateCode, message: "It was not done within \(limit), and was ended.", canRetry: true)
    }
}
