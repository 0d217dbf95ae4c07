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
            #expect(page.contains("5 emoji <span"))
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

    @Test func newPaletteFocusesItsName() async throws {
        try await PagesServer.run { server in
            let path = try #require(try await server.post("/art/palettes/Main/new").location)
            let page = try await server.get(path).text
            let focused = try #require(page.firstMatch(of: /<input[^>]* autofocus[^>]*>/))
            #expect(focused.output.contains(#"id="palette-name""#) && focused.output.contains("data-select"))
            #expect(page.matches(of: /autofocus/).count == 1)
            #expect(page.contains("Tap an emoji below to add it"))
            // With an emoji, it is no longer new.
            let id = try #require(path.split(separator: "=").last)
            _ = try await server.post("/art/palettes/Main/\(id)/add", ["emojis": "🐘"])
            #expect(try await !server.get(path).text.contains("data-select"))
        }
    }

    @Test func emojiOfAGroupAreOfferedInTheChosenSkinTone() async throws {
        try await PagesServer.run { server in
            let editor = "/art/palettes?store=Main&palette=8"
            let first = try await server.get(editor).text
            #expect(first.contains("Smileys &amp; Emotion: tap one to add it"))
            #expect(first.contains(#"value="😀" title="grinning face" aria-label="Add grinning face""#))
            #expect(first.matches(of: /group=[a-z]+#found"/).count == 9)
            #expect(first.contains(##"href="\##(editor.replacing("&", with: "&amp;"))&amp;group=people#found""##))
            let people = try await server.get("\(editor)&group=people&tone=dark").text
            #expect(people.contains("People &amp; Body: tap one to add it"))
            #expect(people.contains(#"value="👋🏿" title="waving hand: dark skin tone""#))
            #expect(!people.contains(#"value="👋""#))
            #expect(people.contains(#"<option value="dark" selected>✋🏿 Dark</option>"#))
            #expect(people.contains(#"name="open" value="store=Main&amp;palette=8&amp;group=people&amp;tone=dark""#))
            let found = try await server.get("\(editor)&q=thumbs+up&group=food&tone=light").text
            #expect(found.contains(#"value="👍🏻""#) && found.contains("1 found: tap one to add it"))
            // A link to a group ends the search.
            #expect(found.contains("palette=8&amp;group=food&amp;tone=light#found"))
        }
    }

    @Test(arguments: ["palette=77", "palette=x", "palette=", "store=None", "palette=99999999999999999999", "%FF=%"])
    func missingPaletteOpensNoEditor(query: String) async throws {
        try await PagesServer.run { server in
            let page = try await server.get("/art/palettes?\(query)")
            #expect(page.status == 200)
            #expect(page.text.contains("Choose one to edit it"))
            #expect(!page.text.contains(#"id="add""#))
        }
    }

    @Test func foundEmojiCanBeAdded() async throws {
        try await PagesServer.run { server in
            let page = try await server.get("/art/palettes?store=Main&palette=8&q=mask").text
            #expect(page.contains(#"name="q" type="search" value="mask""#))
            #expect(page.contains("found: tap one to add it"))
            // An emoji that the palette already contains is labeled as such.
            #expect(page.contains(#"aria-label="Move face with medical mask to the front""#))
            #expect(page.contains(#"name="open" value="store=Main&amp;palette=8&amp;q=mask""#))
            let none = try await server.get("/art/palettes?store=Main&palette=8&q=xyzzy").text
            #expect(none.contains("No emoji found"))
        }
    }

    @Test func recentlyUsedEmojiCanBeAdded() async throws {
        try await PagesServer.run { server in
            #expect(
                try await !server.get("/art/palettes?store=Main&palette=8").text.contains("<summary>Recent</summary>"))
            _ = try await server.post("/art/recents", ["emoji": "🎈"])
            let page = try await server.get("/art/palettes?store=Main&palette=8").text
            #expect(page.contains("<summary>Recent</summary>"))
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
        ("tone=dark&group=food&q=a", "/art/palettes?q=a&group=food&tone=dark"),
        ("tone=green&group=none", "/art/palettes"),
    ])
    func queryBecomesThePathOfItsPage(open: String, path: String) async throws {
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
