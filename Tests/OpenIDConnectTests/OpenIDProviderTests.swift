import FakeProvider
import FaultServer
import Foundation
import StoreTesting
import Testing

@testable import OpenIDConnect

/// Signing in at a provider that answers as it should, and at ones that don't.
@Suite(.timeLimit(.minutes(10))) struct OpenIDProviderTests {
    private static let callback = "https://pages.example.com/sign-in/provider/callback"

    private static func client(
        of provider: FakeProvider, secret: String? = nil, time: ManualDate = ManualDate(.now)
    ) throws -> OpenIDProvider {
        OpenIDProvider(
            try OpenIDProvider.Configuration(
                issuer: provider.issuer, clientID: "site", secret: secret, name: "Home"),
            timeLimit: .seconds(600), now: { time.now })
    }

    private static func answer(
        _ attempt: OpenIDAttempt, code: String? = "code", issuer: String? = nil, error: String? = nil
    ) -> OpenIDAnswer {
        OpenIDAnswer(code: code, state: attempt.state, issuer: issuer, error: error)
    }

    /// Signs in with the provider's current answers.
    private static func identify(_ client: OpenIDProvider, _ provider: FakeProvider) async throws -> OpenIDIdentity {
        let attempt = OpenIDAttempt()
        provider.expect(nonce: attempt.nonce)
        return try await client.identity(by: answer(attempt), to: attempt, callback: callback)
    }

    @Test func personIsIdentified() async throws {
        try await FakeProvider.run { provider in
            let client = try Self.client(of: provider, secret: "a secret+")
            let attempt = try #require(OpenIDAttempt(OpenIDAttempt().text))
            let url = try await client.signInURL(for: attempt, callback: Self.callback)
            let components = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
            let query = Dictionary(
                (components.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first }
            )
            #expect(url.absoluteString.hasPrefix("\(provider.issuer)/authorize?tenant=a%20b&response_type=code&"))
            #expect(query["redirect_uri"] == Self.callback && query["client_id"] == "site")
            #expect(query["state"] == attempt.state && query["nonce"] == attempt.nonce)
            #expect(query["code_challenge_method"] == "S256" && query["code_challenge"]?.count == 43)
            #expect(!url.absoluteString.contains(attempt.text.suffix(64)))
            provider.expect(nonce: attempt.nonce)
            let identity = try await client.identity(
                by: Self.answer(attempt, code: "a&b", issuer: provider.issuer), to: attempt, callback: Self.callback)
            #expect(
                identity
                    == OpenIDIdentity(
                        issuer: provider.issuer, subject: "person-1", preferredName: "Maria@example.com"))
            let exchange = try #require(provider.exchanges.first)
            let body = String(decoding: exchange.body, as: UTF8.self)
            #expect(body.contains("code=a%26b&") && body.contains("code_verifier=\(attempt.text.suffix(64))"))
            #expect(!body.contains("secret"))
            let pair = Data("site:a%20secret%2B".utf8).base64EncodedString()
            #expect(exchange.headers["authorization"] == "Basic \(pair)")
        }
    }

    @Test func secretIsSentInTheFormOnlyIfTheProviderWantsIt() async throws {
        try await FakeProvider.run { provider in
            provider.answer { $0.document["token_endpoint_auth_methods_supported"] = ["client_secret_post"] }
            _ = try await Self.identify(try Self.client(of: provider, secret: "secret"), provider)
            _ = try await Self.identify(try Self.client(of: provider), provider)
            let bodies = provider.exchanges.map { String(decoding: $0.body, as: UTF8.self) }
            #expect(bodies[0].contains("client_id=site&client_secret=secret"))
            #expect(bodies[1].contains("client_id=site") && !bodies[1].contains("secret"))
            #expect(provider.exchanges.allSatisfy { $0.headers["authorization"] == nil })
        }
    }

    private struct WrongToken: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var change: @Sendable (inout FakeProvider.Answers) -> Void

        init(_ name: String, _ change: @escaping @Sendable (inout FakeProvider.Answers) -> Void) {
            (testDescription, self.change) = (name, change)
        }
    }

    /// An ID token without a valid signature, with the claims of a valid one.
    private static func unsigned(_ header: String, _ signature: String = "") -> String {
        func encoded(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }
        let claims = #"{"iss":"i","sub":"s","aud":"site","exp":9999999999,"iat":1,"nonce":"n"}"#
        return "\(encoded(header)).\(encoded(claims)).\(signature)"
    }

    private static let wrongTokens = [
        WrongToken("another issuer") { $0.claims["iss"] = "https://other.example" },
        WrongToken("another audience") { $0.claims["aud"] = "other" },
        WrongToken("no audience") { $0.claims["aud"] = [] },
        WrongToken("several audiences without a party") { $0.claims["aud"] = ["site", "other"] },
        WrongToken("another party") {
            $0.claims["aud"] = ["site", "other"]
            $0.claims["azp"] = "other"
        },
        WrongToken("expired") { $0.claims["exp"] = .number(Date.now.timeIntervalSince1970 - 200) },
        WrongToken("of the future") { $0.claims["iat"] = .number(Date.now.timeIntervalSince1970 + 900) },
        WrongToken("a huge time") { $0.claims["exp"] = .text("9e999") },
        WrongToken("another nonce") { $0.claims["nonce"] = "other" },
        WrongToken("no nonce") { $0.claims["nonce"] = .some(nil) },
        WrongToken("no subject") { $0.claims["sub"] = .some(nil) },
        WrongToken("an empty subject") { $0.claims["sub"] = "" },
        WrongToken("a long subject") { $0.claims["sub"] = .text(String(repeating: "s", count: 256)) },
        WrongToken("a number as subject") { $0.claims["sub"] = 1.0 },
        WrongToken("no signature") { $0.token = unsigned(#"{"alg":"none"}"#) },
        WrongToken("signed by a secret") { $0.token = unsigned(#"{"alg":"HS256","kid":"one"}"#, "AAAA") },
        WrongToken("a wrong signature") {
            $0.token = unsigned(#"{"alg":"ES256","kid":"one"}"#, String(repeating: "A", count: 86))
        },
        WrongToken("a short signature") { $0.token = unsigned(#"{"alg":"ES256","kid":"one"}"#, "AA") },
        WrongToken("an unknown extension") { $0.token = unsigned(#"{"alg":"ES256","kid":"one","crit":["x"]}"#, "AA") },
        WrongToken("an unknown key") { $0.token = unsigned(#"{"alg":"ES256","kid":"none"}"#, "AA") },
        WrongToken("no text") { $0.token = "" },
        WrongToken("dots") { $0.token = "....." },
        WrongToken("a deep header") {
            $0.token = unsigned(String(repeating: #"{"a":"#, count: 5_000) + "1" + String(repeating: "}", count: 5_000))
        },
        WrongToken("no token") { $0.response = (200, "{}") },
        WrongToken("no JSON") { $0.response = (200, "<html>") },
        WrongToken("a refusal") { $0.response = (400, #"{"error":"invalid_grant"}"#) },
        WrongToken("markup as a refusal") { $0.response = (400, #"{"error":"<script>"}"#) },
        WrongToken("a large response") { $0.response = (200, String(repeating: " ", count: 2 << 20)) },
        WrongToken("no keys") { $0.keys = #"{"keys":[]}"# },
        WrongToken("keys of unknown kinds") {
            $0.keys = #"{"keys":[{"kty":"oct","kid":"one","k":"AAAA"},{"kty":"EC"},{}]}"#
        },
        WrongToken("a key for encryption") { $0.keys = #"{"keys":[{"kty":"EC","use":"enc","kid":"one"}]}"# },
        WrongToken("a point that isn't one") {
            $0.keys = #"{"keys":[{"kty":"EC","crv":"P-256","alg":"ES256","kid":"one","x":"AA","y":"AA"}]}"#
        },
        WrongToken("a short RSA key") {
            $0.keys = #"{"keys":[{"kty":"RSA","alg":"RS256","kid":"one","n":"AQAB","e":"AQAB"}]}"#
        },
        WrongToken("many keys") { $0.keys = "{\"keys\":[" + String(repeating: "{},", count: 200) + "{}]}" },
        WrongToken("another issuer's document") { $0.document["issuer"] = "https://other.example" },
        WrongToken("an endpoint without TLS") { $0.document["token_endpoint"] = "http://other.example/token" },
        WrongToken("an endpoint that is a script") { $0.document["jwks_uri"] = "javascript:alert(1)" },
        WrongToken("no endpoint") { $0.document["token_endpoint"] = .some(nil) },
    ]

    @Test(arguments: wrongTokens)
    private func wrongAnswerIdentifiesNobody(_ wrong: WrongToken) async throws {
        try await FakeProvider.run { provider in
            provider.answer(wrong.change)
            let client = try Self.client(of: provider)
            let error = await #expect(throws: OpenIDError.self) { _ = try await Self.identify(client, provider) }
            #expect(error?.description.contains("<script>") == false)
            // The next answer is a valid one; what was fetched before may be used for an hour.
            provider.answer { $0 = FakeProvider.Answers() }
            #expect(try await Self.identify(try Self.client(of: provider), provider).subject == "person-1")
        }
    }

    @Test func answerToAnotherAttemptIsRefused() async throws {
        try await FakeProvider.run { provider in
            let client = try Self.client(of: provider)
            let (attempt, other) = (OpenIDAttempt(), OpenIDAttempt())
            let answers = [
                Self.answer(other), Self.answer(attempt, code: nil), Self.answer(attempt, code: ""),
                Self.answer(attempt, code: String(repeating: "c", count: 5_000)),
                Self.answer(attempt, issuer: "https://other.example"),
                OpenIDAnswer(code: "code", state: nil, issuer: nil, error: nil),
                OpenIDAnswer(code: "code", state: "", issuer: nil, error: nil),
            ]
            for answer in answers {
                await #expect(throws: OpenIDError.otherAttempt) {
                    try await client.identity(by: answer, to: attempt, callback: Self.callback)
                }
            }
            await #expect(throws: OpenIDError.refused("access_denied")) {
                try await client.identity(
                    by: Self.answer(attempt, error: "access_denied"), to: attempt, callback: Self.callback)
            }
            #expect(provider.exchanges.isEmpty)
        }
    }

    @Test func newKeyIsFetchedOnceAMinute() async throws {
        try await FakeProvider.run { provider in
            let time = ManualDate(.now)
            let client = try Self.client(of: provider, time: time)
            provider.answer { $0.keys = provider.keySet(["one"]) }
            _ = try await Self.identify(client, provider)
            _ = try await Self.identify(client, provider)
            #expect(provider.keyFetches == 1)
            provider.answer {
                $0.keys = provider.keySet(["two"])
                $0.key = "two"
            }
            await #expect(throws: OpenIDError.self) { _ = try await Self.identify(client, provider) }
            #expect(provider.keyFetches == 1)
            time.advance(by: 61)
            #expect(try await Self.identify(client, provider).subject == "person-1")
            #expect(provider.keyFetches == 2)
        }
    }

    @Test func onlyEncryptedProvidersAreAllowed() throws {
        for issuer in [
            "http://id.example.com", "ftp://id.example.com", "id.example.com", "", "https://",
            "https://a@id.example.com",
            "https://id.example.com/?a", "https://id.example.com/#a",
        ] {
            #expect(throws: OpenIDError.invalidIssuer) {
                try OpenIDProvider.Configuration(issuer: issuer, clientID: "site", name: "Home")
            }
        }
        for issuer in ["https://id.example.com", "https://id.example.com/realms/home/", "http://127.0.0.1:9400"] {
            _ = try OpenIDProvider.Configuration(issuer: issuer, clientID: "site", name: "Home")
        }
    }

    @Test func missingProviderIsReported() async throws {
        let server = try await FaultServer.start()
        let issuer = "http://127.0.0.1:\(server.port)"
        let client = OpenIDProvider(
            try OpenIDProvider.Configuration(issuer: issuer, clientID: "site", name: "Home"),
            timeLimit: .seconds(600))
        await #expect(throws: OpenIDError.unreachable("it responds with status 404")) {
            _ = try await client.signInURL(for: OpenIDAttempt(), callback: Self.callback)
        }
        server.setRoute("/.well-known/openid-configuration") { _, connection in
            try await connection.respond(302, [("Location", "\(issuer)/elsewhere")], "")
        }
        await #expect(throws: OpenIDError.unreachable("it responds with status 302")) {
            _ = try await client.signInURL(for: OpenIDAttempt(), callback: Self.callback)
        }
        await server.close()
    }

    /// The connection's error has another type for a name than for an address.
    @Test(arguments: ["127.0.0.1", "localhost"])
    func absentProviderIsReported(host: String) async throws {
        let issuer = "http://\(host):\(try freePort())"
        let client = OpenIDProvider(
            try OpenIDProvider.Configuration(issuer: issuer, clientID: "site", name: "Home"),
            timeLimit: .seconds(600))
        await #expect(throws: OpenIDError.unreachable("nothing listens there")) {
            _ = try await client.signInURL(for: OpenIDAttempt(), callback: Self.callback)
        }
    }

    /// Where a provider accepts a request, and never answers it completely.
    enum Silence: String, CaseIterable, Sendable {
        case document, documentBody, keys, token
    }

    @Test(arguments: Silence.allCases)
    func silentProviderIsGivenUpAfterTheTimeLimit(silence: Silence) async throws {
        try await FakeProvider.run { provider in
            let configuration = try OpenIDProvider.Configuration(
                issuer: provider.issuer, clientID: "site", name: "Home")
            let client = OpenIDProvider(configuration, timeLimit: .milliseconds(300))
            let paths = [Silence.keys: "/keys", .token: "/token"]
            provider.silence(
                paths[silence] ?? "/.well-known/openid-configuration",
                after: silence == .documentBody ? #"{"issuer":"# : nil)
            let begin = ContinuousClock.now
            await #expect(throws: OpenIDError.unreachable("it doesn't answer in time")) {
                _ = try await client.signInURL(for: OpenIDAttempt(), callback: Self.callback)
                _ = try await Self.identify(client, provider)
            }
            #expect(ContinuousClock.now - begin >= .milliseconds(300))
            // No connection is left open.
            await eventually { provider.openConnectionCount == 0 }
        }
    }

    @Test func requestsOfTheServerHaveTenSeconds() {
        #expect(OpenIDTransport.timeLimit == .seconds(10))
        #expect(OpenIDTransport().timeLimit == .seconds(10))
    }
}
