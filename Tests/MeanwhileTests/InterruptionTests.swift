import FixtureSite
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension InterruptedRuns {
    /// Runs that are interrupted by a signal.
    @Suite struct Interruptions {
        @Test(arguments: [SIGINT, SIGTERM, SIGHUP], ["/stall", "/stall-image", "/spin"])
        func signalEndsTheRunWithoutOutput(signal: CInt, path: String) async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(site.address(path)) { program in
                    try await waitUntilStalled(path, of: site, by: program, in: workspace)
                    try program.send(signal)
                }
                #expect(outcome.exitCode == 128 + signal)
                #expect(outcome.errors == "Interrupted. 0 of 1 pages were done.\n")
                #expect(outcome.output.isEmpty)
                workspace.expectNoOutput()
            }
        }

        @Test func filesWrittenBeforeTheSignalStay() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(
                    site.address("/plain"), site.address("/stall"), site.address("/text"), "--jobs", "1"
                ) { program in
                    try await program.waitForRequest("/stall", of: site)
                    try program.send(SIGINT)
                }
                #expect(outcome.exitCode == 130)
                #expect(outcome.errors == "Interrupted. 1 of 3 pages were done.\n")
                #expect(outcome.lines.count == site.names("/plain").count)
                #expect(workspace.outputNames == site.names("/plain"))
                #expect(!site.requests.contains("/text"))
                try workspace.expectCompleteFiles()
            }
        }

        @Test func signalEndsAllConcurrentCaptures() async throws {
            try await withSite { site, workspace in
                let paths = ["/stall", "/stall-body", "/stall/one.html", "/stall/two.html"]
                let input = paths.map(site.address).joined(separator: "\n")
                let outcome = try await workspace.capture("--jobs", "4", input: input) { program in
                    for path in paths { try await program.waitForRequest(path, of: site) }
                    try program.send(SIGTERM)
                }
                #expect(outcome.exitCode == 143)
                #expect(outcome.errors == "Interrupted. 0 of 4 pages were done.\n")
                workspace.expectNoOutput()
            }
        }

        @Test func existingEmptyFolderStaysAfterASignal() async throws {
            try await withSite { site, workspace in
                try workspace.makeFolder(workspace.output)
                let outcome = try await workspace.capture(site.address("/stall")) { program in
                    try await program.waitForRequest("/stall", of: site)
                    try program.send(SIGINT)
                }
                #expect(outcome.exitCode == 130)
                #expect(workspace.exists(workspace.output))
                #expect(workspace.outputNames.isEmpty)
            }
        }

        @Test func signalEndsARunWithAFullOutputPipe() async throws {
            try await withSite { site, workspace in
                let pipe = try NamedPipe(workspace.root + "/pipe")
                defer { pipe.close() }
                let outcome = try await workspace.capture(
                    site.address("/large?megabytes=1"), "-f", "webarchive", "-o", "-",
                    wrapper: ["/bin/sh", "-c", #"pipe=$1; shift; exec "$@" >"$pipe""#, "sh", pipe.path]
                ) { program in
                    try await program.wait(until: "the pipe is full") { try pipe.unread() >= 1 << 16 }
                    try program.send(SIGINT)
                    let isGone = try await endsInTime(program)
                    #expect(isGone, "The program did not exit and was killed.")
                }
                #expect(outcome.exitCode == 130)
                // If the program was killed, its Chromium exits by itself, and the next run removes its folder.
                if outcome.exitCode == nil { try await expectChromiumGone(in: workspace) }
            }
        }

        @Test func signalEndsARunWithAnUnresponsiveChromium() async throws {
            try await withSite { site, workspace in
                let chromium = try workspace.makeProgram("silent", "sleep 300")
                let outcome = try await workspace.capture(site.address("/plain"), "--chromium", chromium) { program in
                    try await program.wait(until: "Chromium has started") { workspace.chromium != nil }
                    try program.send(SIGINT)
                    // The program waits 60 s for a browser to start.
                    let isGone = try await endsInTime(program)
                    #expect(isGone, "The program did not exit and was killed.")
                    if !isGone { for process in workspace.processes { kill(process) } }
                }
                #expect(outcome.exitCode == 130)
                workspace.expectNoOutput()
            }
        }

        @Test(arguments: RunStage.inTheRun)
        func signalAtAnyMomentLeavesNoPartialFile(moment: RunStage) async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(site.address("/"), site.address("/plain"), "--jobs", "1") {
                    program in
                    try await moment.wait(for: program, in: workspace, with: site)
                    // The program may have ended already.
                    try? program.send(SIGTERM)
                }
                // A signal that arrives before its handlers are installed kills the program; then there is nothing to
                // clean up.
                #expect([143, 0].contains(outcome.exitCode) || outcome.signal == SIGTERM, "\(outcome.errors)")
                for names in [site.names("/"), site.names("/plain")] {
                    let present = names.filter(workspace.outputNames.contains)
                    #expect(present.isEmpty || present == names)
                }
                try workspace.expectCompleteFiles()
            }
        }
    }
}
