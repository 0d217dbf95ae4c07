import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A program that strace ends at one of its calls of the system, just before the call.
///
/// strace counts each call for itself, and for each thread: what is to be ended at each of its calls does them on its first
/// thread.
public struct TracedProgram: Sendable {
    /// How a run ended.
    public enum End: Sendable {
        /// At the call.
        case killed
        /// By itself, and well: there was no such call.
        case ended
        case failed
    }

    private static let strace = "/usr/bin/strace"

    /// The calls that change what is on a disk, or whether it is there for good.
    ///
    /// Not every processor has each.
    public static let writingCalls = [
        "write", "pwrite64", "fsync", "fdatasync", "rename", "renameat", "renameat2", "link", "linkat", "unlink",
        "unlinkat", "ftruncate", "flock", "utimensat",
    ]

    /// Whether there is strace.
    public static var isPossible: Bool { FileManager.default.fileExists(atPath: strace) }

    /// The path of a program that was built beside the tests.
    public static func besideTests(_ name: String) -> String {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/\(name)"
    }

    private let command: [String]

    /// - Parameters:
    ///   - program: The program's path.
    ///   - arguments: What it is called with.
    public init(_ program: String, _ arguments: [String]) {
        self.command = [program] + arguments
    }
}

extension TracedProgram {
    /// Runs it, and kills it before it makes a call for so many times; not cut short by cancellation.
    ///
    /// - Parameters:
    ///   - call: The call's name; one that this processor does not have is never made.
    ///   - time: For how many times, from 1 on.
    /// - Returns: How it ended.
    public func run(killedAt call: String, time: Int) async -> End {
        await run([
            "--output=/dev/null", "--trace=?\(call)", "--inject=?\(call):signal=KILL:when=\(time)",
        ])
    }

    /// The calls that it makes on its first thread after it has written a line.
    ///
    /// - Parameters:
    ///   - line: The line, without its end.
    ///   - record: A file that strace may write.
    /// - Returns: For each call's name, how often it was made before.
    /// - Throws: Why the file cannot be read.
    public func callsMade(after line: String, record: String) async throws -> [String: Int] {
        _ = await run(["--output=\(record)", "--trace=all"])
        var counts: [String: Int] = [:]
        var before: [String: Int] = [:]
        var process: Substring?
        var isAfter = false
        for entry in try String(contentsOfFile: record, encoding: .utf8).split(separator: "\n") {
            // `1234 write(3, "…", 6) = 6`; what is resumed was counted when it began.
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
    /// - Returns: Its process; `nil` if the system refused.
    private static func spawn(_ arguments: [String]) -> pid_t? {
        var pointers = arguments.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        var child: pid_t = 0
        return posix_spawn(&child, arguments[0], nil, nil, pointers, environ) == 0 ? child : nil
    }
}
