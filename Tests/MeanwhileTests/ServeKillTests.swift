import BrowserDriver
import FixtureSite
import Foundation
import StoreTesting
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension JobRuns {
    /// Servers that are killed.
    @Suite struct KilledServers {
        @Test(arguments: SavingMoment.tested)
        func pageIsSavedAfterAKillAtAnyMoment(moment: SavingMoment) async throws {
            try await withSite { site, workspace in
                let killed = try await workspace.serve { server in
                    try await server.save(site.address(moment.path))
                    try await moment.wait(for: server, with: site) { try server.program.send(SIGKILL) }
                }
                #expect(killed.signal == SIGKILL)
                try await expectChromiumGone(in: workspace)
                try await workspace.expectIntactData()
                let states = try await workspace.sqlite("SELECT state FROM library_page")
                #expect(states == ["fetching"] || states == ["found"])
                for path in ["/stall", "/event-stream"] { site.release(path) }
                let next = try await workspace.serve { server in
                    try await server.wait(untilSaved: 1)
                    try await server.save(site.address("/plain"))
                    try await server.wait(untilSaved: 2)
                }
                #expect(next.exitCode == 0, "\(next.errors)")
                try await workspace.expectIntactData()
            }
        }

        @Test func settingsSurviveAKill() async throws {
            try await Workspace.with { workspace in
                let killed = try await workspace.serve { server in
                    // Storing may take longer than the request waits for it.
                    try await eventually("the order is stored") {
                        try await server.post("/library/settings", "order=title").status == 303
                    }
                    try server.program.send(SIGKILL)
                }
                #expect(killed.signal == SIGKILL)
                let stored = try await workspace.sqlite(
                    "SELECT CAST(payload AS TEXT) FROM stored_value WHERE key = 'library/settings'")
                #expect(stored.count == 1 && stored.allSatisfy { $0.contains(#""order":"title""#) }, "\(stored)")
            }
        }

        @Test func captureFailsAfterRepeatedWorkerKillsAndCanBeRetried() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.serve { server in
                    try await server.save(site.address("/stall"))
                    for attempt in 1...3 {
                        try await server.program.wait(until: "the page is requested") {
                            site.requests.count(where: { $0 == "/stall" }) == attempt
                        }
                        for worker in workspace.workers { kill(worker.id, SIGKILL) }
                    }
                    try await server.wait(untilReceived: "stopped before the job was done")
                    #expect(try await workspace.sqlite("SELECT phase, attempts FROM job") == ["4|3"])
                    let page = try await server.get("/data/jobs/").text
                    #expect(page.contains("stopped before the job was done") && page.contains("/stall"), "\(page)")
                    site.release("/stall")
                    let job = try #require(try await workspace.sqlite("SELECT id FROM job").first)
                    #expect(try await server.post("/data/jobs/retry", "job=\(job)").status == 303)
                    try await server.wait(untilSaved: 1)
                    #expect(try await workspace.sqlite("SELECT id FROM job").isEmpty)
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }
    }
}

/// The moment at which a test disturbs the server while it saves a page.
enum SavingMoment: Hashable, Sendable {
    case waitingForTheBrowser
    case loading
    case settling
    case rendering
    /// The files are written, but no row refers to them yet.
    case storing
    /// The given number of milliseconds after the request.
    case after(Int)

    /// The moments to test; `script/soak` tests all, and 20 random ones within 2.5 seconds.
    static let tested =
        [waitingForTheBrowser, loading, storing]
        + (isSoak ? [settling, rendering] + (0..<20).map { _ in after(Int.random(in: 0..<2_500)) } : [])

    /// The page to save at this moment.
    var path: String {
        switch self {
        case .loading, .storing: "/stall"
        case .settling: "/events"
        case .waitingForTheBrowser, .rendering, .after: "/"
        }
    }

    /// Waits for the moment, then runs the body.
    func wait(for server: RunningServer, with site: FixtureSite, _ body: () throws -> Void) async throws {
        let workspace = server.workspace
        switch self {
        case .waitingForTheBrowser:
            try await server.program.wait(until: "Chromium's process exists") { workspace.chromium != nil }
        case .loading:
            try await server.program.waitForRequest("/stall", of: site)
        case .settling:
            try await server.wait(untilReceived: "Waiting for the page to finish")
        case .rendering:
            try await server.wait(untilReceived: "Making the")
        case .storing:
            try await server.program.waitForRequest("/stall", of: site)
            return try await workspace.whileDatabaseIsLocked {
                site.release("/stall")
                try await server.program.wait(until: "the files are written") { workspace.jobOutputFiles.count == 5 }
                try body()
            }
        case .after(let milliseconds):
            let time = ContinuousClock.now + .milliseconds(milliseconds)
            try await eventually("the moment has come") { ContinuousClock.now >= time }
        }
        try body()
    }
}
