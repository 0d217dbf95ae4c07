import Accounts
import BrowserDriver
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Site
import Testing

@testable import Meanwhile

/// What the server writes into the audit log.
@Suite(.serialized, .timeLimit(.minutes(10))) struct AuditWalkTests {
    /// A route that was renamed would no longer be recorded.
    @Test func everyAuditedRouteExists() async throws {
        try await PeopleServer.run { people in
            let routes = Set(people.server.site.routes)
            let missing = AuditModule.routes.keys.filter { !routes.contains($0) }
            #expect(missing.isEmpty, "\(missing)")
        }
    }

    @Test func accessThatIsGivenAndTakenIsRecorded() async throws {
        try await PeopleServer.test { people, anna, bert in
            #expect(try await anna.status(.post, "/art/boards", "name=Farm&example=1") == 303)
            let board = try await people.first("art_board")
            _ = try await anna.send(.post, "/sharing/board/\(board)/links", "access=view&days=7")
            _ = try await anna.send(.post, "/sharing/board/\(board)/people", "name=bert&access=edit")
            // No account has this name.
            _ = try await anna.send(.post, "/sharing/board/\(board)/people", "name=carl&access=edit")
            let link = try await people.first("share", "person IS NULL")
            // Bert can't end it, and nothing is recorded.
            _ = try await bert.send(.post, "/sharing/revoke", "share=\(link)")
            _ = try await anna.send(.post, "/sharing/revoke", "share=\(link)")
            _ = try await anna.send(.post, "/sharing/revoke", "share=\(link)")
            let right = try await people.first("share")
            _ = try await bert.send(.post, "/sharing/leave", "share=\(right)")

            let form = "name=Backups&scope%5Blibrary%5D=read&days=7"
            let made = try await anna.send(.post, "/account/tokens", form).text
            let secret = try #require(made.firstMatch(of: /<code id="secret">([^<]+)</)).output.1
            _ = try await anna.send(.post, "/account/tokens", "name=&days=7")
            let token = try await people.first("account_token")
            _ = try await bert.send(.post, "/account/tokens/remove", "token=\(token)")
            _ = try await anna.send(.post, "/account/tokens/remove", "token=\(token)")

            #expect(try await anna.status(.get, "/coffee/") == 200)
            try await eventually("Coffee Tracker has asked for access") {
                try await anna.text("/coffee/health").contains("Wants to write")
            }
            let access = "source=coffee-tracker&type=dietaryCaffeine&direction=share"
            for decision in ["grant", "revoke", "eat"] {
                _ = try await anna.send(.post, "/coffee/health", "\(access)&decision=\(decision)")
            }
            let hers: Set = [
                "shareMade “Farm” by a link", "shareMade “Farm” with bert", "shareRevoked Farm", "tokenMade Backups",
                "tokenRevoked Backups", "accessGranted Coffee Tracker", "accessRevoked Coffee Tracker",
            ]
            let recorded = try await people.entries(seenBy: anna, of: people.anna)
            #expect(recorded == hers)
            #expect(try await people.entries(seenBy: bert, of: people.bert) == ["shareRevoked Farm"])
            let page = try await anna.text("/activity?topic=access&of=mine&here=1")
            #expect(page.contains("“Farm” with bert") && !page.contains(secret))
        }
    }

    @Test func deletionsByAppsAndScriptsAreRecorded() async throws {
        try await PeopleServer.test { people, anna, _ in
            let scopes = Set(["library:write", "art:write", "coffee:write"].compactMap { APIScope($0) })
            let secret = try await people.signIn.addToken(of: people.anna.owner, named: "Test", scopes: scopes).secret
            func script(_ method: HTTPRequest.Method, _ path: String, _ json: String = "{}") async throws -> Int {
                try await anna.client.execute(
                    uri: "/api/v1/\(path)", method: method,
                    headers: [.authorization: "Bearer \(secret.text)", .contentType: "application/json"],
                    body: ByteBuffer(string: json)
                ).status.code
            }
            #expect(try await script(.post, "library/pages", #"{"url":"https://a.example/","formats":["png"]}"#) == 201)
            #expect(try await script(.post, "art/boards", #"{"name":"Farm"}"#) == 201)
            #expect(try await script(.post, "coffee/drinks", #"{"kind":"sourced/espresso"}"#) == 201)
            let page = "library/pages/\(try await people.first("library_page"))"
            let board = "art/boards/\(try await people.first("art_board"))"
            #expect(try await script(.delete, page) == 204)
            #expect(try await script(.post, "\(page)/restore") == 200)
            let id = String(page.trimmingPrefix("library/pages/"))
            #expect(try await script(.post, "library/selection/delete", #"{"pages":["\#(id)"]}"#) == 200)
            #expect(try await script(.post, "library/selection/restore", #"{"undo":"1.5"}"#) == 410)
            #expect(try await script(.delete, board) == 204)
            #expect(try await script(.post, "\(board)/restore") == 200)
            #expect(try await script(.delete, "coffee/drinks/\(UUID().uuidString)") == 404)
            // A page of Coffee Tracker that was without a connection.
            let start = Int(Date.now.timeIntervalSince1970) - 600
            let stored = """
                {"drink":{"id":"\(UUID().uuidString)","name":"Espresso","emoji":"☕️","milligrams":80,"start":\(start),"timeZone":"UTC"},\
                "isDeleted":true,"replaced":[]}
                """
            let change = "change=" + (stored.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
            let answer = try await anna.send(.post, "/coffee/offline", change, accept: "application/problem+json")
            #expect(answer.status == .ok, "\(answer.text)")
            let entries: Set = [
                "deleted Saved page", "restored Saved page", "deleted Board", "restored Board", "deleted Drink",
                "deleted \(AuditedWords.pages)",
            ]
            let recorded = try await people.entries(seenBy: anna, of: people.anna)
            #expect(recorded == entries)
        }
    }
}

extension PeopleServer {
    /// The identifier of the first row of a table.
    fileprivate func first(_ table: String, _ condition: String = "1") async throws -> String {
        let rows = try await workspace.sqlite("SELECT id FROM \(table) WHERE \(condition) LIMIT 1")
        return try #require(rows.first, "\(table)")
    }

    /// What the audit log says of a person who looks at it; equal entries count once.
    fileprivate func entries(seenBy visitor: Visitor, of person: Person) async throws -> Set<String> {
        #expect(try await visitor.status(.get, "/activity") == 200)
        return Set(
            try await workspace.sqlite(
                "SELECT action || ' ' || subject FROM account_audit WHERE owner = '\(person.owner)'"))
    }
}
