import Foundation
import Futures
import Testing

@testable import Capture

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Tests how the processes of a browser are reaped after its parent process has died.
@Suite(.timeLimit(.minutes(10))) struct OrphanedProcessesTests {
    /// Runs in a child process, which becomes the parent of orphans.
    ///
    /// Chromium's helpers run `/proc/self/exe`, and so do workers and jobs: the process name of all of them is `exe`.
    @Test func endedHelpersWithTheNameOfThisProcessAreReaped() async throws {
        await #expect(processExitsWith: .success) {
            let folder = NSTemporaryDirectory() + "meanwhile-left-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try FileManager.default.copyItem(atPath: "/bin/true", toPath: folder + "/exe")
            try Data("exe".utf8).write(to: URL(filePath: "/proc/self/comm"))
            ProcessTree.adoptOrphans()
            let shell = Process()
            shell.executableURL = URL(filePath: "/bin/sh")
            shell.arguments = ["-c", "\(folder)/exe & echo $!"]
            let output = Pipe()
            shell.standardOutput = output
            try shell.run()
            let text = try #require(try output.fileHandleForReading.readToEnd())
            shell.waitUntilExit()
            let helper = try #require(Int32(String(decoding: text, as: UTF8.self).dropLast()))
            await OrphanedProcesses.end(subcommand: "job") { OrphanedProcesses.Children() }
            #expect(waitpid(helper, nil, WNOHANG) == -1)
        }
    }
}
