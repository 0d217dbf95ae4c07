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

/// A process that does one job: `meanwhile job`, a child of the server.
///
/// It has no database. It ends when the server does, however that ends, and with ``end()``, also if it is stopped or loops.
final class JobChild: Sendable {
    /// How children are started.
    struct Configuration: Sendable {
        /// The arguments of `meanwhile`, after `job`.
        var arguments: [String] = []
        /// The program: this one, also when its file was replaced meanwhile.
        var executable = FilePath("/proc/self/exe")
    }

    /// Who is told how far the job is.
    private final class Listener: Sendable {
        let progress = Lock<(@Sendable (Data) -> Void)?>(nil)
    }

    private static let logger = Logger(label: "meanwhile.job")

    /// Whether its browser was started before it has a job.
    let hasBrowser: Bool
    private let socket: JobSocket
    private let listener = Listener()
    private let outcome: Future<Result<Data, JobFault>, Never>
    private let endRequested: Promise<Void, Never>
    private let ended: Future<String, Never>

    /// Starts a child; it waits for its job then.
    ///
    /// - Parameters:
    ///   - hasBrowser: Whether it is to start a browser at once.
    ///   - configuration: How.
    /// - Throws: What the system says, where no socket can be made.
    init(hasBrowser: Bool, _ configuration: Configuration) throws(Errno) {
        let (ours, theirs) = try JobSocket.pair()
        self.hasBrowser = hasBrowser
        socket = ours
        let outcome = Promise<Result<Data, JobFault>, Never>(valueOnAbandon: { .failure(.lost("It ended.")) })
        let endRequested = Promise<Void, Never>()
        let hasClosed = Promise<Void, Never>()
        let ended = Promise<String, Never>(valueOnAbandon: { "It ended." })
        (self.outcome, self.endRequested, self.ended) = (outcome.future, endRequested, ended.future)
        let command = Subprocess.Configuration(
            executable: .path(configuration.executable),
            arguments: Arguments(
                executablePathOverride: "meanwhile",
                remainingValues: ["job"] + (hasBrowser ? ["--browser"] : []) + configuration.arguments),
            environment: .inherit.updating(
                Dictionary(
                    uniqueKeysWithValues: Self.environment.map {
                        (Subprocess.Environment.Key(stringLiteral: $0.key), Optional($0.value))
                    })),
            platformOptions: Self.platformOptions)
        // Owned by `endRequested`: it ends soon after that is resolved, when the process is gone and reaped.
        Task {
            ended.resolve(
                await Self.run(
                    command, socket: ours, theirs: theirs, endRequested: endRequested.future,
                    hasClosed: hasClosed.future))
        }
        listen(outcome, hasClosed)
    }

    deinit {
        endRequested.resolve(())
    }

    /// The signal says how it ended: a backtrace would take seconds, and be of no use to whoever reads the log.
    private static let environment = ["SWIFT_BACKTRACE": "enable=no"]

    private static var platformOptions: PlatformOptions {
        var options = PlatformOptions()
        options.processGroupID = 0
        return options
    }

    /// The processes of all children.
    private static let running = Lock<Set<Int32>>([])

    /// How long a child may take to end when it is to end, before it is killed.
    private static let lastSeconds = Duration.seconds(5)

    /// Runs the process to its end.
    ///
    /// - Returns: How it ended, for a person.
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
                // It ends its browser, and itself, as soon as it reads that this is the end.
                socket.finish()
                let killing = Task {
                    guard (try? await Stopwatch(ContinuousClock()).sleep(until: lastSeconds)) != nil else { return }
                    kill(-process, SIGKILL)
                }
                await hasClosed.value
                killing.cancel()
            }
            running.withLock { _ = $0.remove(outcome.processIdentifier.value) }
            // One that ends in good order has ended its browser. Any other leaves it to this process.
            if !outcome.terminationStatus.isSuccess { await LeftBrowsers.end { running.withLock(\.self) } }
            return outcome.terminationStatus.words
        } catch {
            return "It couldn't be started: \(error)"
        }
    }

    /// Reads what the child says, on a thread of its own, until its end.
    private func listen(_ outcome: Promise<Result<Data, JobFault>, Never>, _ hasClosed: Promise<Void, Never>) {
        let (socket, listener, endRequested, ended) = (socket, listener, endRequested, ended)
        Thread.detachNewThread {
            while let (message, file) = socket.receive() {
                try? file?.close()
                guard let report = try? JSONDecoder().decode(JobReport.self, from: message) else {
                    // What it says can't be understood.
                    endRequested.resolve(())
                    continue
                }
                switch report {
                case .progress(let data): listener.progress.withLock(\.self)?(data)
                case .done(let data): outcome.resolve(.success(data))
                case .failed(let fault): outcome.resolve(.failure(fault))
                }
            }
            // It has ended.
            endRequested.resolve(())
            hasClosed.resolve(())
            ended.onSuccess { words in
                outcome.resolve(.failure(.lost(words)))
            }
        }
    }

    /// Gives the child its job, and waits for what comes of it.
    ///
    /// - Parameters:
    ///   - order: The job.
    ///   - input: What it reads; it stays open here.
    ///   - progress: Told how far it is.
    /// - Returns: What the child says, or that it ended before it had.
    func run(
        _ order: JobOrder, input: FileDescriptor?, progress: @escaping @Sendable (Data) -> Void
    ) async -> Result<Data, JobFault> {
        listener.progress.withLock { $0 = progress }
        do {
            try socket.send(order, with: input)
        } catch {
            // How it ended says more.
            socket.finish()
        }
        return await outcome.value
    }

    /// Whether it has ended.
    var hasEnded: Bool { ended.isComplete }

    /// Ends it with all its processes, and returns when it is gone.
    func end() async {
        requestEnd()
        await waitForEnd()
    }

    /// Ends it without waiting for it.
    func requestEnd() {
        endRequested.resolve(())
    }

    /// Waits until it is gone.
    func waitForEnd() async {
        _ = await ended.value
    }
}

extension JobFault {
    /// The child ended before it had done its job.
    static let lostCode = "lost"

    static func lost(_ words: String) -> JobFault {
        JobFault(
            code: lostCode,
            message: "The process that did this ended before it was done. \(words)", canRetry: true)
    }
}

extension TerminationStatus {
    /// How a process ended, for a person.
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
