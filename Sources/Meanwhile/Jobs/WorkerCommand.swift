import Accounts
import ArgumentParser
import Egress
import Foundation
import Futures
import Jobs
import Logging
import Persistence
import UnixSignals

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `meanwhile worker`: runs the jobs of a data folder, each in a process of its own.
struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker",
        abstract: JobWords.workerAbstract, discussion: JobWords.workerDiscussion)

    @Option(help: JobWords.serverData)
    var data: String?

    @OptionGroup var storage: StorageOptions
    @OptionGroup var slots: JobSlots
    @OptionGroup var floor: FreeDiskOption

    @OptionGroup var allowed: AllowedAddresses

    @Option(help: CommandWords.chromium)
    var chromium: String?

    @OptionGroup var log: LogOptions

    @Option(help: .hidden)
    var name: String?

    /// How long a shutdown may take before the process exits anyway, in seconds.
    private static let exitLimit = 8.0

    func validate() throws {
        if data?.isEmpty == true { throw ValidationError(CommandWords.noDataFolder) }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
        try LogOutput.start(log.logLevel, log.logFormat, environment: environment)
        // A server passes its rules, including those of its environment, to its workers as options.
        let policy = try allowed.policy(environment: name == nil ? environment : [:])
        let lanes = try slots.counts(environment: environment).lanes
        let freeDisk = try floor.freeDisk(environment: environment)
        let address = try self.storage.address(environment: environment)
        var process = ChildProcess.Configuration()
        process.arguments =
            policy.rules.flatMap { ["--allow", "\($0)"] }
            + ((chromium ?? environment["MEANWHILE_CHROMIUM"]).map { ["--chromium", $0] } ?? [])
            + log.arguments
        process.environment = StorageOptions.withheld
        do throws(StoreError) {
            var folder = try DataFolder.open(
                at: data ?? environment["MEANWHILE_DATA"] ?? DataFolder.default(environment: environment))
            folder.budget.freeDisk = freeDisk
            let storage = try await Storage.open(in: folder, at: address)
            defer { storage.close() }
            await work(in: storage, lanes, process)
        } catch {
            throw Refusal(error.message)
        }
    }

    private func work(
        in storage: Storage, _ lanes: [String: Int], _ process: ChildProcess.Configuration
    ) async {
        let forcedExit = ForcedExit.schedule(secondsAfterSignal: Self.exitLimit)
        defer { withExtendedLifetime(forcedExit) {} }
        let queue = storage.jobs()
        let folder = storage.outputs
        let audit = AuditLog(in: storage.database)
        let pool = JobProcessPool(
            JobProcessPool.Configuration(
                data: storage.folder, process: process,
                makeLocal: { input throws(StoreError) in
                    // The path of any other file ends in something else.
                    if let blob = BlobStore.id(ofPath: input) { try await storage.blobs.makeLocal([blob]) }
                }, transfer: folder.transfer))
        let configuration = JobWorker.Configuration(
            name: name ?? "\(getpid())-\(UUID().uuidString.lowercased())", slots: lanes)
        let worker = JobWorker(
            queue: queue, configuration: configuration,
            onRejection: { folder.output($0.outputName).remove() },
            run: { lease, progress in
                let attempt = await RequestID.$current.withValue(lease.job.request) {
                    await pool.run(lease, progress: progress)
                }
                if let host = attempt.refusedHost(of: lease.job) {
                    audit.record(AuditEvent(.egressRefused, of: lease.job.owner, subject: host))
                }
                return attempt
            })
        await pool.start()
        let recording = Task { await audit.run() }
        await withTaskGroup { group in
            group.addTask { await worker.run() }
            group.addTask {
                await folder.sweep(queue)
                await Stopwatch(ContinuousClock()).tick(every: .seconds(600)) { await folder.sweep(queue) }
            }
            await Self.waitForEnd(isChild: name != nil)
            group.cancelAll()
        }
        await pool.close()
        recording.cancel()
        try? await audit.write()
        await JobFolder.waitForRemovals()
    }

    /// Waits for a signal or, as a server's child process, until the server closes the socket.
    private static func waitForEnd(isChild: Bool) async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let signals = await UnixSignalsSequence(trapping: [.sigterm, .sigint, .sighup])
        await withTaskGroup { group in
            group.addTask {
                for await _ in signals { break }
                end.yield()
            }
            if isChild, JobSocket.isSocket(STDIN_FILENO) {
                let socket = JobSocket(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3))
                Thread.detachNewThread {
                    while socket.receive() != nil {}
                    ForcedExit.schedule(after: Self.exitLimit)
                    end.yield()
                }
                // Reports from the threads that run the work, so that the server notices when they make no progress.
                group.addTask {
                    try? socket.reportLiveness()
                    await Stopwatch(ContinuousClock()).tick(every: JobSocket.reportInterval) {
                        try? socket.reportLiveness()
                    }
                }
            }
            for await _ in ends { break }
            group.cancelAll()
        }
    }
}
