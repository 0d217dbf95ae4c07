import Capture
import FixtureSite
import Foundation
import StoreTesting
import Testing

// Each run starts Chromium, and a few concurrent runs keep two processors busy. So most tests are in five suites, each
// of which runs its tests one at a time.

/// The time limit of a test, in minutes.
private let limit = isSoak ? 150 : 20

/// Successful runs of the program.
@Suite(.serialized, .timeLimit(.minutes(limit))) enum SuccessfulRuns {}

/// Runs of the program that encounter errors.
@Suite(.serialized, .timeLimit(.minutes(limit))) enum FailingRuns {}

/// Runs of the program that are interrupted or killed.
@Suite(.serialized, .timeLimit(.minutes(limit))) enum InterruptedRuns {}

/// Runs of the server; see ``JobRuns`` for the others.
@Suite(.serialized, .timeLimit(.minutes(limit))) enum ServerRuns {}

/// The second half of the server's tests, so that two of them run at a time: jobs, workers, imports, exports, clusters and
/// shutdown.
@Suite(.serialized, .timeLimit(.minutes(limit))) enum JobRuns {}

/// Runs the body with a site and a workspace, in which nothing may be left behind.
func withSite(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: (FixtureSite, Workspace) async throws -> Void
) async throws {
    try await FixtureSite.run { site in
        try await Workspace.with(sourceLocation: sourceLocation) { workspace in try await body(site, workspace) }
    }
}

extension FixtureSite {
    /// The address of a path, as a user types it.
    func address(_ path: String) -> String { url(path).absoluteString }

    /// Returns the file name that the program gives to a page's file.
    func name(_ path: String, number: Int? = nil, _ ending: String) -> String {
        let name = path.split { !$0.isLetter && !$0.isNumber && $0 != "." }.joined(separator: "-")
        let stem = "127.0.0.1-\(port)" + (name.isEmpty ? "" : "-\(name)")
        return "\(stem)\(number.map { "-\($0)" } ?? "").\(ending)"
    }

    /// Returns the names of a page's files in every format, sorted.
    func names(_ path: String, number: Int? = nil) -> [String] {
        PageFormat.allCases.map { name(path, number: number, $0.fileExtension) }.sorted()
    }
}

extension Workspace {
    /// Checks that each output file is complete and of the type that its name says.
    func expectCompleteFiles(sourceLocation: SourceLocation = #_sourceLocation) throws {
        for name in outputNames {
            let problem = CompleteFile.problem(of: try file(name), named: name)
            #expect(problem == nil, "\(name)", sourceLocation: sourceLocation)
        }
    }

    /// Checks that the output folder, which the run would have created, doesn't exist.
    func expectNoOutput(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(!exists(output), "The output folder contains \(outputNames)", sourceLocation: sourceLocation)
    }
}
