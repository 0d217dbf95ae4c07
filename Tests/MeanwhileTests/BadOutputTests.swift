import FixtureSite
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension FailingRuns {
    /// Outputs that can't be written.
    @Suite struct BadOutput {
        @Test func fileInPlaceOfTheOutputFolderIsReported() async throws {
            try await withSite { site, workspace in
                let file = try workspace.makeFile("out", "mine")
                let outcome = try await workspace.capture(site.address("/plain"))
                #expect(outcome.exitCode == 1)
                #expect(outcome.errors == "error: \(file) is a file, not a folder. Choose a folder with -o.\n")
                #expect(try Data(contentsOf: URL(filePath: file)) == Data("mine".utf8))
                #expect(site.requests.isEmpty)
            }
        }

        @Test func unwritableOutputFolderFailsBeforeLoading() async throws {
            try await withSite { site, workspace in
                try workspace.makeFolder(workspace.output, mode: 0o555)
                let outcome = try await workspace.capture(site.address("/plain"), wrapper: Program.unprivileged)
                #expect(outcome.exitCode == 1)
                #expect(outcome.errors.contains("\(workspace.output) isn't writable: permission denied"))
                #expect(outcome.errors.contains("Choose another one with -o"))
                #expect(site.requests.isEmpty)
            }
        }

        @Test func outputFolderThatCannotBeCreatedFailsBeforeLoading() async throws {
            try await withSite { site, workspace in
                let locked = workspace.root + "/locked"
                try workspace.makeFolder(locked, mode: 0o555)
                let outcome = try await workspace.capture(
                    site.address("/plain"), "-o", "\(locked)/new", wrapper: Program.unprivileged)
                #expect(outcome.exitCode == 1)
                #expect(outcome.errors.contains("The folder \(locked)/new can't be created: permission denied"))
                #expect(site.requests.isEmpty)
            }
        }

        @Test func unprivilegedUserCanWriteToAWritableFolder() async throws {
            try await withSite { site, workspace in
                try workspace.makeFolder(workspace.output, mode: 0o777)
                let outcome = try await workspace.capture(site.address("/plain"), wrapper: Program.unprivileged)
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                #expect(workspace.outputNames == site.names("/plain"))
                try workspace.expectCompleteFiles()
            }
        }

        @Test func fullDiskIsReportedAndLeavesNoFile() async throws {
            try await withSite { site, workspace in
                try workspace.makeFolder(workspace.output)
                // The file system is unmounted when the script exits, so the script lists its content.
                let script = #"""
                    mount -t tmpfs -o size=64k,mode=1777 tmpfs "$1" || exit 99
                    folder=$1; shift
                    "$@"; code=$?
                    echo "left: $(ls -A "$folder")"
                    exit $code
                    """#
                let outcome = try await workspace.capture(
                    site.address("/large?megabytes=1"), "-f", "webarchive",
                    wrapper: Self.ownMounts + Self.shell(script) + [workspace.output] + Self.ownUser)
                #expect(outcome.exitCode == 1, "\(outcome.errors)")
                #expect(outcome.errorLines.count == 1)
                #expect(outcome.errors.hasPrefix("error: The disk is full: a file of 1 MB doesn't fit into "))
                #expect(outcome.errors.contains("Free some space, or choose another folder with -o."))
                #expect(outcome.lines == ["left: "])
            }
        }

        @Test func outputFolderRemovedDuringTheRunFailsThePage() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(site.address("/stall"), "-f", "png") { program in
                    try await program.waitForRequest("/stall", of: site)
                    try FileManager.default.removeItem(atPath: workspace.output)
                    site.release("/stall")
                }
                #expect(outcome.exitCode == 1)
                #expect(outcome.errors.hasPrefix("error: \(workspace.output) can't be written: "))
                workspace.expectNoOutput()
            }
        }

        @Test func closedOutputPipeFailsTheRun() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(
                    site.address("/large?megabytes=1"), "-f", "webarchive", "-o", "-", wrapper: Self.pipedToHead)
                #expect(outcome.exitCode == 1)
                #expect(outcome.output == Data("bplist00".utf8) + outcome.output.suffix(2))
                #expect(outcome.errorLines.count == 1)
                #expect(outcome.errors.hasPrefix("error: The file couldn't be written to standard output"))
            }
        }

        @Test func standardOutputOnAFullDiskFailsTheRun() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(
                    site.address("/plain"), "-f", "png", "-o", "-", wrapper: Self.shell(#"exec "$@" >/dev/full"#))
                #expect(outcome.exitCode == 1)
                #expect(outcome.errors.hasPrefix("error: The file couldn't be written to standard output"))
            }
        }

        @Test func filesAreWrittenAfterThePipeForTheirNamesCloses() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(
                    site.address("/plain"), site.address("/text"), "--jobs", "1", wrapper: Self.pipedToHead)
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                #expect(workspace.outputNames == (site.names("/plain") + site.names("/text")).sorted())
                try workspace.expectCompleteFiles()
            }
        }

        @Test(arguments: [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
        func filesAreWrittenWithClosedStandardStreams(redirection: String) async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(
                    site.address("/plain"), wrapper: Self.shell(#"exec "$@" "# + redirection))
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                #expect(workspace.outputNames == site.names("/plain"))
                try workspace.expectCompleteFiles()
            }
        }

        @Test(arguments: [">&-", "<&- >&- 2>&-"])
        func closedStandardStreamsAreNotReusedForOtherFiles(redirection: String) async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(
                    site.address("/stall"), "-f", "png", wrapper: Self.shell(#"exec "$@" "# + redirection)
                ) { program in
                    try await program.waitForRequest("/stall", of: site)
                    // If one of these descriptors were free, the program could open a file under its number, and write
                    // its output to that file.
                    for number in 0...2 {
                        let path = "/proc/\(program.processID)/fd/\(number)"
                        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
                        let isHarmless = ["/dev/", "pipe:", workspace.root + "/input"].contains {
                            target?.hasPrefix($0) ?? true
                        }
                        #expect(isHarmless, "\(number) is \(target ?? "closed").")
                    }
                    site.release("/stall")
                }
                #expect(outcome.exitCode == 0)
            }
        }

        /// Returns a shell that runs a script, with the rest of the command line as arguments.
        private static func shell(_ script: String) -> [String] { ["/bin/sh", "-c", script, "sh"] }

        /// Pipes the output to `head`; the exit code is that of the program.
        private static let pipedToHead = ["/bin/bash", "-o", "pipefail", "-c", #""$@" | head -c 10"#, "bash"]

        /// Runs the rest of the command line with mounts of its own, which other processes don't see.
        private static let ownMounts =
            ["/usr/bin/unshare"] + (geteuid() == 0 ? [] : ["--map-root-user"]) + ["--mount", "--"]

        /// Runs the rest of the command line as the tests' user, instead of the root user that mounting requires.
        private static let ownUser =
            geteuid() == 0
            ? [] : ["/usr/bin/unshare", "--map-user=\(geteuid())", "--map-group=\(getegid())", "--"]
    }
}
