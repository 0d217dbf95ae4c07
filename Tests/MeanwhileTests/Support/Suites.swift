import Capture
import FixtureSite
import Foundation
import StoreTesting
import Testing

// Each run starts a Chromium, and a few of these keep two processors busy: so there are four rows of tests, and in each row
// one comes after the other.

/// How many minutes a test may take.
private let limit = isSoak ? 150 : 20

/// Runs of the program that keep pages.
@Suite(.serialized, .timeLimit(.minutes(limit))) enum GoodRuns {}

/// Runs of the program that meet something bad.
@Suite(.serialized, .timeLimit(.minutes(limit))) enum BadRuns {}

/// Runs of the program that somebody ends.
@Suite(.serialized, .timeLimit(.minutes(limit))) enum EndedRuns {}

/// Servers.
@Suite(.serialized, .timeLimit(.minutes(limit))) enum ServerRuns {}

/// Runs the body with a site, and with a workspace in which nothing may be left behind.
func withSite(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: (FixtureSite, Workspace) async throws -> Void
) async throws {
    try await FixtureSite.run { site in
        try await Workspace.with(sourceLocation: sourceLocation) { workspace in try await body(site, workspace) }
    }
}

extension FixtureSite {
    /// The address of a path, as a person types it.
    func address(_ path: String) -> String { url(path).absoluteString }

    /// The name that the program gives to the file of a page.
    func name(_ path: String, number: Int? = nil, _ ending: String) -> String {
        let name = path.split { !$0.isLetter && !$0.isNumber && $0 != "." }.joined(separator: "-")
        let stem = "127.0.0.1-\(port)" + (name.isEmpty ? "" : "-\(name)")
        return "\(stem)\(number.map { "-\($0)" } ?? "").\(ending)"
    }

    /// The names of a page's files in every format, in order.
    func names(_ path: String, number: Int? = nil) -> [String] {
        PageFormat.allCases.map { name(path, number: number, $0.fileExtension) }.sorted()
    }
}

extension Workspace {
    /// Each file in the output folder is of the kind that its name says, and whole.
    func expectWholeFiles(sourceLocation: SourceLocation = #_sourceLocation) throws {
        for name in outputNames {
            #expect(WholeFile.fault(of: try file(name), named: name) == nil, "\(name)", sourceLocation: sourceLocation)
        }
    }

    /// The output folder, which the run had to make, is not there.
    func expectNoOutput(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(!exists(output), "It holds \(outputNames)", sourceLocation: sourceLocation)
    }
}
