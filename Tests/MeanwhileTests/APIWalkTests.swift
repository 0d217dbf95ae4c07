import Accounts
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Persistence
import Site
import Testing

@testable import Meanwhile

/// Every route of the API, with tokens of several people and scopes.
@Suite(.serialized, .timeLimit(.minutes(10))) struct APIWalkTests {
    private struct Script {
        let client: any TestClientProtocol
        let token: String?

        func send(
            _ method: HTTPRequest.Method, _ path: String, _ json: String? = nil
        ) async throws -> (status: Int, text: String) {
            var headers: HTTPFields = [.contentType: "application/json"]
            headers[.authorization] = token.map { "Bearer \($0)" }
            let response = try await client.execute(
                uri: path, method: method, headers: headers, body: json.map { ByteBuffer(string: $0) })
            return (response.status.code, String(buffer: response.body))
        }

        /// Creates something, and returns its identifier.
        func make(_ path: String, _ json: String) async throws -> String {
            let response = try await send(.post, path, json)
            #expect(response.status == 201, "\(path): \(response.text)")
            let object = try JSONSerialization.jsonObject(with: Data(response.text.utf8)) as? [String: Any]
            return try #require((object?["id"]).map { "\($0)" })
        }
    }

    private static let apps = ["library", "art", "coffee"]

    /// Runs the body with a server, and a function that makes tokens of Anna and Bert.
    private func withServer(
        _ body: (Workspace, Server, _ owners: [OwnerID], _ token: (OwnerID, [String]) async throws -> String)
            async throws
            -> Void
    ) async throws {
        try await PeopleServer.run { people in
            try await body(people.workspace, people.server, [people.anna.owner, people.bert.owner]) { owner, scopes in
                try await people.signIn.addToken(
                    of: owner, named: "Test", scopes: Set(scopes.compactMap { APIScope($0) })
                ).secret.text
            }
        }
    }

    private static func routes(of server: Server) -> [(method: HTTPRequest.Method, path: String)] {
        server.site.routes.filter { $0.contains(" /api/v1/") }.compactMap { route in
            let parts = route.split(separator: " ").map(String.init)
            return HTTPRequest.Method(parts[0]).map { ($0, parts[1]) }
        }
    }

    /// The method of a request for a route: a stream of events has no end, so that only its headers are requested.
    private static func method(_ method: HTTPRequest.Method, of template: String) -> HTTPRequest.Method {
        template.hasSuffix("/events") ? .head : method
    }

    private static func path(_ template: String, _ id: String) -> String {
        let others = [
            "hash": String(repeating: "a", count: 64), "format": "json", "store": "Main", "palette": "1", "kind": "png",
            "view": "reader", "family": "graphicCorner", "record": "0123456789abcdef", "import": UUID().uuidString,
        ]
        return others.reduce(template.replacing("{id}", with: id)) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    @Test func descriptionHasAllRoutesAndNoOther() async throws {
        try await withServer { _, server, _, _ in
            try await server.site.application().test(.router) { client async throws in
                let response = try await Script(client: client, token: nil).send(.get, "/api/openapi.json")
                let document = try #require(
                    try JSONSerialization.jsonObject(with: Data(response.text.utf8)) as? [String: Any])
                let paths = try #require(document["paths"] as? [String: [String: Any]])
                var described: Set<String> = []
                for (path, item) in paths {
                    for method in item.keys where ["get", "put", "post", "patch", "delete"].contains(method) {
                        described.insert("\(method.uppercased()) \(path)")
                    }
                }
                #expect(described == Set(Self.routes(of: server).map { "\($0.method) \($0.path)" }))
                #expect(described.count > 70)
                let operations = paths.values.flatMap(\.values).compactMap { $0 as? [String: Any] }
                let names = operations.compactMap { $0["operationId"] as? String }
                #expect(names.count == described.count && Set(names).count == names.count)
                #expect(operations.allSatisfy { ($0["summary"] as? String)?.isEmpty == false })
            }
        }
    }

    @Test func eachRouteNeedsItsScope() async throws {
        try await withServer { _, server, owners, token in
            let anna = owners[0]
            let readers = try await token(anna, Self.apps.map { "\($0):read" })
            var others: [String: String] = [:]
            for app in Self.apps {
                others[app] = try await token(anna, Self.apps.filter { $0 != app }.map { "\($0):write" })
            }
            try await server.site.application().test(.router) { [others] client async throws in
                for (known, template) in Self.routes(of: server) {
                    let method = Self.method(known, of: template)
                    let app = try #require(Self.apps.first { template.hasPrefix("/api/v1/\($0)/") }, "\(template)")
                    let path = Self.path(template, UUID().uuidString)
                    let none = try await Script(client: client, token: nil).send(method, path, "{}")
                    #expect(none.status == 401, "\(method) \(path)")
                    let other = try await Script(client: client, token: others[app]).send(method, path, "{}")
                    let isExplained = method == .head || other.text.contains("\(app):")
                    #expect(other.status == 403 && isExplained, "\(method) \(path): \(other)")
                    let reading = try await Script(client: client, token: readers).send(method, path, "{}")
                    #expect((reading.status == 403) == (known != .get), "\(method) \(path): \(reading)")
                }
            }
        }
    }

    @Test func noTokenReachesAnotherPersonsData() async throws {
        try await withServer { workspace, server, owners, token in
            let scopes = Self.apps.map { "\($0):write" }
            let (hers, his) = (try await token(owners[0], scopes), try await token(owners[1], scopes))
            try await server.site.application().test(.router) { client async throws in
                let (anna, bert) = (Script(client: client, token: hers), Script(client: client, token: his))
                let ids = [
                    "library": try await anna.make(
                        "/api/v1/library/pages", #"{"url":"https://annas-secret.example/","formats":["png"]}"#),
                    "art": try await anna.make("/api/v1/art/boards", #"{"name":"Annas-secret-board","example":true}"#),
                    "coffee": try await anna.make(
                        "/api/v1/coffee/drinks", #"{"name":"Annas-secret-drink","milligrams":80}"#),
                ]
                _ = try await anna.make("/api/v1/art/palettes/Main", #"{"name":"Annas-secret-palette","emojis":["🐶"]}"#)
                let views = [
                    "/api/v1/library/pages", "/api/v1/art/boards", "/api/v1/coffee/drinks", "/api/v1/art/palettes",
                ]
                var before: [String] = []
                for view in views {
                    let text = try await anna.send(.get, view).text
                    #expect(text.lowercased().contains("annas-secret"), "\(view)")
                    before.append(text)
                }
                // An import waits for a worker.
                for (listed, template) in Self.routes(of: server) where !template.hasSuffix("/import") {
                    let method = Self.method(listed, of: template)
                    let app = try #require(Self.apps.first { template.hasPrefix("/api/v1/\($0)/") })
                    let known = try #require(ids[app])
                    let unknown = app == "art" ? "0" + known.dropFirst() : UUID().uuidString
                    // What each route needs, so that it gets as far as the identifier.
                    let json =
                        #"{"name":"Bert","note":"Bert","milligrams":1,"interval":"daily","id":"b","operations":[],"url":"https://b.example/","share":1}"#
                    let suffix = template.hasSuffix("/entries") ? "?since=0" : ""
                    let body = listed == .get ? nil : json
                    let found = try await bert.send(method, Self.path(template, known) + suffix, body)
                    #expect(!found.text.lowercased().contains("annas-secret"), "\(method) \(template)")
                    guard template.contains("{id}") else { continue }
                    let missing = try await bert.send(method, Self.path(template, unknown) + suffix, body)
                    #expect(found.status == missing.status, "\(method) \(template): \(found) \(missing)")
                    #expect([404, 410].contains(found.status), "\(method) \(template): \(found)")
                }
                for (view, text) in zip(views, before) {
                    #expect(try await anna.send(.get, view).text == text, "\(view)")
                }
                #expect(
                    try await workspace.sqlite("SELECT count(*) FROM library_page WHERE owner = '\(owners[0])'") == [
                        "1"
                    ])
            }
        }
    }

    @Test func scriptWorksWithAllApps() async throws {
        try await withServer { _, server, owners, token in
            let secret = try await token(owners[0], Self.apps.map { "\($0):write" })
            try await server.site.application().test(.router) { client async throws in
                let script = Script(client: client, token: secret)
                func object(
                    _ method: HTTPRequest.Method, _ path: String, _ json: String? = nil, status: Int = 200
                ) async throws -> [String: Any] {
                    let response = try await script.send(method, "/api/v1/\(path)", json)
                    #expect(response.status == status, "\(path): \(response.text)")
                    return try JSONSerialization.jsonObject(with: Data(response.text.utf8)) as? [String: Any] ?? [:]
                }
                // Pages
                let page = try await script.make(
                    "/api/v1/library/pages", #"{"url":"https://a.example/","formats":["png"]}"#)
                let marks =
                    #"{"favourite":true,"tags":["Recipes","recipes","Soup"],"note":" Hot ","reading":"finished"}"#
                let changed = try await object(.patch, "library/pages/\(page)", marks)
                #expect(changed["favourite"] as? Bool == true && changed["note"] as? String == "Hot")
                #expect(
                    changed["tags"] as? [String] == ["Recipes", "Soup"] && changed["reading"] as? String == "finished")
                let found = try await object(.get, "library/pages?tag=soup&favourite=true&limit=1")
                #expect((found["items"] as? [Any])?.count == 1)
                #expect(((try await object(.get, "library/tags"))["items"] as? [Any])?.count == 2)
                #expect(
                    try await object(.put, "library/pages/\(page)/schedule", #"{"interval":"weekly"}"#)["nextAt"] != nil
                )
                #expect(try await script.send(.delete, "/api/v1/library/pages/\(page)").status == 204)
                _ = try await object(.get, "library/pages/\(page)", status: 404)
                #expect(((try await object(.get, "library/pages?deleted=true"))["items"] as? [Any])?.count == 1)
                _ = try await object(.post, "library/pages/\(page)/restore")
                // The parts of a list have each page once.
                for number in 0..<4 {
                    _ = try await script.make(
                        "/api/v1/library/pages", #"{"url":"https://\#(number).example/","formats":["png"]}"#)
                }
                for list in ["library/pages", "coffee/drinks", "art/boards"] {
                    if list != "library/pages" {
                        for number in 0..<5 {
                            _ = try await script.make("/api/v1/\(list)", #"{"name":"Name \#(number)","milligrams":8}"#)
                        }
                    }
                    var (ids, cursor, parts) = ([String](), "", 0)
                    repeat {
                        let part = try await object(.get, "\(list)?limit=2\(cursor)")
                        ids += (part["items"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
                        cursor = (part["next"] as? String).map { "&cursor=\($0)" } ?? ""
                        parts += 1
                    } while !cursor.isEmpty && parts < 9
                    #expect(ids.count == 5 && Set(ids).count == 5 && parts == 3, "\(list): \(ids)")
                    _ = try await object(.get, "\(list)?cursor=x", status: 400)
                }
                // Boards
                let board = try await script.make("/api/v1/art/boards", #"{"name":"Farm"}"#)
                let batch =
                    #"{"id":"b1","name":"Add","operations":[{"op":"add","emoji":{"id":"e1","text":"🐶","x":0,"y":0,"size":40,"z":1}}]}"#
                for _ in 0..<2 {
                    #expect(try await object(.post, "art/boards/\(board)/operations", batch)["revision"] as? Int == 1)
                }
                let whole = try await object(.get, "art/boards/\(board)")
                #expect(((whole["art"] as? [String: Any])?["emojis"] as? [Any])?.count == 1)
                #expect(try await object(.patch, "art/boards/\(board)", #"{"name":"Zoo"}"#)["name"] as? String == "Zoo")
                #expect(
                    ((try await object(.get, "art/boards/\(board)/entries?since=0"))["entries"] as? [Any])?.count == 1)
                _ = try await object(.post, "art/boards/\(board)/duplicate", status: 201)
                let file = try await script.send(.get, "/api/v1/art/boards/\(board)/export.json")
                #expect(file.status == 200 && file.text.contains("🐶"))
                let palette = try await script.make("/api/v1/art/palettes/Main", #"{"name":"Mine","emojis":["🐶","🐱"]}"#)
                let palettePath = "art/palettes/Main/\(palette)"
                let added = try await object(.patch, palettePath, #"{"name":"Ours","add":["☕️"],"remove":["🐶"]}"#)
                #expect(added["name"] as? String == "Ours" && (added["emojis"] as? [String])?.contains("🐶") == false)
                #expect(try await script.send(.delete, "/api/v1/\(palettePath)").status == 204)
                _ = try await object(.post, "\(palettePath)/restore")
                // Drinks
                let drink = try await script.make("/api/v1/coffee/drinks", #"{"kind":"sourced/espresso"}"#)
                let edited = try await object(
                    .patch, "coffee/drinks/\(drink)", #"{"milligrams":50,"millilitres":null}"#)
                #expect(edited["milligrams"] as? Double == 50 && edited["millilitres"] == nil)
                #expect((try await object(.get, "coffee/level"))["milligrams"] as? Double ?? 0 > 0)
                #expect(try await script.send(.delete, "/api/v1/coffee/drinks/\(drink)").status == 204)
                _ = try await object(.get, "coffee/drinks/\(drink)", status: 404)
                _ = try await object(.post, "coffee/undo", "{}")
                _ = try await object(.get, "coffee/drinks/\(drink)")
            }
        }
    }

    @Test func changeOfAnOlderVersionIsRefused() async throws {
        try await withServer { _, server, owners, token in
            let secret = try await token(owners[0], Self.apps.map { "\($0):write" })
            try await server.site.application().test(.router) { client async throws in
                let script = Script(client: client, token: secret)
                let ids = [
                    "library/pages/": try await script.make("/api/v1/library/pages", #"{"url":"https://a.example/"}"#),
                    "art/boards/": try await script.make("/api/v1/art/boards", "{}"),
                    "coffee/drinks/": try await script.make("/api/v1/coffee/drinks", #"{"kind":"sourced/espresso"}"#),
                ]
                for (path, id) in ids {
                    let uri = "/api/v1/\(path)\(id)"
                    func send(
                        _ method: HTTPRequest.Method, _ headers: HTTPFields, _ json: String? = nil
                    ) async throws -> TestResponse {
                        var headers = headers
                        headers[.contentType] = "application/json"
                        headers[.authorization] = "Bearer \(secret)"
                        return try await client.execute(
                            uri: uri, method: method, headers: headers, body: json.map { ByteBuffer(string: $0) })
                    }
                    let tag = try #require(try await send(.get, [:]).headers[.eTag], "\(path)")
                    #expect(try await send(.get, [.ifNoneMatch: tag]).status == .notModified)
                    let change = #"{"name":"Changed","note":"Changed"}"#
                    let changed = try await send(.patch, [.ifMatch: tag], change)
                    #expect(changed.status == .ok && changed.headers[.eTag] != tag, "\(path)")
                    #expect(try await send(.patch, [.ifMatch: tag], change).status == .preconditionFailed)
                    #expect(try await send(.delete, [.ifMatch: tag]).status == .preconditionFailed)
                    let new = try #require(try await send(.get, [:]).headers[.eTag])
                    #expect(new == changed.headers[.eTag], "\(path)")
                    #expect(try await send(.delete, [.ifMatch: new]).status == .noContent)
                }
            }
        }
    }
}
