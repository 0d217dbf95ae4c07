import BrowserDriver
import FixtureSite
import Foundation
import Subprocess
import SystemPackage
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// How a run of the program ended, and what it said.
struct Outcome: Sendable {
    fileprivate var status: TerminationStatus
    var output: Data
    var errors: String

    /// The exit code; `nil` if a signal ended it.
    var exitCode: CInt? {
        if case .exited(let code) = status { code } else { nil }
    }

    /// The signal that ended it; `nil` if it ended by itself.
    var signal: CInt? {
        if case .signaled(let number) = status { number } else { nil }
    }

    /// The lines on standard output.
    var lines: [String] {
        String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The lines on standard error.
    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }

    /// Standard output as what `--json` writes.
    func reports() throws -> [Report] {
        try lines.map { try JSONDecoder().decode(Report.self, from: Data($0.utf8)) }
    }
}

/// The program, while it runs.
struct RunningProgram: Sendable {
    let processID: Int32

    /// Sends it a signal, and it alone.
    ///
    /// One that has ended takes it too, until the tests have asked how it ended, which is later.
    func send(_ signal: CInt) throws {
        try #require(kill(processID, signal) == 0)
    }

    /// Whether it has ended.
    var hasEnded: Bool { ProcessEntry(id: processID).map { $0.state == "Z" } ?? true }

    /// How long it may take to get somewhere.
    ///
    /// It starts a browser, and other tests keep the processors busy. A program that ends too early is noticed at once.
    private static let limit = Duration.seconds(300)

    /// Returns as soon as a condition holds.
    ///
    /// - Throws: ``NeverCame`` if the program ends without.
    func wait(until what: String, _ condition: () throws -> Bool) async throws {
        try await eventually(what, within: Self.limit) {
            // In this order: what it did last counts.
            let hasEnded = hasEnded
            if try condition() { return true }
            guard !hasEnded else { throw NeverCame(description: "The program ended before \(what).") }
            return false
        }
    }

    /// Returns as soon as it has asked a site for a path.
    ///
    /// - Throws: ``NeverCame`` if it ends without.
    func waitForRequest(_ path: String, of site: FixtureSite) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await site.waitForRequest(path) }
            group.addTask {
                try await eventually("the program asked for \(path), or ended", within: Self.limit) { hasEnded }
                // What it did last counts.
                if site.requests.contains(path) { return }
                throw NeverCame(description: "The program ended before it asked for \(path).")
            }
            try await group.next()
            group.cancelAll()
        }
    }
}

/// The program, as it was built with these tests.
enum Program {
    /// Where it is: beside the tests.
    static let path = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/meanwhile"

    /// What a command line begins with so that it runs as somebody who may not do everything.
    ///
    /// By a program, not by swift-subprocess: that changes the user between fork and exec, which hangs now and then.
    static let unprivileged =
        geteuid() == 0 ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] : []

    /// What the runs get to know of the environment of the tests.
    fileprivate static let environment = ProcessInfo.processInfo.environment.filter {
        ["PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "MEANWHILE_CHROMIUM"].contains($0.key)
    }

    /// More than any output of these tests.
    fileprivate static let outputLimit = 64 << 20
}

extension Workspace {
    /// Runs `meanwhile capture` with the output folder of this workspace.
    ///
    /// It is in a session of its own, with the workspace's temporary folder, and must leave no process behind.
    ///
    /// - Parameters:
    ///   - arguments: Addresses and options; `-o` only if it is another folder.
    ///   - input: What standard input holds.
    ///   - environment: More variables.
    ///   - wrapper: Programs before it that become it in the end.
    ///   - sourceLocation: Where it is run for.
    ///   - body: Done while it runs. It is waited for afterwards.
    /// - Returns: How it ended.
    /// - Throws: What the body throws; the program is killed then.
    func capture(
        _ arguments: String..., input: String = "", environment: [String: String] = [:], wrapper: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation, while body: (RunningProgram) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        let folder = arguments.contains("-o") ? [] : ["-o", output]
        // A busy machine takes long over a page.
        let limit = arguments.contains("--timeout") ? [] : ["--timeout", "300"]
        return try await run(
            wrapper + [Program.path, "capture"] + arguments + folder + limit, input: input, environment: environment,
            sourceLocation: sourceLocation, while: body)
    }

    /// Runs a command line, as ``capture(_:input:environment:wrapper:sourceLocation:while:)`` does.
    func run(
        _ commandLine: [String], input: String = "", environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation, while body: (RunningProgram) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        // A file: to write to a program that does not read would end the tests.
        let inputFile = try FileDescriptor.open(makeFile("input", input), .readOnly, options: [.closeOnExec])
        let result = try await Subprocess.run(
            configuration(commandLine, environment), input: .fileDescriptor(inputFile, closeAfterSpawningProcess: true),
            output: .bytes(limit: Program.outputLimit), error: .string(limit: Program.outputLimit)
        ) { execution -> (any Error)? in
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
            Issue.record("\(error)\nThe program said: \(outcome.errors)", sourceLocation: sourceLocation)
            throw error
        }
        if outcome.signal != SIGKILL {
            // Even those that have ended and that nobody has asked for.
            let left = ProcessEntry.all.filter { $0.session == result.processIdentifier.value }
            #expect(left.isEmpty, "Left behind by the program: \(left)", sourceLocation: sourceLocation)
        }
        return outcome
    }

    private func configuration(_ commandLine: [String], _ more: [String: String]) -> Subprocess.Configuration {
        var variables = Program.environment.merging(more) { $1 }
        // The sites of the tests are on this machine, which no page reaches otherwise.
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
