import ArgumentParser
import CProcessControl
import Capture
import Egress
import Foundation
import Futures
import Jobs
import Logging
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `meanwhile job`: runs one job for a worker, then exits.
///
/// Its standard input is a socket to the worker. It opens no database, and writes only to the job's folder.
struct JobCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "job", abstract: JobWords.jobAbstract, shouldDisplay: false)

    @Flag(help: JobWords.browser)
    var browser = false

    @Option(help: JobWords.ownPort)
    var ownPort: [Int] = []

    @OptionGroup var allowed: AllowedAddresses

    @Option(help: CommandWords.chromium)
    var chromium: String?

    @OptionGroup var log: LogOptions

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        try LogOutput.start(log.logLevel, log.logFormat, environment: environment)
        guard JobSocket.isSocket(STDIN_FILENO) else {
            throw ValidationError(JobWords.onlyByWorker)
        }
        (browser ? JobLimits.withBrowser : .withoutBrowser).apply()
        JobLimits.yieldProcessor()
        let socket = JobSocket(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3))
        Self.reportLiveness(to: socket)
        var configuration = PageCapturer.Configuration()
        configuration.chromium = chromium
        configuration.addressPolicy = try allowed.policy(environment: [:])
        configuration.ownPorts = OwnPorts(Set(ownPort))
        configuration.simultaneousCaptures = 1
        let work = JobRunner(
            capturer: PageCapturer(configuration: configuration), policy: configuration.addressPolicy,
            ownPorts: configuration.ownPorts)
        if browser { Task { await work.capturer.warmUp() } }
        guard let (order, input) = await Self.order(from: socket, whenItEnds: { await work.end() }) else {
            await work.end()
            return
        }
        JobFaultInjection.failIfRequested(order.kind)
        let logger = Logger(label: "meanwhile.job")
        LogOutput.requestOfProcess.withLock { $0 = order.request }
        logger.debug("A job begins", metadata: ["kind": "\(order.kind.rawValue)"])
        let report: JobReport
        do throws(JobError) {
            let result = try await work.result(of: order, input: input) { progress in
                try? socket.send(JobReport.progress(progress))
            }
            report = .done(result)
        } catch {
            report = .failed(error)
        }
        do {
            try socket.send(report)
        } catch {
            try? socket.send(
                JobReport.failed(
                    JobError(code: "result", message: JobWords.resultTooLong, canRetry: false)))
        }
        await work.end()
    }

    /// Reports every two seconds that this process is running, even while the job blocks; a suspended process doesn't
    /// report.
    private static func reportLiveness(to socket: JobSocket) {
        let interval = JobSocket.reportInterval / .seconds(1)
        Thread.detachNewThread {
            while (try? socket.reportLiveness()) != nil {
                Thread.sleep(until: Date.now + interval)
            }
        }
    }

    /// How long Chromium may take to end before this process exits anyway, in seconds.
    private static let exitLimit = 3.0

    /// Waits for the job, and returns `nil` if the worker closes the socket first.
    ///
    /// If the worker closes the socket later, this process exits within ``exitLimit``, even while the job blocks.
    private static func order(
        from socket: JobSocket, whenItEnds end: @escaping @Sendable () async -> Void
    ) async -> (JobOrder, FileDescriptor?)? {
        let (orders, continuation) = AsyncStream.makeStream(of: (JobOrder, FileDescriptor?).self)
        Thread.detachNewThread {
            while let (message, file) = socket.receive() {
                guard let order = try? JSONDecoder().decode(JobOrder.self, from: message) else { break }
                continuation.yield((order, file))
            }
            continuation.finish()
            // The task below never runs if the job blocks every thread of the cooperative pool.
            ForcedExit.schedule(after: exitLimit)
            Task {
                await end()
                _exit(0)
            }
        }
        for await order in orders { return order }
        return nil
    }
}

extension JobLimits {
    /// The nice value of a job's process and its browser, so that the server runs first on a busy processor.
    private static let niceness: CInt = 5

    /// Lowers the scheduling priority of all threads of this process; see setpriority(2).
    fileprivate static func yieldProcessor() {
        #if os(Linux)
            // On Linux, the value belongs to a thread, and new threads inherit it.
            for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? [] {
                if let thread = UInt32(name) { _ = setpriority(CInt(PRIO_PROCESS.rawValue), thread, niceness) }
            }
        #else
            _ = setpriority(PRIO_PROCESS, 0, niceness)
        #endif
    }
}

/// The resource limits of a job's process; see setrlimit(2).
struct JobLimits: Sendable {
    /// The address space, in bytes.
    ///
    /// Chromium is exempt: ``PageCapturer`` monitors its memory.
    var addressSpace: UInt
    /// The processor time, in seconds.
    ///
    /// Chromium is exempt: captures have a time limit.
    var processorSeconds: UInt
    /// The number of open files.
    var files: UInt
    /// The size of a written file, in bytes.
    var fileSize: UInt

    /// The limits of jobs with a browser: while a web archive of 256 MB is written, it is in memory about three
    /// times, and each thread reserves address space.
    static let withBrowser = JobLimits(
        addressSpace: 4 << 30, processorSeconds: 300, files: 1_024, fileSize: 1 << 30)
    /// The limits of other jobs: an uploaded file of 40 MB is in memory a few times.
    static let withoutBrowser = JobLimits(
        addressSpace: 3 << 29, processorSeconds: 120, files: 256, fileSize: 256 << 20)

    /// Sets the soft limits of this process; launching Chromium lifts those that would break it.
    func apply() {
        #if canImport(Glibc)
            Self.limit(__rlimit_resource_t(RLIMIT_AS.rawValue), addressSpace)
            Self.limit(__rlimit_resource_t(RLIMIT_CPU.rawValue), processorSeconds)
            Self.limit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), files)
            Self.limit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), fileSize)
            Self.limit(__rlimit_resource_t(RLIMIT_CORE.rawValue), 0)
        #endif
    }

    #if canImport(Glibc)
        private static func limit(_ resource: __rlimit_resource_t, _ value: UInt) {
            var limit = rlimit()
            guard getrlimit(resource, &limit) == 0 else { return }
            limit.rlim_cur = min(value, limit.rlim_max)
            setrlimit(resource, &limit)
        }
    #endif
}

/// Makes jobs fail for tests, in debug builds only.
enum JobFaultInjection {
    /// Fails a job as `MEANWHILE_JOB_TRAP` specifies: `picture-check:trap`, or `all:` with `loop`, `allocate`, `stop`
    /// or `exit`.
    static func failIfRequested(_ kind: JobKind) {
        #if DEBUG
            guard let words = ProcessInfo.processInfo.environment["MEANWHILE_JOB_TRAP"]?.split(separator: ":"),
                words.count == 2, words[0] == "all" || words[0] == kind.rawValue
            else { return }
            switch words[1] {
            // The crash that the test asked for.
            case "trap": fatalError("as MEANWHILE_JOB_TRAP says")
            case "loop": while true {}
            // Reserves addresses without touching the memory, so that a test doesn't exhaust the machine.
            case "allocate": while true { _ = UnsafeMutableRawPointer.allocate(byteCount: 64 << 20, alignment: 16) }
            case "stop": raise(SIGSTOP)
            default: _exit(3)
            }
        #endif
    }

    /// Returns a job's time limit; `MEANWHILE_JOB_SECONDS` replaces it in debug builds.
    static func limit(_ usual: Duration) -> Duration {
        #if DEBUG
            if let text = ProcessInfo.processInfo.environment["MEANWHILE_JOB_SECONDS"], let seconds = Int(text) {
                return .seconds(seconds)
            }
        #endif
        return usual
    }
}
