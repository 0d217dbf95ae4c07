import EmojiArtModel
import Foundation
import Persistence
import ServedSite
import Site
import Testing

@testable import EmojiArtWeb

/// What scripts can do with palettes and recent emoji, and how they follow changes.
@Suite(.timeLimit(.minutes(10))) struct ArtAPITests {
    private func with(
        _ store: MemoryStore = MemoryStore(), _ body: (APIClient, PagesServer) async throws -> Void
    ) async throws {
        try await PagesServer.run(in: store) { server in
            try await body(APIClient(of: server.site, app: "art"), server)
        }
    }

    private func ids(_ script: APIClient, _ store: Int = 0) async throws -> [Int] {
        let palettes = try await script.get("palettes").value("items.\(store).palettes", as: [[String: Any]].self) ?? []
        return palettes.compactMap { $0["id"] as? Int }
    }

    @Test func paletteIsMovedWithinAndBetweenStores() async throws {
        try await with { script, _ in
            let before = try await ids(script)
            let last = try #require(before.last)
            try await script.send("POST", "palettes/Main/\(last)/move", #"{"index":0}"#, status: 204)
            #expect(try await ids(script) == [last] + before.dropLast())
            try await script.send("PATCH", "palettes/Main", #"{"chosen":\#(before[1])}"#, status: 204)
            #expect(try await script.get("palettes").value("items.0.chosen", as: Int.self) == before[1])
            let other = try await ids(script, 1).count
            try await script.send(
                "POST", "palettes/Main/\(last)/move", #"{"store":"Alternate","index":0}"#, status: 204)
            #expect(try await ids(script) == Array(before.dropLast()))
            #expect(try await ids(script, 1).count == other + 1)
            let here = "palettes/Main/\(before[0])/move"
            try await script.send("POST", here, #"{"index":-1}"#, status: 422)
            try await script.send("POST", here, #"{"store":"None"}"#, status: 404)
            try await script.send("POST", "palettes/Main/\(last)/move", "{}", status: 404)
            try await script.send("PATCH", "palettes/Main", #"{"chosen":\#(last)}"#, status: 404)
            #expect(try await ids(script) == Array(before.dropLast()))
        }
    }

    @Test func recentAndFoundEmojiAreListed() async throws {
        try await with { script, _ in
            try await script.send("POST", "recents", #"{"emoji":"🐶"}"#)
            let recents = try await script.send("POST", "recents", #"{"emoji":"🐱"}"#)
            #expect(recents.value("items", as: [String].self)?.prefix(2) == ["🐱", "🐶"])
            try await script.send("POST", "recents", #"{"emoji":"dog"}"#, status: 422)
            #expect(try await script.get("recents").value("items", as: [String].self)?.first == "🐱")
            #expect(try await script.get("emoji?q=dog%20face").values(of: "emoji").first == "🐶")
            #expect(try await script.get("emoji?q=thumbs&tone=dark&limit=1").values(of: "emoji") == ["👍🏿"])
            try await script.get("emoji?tone=blue", status: 400)
        }
    }

    @Test func setAsidePalettesAreRestored() async throws {
        let store = MemoryStore()
        let payload = Data(#"{"palettes":[{"id":5000,"name":"Zoo","emojis":["🦒"]}],"cursor":0}"#.utf8)
        let key: StoreKey = "PaletteStore:Main"
        let content = StoredContent(format: "emojiart.palettes", version: 2, payload: payload)
        guard case .committed(let revisions) = try await store.commit([StoreWrite(key, content)]) else { return }
        _ = try await store.setAside(key, revision: try #require(revisions[key]), reason: "its checksum is wrong")
        try await with(store) { script, _ in
            let unreadable = try await script.get("palettes/Main/set-aside")
            let id = try #require(unreadable.value("items.0.id"))
            #expect(
                unreadable.value("items.0.cause") == "unreadable"
                    && unreadable.value("items.0.count", as: Int.self) == 1)
            #expect(try await script.get("palettes/Main/set-aside/\(id)").body == payload)
            // The built-in palettes aren't set aside, but changed ones are.
            try await script.send("POST", "palettes/Main", #"{"name":"Mine","emojis":["🐶"]}"#, status: 201)
            try await script.send("POST", "palettes/Main/set-aside/\(id)/restore", status: 204)
            #expect(try await ids(script) == [5000])
            try await script.send("POST", "palettes/Main/set-aside/\(id)/restore", status: 404)
            let list = try await script.get("palettes/Main/set-aside")
            #expect(list.value("items.0.cause") == "replaced")
            let replaced = try #require(list.value("items.0.id"))
            try await script.send("DELETE", "palettes/Main/set-aside/\(replaced)", status: 204)
            #expect(try await script.get("palettes/Main/set-aside").values(of: "id").isEmpty)
        }
    }

    @Test func backgroundIsRetriedAndBoardsAreFollowed() async throws {
        try await with { script, _ in
            let id = try #require(try await script.send("POST", "boards", "{}", status: 201).value("id"))
            try await script.send("POST", "boards/\(id)/background/retry", status: 204)
            try await script.send("POST", "boards/none/background/retry", status: 404)
            for path in ["events", "palettes/events", "boards/\(id)/events"] { try await script.send("HEAD", path) }
            try await script.send("HEAD", "boards/none/events", status: 404)
        }
    }

    @Test func eachChangeOfABoardIsAnnounced() async throws {
        try await BoardServer.run { server in
            let script = APIClient(of: server.site, app: "art")
            try await server.createBoard("beach")
            let events = DocumentEvents(
                of: await server.boards.documents, key: try #require(BoardID("beach")), maker: APIChangeEvents())
            var iterator = events.makeAsyncIterator()
            let changed = APIChangeEvents<OpenBoard>.event
            #expect(await iterator.next() == changed)
            try await script.send("PATCH", "boards/beach", #"{"name":"Dunes"}"#)
            #expect(await iterator.next() == changed)
        }
    }
}
