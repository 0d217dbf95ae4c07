import ArgumentParser
import CProcessControl
import Capture
import Egress
import Foundation
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `meanwhile job`: does one job of a server's, and ends.
///
/// Its standard input is the server's socket. It has no database, and writes to the job's folder only.
struct JobCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "job", abstract: "Does one job; the server starts it.", shouldDisplay: false)

    @Flag(help: "Start a browser before there is a job.")
    var browser = false

    @Option(help: "A port of this program's own, which no page may reach.")
    var ownPort: [Int] = []

    @OptionGroup var allowed: AllowedAddresses

    @Option(help: "Chromium's program.")
    var chromium: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel: LogLevelName?

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        try LogOutput.start(logLevel, environment: environment)
        guard Self.isSocket(STDIN_FILENO) else {
            throw ValidationError("meanwhile serve starts this by itself, with a socket as its standard input.")
        }
        (browser ? JobLimits.withBrowser : .withoutBrowser).apply()
        let socket = JobSocket(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3))
        var configuration = PageCapturer.Configuration()
        configuration.chromium = chromium
        configuration.addressPolicy = try allowed.policy(environment: [:])
        configuration.ownPorts = OwnPorts(Set(ownPort))
        configuration.simultaneousCaptures = 1
        let work = JobWork(
            capturer: PageCapturer(configuration: configuration), policy: configuration.addressPolicy,
            ownPorts: configuration.ownPorts)
        if browser { Task { await work.capturer.warmUp() } }
        guard let (order, input) = await Self.order(from: socket, whenItEnds: { await work.end() }) else {
            await work.end()
            return
        }
        JobTrap.spring(order.kind)
        let report: JobReport
        do throws(JobFault) {
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
                    JobFault(code: "result", message: "What came of it is too long to be told.", canRetry: false)))
        }
        await work.end()
    }

    private static func isSocket(_ descriptor: CInt) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    /// How long the browser may take to end when this process is to end, in seconds.
    private static let lastSeconds = 3.0

    /// The job; `nil` if the server ends, or wants it to end, before it has one.
    ///
    /// When that is later, this process ends too, soon, whatever it does.
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
            Task {
                await end()
                _exit(0)
            }
            // A job that holds every thread of Swift's concurrency keeps that from being done.
            Thread.sleep(forTimeInterval: lastSeconds)
            _exit(1)
        }
        for await order in orders { return order }
        return nil
    }
}

/// What a child may take of the machine.
struct JobLimits: Sendable {
    /// Its address space, in bytes; the browser's memory is watched otherwise.
    var addressSpace: UInt
    /// The time of the processor, in seconds; the browser's is limited by its captures' time.
    var processorSeconds: UInt
    /// Open files.
    var files: UInt
    /// The longest file that it may write, in bytes.
    var fileSize: UInt

    /// Of a job with a browser: a web archive of 256 MB is held about three times while it is written, and threads set addresses
    /// aside.
    static let withBrowser = JobLimits(
        addressSpace: 4 << 30, processorSeconds: 300, files: 1_024, fileSize: 1 << 30)
    /// Of another: a file of 40 MB is held a few times.
    static let withoutBrowser = JobLimits(
        addressSpace: 3 << 29, processorSeconds: 120, files: 256, fileSize: 256 << 20)

    /// Limits this process, softly: what it starts may lift the limits that would break it.
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

/// What makes a job do its worst, for tests: in debug builds, a variable names a kind of job, or all, and what it is to do.
enum JobTrap {
    /// `MEANWHILE_JOB_TRAP=picture-check:trap`, or `all:loop`, `:allocate`, `:stop`, `:exit`.
    static func spring(_ kind: JobKind) {
        #if DEBUG
            guard let words = ProcessInfo.processInfo.environment["MEANWHILE_JOB_TRAP"]?.split(separator: ":"),
                words.count == 2, words[0] == "all" || words[0] == kind.rawValue
            else { return }
            switch words[1] {
            case "trap": fatalError("as MEANWHILE_JOB_TRAP says")
            case "loop": while true {}
            // The addresses alone, so that a test doesn't take the machine's memory.
            case "allocate": while true { _ = UnsafeMutableRawPointer.allocate(byteCount: 64 << 20, alignment: 16) }
            case "stop": raise(SIGSTOP)
            default: _exit(3)
            }
        #endif
    }

    /// How long a job may take: in debug builds, `MEANWHILE_JOB_SECONDS` says otherwise.
    static func limit(_ usual: Duration) -> Duration {
        #if DEBUG
            if let text = ProcessInfo.processInfo.environment["MEANWHILE_JOB_SECONDS"], let seconds = Int(text) {
                return .seconds(seconds)
            }
        #endif
        return usual
    }
}
