import EmojiArtModel
import Foundation
import Persistence
import Site
import Testing

@testable import EmojiArtWeb

/// The palettes over HTTP, with forms and with JSON.
@Suite(.timeLimit(.minutes(10))) struct PalettePageTests {
    /// The content of `palettes.json`, decoded without the app's types.
    struct Palettes: Decodable, Equatable {
        struct Entry: Decodable, Equatable {
            let id: Int
            let name: String
            let emojis: [String]
        }

        let stores: [String]
        let store: String
        let palettes: [Entry]
        let cursor: Int
        let recents: [String]
    }

    private static let clients = [PageClient.browser, .script, .program]

    /// Sends a change, and checks that a program receives JSON and any other client a redirect.
    private static func change(
        _ server: PagesServer, _ path: String, _ fields: [String: String] = [:], as client: PageClient,
        redirectsTo location: String? = nil
    ) async throws {
        let answer = try await server.post("/art/palettes/\(path)", fields, as: client)
        if client == .program {
            #expect(answer.status == 200, "\(answer.text)")
            let received = try answer.json(Palettes.self)
            let store = String(path.prefix { $0 != "/" })
            #expect(received == (try await server.get("/art/palettes.json?store=\(store)").json(Palettes.self)))
        } else {
            #expect(answer.status == 303, "\(answer.text)")
            if let location { #expect(answer.location == location) }
        }
    }

    private static func main(_ server: PagesServer) async throws -> Palettes {
        try await server.get("/art/palettes.json?store=Main").json()
    }

    // MARK: - Content

    @Test func pageShowsAllStoresWithTheirPalettes() async throws {
        try await PagesServer.run { server in
            let text = try await server.get("/art/palettes").text
            for store in PaletteStores.names { #expect(text.contains(#"data-store="\#(store)""#)) }
            #expect(text.matches(of: /<li class="palette/).count == 4 * 9)
            #expect(text.contains("Animal Faces"))
            #expect(!text.contains("id=\"rename\""))
        }
    }

    @Test func storeWithTheSamePalettesAsAnotherIsCollapsed() async throws {
        try await PagesServer.run { server in
            let first = try await server.get("/art/palettes").text
            #expect(first.components(separatedBy: "The same palettes as in Main<").count == 4)
            #expect(!first.contains(#"data-key="same" open"#))
            _ = try await server.post("/art/palettes/Alternate/1001/rename", ["name": "Cars"])
            let second = try await server.get("/art/palettes").text
            #expect(second.components(separatedBy: "The same palettes as in Main<").count == 3)
            // The list with an open palette isn't collapsed.
            let opened = try await server.get("/art/palettes?store=Special&palette=2001").text
            #expect(opened.components(separatedBy: #"data-key="same" open"#).count == 2)
            _ = try await server.post("/art/palettes/Main/1/delete")
            let third = try await server.get("/art/palettes").text
            #expect(third.components(separatedBy: "The same palettes as in Special<").count == 2)
            #expect(!third.contains("The same palettes as in Main<"))
        }
    }

    @Test func jsonContainsRequestedStore() async throws {
        try await PagesServer.run { server in
            let main = try await server.get("/art/palettes.json").json(Palettes.self)
            #expect(main.store == "Main")
            #expect(main.stores == ["Main", "Alternate", "Special", "Shared"])
            #expect(main.palettes.map(\.name).prefix(3) == ["Vehicles", "Sports", "Music"])
            #expect(main.palettes[0].emojis.first == "🚙")
            #expect(main.cursor == 0)
            #expect(main.recents == [])
            let special = try await server.get("/art/palettes.json?store=Special").json(Palettes.self)
            #expect(special.store == "Special")
            #expect(Set(special.palettes.map(\.id)).isDisjoint(with: main.palettes.map(\.id)))
            let none = try await server.get("/art/palettes.json?store=None", as: .program)
            #expect(none.status == 404)
            #expect(none.problem.contains("Choose one of: Main, Alternate, Special, Shared"), "\(none.problem)")
        }
    }

    // MARK: - The list

    @Test(arguments: clients)
    func newPaletteIsEmptyByDefaultAndIsOpened(by client: PageClient) async throws {
        try await PagesServer.run { server in
            try await Self.change(server, "Main/new", as: client)
            let main = try await Self.main(server)
            #expect(main.palettes.count == 10)
            let new = main.palettes[main.cursor]
            #expect(new.name == "New palette")
            #expect(new.emojis == [])
            let answer = try await server.post("/art/palettes/Main/new", ["name": "Zoo", "emojis": "🐘 and 🦒"])
            let zoo = try #require(try await Self.main(server).palettes.first { $0.name == "Zoo" })
            #expect(zoo.emojis == ["🐘", "🦒"])
            #expect(answer.location == "/art/palettes?store=Main&palette=\(zoo.id)")
        }
    }

    @Test(arguments: clients)
    func movingPaletteChangesOrderWithinBounds(by client: PageClient) async throws {
        try await PagesServer.run { server in
            let before = try await Self.main(server).palettes.map(\.name)
            try await Self.change(
                server, "Main/1/move", ["to": "2", "open": "store=Main&palette=3"], as: client,
                redirectsTo: "/art/palettes?store=Main&palette=3")
            #expect(
                try await Self.main(server).palettes.map(\.name)
                    == ["Sports", "Music", "Vehicles"] + before.dropFirst(3))
            try await Self.change(server, "Main/1/move", ["to": "-5"], as: client, redirectsTo: "/art/palettes")
            #expect(try await Self.main(server).palettes.map(\.name) == before)
            try await Self.change(server, "Main/1/move", ["to": "99"], as: client)
            #expect(try await Self.main(server).palettes.last?.name == "Vehicles")
        }
    }

    @Test(arguments: clients)
    func paletteIsMovedToAnotherStore(by client: PageClient) async throws {
        try await PagesServer.run { server in
            try await Self.change(
                server, "Main/2/to", ["store": "Shared", "open": "store=Main&palette=2"], as: client)
            #expect(try await !Self.main(server).palettes.map(\.id).contains(2))
            let shared = try await server.get("/art/palettes.json?store=Shared").json(Palettes.self)
            #expect(shared.palettes.last?.name == "Sports")
            // Its editor stays open, in the new store.
            let page = try await server.get("/art/palettes?store=Main&palette=2").text
            #expect(page.contains(#"action="/art/palettes/Shared/2/rename""#))
        }
    }

    @Test(arguments: clients)
    func palettesAreDeletedExceptTheLastOne(by client: PageClient) async throws {
        try await PagesServer.run { server in
            for id in 1...8 { try await Self.change(server, "Main/\(id)/delete", as: client) }
            #expect(try await Self.main(server).palettes.map(\.id) == [9])
            let answer = try await server.post("/art/palettes/Main/9/delete", as: client)
            #expect(answer.status == 409)
            #expect(answer.text.contains("be deleted or moved. Add another one first"))
            let moved = try await server.post("/art/palettes/Main/9/to", ["store": "Special"], as: client)
            #expect(moved.status == 409)
            #expect(try await Self.main(server).palettes.map(\.id) == [9])
        }
    }

    @Test(arguments: clients)
    func deletedPalettesAreRestoredInTheirPlaces(by client: PageClient) async throws {
        try await PagesServer.run { server in
            let before = try await Self.main(server)
            for id in [9, 2] { try await Self.change(server, "Main/\(id)/delete", as: client) }
            let deleted = try await server.get("/art/palettes").text
            #expect(deleted.contains("Deleted “Sports”.") && !deleted.contains("Deleted “Faces”."))
            // The message is between the palettes that were beside the deleted one.
            let items = deleted.matches(of: /<li class="[a-z -]+" id="([A-Za-z]+-Main-\d)"/).map { String($0.output.1) }
            #expect(items.prefix(3) == ["palette-Main-1", "deleted-Main-2", "palette-Main-3"])
            try await Self.change(
                server, "Main/2/restore", ["open": "store=Main&palette=3"], as: client,
                redirectsTo: "/art/palettes?store=Main&palette=3")
            let restored = try await server.get("/art/palettes").text
            #expect(restored.contains("Deleted “Faces”.") && !restored.contains("Deleted “Sports”."))
            for _ in 0..<2 { try await Self.change(server, "Main/9/restore", as: client) }
            #expect(try await Self.main(server).palettes == before.palettes)
            #expect(try await !server.get("/art/palettes").text.contains("Deleted “"))
        }
    }

    @Test func undoIsOfferedUntilThePalettesChange() async throws {
        try await PagesServer.run { server in
            try await Self.change(server, "Main/2/delete", as: .program)
            try await Self.change(server, "Main/cursor", ["index": "3"], as: .program)
            #expect(try await server.get("/art/palettes").text.contains("Deleted “Sports”."))
            try await Self.change(server, "Main/3/add", ["emojis": "🐘"], as: .program)
            #expect(try await !server.get("/art/palettes").text.contains("Deleted “"))
            // Undo in another tab, which still shows the message, restores the palette and leaves the other change.
            try await Self.change(server, "Main/2/restore", as: .program)
            let palettes = try await Self.main(server).palettes
            #expect(palettes.map(\.id) == Array(1...9) && palettes[2].emojis.first == "🐘")
        }
    }

    @Test func cursorWrapsAndRefusesInvalidIndex() async throws {
        try await PagesServer.run { server in
            for (index, cursor) in [("3", 3), ("9", 0), ("-1", 8), ("-10", 8), ("1e300", 1_000_000 % 9)] {
                let answer = try await server.post("/art/palettes/Main/cursor", ["index": index], as: .program)
                #expect(try answer.json(Palettes.self).cursor == cursor, "\(index)")
            }
            for index in ["", "x", "nan", "inf"] {
                let answer = try await server.post("/art/palettes/Main/cursor", ["index": index], as: .program)
                #expect(answer.status == 422)
                #expect(answer.problem.contains("is not a number"), "\(answer.problem)")
            }
        }
    }

    // MARK: - The editor

    @Test(arguments: clients)
    func renamingStoresTrimmedName(by client: PageClient) async throws {
        try await PagesServer.run { server in
            try await Self.change(
                server, "Main/3/rename", ["name": " Band "], as: client,
                redirectsTo: "/art/palettes?store=Main&palette=3")
            #expect(try await Self.main(server).palettes[2].name == "Band")
        }
    }

    @Test(arguments: clients)
    func onlyEmojiAreAddedFirstWithoutDuplicates(by client: PageClient) async throws {
        try await PagesServer.run { server in
            let before = try await Self.main(server).palettes[7]
            #expect(before.name == "COVID")
            let typed = "a 👩‍👩‍👧 b🇦🇹😷3️⃣ 👍🏽 7 👍🏽"
            try await Self.change(
                server, "Main/8/add", ["emojis": typed, "open": "store=Main&palette=8&q=a+b"], as: client,
                redirectsTo: "/art/palettes?store=Main&palette=8&q=a+b")
            let after = try await Self.main(server).palettes[7].emojis
            #expect(after == ["👩‍👩‍👧", "🇦🇹", "😷", "3️⃣", "👍🏽"] + before.emojis.filter { $0 != "😷" })
        }
    }

    @Test(arguments: clients)
    func removingEmojiTwiceRemovesItOnce(by client: PageClient) async throws {
        try await PagesServer.run { server in
            let before = try await Self.main(server).palettes[7].emojis
            try await Self.change(
                server, "Main/8/remove", ["emoji": "🦠"], as: client,
                redirectsTo: "/art/palettes?store=Main&palette=8")
            try await Self.change(server, "Main/8/remove", ["emoji": "🦠"], as: client)
            #expect(try await Self.main(server).palettes[7].emojis == before.filter { $0 != "🦠" })
        }
    }

    static let refusals: [(path: String, fields: [String: String], status: Int, words: String)] = [
        ("Main/1/rename", ["name": ""], 422, "Check the name: Enter a name of up to 1000 bytes, on one line"),
        ("Main/1/rename", [:], 422, "Enter a name"),
        ("Main/1/rename", ["name": " \u{200B} "], 422, "Enter a name"),
        ("Main/1/rename", ["name": "a\nb"], 422, "Enter a name"),
        ("Main/1/rename", ["name": String(repeating: "x", count: 1001)], 422, "up to 1000 bytes"),
        ("Main/1/add", ["emojis": ""], 422, "No emoji was entered. Type or paste one"),
        ("Main/1/add", ["emojis": "dog"], 422, "There is no emoji in “dog”"),
        ("Main/1/add", ["emojis": "123"], 422, "There is no emoji in “123”"),
        ("Main/new", ["name": ""], 422, "Enter a name"),
        ("Main/new", ["name": "Zoo", "emojis": "lions"], 422, "There is no emoji in “lions”"),
        ("Main/1/move", ["to": "up"], 422, "“up” is not a number"),
        ("Main/1/move", [:], 422, "is not a number"),
        ("Main/1/to", ["store": "None"], 404, "There are no palettes called “None”"),
        ("Main/1/to", [:], 404, "There are no palettes called “”"),
        ("Main/77/rename", ["name": "Zoo"], 404, "This palette does not exist"),
        ("Main/77/add", ["emojis": "🐶"], 404, "This palette does not exist"),
        ("Main/77/remove", ["emoji": "🐶"], 404, "This palette does not exist"),
        ("Main/77/move", ["to": "1"], 404, "This palette does not exist"),
        ("Main/77/to", ["store": "Shared"], 404, "This palette does not exist"),
        ("Main/77/delete", [:], 404, "This palette does not exist"),
        ("Main/77/restore", [:], 404, "This palette does not exist"),
        ("Main/x/delete", [:], 404, "This palette does not exist"),
        ("None/1/delete", [:], 404, "There are no palettes called “None”"),
        ("None/new", [:], 404, "There are no palettes called “None”"),
    ]

    @Test(arguments: refusals)
    func refusedRequestIsExplainedAndChangesNothing(
        path: String, fields: [String: String], status: Int, words: String
    ) async throws {
        try await PagesServer.run { server in
            let before = try await Self.main(server)
            for client in [PageClient.script, .program] {
                let answer = try await server.post("/art/palettes/\(path)", fields, as: client)
                #expect(answer.status == status)
                #expect(answer.headers["content-type"] == "application/problem+json")
                #expect(answer.problem.contains(words), "\(answer.problem)")
            }
            #expect(try await server.post("/art/palettes/\(path)", fields).status == status)
            #expect(try await Self.main(server) == before)
        }
    }

    @Test func additionsBeyondLimitsAreRefused() async throws {
        try await PagesServer.run { server in
            // Flags of any two letters, real or not, and hands and people of each skin tone: each is another emoji.
            let letters = (0x1F1E6...0x1F1FF).compactMap(Unicode.Scalar.init)
            let flags = letters.flatMap { first in letters.map { "\(first)\($0)" } }
            let tones = ["", "🏻", "🏼", "🏽", "🏾", "🏿"]
            let hands = "👍👎👊✊🤛🤜👏🙌👐🤲🙏🤝💪🦵🦶👂👃👶🧒👦👧🧑👨👩🧓👴👵👲👳👮👷💂🕵".flatMap { hand in
                tones.map { "\(hand)\($0)" }
            }
            let added = try await server.post(
                "/art/palettes/Main/8/add", ["emojis": (flags + hands).joined()], as: .script)
            #expect(added.status == 303)
            let count = try await Self.main(server).palettes[7].emojis.count
            let more = (0x1F300...0x1F5FF).compactMap(Unicode.Scalar.init).filter(\.properties.isEmojiPresentation)
            #expect(count + more.count > BoardLimits.paletteEmojis)
            let answer = try await server.post(
                "/art/palettes/Main/8/add", ["emojis": more.map(String.init).joined()], as: .script)
            #expect(answer.status == 422)
            #expect(answer.problem.contains("up to 1000 emoji"), "\(answer.problem)")
            #expect(try await Self.main(server).palettes[7].emojis.count == count)
            for _ in 9..<BoardLimits.palettes { _ = try await server.post("/art/palettes/Main/new") }
            let full = try await server.post("/art/palettes/Main/new", as: .script)
            #expect(full.status == 422)
            #expect(full.problem.contains("There are 200 palettes here"), "\(full.problem)")
        }
    }

    // MARK: - Recents and search

    @Test func recentlyUsedEmojiComeFirst() async throws {
        try await PagesServer.run { server in
            for emoji in ["🐶", "🐱", "🐶", "×"] {
                #expect(try await server.post("/art/recents", ["emoji": emoji]).status == 204)
            }
            #expect(try await Self.main(server).recents == ["×", "🐶", "🐱"])
            for text in ["", "dogs", "\u{0}"] {
                let answer = try await server.post("/art/recents", ["emoji": text], as: .program)
                #expect(answer.status == 422)
                #expect(answer.problem.contains("No emoji found"), "\(answer.problem)")
            }
        }
    }

    struct Found: Decodable {
        struct Hit: Decodable {
            let emoji: String
            let name: String
        }

        let emojis: [Hit]
    }

    @Test func emojiAreFoundByTheirNames() async throws {
        try await PagesServer.run { server in
            let found = try await server.get("/art/emoji.json?q=dog+face", as: .program).json(Found.self)
            #expect(found.emojis.first?.emoji == "🐶")
            #expect(found.emojis.first?.name == "dog face")
            #expect(try await server.get("/art/emoji.json?q=dog%20face").json(Found.self).emojis.first?.emoji == "🐶")
            #expect(try await server.get("/art/emoji.json?q=").json(Found.self).emojis.isEmpty)
            #expect(try await server.get("/art/emoji.json").json(Found.self).emojis.isEmpty)
            #expect(try await server.get("/art/emoji.json?q=xyzzy").json(Found.self).emojis.isEmpty)
            #expect(try await server.get("/art/emoji.json?q=a").json(Found.self).emojis.count == 100)
            let toned = try await server.get("/art/emoji.json?q=thumbs+up&tone=medium-dark").json(Found.self)
            #expect(toned.emojis.map(\.emoji) == ["👍🏾"])
        }
    }
}
