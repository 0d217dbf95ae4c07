import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A program that strace kills just before one of its system calls.
///
/// strace counts each call by name and by thread, so the program must make the calls under test on its first thread.
public struct TracedProgram: Sendable {
    /// The outcome of a run.
    public enum End: Sendable {
        /// The program was killed at the call.
        case killed
        /// The program exited successfully: it made no such call.
        case ended
        case failed
    }

    private static let strace = "/usr/bin/strace"

    /// The system calls that change the contents of a disk or their durability.
    ///
    /// Not every architecture has all of them.
    public static let writingCalls = [
        "write", "pwrite64", "fsync", "fdatasync", "rename", "renameat", "renameat2", "link", "linkat", "unlink",
        "unlinkat", "ftruncate", "flock", "utimensat",
    ]

    /// Whether strace is installed.
    public static var isStraceInstalled: Bool { FileManager.default.fileExists(atPath: strace) }

    /// The path of a program in the same build directory as the tests.
    public static func pathBesideTests(_ name: String) -> String {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/\(name)"
    }

    private let command: [String]

    /// - Parameters:
    ///   - program: The program's path.
    ///   - arguments: The program's arguments.
    public init(_ program: String, _ arguments: [String]) {
        self.command = [program] + arguments
    }
}

extension TracedProgram {
    /// Runs the program, and kills it just before the call with the given ordinal; not affected by cancellation.
    ///
    /// - Parameters:
    ///   - call: The call's name; one that the architecture lacks is never made.
    ///   - ordinal: The ordinal among the calls of that name, from 1.
    /// - Returns: The outcome.
    public func run(killedAt call: String, ordinal: Int) async -> End {
        await run([
            "--output=/dev/null", "--trace=?\(call)", "--inject=?\(call):signal=KILL:when=\(ordinal)",
        ])
    }

    /// Runs the program to its end, and finds the calls that its first thread makes after it has written a line.
    ///
    /// - Parameters:
    ///   - line: The line, without its terminator.
    ///   - record: The path of a file for strace's output.
    /// - Returns: For each name of such a call, the number of calls by that name before the line.
    /// - Throws: Why the file can't be read.
    public func callsMade(after line: String, record: String) async throws -> [String: Int] {
        _ = await run(["--output=\(record)", "--trace=all"])
        var counts: [String: Int] = [:]
        var before: [String: Int] = [:]
        var process: Substring?
        var isAfter = false
        for entry in try String(contentsOfFile: record, encoding: .utf8).split(separator: "\n") {
            // `1234 write(3, "…", 6) = 6`; a resumed call was counted when it started.
            let parts = entry.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
            guard parts.count == 2, process == nil || process == parts[0] else { continue }
            process = parts[0]
            let call = parts[1].drop { $0 == " " }
            guard let open = call.firstIndex(of: "("), call.first?.isLetter == true else { continue }
            let name = String(call[..<open])
            if isAfter, before[name] == nil { before[name] = counts[name] ?? 0 }
            counts[name, default: 0] += 1
            if call.contains("\"\(line)\\n\"") { isAfter = true }
        }
        return before
    }

    private func run(_ options: [String]) async -> End {
        let arguments = [Self.strace, "--follow-forks"] + options + ["--"] + command
        // Without a child, `waitpid(0)` would reap another test's process.
        guard let child = Self.spawn(arguments) else { return .failed }
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var status: CInt = 0
                var ended = waitpid(child, &status, 0)
                while ended == -1, errno == EINTR { ended = waitpid(child, &status, 0) }
                let end: End =
                    ended != child ? .failed : status == 0 ? .ended : status & 0x7f == SIGKILL ? .killed : .failed
                continuation.resume(returning: end)
            }
        }
    }

    /// Starts a program.
    ///
    /// - Returns: The process id; `nil` if the system refused.
    private static func spawn(_ arguments: [String]) -> pid_t? {
        var pointers = arguments.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        var child: pid_t = 0
        return posix_spawn(&child, arguments[0], nil, nil, pointers, environ) == 0 ? child : nil
    }
}
