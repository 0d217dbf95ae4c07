import Foundation
import Testing

/// Runs each fuzz target on its corpus: seeds, inputs with new coverage that libFuzzer found, and former failures.
///
/// `script/fuzz` adds inputs.
@Suite(.timeLimit(.minutes(10))) struct CorpusReplayTests {
    private static let corpora = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpora")

    private static func files(of target: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: corpora.appending(path: target), includingPropertiesForKeys: nil)
    }

    @Test(arguments: FuzzTarget.all.map(\.name)) func everyInputOfTheCorpusIsHandled(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let files = try Self.files(of: name)
        // A missing corpus must not pass.
        #expect(files.count >= 3, "The corpus of \(name) has \(files.count) files.")
        #expect(
            files.count <= 60, "The corpus of \(name) has \(files.count) files; the maximum is 60."
        )
        for file in files {
            let data = try Data(contentsOf: file)
            #expect(throws: Never.self, "\(name)/\(file.lastPathComponent)") { try target.run(data) }
        }
    }

    @Test func everyCorpusHasATarget() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpora.path)
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
    }

    @Test func brokenInvariantIsReported() {
        #expect(throws: BrokenInvariant.self) { try require(1 == 2, "one is not two") }
    }

    @Test func longInputRepeatsTheSelectedPart() {
        let long = LongInput.repeating(from: Data([64, 128]) + Data("abcdefgh".utf8), length: 64)
        #expect(String(decoding: long, as: UTF8.self) == "ab" + String(repeating: "cde", count: 18) + "fgh")
        #expect(LongInput.repeating(from: Data([1]), length: 64) == Data([1]))
    }
}
