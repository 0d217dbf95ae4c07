import Accounts
import FakeProvider
import Foundation
import HTTPTypes
import HummingbirdTesting
import OpenIDConnect
import Persistence
import Site
import Testing

@testable import Meanwhile

/// A `PeopleServer` that listens, so that browsers can open its pages, with a provider at which people can sign in.
struct PeopleSite: Sendable {
    let people: PeopleServer
    /// The requests of Anna and Bert.
    let (anna, bert): (Visitor, Visitor)
    let port: Int
    let issuer: String

    var origin: String { "http://localhost:\(port)" }

    /// Runs the body with a site.
    static func run(_ body: (PeopleSite) async throws -> Void) async throws {
        try await FakeProvider.run { provider in
            let configuration = try OpenIDProvider.Configuration(
                issuer: provider.issuer, clientID: "site", name: "Home")
            let home = SiteProvider(
                OpenIDProvider(configuration, timeLimit: .seconds(600)), createsAccounts: true)
            try await PeopleServer.run(provider: home) { people in
                try await people.listen { port, client in
                    try await body(
                        PeopleSite(
                            people: people, anna: Visitor(client: client, cookie: people.anna.cookie),
                            bert: Visitor(client: client, cookie: people.bert.cookie), port: port,
                            issuer: provider.issuer))
                }
            }
        }
    }
}

extension PeopleServer {
    /// Runs the body while the server listens, with the port and a client of its router.
    fileprivate func listen(_ body: (_ port: Int, any TestClientProtocol) async throws -> Void) async throws {
        let (starts, start) = AsyncStream.makeStream(of: (Int, any TestClientProtocol).self)
        let (ends, end) = AsyncStream.makeStream(of: Never.self)
        async let listening: Void = {
            defer { start.finish() }
            let application = server.site.application()
            try await application.test(.live) { listening in
                let port = try #require(listening.port)
                try await application.test(.router) { client in
                    start.yield((port, client))
                    for await _ in ends {}
                }
            }
        }()
        var failure: (any Error)?
        if let (port, client) = await starts.first(where: { _ in true }) {
            do { try await body(port, client) } catch { failure = error }
        }
        end.finish()
        try await listening
        if let failure { throw failure }
    }
}

// MARK: - What the site stores

extension PeopleSite {
    /// Returns whether a query of the database has one row, which has this value.
    func has(_ value: String, _ query: String) async throws -> Bool {
        try await people.workspace.sqlite(query) == [value]
    }

    /// The number of Anna's sessions.
    func hasSessions(_ count: Int) async throws -> Bool {
        try await has("\(count)", "SELECT count(*) FROM account_session WHERE owner = '\(people.anna.owner.rawValue)'")
    }

    /// Signs Anna in, on another device.
    func signInAnna(_ text: String = "correct horse") async throws {
        let password = try #require(Password(text))
        _ = try await people.signIn.signIn("anna", password, device: "Phone")
    }

    /// Adds a board of Anna's, and returns its path in `/sharing`.
    func addBoard() async throws -> String {
        #expect(try await anna.status(.post, "/art/boards", "name=Farm&example=1") == 303)
        let ids = try await people.workspace.sqlite("SELECT id FROM art_board")
        return "/sharing/board/\(try #require(ids.first))"
    }

    /// Adds a saved page of Anna's, and returns its path in `/sharing`.
    func addSavedPage() async throws -> String {
        #expect(try await anna.status(.post, "/samples") == 303)
        let ids = try await people.workspace.sqlite("SELECT id FROM library_page WHERE state = 'found'")
        return "/sharing/page/\(try #require(ids.first))"
    }

    /// Shares something of Anna's by a link, and returns the link's path.
    func link(to path: String, _ access: String = "view") async throws -> String {
        let text = try await anna.send(.post, "\(path)/links", "access=\(access)&days=7").text
        let link = /value="http:\/\/[^\/"]*(\/shared\/[0-9a-f]{64}\/\w+)"/
        return try #require(text.firstMatch(of: link)).output.1.description
    }

    /// Shares something of Anna's with Bert.
    func shareWithBert(_ path: String) async throws {
        #expect(try await anna.status(.post, "\(path)/people", "name=bert&access=view") == 303)
    }

    /// Adds a token of Anna's.
    func addToken() async throws {
        #expect(try await anna.status(.post, "/account/tokens", "name=Backup&scope[art]=read&days=7") == 200)
    }

    /// The cookies of Anna's browser.
    var annasCookies: [String: String] { Self.cookies(people.anna.cookie) }
    /// The cookies of Bert's browser.
    var bertsCookies: [String: String] { Self.cookies(people.bert.cookie) }

    private static func cookies(_ text: String) -> [String: String] {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        return [parts[0]: parts[1]]
    }
}
