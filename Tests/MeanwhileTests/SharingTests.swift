import Accounts
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import Meanwhile

/// Boards and pages that Anna shares, and what visitors with a link and other people can do with them.
@Suite(.serialized, .timeLimit(.minutes(20))) struct SharingTests {
    private static let secrets = ["Annas-secret", "annas-secret", "anna", "/tmp/mw-"]

    /// Runs the body with a server, its people, and two of Anna's boards.
    private func withServer(
        _ body:
            @Sendable (Workspace, _ anna: Visitor, _ bert: Visitor, _ board: String, _ other: String) async throws ->
            Void
    ) async throws {
        try await PeopleServer.test { people, anna, bert in
            for form in ["name=Shared-board&example=1", "name=Annas-secret-board&example=1"] {
                #expect(try await anna.status(.post, "/art/boards", form) == 303)
            }
            let ids = try await people.workspace.sqlite("SELECT id FROM art_board ORDER BY name DESC")
            try await body(people.workspace, anna, bert, ids[0], ids[1])
        }
    }

    private static let change =
        #"{"id":"x1","name":"n","operations":[{"op":"add","emoji":{"id":"x","text":"🦊","x":0,"y":0,"size":40,"z":1}}]}"#

    @Test func linkShowsOneThingAndNothingElseOfItsOwner() async throws {
        try await withServer { _, anna, _, board, other in
            let visitor = Visitor(client: anna.client)
            let path = try await anna.link(to: "board/\(board)", "view")
            for part in ["", "/state", "/entries?since=0", "/drawing.svg", "/emoji.json?q=dog"] {
                let response = try await visitor.send(.get, path + part)
                let text = String(buffer: response.body)
                #expect(response.status == .ok, "\(part)")
                for secret in Self.secrets { #expect(!text.contains(secret), "\(part) \(secret)") }
                #expect(!text.contains(other))
                #expect(response.headers[.cacheControl] == "no-store", "\(part)")
                for (name, value) in [("Referrer-Policy", "no-referrer"), ("X-Robots-Tag", "noindex")] {
                    #expect(response.headers[try #require(HTTPField.Name(name))] == value, "\(part)")
                }
            }
            let page = try await visitor.text(path)
            #expect(page.contains("Shared-board") && page.contains(#"data-access="view""#))
            #expect(!page.contains(#"href="/art"#) && !page.contains("/account") && !page.contains("/sharing"))
            // Everything else needs a session, whatever the visitor knows.
            for route in ["/art/", "/art/boards/\(board)", "/art/boards/\(other)", "/art/palettes.json", "/sharing"] {
                #expect(try await [303, 401].contains(visitor.status(.get, route)), "\(route)")
            }
        }
    }

    @Test func unknownRevokedAndExpiredLinksAreTheSame() async throws {
        try await withServer { workspace, anna, bert, board, _ in
            let visitor = Visitor(client: anna.client)
            let revoked = try await anna.link(to: "board/\(board)", "edit", days: "")
            let expired = try await anna.link(to: "board/\(board)", "edit", days: "1")
            let kept = try await anna.link(to: "board/\(board)", "edit", days: "30")
            let ids = try await workspace.sqlite("SELECT id FROM share WHERE expires_at IS NULL")
            // Another person can't revoke it.
            #expect(try await bert.status(.post, "/sharing/revoke", "share=\(ids[0])") == 303)
            #expect(try await visitor.status(.get, revoked) == 200)
            #expect(try await anna.status(.post, "/sharing/revoke", "share=\(ids[0])") == 303)
            _ = try await workspace.sqlite(
                "UPDATE share SET expires_at = 1 WHERE expires_at = (SELECT min(expires_at) FROM share)")
            let unknown = "/shared/\(RandomToken().text)/board"
            var responses: [String] = []
            for path in [unknown, revoked, expired, "/shared/x/board"] {
                for (method, part) in [(HTTPRequest.Method.get, ""), (.get, "/state"), (.post, "/operations")] {
                    let type = method == .post ? "application/json" : "text/plain"
                    let response = try await visitor.send(method, path + part, Self.change, type: type)
                    #expect(response.status == .notFound, "\(path)\(part)")
                    // Each response has a time and an ID of its own.
                    let headers = response.headers.filter {
                        $0.name != .date && $0.name.canonicalName != "x-request-id"
                    }
                    .map { "\($0)" }.sorted()
                    responses.append("\(headers) \(String(buffer: response.body))")
                }
            }
            let otherKind = try await visitor.send(.get, kept.replacing("/board", with: "/page"), type: "text/plain")
            #expect(otherKind.status == .notFound)
            #expect(Set(responses).count == 1, "\(Set(responses))")
            #expect(try await visitor.status(.get, kept) == 200)
        }
    }

    /// The requests of the page's own scripts, each sent with a link for viewing, and with paths that may confuse a check.
    @Test func viewLinkChangesNothing() async throws {
        try await withServer { workspace, anna, _, board, other in
            let view = try await anna.link(to: "board/\(board)", "view")
            let visitor = Visitor(client: anna.client)
            let token = view.split(separator: "/")[1]
            func rows() async throws -> [String] {
                var rows: [String] = []
                for table in ["art_board", "art_snapshot", "art_entry", "share", "stored_value"] {
                    let columns =
                        table == "share" ? "id, owner, kind, item, token_hash, allows_editing, expires_at" : "*"
                    rows += try await workspace.sqlite("SELECT \(columns) FROM \(table)")
                }
                return rows
            }
            let before = try await rows()
            #expect(before.count > 2)
            let bodies = [
                Self.change, #"{"id":"x2","name":"n","operations":[{"op":"background","background":null}]}"#,
                "name=New",
                "access=edit&days=", "emoji=%F0%9F%90%B6", "share=x", "",
            ]
            let parts = [
                "/operations", "/pictures", "/background/retry", "/rename", "/duplicate", "/delete", "/restore",
                "/operations/", "/operations?access=edit", "//operations", "/./operations", "/%2e/operations",
                "/presence/../operations", "/presence/%2e%2e/operations", "/state", "", "/recents",
            ]
            let bases = [
                view, "/art/boards/\(board)", "/art/boards/\(other)", "/shared/\(token)/art/boards/\(board)",
                "/shared/\(token)/board/\(other)", "/shared/\(token)/../art/boards/\(board)",
                "/shared/\(token)/../../art/boards/\(other)", "/shared/%2e%2e/art/boards/\(board)",
                "/shared/..%2fart/boards/\(board)", "//shared/\(token)/board", "/shared/../shared/\(token)/board",
                "/SHARED/\(token)/board", "/art/shared/\(token)", "/sharing/board/\(board)",
            ]
            for base in bases {
                for part in parts {
                    for body in bodies {
                        let status = try await visitor.status(.post, base + part, body)
                        #expect([303, 401, 403, 404, 405].contains(status), "\(base)\(part): \(status)")
                    }
                }
                for method in [HTTPRequest.Method.put, .patch, .delete] {
                    let status = try await visitor.status(method, base + "/operations", Self.change)
                    #expect([401, 403, 404, 405].contains(status), "\(method) \(base): \(status)")
                }
            }
            // The page's scripts get the reason.
            let refused = try await visitor.send(
                .post, view + "/operations", Self.change, type: "application/json", accept: "application/problem+json")
            #expect(refused.status == .forbidden && String(buffer: refused.body).contains("You can only look at this"))
            #expect(try await rows() == before)
            // With a link for editing, the same request changes the board, so that this test can fail.
            let edit = try await anna.link(to: "board/\(board)", "edit")
            #expect(try await visitor.status(.post, edit + "/operations", Self.change) == 200)
            #expect(try await anna.text("/art/boards/\(board)/state").contains("🦊"))
            #expect(try await visitor.text(view + "/state").contains("🦊"))
            #expect(try await !anna.text("/art/boards/\(other)/state").contains("🦊"))
        }
    }

    @Test func editLinkChangesOnlyItsBoard() async throws {
        try await withServer { _, anna, _, board, other in
            let visitor = Visitor(client: anna.client)
            let path = try await anna.link(to: "board/\(board)", "edit")
            for part in ["/rename", "/duplicate", "/delete", "/restore", "/export.json", "/export", "/palettes.json"] {
                #expect(try await [404, 405].contains(visitor.status(.post, path + part, "name=New")), "\(part)")
                #expect(try await [404, 405].contains(visitor.status(.get, path + part)), "\(part)")
            }
            // The server connects to no address for a visitor.
            let address =
                #"{"id":"x3","name":"n","operations":[{"op":"background","background":{"address":"http://a.example/"}}]}"#
            #expect(try await visitor.status(.post, path + "/operations", address) == 403)
            #expect(try await visitor.status(.post, path + "/operations", Self.change) == 200)
            let wrong = path.replacing("/board", with: "/board/\(other)")
            #expect(try await visitor.status(.post, wrong + "/operations", Self.change) == 404)
            // What was on the board before the visitor came isn't shown.
            let entries = try await visitor.text(path + "/entries?since=0")
            #expect(!entries.contains("\"entries\"") && entries.contains("\"art\""))
            #expect(try await anna.text("/art/boards/\(board)/state").contains("Shared-board"))
        }
    }

    @Test func boardIsSharedWithAPersonWhoCanLeave() async throws {
        try await withServer { workspace, anna, bert, board, other in
            let form = "name=bert&access=view"
            #expect(try await anna.status(.post, "/sharing/board/\(board)/people", form) == 303)
            let wrong = try await anna.send(.post, "/sharing/board/\(board)/people", "name=carl&access=view")
            #expect(wrong.status == .unprocessableContent)
            // Nobody shares what belongs to another person.
            #expect(try await bert.status(.post, "/sharing/board/\(other)/people", "name=bert&access=edit") == 404)
            #expect(try await bert.status(.post, "/sharing/board/\(other)/links", "access=edit&days=") == 404)
            let list = try await bert.text("/art/")
            let path = try #require(list.firstMatch(of: /href="(\/art\/shared\/[^"]+)"/)).output.1.description
            #expect(list.contains("Shared with you") && list.contains("from anna") && !list.contains("secret"))
            #expect(try await bert.text(path + "/state").contains("Shared-board"))
            #expect(try await bert.status(.post, path + "/operations", Self.change) == 403)
            #expect(try await anna.status(.post, "/sharing/board/\(board)/people", "name=bert&access=edit") == 303)
            #expect(try await bert.status(.post, path + "/operations", Self.change) == 200)
            #expect(try await anna.text("/art/boards/\(board)/state").contains("🦊"))
            // It's still owned and stored once.
            #expect(try await bert.status(.get, "/art/boards/\(board)") == 404)
            #expect(try await workspace.sqlite("SELECT count(*) FROM art_board") == ["2"])
            // The path is Bert's alone.
            #expect(try await anna.status(.get, path) == 404)
            #expect(try await [303, 401].contains(Visitor(client: anna.client).status(.get, path)))
            let id = path.split(separator: "/").last ?? ""
            #expect(try await anna.status(.post, "/sharing/leave", "share=\(id)") == 303)
            #expect(try await bert.status(.get, path) == 200)
            #expect(try await bert.status(.post, "/sharing/leave", "share=\(id)&back=%2Fart%2F") == 303)
            #expect(try await bert.status(.get, path) == 404)
            #expect(try await !bert.text("/art/").contains("Shared with you"))
        }
    }

    @Test func streamEndsAndPresenceWithItWhenALinkIsRevoked() async throws {
        try await withServer { workspace, anna, _, board, _ in
            let path = try await anna.link(to: "board/\(board)", "view")
            let tab = String(repeating: "a", count: 32)
            let page = try await Visitor(client: anna.client).send(.get, path)
            let cookie = page.headers[.setCookie].flatMap { $0.split(separator: ";").first }.map(String.init)
            let visitor = Visitor(client: anna.client, cookie: cookie)
            let report = #"{"tab":"\#(tab)","x":1,"y":2,"name":"Maria"}"#
            #expect(try await visitor.status(.post, path + "/presence", report) == 409)
            async let events = visitor.send(.get, "\(path)/events?tab=\(tab)")
            while try await visitor.status(.post, path + "/presence", report) != 204 { await Task.yield() }
            let id = try await workspace.sqlite("SELECT id FROM share")
            #expect(try await anna.status(.post, "/sharing/revoke", "share=\(id[0])") == 303)
            let text = (try? await events).map { String(buffer: $0.body) } ?? "Maria"
            #expect(text.contains("Maria"))
            #expect(try await visitor.status(.post, path + "/presence", report) == 404)
            // Someone else's stream doesn't show the visitor anymore.
            let own = #"{"tab":"\#(String(repeating: "b", count: 32))"}"#
            #expect(try await anna.status(.post, "/art/boards/\(board)/presence", own) == 409)
        }
    }

    @Test func savedPageIsSharedWithoutItsNotes() async throws {
        try await withServer { workspace, anna, bert, _, _ in
            #expect(try await anna.status(.post, "/samples") == 303)
            let page = try await workspace.sqlite("SELECT id FROM library_page WHERE state = 'found'")
            let marks = "note=Annas-secret-note&tags=annas-secret-tag"
            #expect(try await anna.status(.post, "/library/pages/\(page[0])/marks", marks) == 303)
            #expect(try await bert.status(.post, "/sharing/page/\(page[0])/links", "access=view&days=") == 404)
            #expect(try await anna.status(.post, "/sharing/page/\(page[0])/links", "access=edit&days=") == 422)
            let path = try await anna.link(to: "page/\(page[0])", "view")
            let visitor = Visitor(client: anna.client)
            let opened = try await visitor.send(.get, path)
            #expect(opened.status == .seeOther)
            let viewer = try #require(opened.headers[.location])
            #expect(viewer.hasPrefix(path + "/"))
            let text = try await visitor.text(viewer)
            for secret in Self.secrets { #expect(!text.contains(secret), "\(secret)") }
            #expect(!text.contains("/library/pages") && !text.contains(#"href="/library"#))
            for part in ["/marks", "/versions", "/position", "/delete", "/schedule", "/retry"] {
                #expect(try await [404, 405].contains(visitor.status(.post, path + part, "note=x")), "\(part)")
            }
            #expect(try await visitor.status(.get, "/library/article.css") == 200)
            #expect(try await anna.status(.post, "/library/pages/\(page[0])/delete") == 303)
            #expect(try await visitor.status(.get, viewer) == 404)
        }
    }
}

extension Visitor {
    /// Shares something by a link, and returns the link's path.
    fileprivate func link(to path: String, _ access: String, days: String = "7") async throws -> String {
        let response = try await send(.post, "/sharing/\(path)/links", "access=\(access)&days=\(days)")
        #expect(response.status == .ok)
        let link = /value="http:\/\/[^\/"]*(\/shared\/[0-9a-f]{64}\/\w+)"/
        return try #require(response.text.firstMatch(of: link)).output.1.description
    }
}
