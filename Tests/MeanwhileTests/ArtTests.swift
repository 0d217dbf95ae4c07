import BrowserDriver
import Foundation
import Testing

/// The documented output of `meanwhile art … --json`, declared independently of the program's own type.
private struct ArtAnswer: Decodable {
    struct Board: Decodable {
        var id: String
        var name: String
        var emojiCount: Int
        var revision: Int
    }

    struct Failure: Decodable {
        var code: String
        var message: String
    }

    var version: Int
    var outcome: String
    var boards: [Board]?
    var file: String?
    var notes: [String]?
    var error: Failure?
}

extension Outcome {
    fileprivate func art() throws -> ArtAnswer {
        try JSONDecoder().decode(ArtAnswer.self, from: output)
    }
}

extension Workspace {
    /// Runs `meanwhile art` with this workspace's data folder.
    fileprivate func art(_ arguments: String...) async throws -> Outcome {
        try await run([Program.path, "art"] + arguments + ["--data", data])
    }
}

/// A board file in the format of the course CS193p.
private let courseBoardFile = """
    {"emojis":[{"string":"🐶","position":{"x":-30,"y":0},"size":40,"id":1},
    {"string":"🌲","position":{"x":30,"y":10},"size":60,"id":2}],"uniqueEmojiId":2}
    """

extension SuccessfulRuns {
    /// Boards on the command line.
    @Suite struct Art {
        @Test func boardCanBeImportedExportedRenamedDeletedAndRestored() async throws {
            try await Workspace.with { workspace in
                let file = try workspace.makeFile("Dog and tree.emojiart", courseBoardFile)
                let imported = try await workspace.art("import", file, "--json")
                #expect(imported.exitCode == 0, "\(imported.errors)")
                let board = try #require(try imported.art().boards?.first)
                #expect(board.name == "Dog and tree" && board.emojiCount == 2)
                let list = try await workspace.art("list")
                #expect(list.lines.count == 1 && list.lines[0].hasPrefix(board.id))
                #expect(list.lines[0].hasSuffix("2 emoji\tDog and tree"))
                let json = "\(workspace.root)/copy.json"
                let exported = try await workspace.art("export", "Dog and tree", "-o", json)
                #expect(exported.lines == ["Exported: \(json)"])
                let again = try await workspace.art("import", json, "--json")
                let copy = try #require(try again.art().boards?.first)
                #expect(copy.emojiCount == 2 && copy.name == "Dog and tree (2)")
                #expect(try await workspace.art("rename", copy.id, "Copy").exitCode == 0)
                let shown = try await workspace.art("export", "Copy", "--format", "emojiart", "-o", "-")
                #expect(String(decoding: shown.output, as: UTF8.self).contains("🌲"))
                #expect(try await workspace.art("delete", "Copy").exitCode == 0)
                #expect(try await workspace.art("list", "--json").art().boards?.map(\.id) == [board.id])
                #expect(try await workspace.art("list", "--deleted", "--json").art().boards?.map(\.id) == [copy.id])
                #expect(try await workspace.art("restore", "Copy").exitCode == 0)
                #expect(try await workspace.art("list").lines.count == 2)
                let creation = try await workspace.art("new", "Empty", "--json")
                #expect(try creation.art().boards?.first?.emojiCount == 0)
            }
        }

        @Test func boardIsExportedAsPNGAndSVG() async throws {
            try await Workspace.with { workspace in
                let file = try workspace.makeFile("a.emojiart", courseBoardFile)
                #expect(try await workspace.art("import", file).exitCode == 0)
                let png = "\(workspace.root)/pictures/a.png"
                let exported = try await workspace.art("export", "a", "-o", png)
                #expect(exported.exitCode == 0, "\(exported.errors)")
                let data = try Data(contentsOf: URL(filePath: png))
                #expect(data.starts(with: [0x89, 0x50, 0x4E, 0x47]) && data.count > 2_000)
                let svg = try await workspace.art("export", "a", "--format", "svg", "-o", "-")
                #expect(String(decoding: svg.output, as: UTF8.self).contains("<svg "))
                // An existing file is not replaced without `--overwrite`.
                let again = try await workspace.art("export", "a", "-o", png)
                #expect(again.exitCode == 1 && again.errors.contains("--overwrite"))
                #expect(try await workspace.art("export", "a", "-o", png, "--overwrite").exitCode == 0)
            }
        }
    }
}

extension FailingRuns {
    /// Errors of board commands.
    @Suite struct Art {
        @Test func invalidBoardFileIsReportedWithItsPath() async throws {
            try await Workspace.with { workspace in
                let bad = [
                    ("", "empty"), ("Dear diary", "corrupt"), ("{\"a\":1}", "anotherFormat"),
                    (#"{"format":"meanwhile.emojiart","version":9,"art":{}}"#, "fromTheFuture"),
                    (String(courseBoardFile.dropLast(30)), "corrupt"),
                    (String(repeating: " ", count: 40_000_001), "tooLarge"),
                ]
                for (text, code) in bad {
                    let file = try workspace.makeFile("bad.emojiart", text)
                    let outcome = try await workspace.art("import", file, "--json")
                    #expect(outcome.exitCode == 1)
                    #expect(try outcome.art().error?.code == code)
                    #expect(outcome.errors.hasPrefix("error: \(file): "))
                }
                let good = try workspace.makeFile("good.emojiart", courseBoardFile)
                let mixed = try await workspace.art("import", good, "\(workspace.root)/none.emojiart")
                #expect(mixed.exitCode == 1 && mixed.errors.contains("1 file was imported"))
                #expect(try await workspace.art("list").lines.count == 1)
            }
        }

        @Test func unknownOrAmbiguousBoardNameIsRefused() async throws {
            try await Workspace.with { workspace in
                let none = try await workspace.art("export", "Beach", "-o", "-")
                #expect(none.exitCode == 1 && none.errors.contains("No board has the name “Beach”"))
                for _ in 0..<2 { #expect(try await workspace.art("new", "Twin").exitCode == 0) }
                let two = try await workspace.art("delete", "Twin", "--json")
                #expect(try two.art().error?.code == "ambiguous")
                #expect(try await workspace.art("list").lines.count == 2)
                #expect(try await workspace.art("restore", "Twin").exitCode == 1)
                #expect(try await workspace.art("rename", "", "x").exitCode == 1)
                let long = String(repeating: "x", count: 1_001)
                #expect(try await workspace.art("new", long, "--json").art().error?.code == "unusable")
            }
        }

        @Test(arguments: [
            ["export", "x", "-o", ""], ["export", "x", "-o", "a.gif"], ["export", "x", "--format", "gif"],
            ["export", "x", "-o", "-", "--json"], ["import"], ["paint"], ["rename", "x"],
        ])
        func wrongUsageChangesNothing(arguments: [String]) async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.run(
                    [Program.path, "art"] + arguments + ["--data", workspace.data])
                #expect(outcome.exitCode == 64, "\(outcome.errors)")
                #expect(!FileManager.default.fileExists(atPath: workspace.data))
            }
        }
    }
}
