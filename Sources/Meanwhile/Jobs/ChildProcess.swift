import Capture
import Foundation
import Futures
import Logging
import Subprocess
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A child process that runs a subcommand of this program, with a socket to this process as its standard input.
///
/// The child exits when this process exits or crashes, because its socket closes. ``end()`` also ends it, with
/// SIGKILL if it is suspended or in an endless loop. A child that sends no report for too long is killed:
/// ``JobSocket/reportLiveness()`` reports that it is running.
final class ChildProcess: Sendable {
    /// How child processes are started.
    struct Configuration: Sendable {
        #if os(Linux)
            /// The executable: that of this process, even if the file was replaced since it started.
            var executable: FilePath = "/proc/self/exe"
        #else
            var executable = FilePath(Bundle.main.executablePath ?? CommandLine.arguments[0])
        #endif
        /// The options of the subcommand.
        var arguments: [String] = []
        /// Changes of the environment; `nil` removes a variable.
        var environment: [Environment.Key: String?] = [:]
        /// How long the process may stay silent after its first report before it receives SIGKILL.
        var silenceLimit = Duration.seconds(8)
        /// How long the process may take to exit by itself before it receives SIGKILL.
        var exitLimit = Duration.seconds(5)
    }

    /// The maximum number of bytes that a process may send; one that sends more is faulty and is ended.
    private static let messageLimit = 256 << 20

    /// How a process exited.
    struct End: Sendable {
        /// A readable description.
        var message: String
        /// Whether it couldn't be started because processes, memory, files or disk space had run out.
        var ranOutOfResources = false
    }

    private let socket: JobSocket
    private let endRequested: Promise<Void, Never>
    private let ended: Future<End, Never>
    private let liveness: Liveness
    private static let logger = Logger(label: "meanwhile.processes")

    /// Starts a process.
    ///
    /// - Parameters:
    ///   - subcommand: The subcommand, `job` or `worker`. This process must start only one of the two, because it
    ///     treats children that run the other one as orphans.
    ///   - configuration: How the process is started.
    ///   - receive: Called with each message on a dedicated thread; if it returns `false`, the process is ended.
    /// - Throws: The system's error if no file or socket can be opened. If the process can't be started, it counts as
    ///   ended.
    init(
        _ subcommand: String, _ configuration: Configuration, receive: @escaping @Sendable (Data) -> Bool
    ) throws(Errno) {
        let output = try Self.nullDevice()
        let (ours, theirs) = try SocketPair.make()
        let spares: SpareDescriptors
        do throws(Errno) {
            spares = try SpareDescriptors(copiedFrom: output)
        } catch {
            for end in [ours, theirs] { try? end.close() }
            throw error
        }
        socket = JobSocket(ours.rawValue)
        let endRequested = Promise<Void, Never>()
        let hasClosed = Promise<Void, Never>()
        let ended = Promise<End, Never>(valueOnAbandon: { End(message: JobWords.exited) })
        (self.endRequested, self.ended) = (endRequested, ended.future)
        liveness = Liveness(longestSilence: configuration.silenceLimit)
        let command = Self.command(subcommand, configuration)
        // Ends soon after `endRequested` is resolved, once the process has exited and is reaped.
        Task { [socket, liveness] in
            let watching = Task {
                try await liveness.waitForSilence()
                Self.logger.warning("a \(subcommand) doesn't report, and is killed")
                endRequested.resolve(())
            }
            defer { watching.cancel() }
            ended.resolve(
                await Self.run(
                    command, subcommand, socket: socket, theirs: theirs, output: output, spares: spares,
                    exitLimit: configuration.exitLimit, liveness, endRequested: endRequested.future,
                    hasClosed: hasClosed.future))
        }
        listen(receive, hasClosed)
    }

    deinit {
        endRequested.resolve(())
    }

    private static func command(
        _ subcommand: String, _ configuration: Configuration
    ) -> Subprocess.Configuration {
        var options = PlatformOptions()
        options.processGroupID = 0
        return Subprocess.Configuration(
            executable: .path(configuration.executable),
            arguments: Arguments(
                executablePathOverride: "meanwhile", remainingValues: [subcommand] + configuration.arguments),
            // No backtrace, which would take seconds: the log names the signal that ended a process.
            environment: .inherit.updating(
                configuration.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }),
            platformOptions: options)
    }

    /// Where the output of all processes goes; opened at the first start that can.
    private static let openNullDevice = Lock<FileDescriptor?>(nil)

    /// Returns the null device, which all processes share.
    private static func nullDevice() throws(Errno) -> FileDescriptor {
        try openNullDevice.withLock { (device) throws(Errno) in
            if let device { return device }
            let opened: FileDescriptor
            do {
                opened = try FileDescriptor.open("/dev/null", .writeOnly, options: .closeOnExec)
            } catch {
                throw error as? Errno ?? .ioError
            }
            device = opened
            return opened
        }
    }

    /// All child processes.
    private static let children = Lock(OrphanedProcesses.Children())

    /// Runs the process until it exits.
    ///
    /// - Returns: How it exited.
    private static func run(
        _ command: Subprocess.Configuration, _ subcommand: String, socket: JobSocket, theirs: FileDescriptor,
        output: FileDescriptor, spares: SpareDescriptors, exitLimit: Duration, _ liveness: Liveness,
        endRequested: Future<Void, Never>, hasClosed: Future<Void, Never>
    ) async -> End {
        children.withLock { $0.startingCount += 1 }
        let started = Lock<Int32?>(nil)
        defer {
            children.withLock { children in
                if let process = started.withLock(\.self) {
                    children.running.remove(process)
                } else {
                    children.startingCount -= 1
                }
            }
        }
        // The kill task runs until the process has exited: a process that has closed its socket may still be alive.
        let killing = Lock<Task<Void, Never>?>(nil)
        defer { killing.withLock { $0?.cancel() } }
        spares.close()
        do {
            let outcome = try await Subprocess.run(
                command, input: .fileDescriptor(theirs, closeAfterSpawningProcess: true),
                output: .fileDescriptor(output, closeAfterSpawningProcess: false),
                error: .fileDescriptor(.standardError, closeAfterSpawningProcess: false)
            ) { execution in
                let process = execution.processIdentifier.value
                started.withLock { $0 = process }
                children.withLock { children in
                    children.startingCount -= 1
                    children.running.insert(process)
                }
                await endRequested.value
                // The process reads the end of the stream, ends its own children, and exits.
                socket.finish()
                let limit = liveness.isSilent ? .zero : exitLimit
                killing.withLock {
                    $0 = Task {
                        guard (try? await Stopwatch(ContinuousClock()).sleep(until: limit)) != nil else { return }
                        kill(-process, SIGKILL)
                        // The process may have left its group.
                        kill(process, SIGKILL)
                    }
                }
                await hasClosed.value
            }
            // A process that was killed leaves its own children. One that exits with status 0 may leave a folder that it
            // was removing for a killed one.
            await OrphanedProcesses.end(subcommand: subcommand) { children.withLock(\.self) }
            return End(message: outcome.terminationStatus.words)
        } catch {
            let errno = (error as? SubprocessError)?.underlyingError
            return End(
                message: JobWords.notStarted("\(error)"),
                ranOutOfResources: started.withLock(\.self) == nil && errno?.isResourceExhaustion == true)
        }
    }

    /// Reads the process's messages until it exits, on a dedicated thread because reads block.
    private func listen(_ receive: @escaping @Sendable (Data) -> Bool, _ hasClosed: Promise<Void, Never>) {
        let (socket, endRequested, liveness) = (socket, endRequested, liveness)
        Thread.detachNewThread {
            var received = 0
            while let (message, file) = socket.receive() {
                try? file?.close()
                liveness.report()
                received += message.count + JobSocket.headBytes
                guard received <= Self.messageLimit else { break }
                if !message.isEmpty, !receive(message) { endRequested.resolve(()) }
            }
            endRequested.resolve(())
            hasClosed.resolve(())
        }
    }

    /// Sends a message with an open file; the caller closes its own descriptor.
    func send(_ message: some Encodable, with file: FileDescriptor? = nil) throws {
        try socket.send(message, with: file)
    }

    /// Whether the process has exited.
    var hasEnded: Bool { ended.isComplete }

    /// Ends the process and its children, and returns when all have exited.
    func end() async {
        requestEnd()
        _ = await waitForEnd()
    }

    /// Requests the end of the process and its children without waiting.
    func requestEnd() {
        endRequested.resolve(())
    }

    /// Waits until the process has exited.
    ///
    /// - Returns: How it exited.
    func waitForEnd() async -> End {
        await ended.value
    }
}

/// Tracks when a process last reported.
private final class Liveness: Sendable {
    /// How long a process may take until its first report, because a busy machine starts it slowly.
    private static let longestStart = Duration.seconds(30)
    /// How long the process may stay silent after that.
    private let longestSilence: Duration
    private let stopwatch = Stopwatch(ContinuousClock())
    private let lastReport = Lock<Duration?>(nil)
    private let silence = Lock(false)

    init(longestSilence: Duration) {
        self.longestSilence = longestSilence
    }

    /// Whether the process has been silent for too long.
    var isSilent: Bool { silence.withLock(\.self) }

    /// Records a report.
    func report() {
        lastReport.withLock { $0 = stopwatch.elapsed }
    }

    /// Waits until the process has been silent for too long.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func waitForSilence() async throws {
        while true {
            let last = lastReport.withLock(\.self)
            let limit = last.map { $0 + longestSilence } ?? Self.longestStart
            guard stopwatch.elapsed >= limit else {
                try await stopwatch.sleep(until: limit)
                continue
            }
            // If the machine or this process was suspended, the next report arrives only now.
            try await stopwatch.sleep(until: stopwatch.elapsed + JobSocket.reportInterval * 2)
            guard lastReport.withLock(\.self) != last else { break }
        }
        silence.withLock { $0 = true }
    }
}

extension Errno {
    /// Whether the error means that processes, memory, files or disk space have run out, which may be temporary.
    var isResourceExhaustion: Bool {
        let exhaustion: [Errno] = [
            .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .resourceTemporarilyUnavailable, .noSpace,
            .diskQuotaExceeded,
        ]
        return exhaustion.contains(self)
    }
}

extension TerminationStatus {
    /// A readable description of how a process exited.
    fileprivate var words: String {
        switch self {
        case .exited(let code): code == 0 ? JobWords.exited : JobWords.exitedWithStatus("\(code)")
        case .signaled(let signal):
            switch signal {
            case SIGKILL: JobWords.killed
            case SIGXCPU: JobWords.tookProcessorTime
            case SIGXFSZ: JobWords.wroteTooMuch
            case SIGTRAP, SIGILL, SIGSEGV, SIGBUS, SIGABRT, SIGFPE: JobWords.crashed(signal: "\(signal)")
            default: JobWords.stopped(signal: "\(signal)")
            }
        }
    }
}
