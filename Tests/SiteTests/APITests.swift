import Accounts
import Foundation
import Futures
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Persistence
import StoreTesting
import Testing

@testable import Site

/// A site with an API of two apps, whose routes respond with the owner.
private struct Fixture {
    let folder: TemporaryFolder
    let database: AppDatabase
    let signIn: SignIn
    let time = ManualDate()
    /// How often a request has changed something.
    let changes = Counter()

    final class Counter: Sendable {
        private let count = Lock(0)
        var value: Int { count.withLock { $0 } }
        func increment() { count.withLock { $0 += 1 } }
    }

    init() async throws {
        folder = try TemporaryFolder()
        database = try await AppDatabase.open(
            in: try DataFolder.open(at: folder.path), migrations: SQLiteAccountStore.migrations)
        signIn = SignIn(
            store: SQLiteAccountStore(database: database),
            hasher: PasswordHasher(cost: ScryptCost(logRounds: 4, blockSize: 1, parallelism: 1)),
            now: { [time] in time.now })
    }

    private struct Body: Decodable {
        var name: String
        var at: Date?
    }

    func site(isRequired: Bool = false, hasSignIn: Bool = true) throws -> some ApplicationProtocol {
        let apps = ["one", "two"].map { name in
            var app = SiteApp(name: name, path: "/\(name)/", summary: "Tests.")
            app.api = SiteAPI(
                name: name,
                description: Array(
                    #"{"paths":{"/things":{"get":{"summary":"Lists <things>"},"post":{}}},"schemas":{"\#(name)":{}}}"#
                        .utf8
                ))
            return app
        }
        return try SiteServer(
            configuration: SiteConfiguration(
                port: 80, apps: apps, signIn: hasSignIn ? SiteSignIn(signIn, isRequired: isRequired) : nil),
            logger: .quiet
        ) { router, _ in
            for app in apps {
                guard let description = app.api else { continue }
                let api = router.api(description)
                api.get("/things") { request, context in
                    let query = try APIQuery(request, known: ["limit", "deleted"])
                    return "\(context.owner) \(try query.limit) \(try query.flag("deleted"))"
                }
                api.post("/things") { request, context in
                    let body = try await APIJSON.decode(Body.self, from: request, context)
                    if body.name == "refused" { throw Problem(.unprocessableContent, title: "No", detail: "No.") }
                    changes.increment()
                    if body.name == "fails" { throw CancellationError() }
                    return try APIJSON.response(
                        ["owner": "\(context.owner)", "name": body.name, "count": "\(changes.value)"], status: .created,
                        headers: [.location: "/somewhere"])
                }
            }
            router.get("/page") { _, context in "\(context.owner)" }
        }.application()
    }

    func token(_ owner: OwnerID = .local, _ scopes: [String] = ["one:write"]) async throws -> String {
        try await signIn.addToken(of: owner, named: "Test", scopes: Set(scopes.compactMap { APIScope($0) }), days: 1)
            .secret.text
    }
}

extension TestClientProtocol {
    fileprivate func get(_ path: String, _ token: String?, _ headers: HTTPFields = [:]) async throws -> TestResponse {
        var headers = headers
        headers[.authorization] = token.map { "Bearer \($0)" }
        return try await execute(uri: path, method: .get, headers: headers)
    }

    fileprivate func post(
        _ path: String, _ token: String?, _ json: String = #"{"name":"a"}"#, key: String? = nil,
        _ headers: HTTPFields = [.contentType: "application/json"]
    ) async throws -> TestResponse {
        var headers = headers
        headers[.authorization] = token.map { "Bearer \($0)" }
        if let key { headers[try #require(HTTPField.Name("Idempotency-Key"))] = key }
        return try await execute(uri: path, method: .post, headers: headers, body: ByteBuffer(string: json))
    }
}

extension TestResponse {
    fileprivate var text: String { String(buffer: body) }
    fileprivate var type: String? { headers[.contentType] }
}

private let things = "/api/v1/one/things"

@Suite(.timeLimit(.minutes(10))) struct APITests {
    // MARK: Tokens

    @Test func tokenOpensTheAPIWithoutAccounts() async throws {
        let fixture = try await Fixture()
        let token = try await fixture.token()
        try await fixture.site().test(.router) { client async throws in
            #expect(try await client.get(things, token).text == "local 50 false")
            let created = try await client.post(things, token)
            #expect(created.status == .created && created.text.contains(#""owner":"local""#))
        }
        // A site that others can reach needs accounts first.
        try await fixture.site(isRequired: true).test(.router) { client async throws in
            #expect(try await client.get(things, token).status == .forbidden)
        }
    }

    @Test func tokenOpensOnlyItsOwnersData() async throws {
        let fixture = try await Fixture()
        let password = try #require(Password("correct horse"))
        var tokens: [(OwnerID, String)] = []
        let old = try await fixture.token()
        for name in ["anna", "bert"] {
            let account = try await fixture.signIn.add(
                try #require(AccountName(name)), password, isAdministrator: true)
            tokens.append((account.owner, try await fixture.token(account.owner)))
        }
        try await fixture.site().test(.router) { [tokens] client async throws in
            for (owner, token) in tokens {
                #expect(try await client.get(things, token).text == "\(owner) 50 false")
            }
            #expect(try await client.get(things, old).status == .unauthorized)
            try await fixture.signIn.store.remove(tokens[0].0)
            #expect(try await client.get(things, tokens[0].1).status == .unauthorized)
        }
    }

    @Test(arguments: [
        "", "x", "meanwhile_", "meanwhile_" + String(repeating: "0", count: 64), String(repeating: "0", count: 64),
        String(repeating: "x", count: 5_000),
    ])
    func wrongTokenIsRefused(token: String) async throws {
        let fixture = try await Fixture()
        _ = try await fixture.token()
        try await fixture.site().test(.router) { client async throws in
            for response in [try await client.get(things, token), try await client.post(things, token)] {
                #expect(response.status == .unauthorized)
                #expect(response.headers[.wwwAuthenticate]?.hasPrefix("Bearer") == true)
                #expect(response.type == "application/problem+json")
                #expect(response.headers[.cacheControl] == "no-store")
            }
            #expect(fixture.changes.value == 0)
        }
    }

    @Test func expiredAndRemovedTokensAreRefused() async throws {
        let fixture = try await Fixture()
        let (first, second) = (try await fixture.token(), try await fixture.token())
        try await fixture.site().test(.router) { client async throws in
            #expect(try await client.get(things, first).status == .ok)
            for token in try await fixture.signIn.store.tokens(of: .local, at: fixture.time.now)
            where token.usedAt != nil {
                _ = try await fixture.signIn.store.removeToken(token.id, of: .local)
            }
            #expect(try await client.get(things, first).status == .unauthorized)
            #expect(try await client.get(things, second).status == .ok)
            fixture.time.advance(by: 24 * 3_600)
            #expect(try await client.get(things, second).status == .unauthorized)
        }
    }

    @Test func scopeIsNotEscaped() async throws {
        let fixture = try await Fixture()
        let reader = try await fixture.token(.local, ["one:read", "two:read"])
        let writer = try await fixture.token(.local, ["one:write"])
        try await fixture.site().test(.router) { client async throws in
            #expect(try await client.get(things, reader).status == .ok)
            let refused = try await client.post(things, reader)
            #expect(refused.status == .forbidden && refused.text.contains("one:write"))
            #expect(refused.headers[.wwwAuthenticate]?.contains("insufficient_scope") == true)
            #expect(try await client.get(things, writer).status == .ok)
            #expect(try await client.post(things, writer).status == .created)
            // No spelling of the path, and no header that other frameworks know, leads to the other app.
            for path in [
                "/api/v1/two/things", "//api/v1/two/things", "/api//v1//two//things", "/api/v1/one/../two/things",
                "/api/v1/two/things/", "/api/v1/two/things?app=one", "/api/v1/%74wo/things", "/API/v1/two/things",
                "/api/v1/one%2f..%2ftwo/things", "/api/v1/two/things#/api/v1/one",
            ] {
                for response in [try await client.get(path, writer), try await client.post(path, writer)] {
                    #expect([401, 403, 404].contains(response.status.code), "\(path): \(response.status)")
                }
            }
            let override: HTTPFields = [
                .contentType: "application/json", try #require(HTTPField.Name("X-HTTP-Method-Override")): "GET",
                try #require(HTTPField.Name("X-Original-URL")): "/api/v1/one/things",
            ]
            #expect(try await client.post(things, reader, #"{"name":"a"}"#, override).status == .forbidden)
            #expect(fixture.changes.value == 1)
        }
    }

    // MARK: Cookies and other sites

    @Test func cookieOpensNoAPI() async throws {
        let fixture = try await Fixture()
        _ = try await fixture.signIn.add(
            try #require(AccountName("anna")), try #require(Password("correct horse")), isAdministrator: true)
        let session = try await fixture.signIn.signIn("anna", try #require(Password("correct horse")), device: "").token
        try await fixture.site().test(.router) { client async throws in
            var headers: HTTPFields = [.contentType: "application/json", .cookie: "meanwhile-session=\(session.text)"]
            headers[.secFetchSite] = "same-origin"
            for path in [things, "//api/v1/one/things", "/api//v1/one/things"] {
                #expect(try await client.get(path, nil, headers).status == .unauthorized)
                #expect(try await client.post(path, nil, #"{"name":"a"}"#, headers).status == .unauthorized)
            }
            // Neither does a session's secret in place of a token.
            #expect(try await client.get(things, session.text).status == .unauthorized)
            #expect(try await client.get(things, "meanwhile_\(session.text)").status == .unauthorized)
            #expect(fixture.changes.value == 0)
        }
    }

    @Test func tokenOpensNoPage() async throws {
        let fixture = try await Fixture()
        let account = try await fixture.signIn.add(
            try #require(AccountName("anna")), try #require(Password("correct horse")), isAdministrator: true)
        let token = try await fixture.token(account.owner)
        try await fixture.site().test(.router) { client async throws in
            for path in ["/page", "/account", "/account/tokens", "/api", "/api/", "/api/../page"] {
                let status = try await client.get(path, token).status.code
                #expect([401, 404].contains(status), "\(path)")
            }
            #expect(try await client.post("/account/tokens", token).status != .ok)
        }
    }

    @Test func siteOfOnePersonWithoutTokensChecksTheOrigin() async throws {
        let fixture = try await Fixture()
        try await fixture.site(hasSignIn: false).test(.router) { client async throws in
            #expect(try await client.get(things, nil).text == "local 50 false")
            #expect(try await client.post(things, nil).status == .forbidden)
            #expect(try await client.post(things, "meanwhile_x").status == .forbidden)
        }
    }

    // MARK: Repeated requests

    private static let key = "8e03978e-40d5-43dd-bc93-6894a57f9324"

    @Test func repeatedRequestIsPerformedOnce() async throws {
        let fixture = try await Fixture()
        let (token, other) = (try await fixture.token(), try await fixture.token(.local, ["two:write"]))
        try await fixture.site().test(.router) { client async throws in
            let first = try await client.post(things, token, key: Self.key)
            let second = try await client.post(things, token, key: Self.key)
            #expect(first.status == .created && second.status == .created)
            #expect(first.text == second.text && second.headers[.location] == "/somewhere")
            #expect(second.type == "application/json")
            #expect(fixture.changes.value == 1)
            let different = try await client.post(things, token, #"{"name":"b"}"#, key: Self.key)
            #expect(different.status == .unprocessableContent)
            #expect(try await client.post("/api/v1/two/things", other, key: Self.key).status == .unprocessableContent)
            // The token's scope is checked before the stored response is sent.
            #expect(try await client.post(things, other, key: Self.key).status == .forbidden)
            #expect(fixture.changes.value == 1)
            #expect(try await client.post(things, token, key: "other").status == .created)
            #expect(try await client.post(things, token).status == .created)
            #expect(fixture.changes.value == 3)
            #expect(try await client.post(things, token, key: "a b").status == .badRequest)
        }
    }

    @Test func refusedRequestCanBeRepeated() async throws {
        let fixture = try await Fixture()
        let token = try await fixture.token()
        try await fixture.site().test(.router) { client async throws in
            for _ in 0..<2 {
                let refused = try await client.post(things, token, #"{"name":"refused"}"#, key: Self.key)
                #expect(refused.status == .unprocessableContent && refused.text.contains("No."))
            }
            #expect(try await client.post(things, token, key: Self.key).status == .created)
        }
    }

    @Test func requestWithAnUnknownOutcomeIsNotPerformedAgain() async throws {
        let fixture = try await Fixture()
        let token = try await fixture.token()
        try await fixture.site().test(.router) { client async throws in
            let failed = try await client.post(things, token, #"{"name":"fails"}"#, key: Self.key)
            #expect(failed.status.code >= 500)
            let again = try await client.post(things, token, #"{"name":"fails"}"#, key: Self.key)
            #expect(again.status == .conflict && fixture.changes.value == 1)
        }
    }

    // MARK: Messages

    @Test func wrongBodiesAreProblems() async throws {
        let fixture = try await Fixture()
        let token = try await fixture.token()
        try await fixture.site().test(.router) { client async throws in
            for (body, status) in [
                ("", 400), ("{", 400), ("\u{0}", 400), (String(repeating: "[", count: 100_000), 400),
                ("{}", 422), (#"{"name":1}"#, 422), (#"{"name":null}"#, 422), ("[]", 422), ("1", 422),
                (#"{"name":"a","at":"yesterday"}"#, 422), (#"{"name":"a","at":1}"#, 422),
                (#"{"name":"\#(String(repeating: "a", count: 300_000))"}"#, 413),
            ] {
                let response = try await client.post(things, token, body)
                #expect(response.status.code == status, "\(body.prefix(30)): \(response.text)")
                #expect(response.type == "application/problem+json")
            }
            let field = try await client.post(things, token, #"{"name":1}"#)
            #expect(field.text.contains(#""field":"name""#))
            for type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"] {
                let response = try await client.post(things, token, #"{"name":"a"}"#, [.contentType: type])
                #expect(response.status == .unsupportedMediaType)
            }
            #expect(fixture.changes.value == 0)
        }
    }

    @Test func wrongParametersAreProblems() async throws {
        let fixture = try await Fixture()
        let token = try await fixture.token()
        try await fixture.site().test(.router) { client async throws in
            for query in [
                "limit=0", "limit=201", "limit=-1", "limit=x", "limit=", "limit=1&limit=2", "limit=%2B1", "limit=٣",
                "deleted=1", "deleted=TRUE", "unknown=1",
            ] {
                let response = try await client.get("\(things)?\(query)", token)
                #expect(response.status == .badRequest, "\(query)")
            }
            #expect(try await client.get("\(things)?limit=200&deleted=true", token).text == "local 200 true")
        }
    }

    @Test func momentsAreThoseOfRFC3339() {
        #expect(APIJSON.date("2026-11-28T08:30:00Z")?.timeIntervalSince1970 == 1_795_854_600)
        #expect(APIJSON.date("2026-11-28T09:30:00.250+01:00")?.timeIntervalSince1970 == 1_795_854_600.25)
        #expect(APIJSON.date("2026-11-28t08:30:00z") != nil)
        for text in [
            "", "2026-11-28", "2026-11-28 08:30", "2026-13-28T08:30:00Z", "1e9", "2026-11-28T08:30:00",
            "2026-11-28T08:99:00Z",
            "2026-11-28T24:00:00Z", "2026-11-28T08:30:60Z", "2026-02-29T08:30:00Z", "2026-11-28T08:30:00+24:00",
            "2026-11-28T08:30:00+01:60", "٢٠٢٦-11-28T08:30:00Z",
        ] {
            #expect(APIJSON.date(text) == nil, "\(text)")
        }
        let date = Date(timeIntervalSince1970: 1_795_854_600.25)
        #expect(APIJSON.text(date) == "2026-11-28T08:30:00.250Z")
    }

    // MARK: The description and the pages

    @Test func descriptionContainsAllApps() async throws {
        let fixture = try await Fixture()
        try await fixture.site(isRequired: true).test(.router) { client async throws in
            let response = try await client.get("/api/openapi.json", nil)
            #expect(response.status == .ok && response.type == "application/json")
            let object = try JSONSerialization.jsonObject(with: Data(response.text.utf8)) as? [String: Any]
            let paths = try #require(object?["paths"] as? [String: Any])
            #expect(Set(paths.keys) == ["/api/v1/one/things", "/api/v1/two/things"])
            let tag = try #require(response.headers[.eTag])
            #expect(try await client.get("/api/openapi.json", nil, [.ifNoneMatch: tag]).status == .notModified)
        }
        try await fixture.site().test(.router) { client async throws in
            let page = try await client.get("/api", nil, [.accept: "text/html"])
            #expect(page.text.contains("GET /api/v1/one/things") && page.text.contains("Lists &lt;things&gt;"))
            #expect(page.text.contains("/account/tokens"))
        }
    }

    @Test func personMakesAndRemovesATokenOnAPage() async throws {
        let fixture = try await Fixture()
        try await fixture.site().test(.router) { client async throws in
            var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded", .accept: "text/html"]
            headers[.secFetchSite] = "same-origin"
            func submit(_ path: String, _ form: String) async throws -> TestResponse {
                try await client.post(path, nil, form, headers)
            }
            let made = try await submit(
                "/account/tokens", "name=%3Cb%3EMy+script&scope%5Bone%5D=read&scope%5Btwo%5D=&days=30")
            #expect(made.status == .ok && made.headers[.cacheControl] == "no-store")
            let secret = try #require(made.text.firstMatch(of: /meanwhile_[0-9a-f]{64}/)).output
            #expect(try await client.get(things, String(secret)).status == .ok)
            #expect(try await client.post(things, String(secret)).status == .forbidden)
            let page = try await client.get("/account/tokens", nil, [.accept: "text/html"])
            #expect(page.text.contains("&lt;b&gt;My script") && !page.text.contains(secret))
            let id = try #require(page.text.firstMatch(of: /name="token" value="([0-9a-f-]+)"/)).output.1
            for (form, status) in [
                ("name=a&days=30", 422), ("name=&scope[one]=read&days=30", 422), ("name=a&scope[one]=read&days=0", 422),
                ("name=a&scope[one]=admin&days=30", 422), ("name=a&scope[three]=read&days=30", 422),
                ("name=a&scope[one]=read&days=99999999999999999999", 422), ("scope=a", 400),
            ] {
                #expect(try await submit("/account/tokens", form).status.code == status, "\(form)")
            }
            headers[.secFetchSite] = "cross-site"
            #expect(try await submit("/account/tokens/remove", "token=\(id)").status == .forbidden)
            headers[.secFetchSite] = "same-origin"
            #expect(try await submit("/account/tokens/remove", "token=x").status == .notFound)
            #expect(try await submit("/account/tokens/remove", "token=\(id)").status == .seeOther)
            #expect(try await client.get(things, String(secret)).status == .unauthorized)
        }
    }
}
