import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A program that a test runs, and ends at a call of the system's if it wants to.
public enum ProgramRun {
    /// How it ended.
    public enum End: Sendable {
        /// By SIGKILL.
        case killed
        /// With success.
        case ended
        /// In any other way.
        case failed
    }

    private static let strace = "/usr/bin/strace"

    /// Whether a program can be ended at a given call.
    public static var canKill: Bool { FileManager.default.fileExists(atPath: strace) }

    /// The calls that change what is on a disk, or whether it is there for good; not every processor has each.
    public static let writingCalls = [
        "write", "pwrite64", "fsync", "fdatasync", "rename", "renameat", "renameat2", "link", "linkat", "unlink",
        "unlinkat", "ftruncate", "flock", "utimensat",
    ]

    /// The path of a program beside the tests.
    ///
    /// - Parameter name: Its name.
    /// - Returns: The path.
    public static func path(of name: String) -> String {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/" + name
    }

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - arguments: Its path, and its arguments.
    ///   - call: It is killed before a call of that name; strace counts each call for itself, and each thread's.
    ///   - time: Before the how manyth.
    /// - Returns: How it ended.
    public static func run(_ arguments: [String], killedAt call: String, time: Int) async -> End {
        await run(
            [
                strace, "--follow-forks", "--output=/dev/null", "--trace=?\(call)",
                "--inject=?\(call):signal=KILL:when=\(time)", "--",
            ] + arguments)
    }

    /// Runs a program to its end.
    ///
    /// - Parameter arguments: Its path, and its arguments.
    /// - Returns: How it ended.
    public static func run(_ arguments: [String]) async -> End {
        let child = spawn(arguments)
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var status: CInt = 0
                while waitpid(child, &status, 0) == -1, errno == EINTR {}
                let end: End = status == 0 ? .ended : status & 0x7f == SIGKILL ? .killed : .failed
                continuation.resume(returning: end)
            }
        }
    }

    private static func spawn(_ arguments: [String]) -> pid_t {
        var pointers = arguments.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        var child: pid_t = 0
        posix_spawn(&child, arguments[0], nil, nil, pointers, environ)
        return child
    }
}
