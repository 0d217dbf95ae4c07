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

/// Ends a process at once.
func kill(_ process: ProcessEntry) {
    _ = kill(process.id, SIGKILL)
}

/// Returns when a page that never becomes ready is as far as it ever gets.
func reached(_ path: String, of site: FixtureSite, by program: RunningProgram, in workspace: Workspace) async throws {
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

/// Returns when the Chromium of a run that was killed is gone: nobody is there to end it.
func expectChromiumGone(in workspace: Workspace) async throws {
    try await eventually("Chromium has ended by itself", within: .seconds(300)) { workspace.processes.isEmpty }
}

/// Whether a program ends soon; if not, it is killed.
///
/// - Parameters:
///   - program: What was told to end.
///   - limit: Less than what would end it otherwise: a page's capture after 60 s, and a connection on which nothing comes.
/// - Returns: Whether it has ended.
/// - Throws: What keeps it from being killed.
func endsInTime(_ program: RunningProgram, within limit: Duration = .seconds(45)) async throws -> Bool {
    do {
        try await eventually("the program has ended", within: limit) { program.hasEnded }
        return true
    } catch is NeverCame {
        try program.send(SIGKILL)
        return false
    }
}

/// When in a run something happens to it.
enum Moment: Hashable, Sendable {
    /// Chromium has its folder and its process, and has not answered yet.
    case chromiumStarting
    /// The page loads.
    case pageRequested
    /// The first page's files are there, and the next page loads.
    case filesWritten
    /// So many milliseconds after the run began.
    case after(Int)

    /// Those that are tested: for `script/soak` twenty more, anywhere in the two seconds that a run takes.
    static let inTheRun =
        [chromiumStarting, pageRequested, filesWritten]
        + (isSoak ? (0..<20).map { _ in after(Int.random(in: 0..<2_000)) } : [])

    /// Returns when it has come.
    func wait(for program: RunningProgram, in workspace: Workspace, with site: FixtureSite) async throws {
        switch self {
        case .chromiumStarting:
            try await program.wait(until: "there is a process for Chromium") { workspace.chromium != nil }
        case .pageRequested:
            try await program.waitForRequest("/", of: site)
        case .filesWritten:
            try await program.wait(until: "there is a file") { workspace.outputNames.contains { $0.hasSuffix(".png") } }
        case .after(let milliseconds):
            let time = ContinuousClock.now + .milliseconds(milliseconds)
            try await eventually("it is time") { ContinuousClock.now >= time }
        }
    }
}
