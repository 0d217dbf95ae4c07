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

/// Kills a process.
func kill(_ process: ProcessEntry) {
    _ = kill(process.id, SIGKILL)
}

/// Waits until a page that never becomes ready has loaded as far as it can.
func waitUntilStalled(
    _ path: String, of site: FixtureSite, by program: RunningProgram, in workspace: Workspace
) async throws {
    switch path {
    case "/stall-image":
        try await program.waitForRequest("/stall/picture.png", of: site)
    case "/spin":
        try await program.waitForRequest(path, of: site)
        try await program.wait(until: "a script has spun for half a second") {
            workspace.renderers.contains { $0.ticks > 50 }
        }
    default:
        try await program.waitForRequest(path, of: site)
    }
}

/// Waits until the Chromium of a killed run has exited by itself.
func expectChromiumGone(in workspace: Workspace) async throws {
    try await eventually("Chromium has exited by itself", within: .seconds(300)) { workspace.processes.isEmpty }
}

/// Returns whether a program ends within a limit; otherwise kills it.
///
/// - Parameters:
///   - program: The program, which was asked to end.
///   - limit: The limit, shorter than the timeouts that would end the program anyway: 60 s of a capture or an idle
///     connection.
/// - Returns: Whether it has ended.
/// - Throws: An error if the program can't be killed.
func endsInTime(_ program: RunningProgram, within limit: Duration = .seconds(45)) async throws -> Bool {
    do {
        try await eventually("the program has ended", within: limit) { program.hasEnded }
        return true
    } catch is UnmetCondition {
        try program.send(SIGKILL)
        return false
    }
}

/// The moment of a run at which a test disturbs the program.
enum RunStage: Hashable, Sendable {
    /// Chromium's folder and process exist, but it hasn't answered yet.
    case chromiumStarting
    /// The page is loading.
    case pageRequested
    /// The first page's files are written, and the next page is loading.
    case filesWritten
    /// The given number of milliseconds after the start of the run.
    case after(Int)

    /// The moments to test; `script/soak` adds 20 random ones within the two seconds of a run.
    static let inTheRun =
        [chromiumStarting, pageRequested, filesWritten]
        + (isSoak ? (0..<20).map { _ in after(Int.random(in: 0..<2_000)) } : [])

    /// Waits for the moment.
    func wait(for program: RunningProgram, in workspace: Workspace, with site: FixtureSite) async throws {
        switch self {
        case .chromiumStarting:
            // A test that was delayed may find that the program has ended.
            try await eventually("Chromium's process exists, or the program has ended") {
                program.hasEnded || workspace.chromium != nil
            }
        case .pageRequested:
            try await program.waitForRequest("/", of: site)
        case .filesWritten:
            try await program.wait(until: "a file is written") {
                workspace.outputNames.contains { $0.hasSuffix(".png") }
            }
        case .after(let milliseconds):
            let time = ContinuousClock.now + .milliseconds(milliseconds)
            try await eventually("the moment has come") { ContinuousClock.now >= time }
        }
    }
}
