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

/// A server in this process, without workers, with two people: Anna, who administers it, and Bert.
struct PeopleServer {
    let workspace: Workspace
    let server: Server
    let signIn: SignIn
    let (anna, bert): (Person, Person)

    struct Person: Sendable {
        let account: Account
        /// The cookie of a session.
        let cookie: String

        var owner: OwnerID { account.owner }
    }

    /// Runs the body with a server, on which people may also sign in at a provider.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - hasBackups: Whether the server makes backups, in the workspace.
    ///   - body: The test.
    /// - Throws: The body's error.
    static func run(
        provider: SiteProvider? = nil, hasBackups: Bool = false, _ body: (PeopleServer) async throws -> Void
    ) async throws {
        try await Workspace.with { workspace in
            let folder = try DataFolder.open(at: workspace.data)
            let database = try await AppDatabase.open(in: folder, migrations: DatabaseSchema.migrations)
            defer { database.close() }
            let signIn = SignIn(cheaplyIn: database)
            func add(_ name: String, isAdministrator: Bool) async throws -> Person {
                let password = try #require(Password("correct horse"))
                let account = try await signIn.add(
                    try #require(AccountName(name)), password, isAdministrator: isAdministrator)
                let token = try await signIn.signIn(name, password, device: "Test").token
                return Person(account: account, cookie: "meanwhile-session=\(token.text)")
            }
            let anna = try await add("anna", isAdministrator: true)
            let bert = try await add("bert", isAdministrator: false)
            let backups =
                hasBackups ? BackupSettings(folder: "\(workspace.root)/backups", interval: 86_400) : nil
            let server = try await Server.openWithoutWorkers(in: folder, provider: provider, backups: backups)
            do {
                try await body(
                    PeopleServer(workspace: workspace, server: server, signIn: signIn, anna: anna, bert: bert))
            } catch {
                await server.close()
                throw error
            }
            await server.close()
        }
    }

    /// Runs the body with a server, and the requests of Anna and Bert.
    static func test(
        hasBackups: Bool = false,
        _ body: @Sendable (PeopleServer, _ anna: Visitor, _ bert: Visitor) async throws -> Void
    ) async throws {
        try await run(hasBackups: hasBackups) { people in
            try await people.server.site.application().test(.router) { client in
                try await body(
                    people, Visitor(client: client, cookie: people.anna.cookie),
                    Visitor(client: client, cookie: people.bert.cookie))
            }
        }
    }
}

/// A browser that sends requests to a server's router.
struct Visitor: Sendable {
    private static let form = "application/x-www-form-urlencoded"

    let client: any TestClientProtocol
    /// The cookie of its session; `nil` without a session.
    var cookie: String?

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: String = "", type: String = Self.form,
        accept: String = "text/html"
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.accept: accept, .contentType: type]
        headers[.cookie] = cookie
        headers[try #require(HTTPField.Name("Sec-Fetch-Site"))] = "same-origin"
        return try await client.execute(
            uri: path, method: method, headers: headers, body: method == .get ? nil : ByteBuffer(string: body))
    }

    func text(_ path: String) async throws -> String { (try await send(.get, path)).text }

    func status(_ method: HTTPRequest.Method, _ path: String, _ body: String = "") async throws -> Int {
        try await send(method, path, body, type: body.hasPrefix("{") ? "application/json" : Self.form).status.code
    }
}

extension TestResponse {
    /// The body.
    var text: String { String(buffer: body) }
}
