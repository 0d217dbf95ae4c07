import FixtureSite
import Foundation
import Testing

extension FailingRuns {
    /// A Chromium that is missing, doesn't start, or exits during a capture.
    @Suite struct BadBrowser {
        @Test func missingChromiumIsReportedWithItsPath() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(site.address("/plain"), "--chromium", "/nonexistent")
                #expect(outcome.exitCode == 1)
                #expect(outcome.errors.hasPrefix("error: There is no program at /nonexistent. Give the path"))
                workspace.expectNoOutput()
            }
        }

        @Test func chromiumPathIsReadFromTheEnvironment() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(
                    site.address("/plain"), "--json", environment: ["MEANWHILE_CHROMIUM": "/nonexistent"])
                #expect(outcome.exitCode == 1)
                #expect(try outcome.reports().first?.error?.code == "browserNotFound")
                #expect(outcome.errors.hasPrefix("error: There is no program at /nonexistent."))
                workspace.expectNoOutput()
            }
        }

        @Test func chromiumThatExitsAtStartFailsEachPage() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(
                    site.address("/plain"), site.address("/text"), "--json", "--chromium", "/bin/false")
                #expect(outcome.exitCode == 1)
                let codes = try outcome.reports().map { $0.error?.code }
                #expect(codes == ["browserFailedToStart", "browserFailedToStart"])
                #expect(outcome.errorLines.allSatisfy { $0.hasPrefix("error: Chromium (/bin/false) did not start.") })
                #expect(outcome.errorLines.count == 2)
                workspace.expectNoOutput()
            }
        }

        @Test func errorOutputOfChromiumIsReported() async throws {
            try await withSite { site, workspace in
                let chromium = try workspace.makeProgram("broken", "echo 'libnss3.so: cannot open' >&2; exit 127")
                let outcome = try await workspace.capture(site.address("/plain"), "--chromium", chromium)
                #expect(outcome.exitCode == 1)
                #expect(outcome.errors.contains("did not start. It said: libnss3.so: cannot open"))
                workspace.expectNoOutput()
            }
        }

        @Test func missingTemporaryFolderIsReportedWithItsPath() async throws {
            try await withSite { site, workspace in
                try workspace.makeFolder(workspace.output, mode: 0o777)
                let outcome = try await workspace.capture(
                    site.address("/plain"), environment: ["TMPDIR": "/nonexistent"], wrapper: Program.unprivileged)
                #expect(outcome.exitCode == 1)
                #expect(outcome.errors.contains("none can be made in /nonexistent"))
                #expect(outcome.errors.contains("set TMPDIR"))
                #expect(workspace.outputNames.isEmpty)
            }
        }

        @Test(arguments: [30, 60, 200])
        func temporaryFolderCanHaveALongPath(length: Int) async throws {
            try await withSite { site, workspace in
                let folder = workspace.temporary.padding(toLength: length, withPad: "/long", startingAt: 0)
                try workspace.makeFolder(folder)
                let outcome = try await workspace.capture(
                    site.address("/plain"), "-f", "png", environment: ["TMPDIR": folder])
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                #expect(workspace.names(in: folder).isEmpty)
                try FileManager.default.removeItem(atPath: workspace.temporary)
            }
        }

        @Test(arguments: ["/stall", "/stall-image", "/spin"])
        func killedChromiumFailsOnlyItsPage(path: String) async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(
                    site.address(path), site.address("/plain"), "--json", "--jobs", "1"
                ) { program in
                    try await waitUntilStalled(path, of: site, by: program, in: workspace)
                    try kill(#require(workspace.chromium))
                }
                #expect(outcome.exitCode == 2, "\(outcome.errors)")
                let reports = try outcome.reports()
                #expect(reports.map { $0.error?.code } == ["browserExited", nil])
                #expect(outcome.errors.contains("Chromium exited while it showed \(site.address(path))"))
                #expect(workspace.outputNames == site.names("/plain"))
                try workspace.expectWholeFiles()
            }
        }

        @Test(arguments: ["/stall-image", "/spin"])
        func killedRendererFailsOnlyItsPage(path: String) async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(
                    site.address(path), site.address("/plain"), "--json", "--jobs", "1"
                ) { program in
                    try await waitUntilStalled(path, of: site, by: program, in: workspace)
                    for renderer in workspace.renderers { kill(renderer) }
                }
                #expect(outcome.exitCode == 2, "\(outcome.errors)")
                #expect(try outcome.reports().map { $0.error?.code } == ["pageCrashed", nil])
                #expect(outcome.errors.contains("The page's process crashed while it showed \(site.address(path))"))
                #expect(workspace.outputNames == site.names("/plain"))
                try workspace.expectWholeFiles()
            }
        }

        @Test func killedChromiumFailsAllItsPagesButNotLaterOnes() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(
                    site.address("/stall"), site.address("/stall-body"), site.address("/plain"), "--json", "--jobs", "2"
                ) { program in
                    try await program.waitForRequest("/stall", of: site)
                    try await program.waitForRequest("/stall-body", of: site)
                    try kill(#require(workspace.chromium))
                }
                #expect(outcome.exitCode == 2, "\(outcome.errors)")
                let codes = try Dictionary(uniqueKeysWithValues: outcome.reports().map { ($0.address, $0.error?.code) })
                #expect(codes[site.address("/stall")] == "browserExited")
                #expect(codes[site.address("/stall-body")] == "browserExited")
                #expect(codes[site.address("/plain")] == .some(nil))
            }
        }
    }
}
