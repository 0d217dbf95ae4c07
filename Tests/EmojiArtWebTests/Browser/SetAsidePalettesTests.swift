import BrowserDriver
import Foundation
import HTTPTypes
import Persistence
import Testing

@testable import EmojiArtWeb

/// Tests palettes with damaged data, as a person sees them.
@Suite(.timeLimit(.minutes(20))) struct SetAsidePalettesTests {
    /// Replaces bytes in the database file, which no server has open.
    private static func replace(_ old: String, by new: String, of server: BoardServer) throws {
        let file = URL(filePath: server.folder.path + "/meanwhile.sqlite")
        var data = try Data(contentsOf: file)
        try #require(old.utf8.count == new.utf8.count && data.range(of: Data(old.utf8)) != nil)
        while let range = data.range(of: Data(old.utf8)) { data.replaceSubrange(range, with: Data(new.utf8)) }
        try data.write(to: file)
    }

    /// Starts a server, runs the body with it, and stops the server.
    private static func run(
        _ start: () async throws -> BoardServer, _ body: (BoardServer) async throws -> Void
    ) async throws {
        let server = try await start()
        do {
            try await body(server)
        } catch {
            try? await server.stop()
            throw error
        }
        try await server.stop()
    }

    private static let restore = ".set-aside form[action$='/restore'] button"

    @Test(arguments: [true, false])
    func damagedPalettesAreReportedRestoredAndDismissed(runsScripts: Bool) async throws {
        try await BoardServer.runRestartable { first, restart in
            try await Self.run {
                first
            } _: { server in
                let renamed = try await server.ask(
                    .post, "/art/palettes/Main/1/rename", [.contentType: "application/x-www-form-urlencoded"],
                    body: Data("name=Zoodle".utf8))
                #expect(renamed.status == 200)
            }
            try Self.replace("Zoodle", by: "Zoodla", of: first)
            try await BrowserTab.run { tab in
                try await tab.setRunsScripts(runsScripts)
                let page = try #require(URL(string: "\(first.origin)/art/palettes"))
                try await Self.run(restart) { _ in
                    try await tab.open(page)
                    let message = try await tab.text(".set-aside")
                    #expect(message.contains("The palettes of “Main” couldn’t be read"))
                    #expect(message.contains("Reason: its checksum is wrong. The built-in palettes replaced them."))
                    #expect(message.contains("They can’t be restored. The data is still damaged."))
                    #expect(try await !tab.evaluate(ArtControls.exists(Self.restore), as: Bool.self))
                    try await tab.open(try #require(URL(string: "\(first.origin)/art/")))
                }
                // The bytes are repaired, so the palettes can be restored.
                try Self.replace("Zoodla", by: "Zoodle", of: first)
                try await Self.run(restart) { server in
                    try await tab.open(page)
                    try await tab.click(Self.restore)
                    try await tab.wait(
                        until: "document.querySelector('#palette-Main-1 .palette-name')?.innerText === 'Zoodle'")
                    try await tab.wait(until: "!\(ArtControls.exists(".set-aside"))")
                    try await server.setPalettesAside()
                    try await tab.open(page)
                    try await tab.click(".set-aside form[action$='/delete'] button")
                    try await tab.wait(until: "!\(ArtControls.exists(".set-aside"))")
                    try await tab.open(page)
                    #expect(try await !tab.evaluate(ArtControls.exists(".set-aside"), as: Bool.self))
                    #expect(try await server.palettes().palettes.first?.name == "Zoodle")
                }
            }
        }
    }
}
