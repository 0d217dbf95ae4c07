import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import ServedSite
import Site
import Testing

@testable import Meanwhile

/// Sends hostile values to the routes for accounts, tokens and sharing.
@Suite(.timeLimit(.minutes(20))) struct HostilePeopleTests {
    /// A route, in which `§` stands for a value.
    private struct Case {
        let method: HTTPRequest.Method
        /// The route with its captures, by which it is recognised.
        let template: String
        /// The paths to request, with existing values in place of the other captures.
        let paths: [String]
        /// The fields of a form, each with a valid value.
        let fields: [String: String]
        let json: String?

        init(
            _ method: HTTPRequest.Method, _ template: String, _ paths: String..., fields: [String: String] = [:],
            json: String? = nil
        ) {
            (self.method, self.template, self.fields, self.json) = (method, template, fields, json)
            self.paths = paths.isEmpty ? [template] : paths
        }

        /// The bodies with the value in all fields, and in each alone.
        func bodies(_ value: String) -> [String] {
            if let json {
                let quoted = (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
                return [value, quoted].map { json.replacing("§", with: $0) }
            }
            let variants =
                [fields.mapValues { _ in value }] + fields.keys.map { fields.merging([$0: value]) { $1 } } + [
                    [value: value]
                ]
            return variants.map { fields in
                fields.map { "\(encoded($0))=\(encoded($1))" }.joined(separator: "&")
            }
        }

        func paths(_ value: String) -> Set<String> { Set(paths.map { $0.replacing("§", with: encoded(value)) }) }

        private func encoded(_ text: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        }
    }

    private static let prefixes = [
        "/sign-in", "/sign-out", "/invitation", "/account", "/activity", "/sharing", "/shared/", "/art/shared/",
    ]

    private static func cases(board: String, page: String, link: String, pageLink: String) -> [Case] {
        let batch = #"{"id":§,"name":§,"operations":[{"op":"move","emoji":§,"x":§,"y":1e308}]}"#
        let presence = #"{"tab":§,"x":§,"y":§,"name":§}"#
        let access = ["access": "view", "days": "7", "name": "bert"]
        return [
            Case(.get, "/sign-in", "/sign-in?next=§"),
            Case(.post, "/sign-in", fields: ["name": "anna", "password": "wrong horse", "next": "/"]),
            Case(.get, "/invitation", "/invitation?token=§"),
            Case(
                .post, "/invitation", fields: ["token": "a", "name": "carl", "password": "correct horse", "again": ""]),
            Case(.get, "/account"),
            Case(.post, "/account/password", fields: ["current": "a", "password": "correct horse", "again": "b"]),
            Case(.post, "/account/sessions/end", fields: ["session": "a"]),
            Case(.get, "/account/tokens"),
            Case(.post, "/account/tokens", fields: ["name": "Test", "scope[library]": "read", "days": "7"]),
            Case(.post, "/account/tokens/remove", fields: ["token": "a"]),
            Case(
                .get, "/activity", "/activity?of=§", "/activity?topic=§&here=§", "/activity?before=§", "/activity?§=§"),
            Case(.get, "/sharing"),
            Case(.get, "/sharing/{kind}/{item}", "/sharing/§/\(board)", "/sharing/board/§", "/sharing/§/§"),
            Case(
                .post, "/sharing/{kind}/{item}/links", "/sharing/board/\(board)/links", "/sharing/board/§/links",
                "/sharing/page/\(page)/links", fields: access),
            Case(
                .post, "/sharing/{kind}/{item}/people", "/sharing/board/\(board)/people", "/sharing/page/§/people",
                fields: access),
            Case(.post, "/sharing/revoke", fields: ["share": "a", "back": "/sharing"]),
            Case(.post, "/sharing/leave", fields: ["share": "a", "back": "/sharing"]),
            Case(.get, "/shared/{token}/page", pageLink, "/shared/§/page"),
        ]
            + ["archive", "article", "page.pdf", "page.png", "pdf", "picture", "reader", "view"].map { part in
                Case(.get, "/shared/{token}/page/\(part)", "/shared/§/page/\(part)")
            }
            + [Case(.get, "/shared/{token}/page/tiles/{tile}", "/shared/§/page/tiles/§")]
            + [
                ("/shared/{token}/board", link, "/shared/§/board"),
                ("/art/shared/{share}", "/art/shared/§", "/art/shared/§"),
            ]
            .flatMap {
                template, known, unknown in
                [
                    Case(.get, template, known, unknown),
                    Case(.get, "\(template)/state", "\(known)/state?§=§", "\(unknown)/state"),
                    Case(.get, "\(template)/entries", "\(known)/entries?since=§", "\(known)/entries?since=0&epoch=§"),
                    Case(.get, "\(template)/drawing.svg", "\(known)/drawing.svg?v=§", "\(unknown)/drawing.svg"),
                    Case(.get, "\(template)/emoji.json", "\(known)/emoji.json?q=§", "\(unknown)/emoji.json"),
                    Case(.get, "\(template)/picture/{hash}", "\(known)/picture/§", "\(unknown)/picture/a"),
                    Case(.post, "\(template)/operations", "\(known)/operations", "\(unknown)/operations", json: batch),
                    Case(.post, "\(template)/presence", "\(known)/presence", "\(unknown)/presence", json: presence),
                    Case(.post, "\(template)/background/retry", "\(unknown)/background/retry", fields: ["id": "a"]),
                ]
            }
    }

    @Test func hostileValuesCauseNoServerError() async throws {
        try await PeopleServer.test { people, anna, bert in
            _ = try await anna.send(.post, "/samples")
            #expect(try await anna.status(.post, "/art/boards", "name=Farm&example=1") == 303)
            let board = try #require(try await people.workspace.sqlite("SELECT id FROM art_board LIMIT 1").first)
            let page = try #require(
                try await people.workspace.sqlite("SELECT id FROM library_page WHERE state = 'found' LIMIT 1").first)
            func link(_ path: String, _ access: String) async throws -> String {
                let text = try await anna.send(.post, "/sharing/\(path)/links", "access=\(access)&days=7").text
                return try #require(text.firstMatch(of: /(\/shared\/[0-9a-f]{64}\/\w+)"/)).output.1.description
            }
            let cases = Self.cases(
                board: board, page: page, link: try await link("board/\(board)", "edit"),
                pageLink: try await link("page/\(page)", "view"))
            var failures: [String] = []
            var answered = 0
            for test in cases {
                for value in HostileRequests.values {
                    for path in test.paths(value) {
                        for body in test.method == .get ? [""] : test.bodies(value) {
                            let type = test.json == nil ? "application/x-www-form-urlencoded" : "application/json"
                            let status = try await anna.send(test.method, path, body, type: type).status.code
                            if status != 429 { answered += 1 }
                            if !(200..<500).contains(status) {
                                failures.append("\(test.method) \(path.prefix(100)) responds with \(status)")
                            }
                        }
                    }
                }
            }
            #expect(failures.isEmpty, "\(failures.prefix(20).joined(separator: "\n"))")
            // Some are limited like passwords.
            #expect(answered > 1_000)
            // Every other route waits for events or for a worker, or ends sessions.
            let known = Set(cases.map { "\($0.method) \($0.template)" })
            let missing = people.server.site.routes.filter { route in
                Self.prefixes.contains { route.contains(" \($0)") } && !known.contains(route)
            }
            #expect(missing.sorted() == Self.others)
            // Anna has sent more requests than a person may within a minute.
            #expect(try await [200, 429].contains(anna.status(.get, "/account")))
            #expect(try await bert.status(.get, "/account") == 200)
        }
    }

    private static let others = [
        "GET /art/shared/{share}/events", "GET /shared/{token}/board/events", "GET /sharing/events",
        "POST /account/sessions/end-others", "POST /art/shared/{share}/pictures", "POST /shared/{token}/board/pictures",
        "POST /sign-out",
    ]
}
