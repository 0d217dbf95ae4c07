import Capture
import Foundation
import Futures
import Subprocess
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A child process, `meanwhile job`, that runs one job and exits.
///
/// It exits when the server exits or crashes: its socket closes then. ``end()`` ends it too, by SIGKILL after five seconds if it is
/// stopped or in an endless loop.
final class JobProcess: Sendable {
    /// How job processes are started.
    struct Configuration: Sendable {
        #if os(Linux)
            /// The program: the one that this process runs, even if the file was replaced since it started.
            var executable: FilePath = "/proc/self/exe"
        #else
            /// The program.
            var executable = FilePath(Bundle.main.executablePath ?? CommandLine.arguments[0])
        #endif
        /// The options of `meanwhile job`.
        var arguments: [String] = []
    }

    /// The receiver of progress reports.
    private final class Listener: Sendable {
        let progress = Lock<(@Sendable (Data) -> Void)?>(nil)
    }

    private let socket: JobSocket
    private let listener = Listener()
    private let outcome: Future<Result<Data, JobError>, Never>
    private let endRequested: Promise<Void, Never>
    private let ended: Future<Void, Never>

    /// Starts a process, which waits for its job.
    ///
    /// - Parameters:
    ///   - hasBrowser: Whether the process starts Chromium before its job arrives.
    ///   - configuration: How the process is started.
    /// - Throws: The system's error if no socket can be made. A process that can't be started fails its job.
    init(hasBrowser: Bool, _ configuration: Configuration) throws(Errno) {
        let (ours, theirs) = try SocketPair.make()
        socket = JobSocket(ours.rawValue)
        let outcome = Promise<Result<Data, JobError>, Never>(valueOnAbandon: { .failure(.lost("It ended.")) })
        let endRequested = Promise<Void, Never>()
        let hasClosed = Promise<Void, Never>()
        let ended = Promise<Void, Never>()
        (self.outcome, self.endRequested, self.ended) = (outcome.future, endRequested, ended.future)
        let command = Self.command(hasBrowser: hasBrowser, configuration)
        // Ends soon after `endRequested` is resolved, when the process has exited and is reaped.
        Task { [socket] in
            let end = await Self.run(
                command, socket: socket, theirs: theirs, endRequested: endRequested.future,
                hasClosed: hasClosed.future)
            outcome.resolve(.failure(.lost(end)))
            ended.resolve(())
        }
        listen(outcome, hasClosed)
    }

    deinit {
        endRequested.resolve(())
    }

    private static func command(hasBrowser: Bool, _ configuration: Configuration) -> Subprocess.Configuration {
        var options = PlatformOptions()
        options.processGroupID = 0
        return Subprocess.Configuration(
            executable: .path(configuration.executable),
            arguments: Arguments(
                executablePathOverride: "meanwhile",
                remainingValues: ["job"] + (hasBrowser ? ["--browser"] : []) + configuration.arguments),
            // The log names the signal that ended a process. A backtrace would take seconds.
            environment: .inherit.updating(["SWIFT_BACKTRACE": "enable=no"]), platformOptions: options)
    }

    /// How many bytes of messages a process may send; one that sends more has gone wrong, and is ended.
    private static let mostReceived = 256 << 20

    /// The numbers of all running job processes.
    private static let running = Lock<Set<Int32>>([])

    /// How long a process may take to exit by itself before SIGKILL.
    private static let exitLimit = Duration.seconds(5)

    /// Runs the process until it exits.
    ///
    /// - Returns: How it exited, for people.
    private static func run(
        _ command: Subprocess.Configuration, socket: JobSocket, theirs: FileDescriptor,
        endRequested: Future<Void, Never>, hasClosed: Future<Void, Never>
    ) async -> String {
        do {
            let outcome = try await Subprocess.run(
                command, input: .fileDescriptor(theirs, closeAfterSpawningProcess: true), output: .discarded,
                error: .fileDescriptor(.standardError, closeAfterSpawningProcess: false)
            ) { execution in
                let process = execution.processIdentifier.value
                running.withLock { _ = $0.insert(process) }
                await endRequested.value
                // The process reads the end of the socket, closes its browser and exits.
                socket.finish()
                let killing = Task {
                    guard (try? await Stopwatch(ContinuousClock()).sleep(until: exitLimit)) != nil else { return }
                    kill(-process, SIGKILL)
                }
                await hasClosed.value
                killing.cancel()
            }
            running.withLock { _ = $0.remove(outcome.processIdentifier.value) }
            // A process that exits with 0 has ended its browser. After any other end the server must do that.
            if !outcome.terminationStatus.isSuccess { await LeftBrowsers.end { running.withLock(\.self) } }
            return outcome.terminationStatus.words
        } catch {
            return "It couldn't be started: \(error)"
        }
    }

    /// Reads the process's messages until it exits, on a thread of its own: reads block.
    private func listen(_ outcome: Promise<Result<Data, JobError>, Never>, _ hasClosed: Promise<Void, Never>) {
        let (socket, listener, endRequested) = (socket, listener, endRequested)
        Thread.detachNewThread {
            var received = 0
            while let (message, file) = socket.receive() {
                try? file?.close()
                received += message.count
                guard received <= Self.mostReceived else { break }
                switch try? JSONDecoder().decode(JobReport.self, from: message) {
                case .progress(let data): listener.progress.withLock(\.self)?(data)
                case .done(let data): outcome.resolve(.success(data))
                case .failed(let error): outcome.resolve(.failure(error))
                case nil: endRequested.resolve(())
                }
            }
            endRequested.resolve(())
            hasClosed.resolve(())
        }
    }

    /// Sends the job to the process, and waits for its result.
    ///
    /// - Parameters:
    ///   - order: The job.
    ///   - input: The job's input file; the caller closes it.
    ///   - progress: Called with each progress report, on any thread.
    /// - Returns: The result, or the error ``JobError/lostCode`` if the process exits without one.
    func run(
        _ order: JobOrder, input: FileDescriptor?, progress: @escaping @Sendable (Data) -> Void
    ) async -> Result<Data, JobError> {
        listener.progress.withLock { $0 = progress }
        do {
            try socket.send(order, with: input)
        } catch {
            // The process has exited, and its exit status explains more than this error.
            requestEnd()
        }
        return await outcome.value
    }

    /// Whether the process has exited.
    var hasEnded: Bool { ended.isComplete }

    /// Ends the process and its browser, and returns when both are gone.
    func end() async {
        requestEnd()
        await waitForEnd()
    }

    /// Ends the process and its browser without waiting.
    func requestEnd() {
        endRequested.resolve(())
    }

    /// Waits until the process has exited.
    func waitForEnd() async {
        await ended.value
    }
}

extension JobError {
    /// The code of a job whose process exited without a result.
    static let lostCode = "lost"

    static func lost(_ end: String) -> JobError {
        JobError(
            code: lostCode, message: "The process that did this ended before it was done. \(end)", canRetry: true)
    }
}

extension TerminationStatus {
    /// How a process exited, for people.
    fileprivate var words: String {
        switch self {
        case .exited(let code): code == 0 ? "It ended." : "It ended with status \(code)."
        case .signaled(let signal):
            switch signal {
            case SIGKILL: "It was killed, by a person, for want of memory, or because it took too long."
            case SIGXCPU: "It took more of the processor than it may."
            case SIGXFSZ: "It wrote a larger file than it may."
            case SIGTRAP, SIGILL, SIGSEGV, SIGBUS, SIGABRT, SIGFPE: "It crashed (signal \(signal))."
            default: "It was ended by signal \(signal)."
            }
        }
    }
}
