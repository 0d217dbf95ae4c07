import Foundation
import HTTPTypes
import ServedSite
import Testing

@testable import EmojiArtWeb

/// Every route of the app, requested with unexpected values.
@Suite(.timeLimit(.minutes(60))) struct HostileRequestTests {
    @Test func unexpectedValuesNeverCauseServerError() async throws {
        try await BoardServer.run { server in
            try await server.createBoard("beach")
            try await server.addDog("d")
            let board = ["id": "beach"]
            let palette = ["store": "Main", "palette": "1"]
            let (boards, palettes) = ("/art/boards/{id}", "/art/palettes/{store}/{palette}")
            let (api, apiPalette) = ("/api/v1/art/boards", "/api/v1/art/palettes/{store}/{palette}")
            let record = ["store": "Main", "record": "0123456789abcdef"]
            let setAside = "/art/palettes/{store}/set-aside/{record}"
            let apiSetAside = "/api/v1/art/palettes/{store}/set-aside"
            let emoji = #"{"id":"§","text":"🐶","x":§,"y":§,"size":§,"z":§}"#
            let operations = [
                #"{"op":"add","emoji":\#(emoji)}"#, #"{"op":"move","id":"d","x":§,"y":§}"#,
                #"{"op":"resize","id":"d","size":§}"#, #"{"op":"reorder","id":"d","z":§}"#,
                #"{"op":"background","background":{"address":"http://§"}}"#, #"{"op":§}"#,
            ]
            var cases = operations.enumerated().map { index, operation in
                RouteCase(
                    "POST \(boards)/operations", board,
                    json: #"{"id":"b\#(index)","name":"§","operations":[\#(operation)]}"#)
            }
            cases += [
                #"{"format":"meanwhile.emojiart","version":§,"art":{"emojis":[]}}"#,
                #"{"format":"meanwhile.emojiart","version":1,"name":"§","art":{"background":null,"emojis":[\#(emoji)]}}"#,
                #"{"emojis":[{"string":"🐶","position":{"x":§,"y":§},"size":§,"id":§}],"uniqueEmojiId":§}"#,
                #"{"background":"§","emojis":[]}"#, "§",
            ].map { RouteCase("POST /art/import", query: ["name": "Name"], json: $0) }
            cases += [
                RouteCase("GET /art", query: ["page": "1"]),
                RouteCase("GET /art/events", query: ["page": "1"]),
                RouteCase("POST /art/boards", fields: ["name": "Name", "example": "1", "page": "1"]),
                RouteCase("POST \(boards)/rename", board, fields: ["name": "Name", "page": "1"]),
                RouteCase("POST \(boards)/duplicate", board, fields: ["page": "1"]),
                RouteCase("GET \(boards)", board),
                RouteCase("GET \(boards)/state", board),
                RouteCase("GET \(boards)/entries", board, query: ["since": "0"]),
                RouteCase(
                    "GET \(boards)/events", board, query: ["since": "0", "tab": String(repeating: "0", count: 32)]),
                RouteCase(
                    "POST \(boards)/presence", board,
                    json: #"{"tab":"00000000000000000000000000000000","x":§,"y":§,"name":"§"}"#),
                RouteCase("POST \(boards)/pictures", board, json: "§"),
                RouteCase(
                    "GET \(boards)/picture/{hash}", board.merging(["hash": String(repeating: "0", count: 64)]) { $1 }),
                RouteCase("POST \(boards)/background/retry", board),
                RouteCase(
                    "GET \(boards)/export.{format}", board.merging(["format": "json"]) { $1 },
                    query: ["scale": "1", "margin": "none", "ground": "white"]),
                RouteCase("GET \(boards)/export", board),
                RouteCase(
                    "GET \(boards)/export/file", board,
                    query: ["format": "json", "scale": "1", "margin": "none", "ground": "white"]),
                RouteCase(
                    "GET \(api)", query: ["deleted": "true", "limit": "1", "cursor": "eyJpZCI6ImEiLCJjaGFuZ2VkIjoxfQ"]),
                RouteCase("POST \(api)", json: #"{"name":§,"example":§}"#),
                RouteCase("POST \(api)", json: #"{"name":§}"#),
                RouteCase("GET \(api)/{id}", board),
                RouteCase("PATCH \(api)/{id}", board, json: #"{"name":§}"#),
                RouteCase("POST \(api)/{id}/duplicate", board),
                RouteCase("GET \(api)/{id}/entries", board, query: ["since": "0"]),
                RouteCase("POST \(api)/{id}/operations", board, json: #"{"id":§,"name":§,"operations":[{"op":§}]}"#),
                RouteCase("POST \(api)/{id}/pictures", board, json: "§"),
                RouteCase(
                    "GET \(api)/{id}/pictures/{hash}", board.merging(["hash": String(repeating: "0", count: 64)]) { $1 }
                ),
                RouteCase(
                    "GET \(api)/{id}/export.{format}", board.merging(["format": "json"]) { $1 },
                    query: ["scale": "1", "margin": "none", "ground": "white"]),
                RouteCase("DELETE \(api)/{id}", board),
                RouteCase("POST \(api)/{id}/restore", board),
                RouteCase("POST /api/v1/art/import", query: ["name": "Name"], json: "§"),
                RouteCase("GET /api/v1/art/palettes"),
                RouteCase("POST /api/v1/art/palettes/{store}", ["store": "Main"], json: #"{"name":§,"emojis":[§]}"#),
                RouteCase("PATCH \(apiPalette)", palette, json: #"{"name":§,"add":[§],"remove":[§]}"#),
                RouteCase("DELETE \(apiPalette)", palette),
                RouteCase("POST \(apiPalette)/restore", palette),
                RouteCase("POST \(apiPalette)/move", palette, json: #"{"index":§}"#),
                RouteCase("POST \(apiPalette)/move", palette, json: #"{"store":§}"#),
                RouteCase("PATCH /api/v1/art/palettes/{store}", ["store": "Main"], json: #"{"chosen":§}"#),
                RouteCase("GET /api/v1/art/palettes/events"),
                RouteCase("GET /api/v1/art/events"),
                RouteCase("GET \(api)/{id}/events", board),
                RouteCase("POST \(api)/{id}/background/retry", board),
                RouteCase("GET /api/v1/art/recents"),
                RouteCase("POST /api/v1/art/recents", json: #"{"emoji":§}"#),
                RouteCase("GET /api/v1/art/emoji", query: ["q": "dog", "tone": "dark", "limit": "1"]),
                RouteCase("GET \(apiSetAside)", ["store": "Main"]),
                RouteCase("GET \(apiSetAside)/{record}", record),
                RouteCase("POST \(apiSetAside)/{record}/restore", record),
                RouteCase("DELETE \(apiSetAside)/{record}", record),
                RouteCase("POST \(boards)/delete", board, fields: ["page": "1"]),
                RouteCase("POST \(boards)/restore", board, fields: ["page": "1"]),
                RouteCase("GET /art/palettes", query: ["store": "Main", "palette": "1", "q": "dog"]),
                RouteCase("GET /art/palettes.json", query: ["store": "Main", "palette": "1", "q": "dog"]),
                RouteCase("GET /art/palettes/events"),
                RouteCase("GET /art/emoji.json", query: ["q": "dog"]),
                RouteCase("POST /art/recents", fields: ["emoji": "☕️"]),
                RouteCase(
                    "POST /art/palettes/{store}/new", ["store": "Main"],
                    fields: ["name": "Name", "emojis": "🐶", "open": "store=Main&palette=1"]),
                RouteCase(
                    "POST /art/palettes/{store}/cursor", ["store": "Main"],
                    fields: ["index": "1", "open": "store=Main&palette=1"]),
                RouteCase("POST \(palettes)/move", palette, fields: ["to": "1", "open": "store=Main&palette=1"]),
                RouteCase("POST \(palettes)/to", palette, fields: ["store": "Main", "open": "store=Main&palette=1"]),
                RouteCase(
                    "POST \(palettes)/rename", palette, fields: ["name": "Name", "open": "store=Main&palette=1"]),
                RouteCase("POST \(palettes)/add", palette, fields: ["emojis": "🐶", "open": "store=Main&palette=1"]),
                RouteCase("POST \(palettes)/remove", palette, fields: ["emoji": "☕️", "open": "store=Main&palette=1"]),
                RouteCase("POST \(palettes)/delete", palette, fields: ["open": "store=Main&palette=1"]),
                RouteCase("POST \(palettes)/restore", palette, fields: ["open": "store=Main&palette=1"]),
                RouteCase("GET \(setAside)", record),
                RouteCase("POST \(setAside)/restore", record, fields: ["open": "store=Main&palette=1"]),
                RouteCase("POST \(setAside)/delete", record, fields: ["open": "store=Main&palette=1"]),
            ]
            let failures = try await HostileRequests.failures(of: server.site, cases)
            #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
        }
    }

    @Test(arguments: ["&", ";", "#"])
    func importOfOnlySeparatorsIsRefusedOrLosesItsBackground(character: String) async throws {
        try await BoardServer.run { server in
            let all = String(repeating: character, count: 4_000_000)
            let raw = try await server.ask(.post, "/art/import", body: Data(all.utf8))
            #expect(raw.status == 422)
            for start in ["http://a.example/?", "data:"] {
                let file = #"{"background":"\#(start)\#(all)","emojis":[]}"#
                let imported = try await server.ask(.post, "/art/import", body: Data(file.utf8))
                #expect(imported.status == 201)
                #expect(imported.text.contains("The background was left out"))
            }
        }
    }

    /// A decoder that recurses once per level would overflow the stack.
    @Test func tooDeeplyNestedQueryIsIgnored() async throws {
        let nested = "q" + String(repeating: "[a]", count: 20_000) + "=dog"
        #expect(PaletteQuery(nested) == PaletteQuery())
        try await PagesServer.run { server in
            let answer = try await server.post("/art/palettes/Main/new", ["name": "New", "open": nested])
            #expect(answer.status == 303)
            #expect(answer.location == "/art/palettes")
        }
    }
}
