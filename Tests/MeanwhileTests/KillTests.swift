import FixtureSite
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

let strace = "/usr/bin/strace"

extension InterruptedRuns {
    /// Runs that are killed, and so can't clean up.
    @Suite struct Kills {
        @Test(arguments: ["/stall", "/stall-image", "/spin"])
        func chromiumExitsAfterAKillAndTheNextRunRemovesItsFolder(path: String) async throws {
            try await withSite { site, workspace in
                let killed = try await workspace.capture(site.address(path)) { program in
                    try await waitUntilStalled(path, of: site, by: program, in: workspace)
                    try program.send(SIGKILL)
                }
                #expect(killed.signal == SIGKILL)
                try await expectChromiumGone(in: workspace)
                #expect(workspace.names(in: workspace.temporary).count == 1)
                let next = try await workspace.capture(site.address("/plain"))
                #expect(next.exitCode == 0)
                #expect(workspace.outputNames == site.names("/plain"))
            }
        }

        @Test func folderOfARunningCaptureIsNotRemoved() async throws {
            try await withSite { site, workspace in
                let first = try await workspace.capture(site.address("/stall"), "-f", "png") { program in
                    try await program.waitForRequest("/stall", of: site)
                    let second = try await workspace.capture(site.address("/plain"), "-f", "png")
                    #expect(second.exitCode == 0)
                    #expect(workspace.names(in: workspace.temporary).count == 1)
                    site.release("/stall")
                }
                #expect(first.exitCode == 0, "\(first.errors)")
                #expect(workspace.outputNames == ["/plain", "/stall"].map { site.name($0, "png") })
            }
        }

        @Test(
            .enabled("Needs strace, to kill the program at a given system call.") {
                FileManager.default.fileExists(atPath: strace)
            })
        func oldUnlockedFolderIsRemoved() async throws {
            try await withSite { site, workspace in
                let killed = try await workspace.capture(
                    site.address("/plain"),
                    wrapper: [
                        strace, "--follow-forks", "--trace=flock", "--inject=flock:signal=KILL:when=1",
                        "--output=/dev/null", "--",
                    ])
                #expect(killed.signal == SIGKILL)
                let remaining = workspace.names(in: workspace.temporary)
                #expect(remaining.count == 1)
                for name in remaining {
                    try FileManager.default.setAttributes(
                        [.modificationDate: Date.now.addingTimeInterval(-86_400 * 2)],
                        ofItemAtPath: "\(workspace.temporary)/\(name)")
                }
                let next = try await workspace.capture(site.address("/plain"), "-f", "png")
                #expect(next.exitCode == 0)
            }
        }

        @Test(arguments: RunStage.inTheRun)
        func killAtAnyMomentLeavesNoPartialFileUnderAPagesName(moment: RunStage) async throws {
            try await withSite { site, workspace in
                let killed = try await workspace.capture(site.address("/"), site.address("/plain"), "--jobs", "1") {
                    program in
                    try await moment.wait(for: program, in: workspace, with: site)
                    try? program.send(SIGKILL)
                }
                #expect(killed.signal == SIGKILL || killed.exitCode == 0)
                try await expectChromiumGone(in: workspace)
                // A killed run can't remove its partial files; they are hidden and aren't named like a page's file.
                for name in workspace.outputNames where name.hasPrefix(".") {
                    #expect(name.hasSuffix(".part"))
                    try FileManager.default.removeItem(atPath: "\(workspace.output)/\(name)")
                }
                try workspace.expectCompleteFiles()
                let next = try await workspace.capture(site.address("/plain"), "-f", "png")
                #expect(next.exitCode == 0)
            }
        }
    }
}
