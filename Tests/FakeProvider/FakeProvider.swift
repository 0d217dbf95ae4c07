public import FaultServer
import Foundation
import Futures
import JWTKit

/// A provider of OpenID Connect on 127.0.0.1, whose answers a test controls.
public final class FakeProvider: Sendable {
    /// What it answers; the defaults are valid.
    public struct Answers: Sendable {
        /// Replace or remove claims of the ID token, as JSON values.
        public var claims: [String: Claim?] = [:]
        /// Replaces the ID token.
        public var token: String?
        /// Replaces the status and the body of the response to a code.
        public var response: (status: Int, body: String)?
        /// Replace or remove fields of the document.
        public var document: [String: Claim?] = [:]
        /// Replaces the set of keys.
        public var keys: String?
        /// The name of the key with which it signs.
        public var key = "one"

        /// Valid answers.
        public init() {}
    }

    /// A value of JSON.
    public enum Claim: Encodable, Sendable, ExpressibleByStringLiteral, ExpressibleByFloatLiteral,
        ExpressibleByArrayLiteral
    {
        /// A text.
        case text(String)
        /// A number.
        case number(Double)
        /// A list of texts.
        case list([String])

        /// Creates a text.
        public init(stringLiteral value: String) { self = .text(value) }
        /// Creates a number.
        public init(floatLiteral value: Double) { self = .number(value) }
        /// Creates a list of texts.
        public init(arrayLiteral elements: String...) { self = .list(elements) }

        /// Writes the value alone.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            case .list(let list): try container.encode(list)
            }
        }
    }

    private struct Payload: JWTPayload {
        var claims: [String: Claim]

        init(_ claims: [String: Claim]) { self.claims = claims }
        init(from decoder: any Decoder) throws { fatalError("Never decoded.") }
        func encode(to encoder: any Encoder) throws { try claims.encode(to: encoder) }
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private struct State: Sendable {
        var answers = Answers()
        var requests: [FaultRequest] = []
        var nonce = ""
        var keyFetches = 0
    }

    private let state = Lock(State())
    private let keys: [String: ES256PrivateKey] = ["one": ES256PrivateKey(), "two": ES256PrivateKey()]
    private let server: FaultServer

    private init(_ server: FaultServer) {
        self.server = server
    }

    /// Its address.
    public var issuer: String { "http://127.0.0.1:\(server.port)" }

    /// Runs a provider while the body runs.
    public static func run(_ body: (FakeProvider) async throws -> Void) async throws {
        let server = try await FaultServer.start()
        let provider = FakeProvider(server)
        provider.addRoutes()
        do {
            try await body(provider)
        } catch {
            await server.close()
            throw error
        }
        await server.close()
    }

    /// Changes what it answers.
    public func answer(_ change: (inout Answers) -> Void) { state.withLock { change(&$0.answers) } }
    /// The nonce of the attempt that the next ID token is for.
    public func expect(nonce: String) { state.withLock { $0.nonce = nonce } }
    /// The requests that exchanged a code.
    public var exchanges: [FaultRequest] { state.withLock { $0.requests } }
    /// How often the keys were fetched.
    public var keyFetches: Int { state.withLock { $0.keyFetches } }

    /// How many connections are open.
    public var openConnectionCount: Int { server.openConnectionCount }

    /// Accepts the requests for a path from now on, and never answers them completely.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - part: The part of the body that it sends; `nil` to send nothing.
    public func silence(_ path: String, after part: String? = nil) {
        server.setRoute(path) { _, connection in
            if let part {
                try await connection.writeHead(200, Self.json + [("Content-Length", "\(part.utf8.count + 100)")])
                try await connection.write(part)
            }
            try await Gate().wait()
        }
    }

    private static let json = [("Content-Type", "application/json")]

    private func addRoutes() {
        let issuer = issuer
        server.setRoute("/.well-known/openid-configuration") { [self] _, connection in
            var document: [String: Claim] = [
                "issuer": .text(issuer), "authorization_endpoint": .text("\(issuer)/authorize?tenant=a%20b"),
                "token_endpoint": .text("\(issuer)/token"), "jwks_uri": .text("\(issuer)/keys"),
            ]
            for (name, value) in state.withLock({ $0.answers.document }) { document[name] = value }
            try await connection.respond(200, Self.json, try JSONEncoder().encode(document))
        }
        // Everyone who is sent here has signed in already, so the provider sends the browser back at once.
        server.setRoute("/authorize") { [self] request, connection in
            let items = URLComponents(string: "?\(request.query)")?.queryItems ?? []
            func value(_ name: String) -> String { items.first { $0.name == name }?.value ?? "" }
            expect(nonce: value("nonce"))
            var callback = URLComponents(string: value("redirect_uri"))
            callback?.queryItems = [
                URLQueryItem(name: "code", value: "code"), URLQueryItem(name: "state", value: value("state")),
            ]
            try await connection.respond(303, [("Location", callback?.string ?? issuer)], "")
        }
        server.setRoute("/keys") { [self] _, connection in
            let replaced = state.withLock { state in
                state.keyFetches += 1
                return state.answers.keys
            }
            try await connection.respond(200, Self.json, replaced ?? keySet(Array(keys.keys)))
        }
        server.setRoute("/token") { [self] request, connection in
            let (answers, nonce) = state.withLock { state in
                state.requests.append(request)
                return (state.answers, state.nonce)
            }
            if let response = answers.response {
                return try await connection.respond(response.status, Self.json, response.body)
            }
            let token = if let token = answers.token { token } else { try await token(answers, nonce) }
            try await connection.respond(
                200, Self.json, #"{"access_token":"a","token_type":"Bearer","id_token":"\#(token)"}"#)
        }
    }

    /// The set of these keys.
    public func keySet(_ names: [String]) -> String {
        let list = names.sorted().compactMap { name -> String? in
            guard let point = keys[name]?.publicKey.parameters else { return nil }
            let (x, y) = (Self.url(point.x), Self.url(point.y))
            return #"{"kty":"EC","use":"sig","alg":"ES256","crv":"P-256","kid":"\#(name)","x":"\#(x)","y":"\#(y)"}"#
        }
        return #"{"keys":[\#(list.joined(separator: ","))]}"#
    }

    private static func url(_ base64: String) -> String {
        base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private func token(_ answers: Answers, _ nonce: String) async throws -> String {
        let now = Date.now.timeIntervalSince1970
        var claims: [String: Claim] = [
            "iss": .text(issuer), "sub": "person-1", "aud": "site", "exp": .number(now + 300), "iat": .number(now),
            "nonce": .text(nonce), "preferred_username": "Maria@example.com",
        ]
        for (name, value) in answers.claims { claims[name] = value }
        let collection = JWTKeyCollection()
        guard let key = keys[answers.key] else { return "" }
        let kid = JWKIdentifier(string: answers.key)
        await collection.add(ecdsa: key, kid: kid)
        return try await collection.sign(Payload(claims), kid: kid)
    }
}
