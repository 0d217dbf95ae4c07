import BrowserDriver
import FixtureSite
import Foundation
import Subprocess
import Synchronization
import SystemPackage
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The exit status and the output of a run of the program.
struct Outcome: Sendable {
    fileprivate var status: TerminationStatus
    var output: Data
    var errors: String

    /// The exit code; `nil` if a signal ended the program.
    var exitCode: CInt? {
        if case .exited(let code) = status { code } else { nil }
    }

    /// The signal that ended the program; `nil` if it exited by itself.
    var signal: CInt? {
        if case .signaled(let number) = status { number } else { nil }
    }

    /// The lines on standard output.
    var lines: [String] {
        String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The lines on standard error.
    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }

    /// Decodes standard output as written with `--json`.
    func reports() throws -> [Report] {
        try lines.map { try JSONDecoder().decode(Report.self, from: Data($0.utf8)) }
    }
}

/// A running program.
struct RunningProgram: Sendable {
    let processID: Int32

    /// Sends a signal to the program only, not to its children.
    ///
    /// Sending succeeds even after the program has exited, until it is reaped.
    func send(_ signal: CInt) throws {
        try #require(kill(processID, signal) == 0)
    }

    /// Whether the program has exited.
    var hasEnded: Bool { ProcessEntry(id: processID).map { $0.state == "Z" } ?? true }

    /// The limit on waiting for the program.
    ///
    /// The program starts a browser while other tests keep the processors busy. Waiting ends as soon as the program
    /// exits.
    private static let limit = Duration.seconds(300)

    /// Waits until a condition holds.
    ///
    /// - Throws: ``UnmetCondition`` if the program exits before that.
    func wait(until what: String, _ condition: () throws -> Bool) async throws {
        try await eventually(what, within: Self.limit) {
            // Read `hasEnded` first, so that the program's last action before its exit still counts.
            let hasEnded = hasEnded
            if try condition() { return true }
            guard !hasEnded else { throw UnmetCondition(description: "The program exited before this held: \(what).") }
            return false
        }
    }

    /// Waits until the program has requested a path of a site.
    ///
    /// - Throws: ``UnmetCondition`` if the program exits before that.
    func waitForRequest(_ path: String, of site: FixtureSite) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await site.waitForRequest(path) }
            group.addTask {
                try await eventually("the program has requested \(path), or exited", within: Self.limit) { hasEnded }
                // The request may have been the program's last action.
                if site.requests.contains(path) { return }
                throw UnmetCondition(description: "The program exited before it requested \(path).")
            }
            try await group.next()
            group.cancelAll()
        }
    }
}

/// The program built along with these tests.
enum Program {
    /// The path of the executable, next to that of the tests.
    static let path = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/meanwhile"

    /// The prefix of a command line that runs the program without root privileges.
    ///
    /// It uses `setpriv`, because swift-subprocess changes the user between fork and exec, which sometimes hangs.
    static let unprivileged =
        geteuid() == 0 ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] : []

    /// The environment variables that runs inherit from the tests.
    fileprivate static let environment = ProcessInfo.processInfo.environment.filter {
        ["PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "MEANWHILE_CHROMIUM"].contains($0.key)
    }

    /// More than the output of any of these tests.
    fileprivate static let outputLimit = 64 << 20
}

extension Workspace {
    /// Runs `meanwhile capture` with this workspace's output folder.
    ///
    /// It runs in a session of its own, with the workspace's temporary folder, and must leave no process behind.
    ///
    /// - Parameters:
    ///   - arguments: Addresses and options; include `-o` only for another folder.
    ///   - input: The content of standard input.
    ///   - environment: Additional environment variables.
    ///   - wrapper: A command line that runs the program by `exec`.
    ///   - sourceLocation: The location for issues.
    ///   - body: Runs while the program does; then the function waits for the program to exit.
    /// - Returns: The outcome of the run.
    /// - Throws: The body's error, after killing the program.
    func capture(
        _ arguments: String..., input: String = "", environment: [String: String] = [:], wrapper: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation, while body: (RunningProgram) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        try await capture(
            all: arguments, input: input, environment: environment, wrapper: wrapper, sourceLocation: sourceLocation,
            while: body)
    }

    /// Runs the command like ``capture(_:input:environment:wrapper:sourceLocation:while:)``.
    func capture(
        all arguments: [String], input: String = "", environment: [String: String] = [:], wrapper: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation, while body: (RunningProgram) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        let folder = arguments.contains("-o") ? [] : ["-o", output]
        // Capturing a page takes long on a busy machine.
        let limit = arguments.contains("--timeout") ? [] : ["--timeout", "300"]
        return try await run(
            wrapper + [Program.path, "capture"] + arguments + folder + limit, input: input, environment: environment,
            sourceLocation: sourceLocation, while: body)
    }

    /// Runs a command line like ``capture(_:input:environment:wrapper:sourceLocation:while:)``.
    func run(
        _ commandLine: [String], input: String = "", environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation, while body: (RunningProgram) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        // A file, because writing to a pipe that the program doesn't read would kill the tests.
        let inputFile = try FileDescriptor.open(makeFile("input", input), .readOnly, options: [.closeOnExec])
        let session = Mutex<Int32?>(nil)
        defer { session.withLock(\.self).map(OrphanReaper.programEnded) }
        let result = try await Subprocess.run(
            configuration(commandLine, environment), input: .fileDescriptor(inputFile, closeAfterSpawningProcess: true),
            output: .bytes(limit: Program.outputLimit), error: .string(limit: Program.outputLimit)
        ) { execution -> (any Error)? in
            session.withLock { $0 = execution.processIdentifier.value }
            OrphanReaper.programStarted(session: execution.processIdentifier.value)
            do {
                try await body(RunningProgram(processID: execution.processIdentifier.value))
                return nil
            } catch {
                try? execution.send(signal: .kill)
                return error
            }
        }
        let outcome = Outcome(
            status: result.terminationStatus, output: Data(result.standardOutput), errors: result.standardError)
        if let error = result.closureResult {
            Issue.record("\(error)\nStandard error: \(outcome.errors)", sourceLocation: sourceLocation)
            throw error
        }
        if outcome.signal != SIGKILL {
            // Includes processes that have exited but haven't been reaped.
            let left = ProcessEntry.all.filter { $0.session == result.processIdentifier.value }
            #expect(left.isEmpty, "Left behind by the program: \(left)", sourceLocation: sourceLocation)
        }
        return outcome
    }

    private func configuration(_ commandLine: [String], _ more: [String: String]) -> Subprocess.Configuration {
        var variables = Program.environment.merging(more) { $1 }
        // The test sites run on this machine, which pages may not access by default.
        if more["MEANWHILE_ALLOW"] == nil { variables["MEANWHILE_ALLOW"] = "127.0.0.0/8,::1" }
        variables["TMPDIR"] = variables["TMPDIR"] ?? temporary
        variables["MEANWHILE_TEST"] = root
        var options = PlatformOptions()
        options.createSession = true
        return Subprocess.Configuration(
            executable: .path(FilePath(commandLine[0])), arguments: Arguments(Array(commandLine.dropFirst())),
            environment: .custom(
                Dictionary(uniqueKeysWithValues: variables.map { (Environment.Key(stringLiteral: $0), $1) })),
            workingDirectory: FilePath(root), platformOptions: options)
    }
}
