import EmojiArtModel
import Foundation
import Persistence
import Site
import Testing

@testable import EmojiArtWeb

/// The palette editor, and the events of the page.
@Suite(.timeLimit(.minutes(10))) struct PaletteEditorTests {
    @Test func editorShowsNameAndEmojiOfPalette() async throws {
        try await PagesServer.run { server in
            let page = try await server.get("/art/palettes?store=Main&palette=8").text
            #expect(page.contains("<title>COVID · Palettes · EmojiArt · Meanwhile</title>"))
            #expect(page.contains(#"id="palette-name" name="name" type="text" value="COVID""#))
            #expect(page.contains(#"value="🦠" title="microbe" aria-label="Remove microbe""#))
            #expect(page.contains("5 in it"))
            #expect(page.contains(#"aria-current="true""#))
        }
    }

    @Test func openedPaletteFocusesEmojiField() async throws {
        try await PagesServer.run { server in
            let page = try await server.get("/art/palettes?store=Main&palette=8").text
            let focused = try #require(page.firstMatch(of: /<input[^>]* autofocus>/))
            #expect(focused.output.contains(#"id="palette-add""#))
            #expect(page.matches(of: /autofocus/).count == 1)
        }
    }

    @Test(arguments: ["palette=77", "palette=x", "palette=", "store=None", "palette=99999999999999999999", "%FF=%"])
    func missingPaletteOpensNoEditor(query: String) async throws {
        try await PagesServer.run { server in
            let page = try await server.get("/art/palettes?\(query)")
            #expect(page.status == 200)
            #expect(page.text.contains("Choose a palette to change what is in it"))
            #expect(!page.text.contains(#"id="add""#))
        }
    }

    @Test func foundEmojiCanBeAdded() async throws {
        try await PagesServer.run { server in
            let page = try await server.get("/art/palettes?store=Main&palette=8&q=mask").text
            #expect(page.contains(#"name="q" type="search" value="mask""#))
            #expect(page.contains("found: tap one to add it"))
            // An emoji that the palette already contains is labeled as such.
            #expect(page.contains(#"aria-label="Add face with medical mask, which is in it, to the front""#))
            #expect(page.contains(#"name="open" value="store=Main&amp;palette=8&amp;q=mask""#))
            let none = try await server.get("/art/palettes?store=Main&palette=8&q=xyzzy").text
            #expect(none.contains("No emoji is called that"))
        }
    }

    @Test func recentlyUsedEmojiCanBeAdded() async throws {
        try await PagesServer.run { server in
            #expect(try await !server.get("/art/palettes?store=Main&palette=8").text.contains("Used lately"))
            _ = try await server.post("/art/recents", ["emoji": "🎈"])
            let page = try await server.get("/art/palettes?store=Main&palette=8").text
            #expect(page.contains("Used lately"))
            #expect(page.contains(#"value="🎈" title="balloon" aria-label="Add balloon""#))
        }
    }

    @Test func namesAndSearchTermsAreEscaped() async throws {
        try await PagesServer.run { server in
            let hostile = ListPageTests.hostile
            _ = try await server.post("/art/palettes/Main/8/rename", ["name": hostile])
            let query = hostile.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let page = try await server.get("/art/palettes?store=Main&palette=8&q=\(query)").text
            #expect(!page.contains("<script>alert"))
            #expect(page.contains(ListPageTests.escaped))
            #expect(page.contains(#"value="\#(ListPageTests.escaped)""#))
        }
    }

    @Test(arguments: [
        ("", "/art/palettes"), ("store=Main&palette=3", "/art/palettes?store=Main&palette=3"),
        ("palette=3&store=Main", "/art/palettes?store=Main&palette=3"),
        ("store=Main&palette=3&q=a%20b%26c", "/art/palettes?store=Main&palette=3&q=a+b%26c"),
        ("q=%F0%9F%90%B6", "/art/palettes?q=%F0%9F%90%B6"), ("q=", "/art/palettes"),
        ("other=1&q=*-._~", "/art/palettes?q=*-._%7E"), ("https://example.org/", "/art/palettes"),
    ])
    func queryRoundTripsToPathOfPage(open: String, path: String) async throws {
        #expect(PaletteQuery(open).path == path)
        // A query encoded as by a browser decodes to the same value.
        #expect(PaletteQuery(PaletteQuery(open).text) == PaletteQuery(open))
    }

    // MARK: - Events

    @Test func firstEventHasVersionOfPage() async throws {
        try await PagesServer.run { server in
            let page = try await server.get("/art/palettes").text
            let version = try await server.follow("/art/palettes/events") { try await $0.next("palettes") }
            #expect(page.contains(#"data-live-version="\#(try #require(version))""#))
        }
    }

    @Test func changesByThisAndOtherProcessesSendEvents() async throws {
        try await PagesServer.run { server in
            // Like another process: palette stores of its own over the same storage.
            let others = await PaletteStores(in: server.paletteStorage)
            try await others.open()
            try await server.follow("/art/palettes/events") { events in
                /// Waits until an event carries the current version.
                func receiveCurrentVersion() async throws {
                    while true {
                        let version = try #require(try await events.next("palettes"))
                        if await version == PaletteSnapshot(server.palettes).version { return }
                    }
                }
                try await receiveCurrentVersion()
                _ = try await server.post("/art/palettes/Main/8/rename", ["name": "Zoo"])
                try await receiveCurrentVersion()
                let special = try await others.store(named: "Special")
                try await special.edit { list throws(PaletteError) in try list.move(2001, to: 3) }
                try await special.save()
                let wanted = await special.list
                repeat {
                    try await receiveCurrentVersion()
                } while try await server.palettes.store(named: "Special").list != wanted
                try await others.recents.use("🎈")
                try await others.recents.save()
                repeat { try await receiveCurrentVersion() } while await server.palettes.recents.emojis != ["🎈"]
            }
            let page = try await server.get("/art/palettes?store=Main&palette=8").text
            #expect(page.contains("Zoo") && page.contains("balloon"))
        }
    }
}
