import EmojiArtModel
import Foundation
import Persistence
import ServedSite
import Testing

@testable import EmojiArtWeb

/// The messages about palettes that are set aside, and their forms, over HTTP.
@Suite(.timeLimit(.minutes(10))) struct PaletteSetAsideTests {
    private static let key: StoreKey = "PaletteStore:Main"
    private static let zoo = #"{"palettes":[{"id":5000,"name":"Zoo","emojis":["🦒"]}],"cursor":0}"#

    /// Returns a store with palettes that are set aside before the server starts.
    private static func store(_ payloads: [String] = [zoo], reason: String = "its checksum is wrong") async throws
        -> MemoryStore
    {
        let store = MemoryStore()
        for payload in payloads {
            let content = StoredContent(format: "emojiart.palettes", version: 2, payload: Data(payload.utf8))
            guard case .committed(let revisions) = try await store.commit([StoreWrite(key, content)]),
                let revision = revisions[key]
            else { continue }
            _ = try await store.setAside(key, revision: revision, reason: reason)
        }
        return store
    }

    private static func path(_ store: MemoryStore) async throws -> String {
        let record = try #require(try await store.setAsideRecords().first)
        return "/art/palettes/Main/set-aside/\(record.id)"
    }

    private static func names(_ server: PagesServer) async throws -> [String] {
        try await server.get("/art/palettes.json?store=Main").json(PalettePageTests.Palettes.self).palettes.map(\.name)
    }

    @Test func pageExplainsWhyPalettesCouldNotBeRead() async throws {
        let store = MemoryStore()
        let content = StoredContent(format: "emojiart.palettes", version: 2, payload: Data("{".utf8))
        _ = try await store.commit([StoreWrite(Self.key, content)])
        try await PagesServer.run(in: store) { server in
            let page = try await server.get("/art/palettes").text
            #expect(page.contains("The palettes of “Main” couldn’t be read"))
            #expect(page.contains("be decoded: The given data was not valid JSON."))
            #expect(page.contains("The built-in palettes replaced them."))
            #expect(page.contains("They can’t be restored. The data still can’t be read."))
            let path = try await Self.path(store)
            #expect(!page.contains("\(path)/restore"))
            #expect(page.contains(#"action="\#(path)/delete""#))
            #expect(page.contains(#"href="\#(path)" download"#))
            for client in PageClient.allCases {
                let refused = try await server.post("\(path)/restore", as: client)
                #expect(refused.status == 409)
                #expect(refused.text.contains("Nothing was changed."))
            }
            #expect(try await server.get(path).text == "{")
        }
    }

    @Test func pageHasNoMessageWithoutSetAsidePalettes() async throws {
        try await PagesServer.run { server in
            let page = try await server.get("/art/palettes").text
            #expect(!page.contains("set-aside"))
        }
    }

    @Test func setAsideBytesAreDownloadedUnchanged() async throws {
        let store = try await Self.store()
        try await PagesServer.run(in: store) { server in
            let answer = try await server.get(try await Self.path(store))
            #expect(answer.status == 200 && answer.text == Self.zoo)
            #expect(answer.headers["content-type"] == "application/octet-stream")
            #expect(answer.headers["content-disposition"]?.hasPrefix("attachment; ") == true)
            #expect(answer.headers["x-content-type-options"] == "nosniff")
            #expect(answer.headers["cache-control"] == "no-store")
            #expect(try await store.setAsideRecords().count == 1)
        }
    }

    @Test(arguments: PageClient.allCases)
    func restoringSetsCurrentPalettesAside(by client: PageClient) async throws {
        let store = try await Self.store()
        try await PagesServer.run(in: store) { server in
            _ = try await server.post("/art/palettes/Main/1/rename", ["name": "Cars"])
            let path = try await Self.path(store)
            #expect(try await server.get("/art/palettes").text.contains("Restore 1 palette<"))
            let answer = try await server.post(
                "\(path)/restore", ["open": "store=Main&palette=5000"], as: client)
            #expect(answer.status == (client == .program ? 200 : 303))
            if client != .program { #expect(answer.location == "/art/palettes?store=Main&palette=5000") }
            #expect(try await Self.names(server) == ["Zoo"])
            let page = try await server.get("/art/palettes").text
            #expect(page.contains("Earlier palettes of “Main” are set aside"))
            #expect(page.contains("Restore 9 palettes<"))
            #expect(try await server.post("\(Self.path(store))/restore", as: client).status == answer.status)
            #expect(try await Self.names(server).first == "Cars")
        }
    }

    @Test(arguments: PageClient.allCases)
    func dismissedPalettesCannotBeReachedAgain(by client: PageClient) async throws {
        let store = try await Self.store()
        try await PagesServer.run(in: store) { server in
            let path = try await Self.path(store)
            let before = try await Self.names(server)
            let answer = try await server.post("\(path)/delete", as: client)
            #expect(answer.status == (client == .program ? 200 : 303))
            #expect(try await store.setAsideRecords().isEmpty)
            let page = try await server.get("/art/palettes").text
            #expect(!page.contains("set-aside"))
            for (method, action) in [("POST", "/delete"), ("POST", "/restore"), ("GET", "")] {
                let again =
                    method == "GET"
                    ? try await server.get(path, as: client) : try await server.post(path + action, as: client)
                #expect(again.status == 404)
                #expect(again.text.contains("no longer set aside"))
            }
            #expect(try await Self.names(server) == before)
        }
    }

    @Test func onlyOneOfTwoConcurrentRestoresSucceeds() async throws {
        let store = try await Self.store()
        try await PagesServer.run(in: store) { server in
            let path = try await Self.path(store)
            async let one = server.post("\(path)/restore").status
            async let two = server.post("\(path)/restore").status
            let statuses = try await [one, two].sorted()
            #expect(statuses == [303, 404])
            #expect(try await Self.names(server) == ["Zoo"])
            #expect(try await store.setAsideRecords().isEmpty)
        }
    }

    @Test func otherAddressesAndSitesCannotReachSetAsidePalettes() async throws {
        let store = try await Self.store()
        try await PagesServer.run(in: store) { server in
            let path = try await Self.path(store)
            let id = try #require(path.split(separator: "/").last)
            _ = try await server.get("/art/palettes")
            let before = try await store.setAsideRecords()
            for action in ["restore", "delete"] {
                for other in [
                    "Alternate/set-aside/\(id)", "None/set-aside/\(id)", "Main/set-aside/0", "Main/set-aside/%2e%2e",
                    "Main/set-aside/\(id)0", "Main/set-aside/\(id.uppercased())x", "Main/set-aside/%00",
                ] {
                    #expect(try await server.post("/art/palettes/\(other)/\(action)").status == 404, "\(other)")
                    #expect(try await server.get("/art/palettes/\(other)").status == 404, "\(other)")
                }
                #expect([404, 405].contains(try await server.get("\(path)/\(action)").status))
                for origin in ["http://evil.example", "null"] {
                    #expect(try await server.post("\(path)/\(action)", from: origin).status == 403)
                }
            }
            #expect([404, 405].contains(try await server.post(path).status))
            #expect(try await store.setAsideRecords() == before)
            #expect(try await store.read(Self.key) == nil)
        }
    }

    @Test func reasonIsEscaped() async throws {
        let store = try await Self.store([Self.zoo, "{"], reason: HostileText.name)
        try await PagesServer.run(in: store) { server in
            let page = try await server.get("/art/palettes").text
            #expect(HostileText.injections(in: page).isEmpty, "\(HostileText.injections(in: page))")
            #expect(HostileText.isShown(in: page))
        }
    }

    @Test func onlyNewestSetAsideRecordsAreShown() async throws {
        let store = try await Self.store(Array(repeating: Self.zoo, count: 12))
        try await PagesServer.run(in: store) { server in
            let page = try await server.get("/art/palettes").text
            let shown = page.matches(of: /id="set-aside-(?<id>[0-9a-f]{16})"/).map { String($0.id) }
            #expect(shown == Array(try await store.setAsideRecords().map(\.id).suffix(5).reversed()))
        }
    }

    @Test func openPageReceivesEventWhenPalettesAreSetAside() async throws {
        try await PagesServer.run { server in
            try await server.follow("/art/palettes/events") { events in
                let first = try await events.next("palettes")
                let content = StoredContent(format: "emojiart.palettes", version: 2, payload: Data("{".utf8))
                _ = try await server.paletteStorage.commit([StoreWrite(Self.key, content)])
                var version = first
                while version == first { version = try await events.next("palettes") }
                let path = try await Self.path(server.paletteStorage)
                #expect(try await server.get("/art/palettes").text.contains(path))
                _ = try await server.post("\(path)/delete")
                while version != first, version != nil { version = try await events.next("palettes") }
                #expect(version == first)
            }
        }
    }
}
