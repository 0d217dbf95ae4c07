import Crypto
import Digests
public import Foundation
import Futures

/// A provider of identities by which people sign in, such as a company's Keycloak: OpenID Connect Core 1.0.
///
/// It uses the authorization code flow with PKCE (RFC 7636, method S256), and checks the signature, the issuer, the
/// audience, the times and the nonce of each ID token. What the provider has published is kept for an hour.
public final class OpenIDProvider: Sendable {
    /// The provider, and the site's registration there.
    public struct Configuration: Sendable {
        /// The provider's address, exactly as it names itself: `https://id.example.com/realms/home`.
        public var issuer: String
        /// The site's identifier at the provider.
        public var clientID: String
        /// The site's secret at the provider; `nil` for a public client.
        public var secret: String?
        /// What people call the provider.
        public var name: String

        /// Creates a configuration.
        ///
        /// - Throws: ``OpenIDError/invalidIssuer`` unless the address begins with `https://`, or with `http://` on this
        ///   computer.
        public init(issuer: String, clientID: String, secret: String? = nil, name: String) throws(OpenIDError) {
            guard let url = URL(string: issuer), url.query() == nil, url.fragment() == nil, url.user() == nil,
                Self.isAllowed(url)
            else { throw .invalidIssuer }
            (self.issuer, self.clientID, self.secret, self.name) = (issuer, clientID, secret, name)
        }

        /// Whether an address is encrypted, or one of this computer.
        static func isAllowed(_ url: URL) -> Bool {
            guard let host = url.host(), !host.isEmpty else { return false }
            switch url.scheme?.lowercased() {
            case "https": return true
            case "http": return ["127.0.0.1", "localhost", "::1", "[::1]"].contains(host)
            default: return false
            }
        }
    }

    /// How long what the provider has published is used, in seconds.
    private static let lifetime: TimeInterval = 3_600
    /// How soon its keys are fetched again because a token has an unknown one, in seconds.
    private static let keyPause: TimeInterval = 60

    private struct Cache: Sendable {
        var document: OpenIDDocument?
        var documentAt = Date.distantPast
        var keys: SigningKeys?
        var keysAt = Date.distantPast
    }

    /// The configuration.
    public let configuration: Configuration
    private let now: @Sendable () -> Date
    private let transport: OpenIDTransport
    private let cache = Lock(Cache())

    /// Creates a provider, and sends nothing yet.
    ///
    /// - Parameters:
    ///   - configuration: The provider, and the site's registration there.
    ///   - now: Returns the current time.
    public convenience init(_ configuration: Configuration, now: @escaping @Sendable () -> Date = { Date() }) {
        self.init(configuration, timeLimit: OpenIDTransport.timeLimit, now: now)
    }

    /// Creates a provider whose requests have another time limit.
    package init(
        _ configuration: Configuration, timeLimit: Duration, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.configuration, self.now) = (configuration, now)
        transport = OpenIDTransport(timeLimit: timeLimit)
    }
}

extension OpenIDProvider {
    /// The address of the provider's page on which a person signs in.
    ///
    /// - Parameters:
    ///   - attempt: The attempt to sign in, which the browser must keep.
    ///   - callback: The site's address to which the provider returns; it must be registered there.
    /// - Returns: The address.
    /// - Throws: ``OpenIDError`` if the provider can't be reached or used.
    public func signInURL(for attempt: OpenIDAttempt, callback: String) async throws(OpenIDError) -> URL {
        let document = try await document()
        guard var components = URLComponents(url: document.authorizationEndpoint, resolvingAgainstBaseURL: false) else {
            throw .unusable("authorization_endpoint")
        }
        let query = [
            ("response_type", "code"), ("client_id", configuration.clientID), ("redirect_uri", callback),
            ("scope", "openid profile"), ("state", attempt.state), ("nonce", attempt.nonce),
            ("code_challenge", attempt.challenge), ("code_challenge_method", "S256"),
        ]
        // Encoded by hand: URLComponents leaves a plus, which means a space.
        let encoded = OpenIDTransport.form(query)
        components.percentEncodedQuery = components.percentEncodedQuery.map { "\($0)&\(encoded)" } ?? encoded
        guard let url = components.url else { throw .unusable("authorization_endpoint") }
        return url
    }

    /// Exchanges the code, with which the provider has returned, for the person's identity.
    ///
    /// - Parameters:
    ///   - answer: The query of the callback.
    ///   - attempt: The attempt that the browser kept.
    ///   - callback: The same address as for ``signInURL(for:callback:)``.
    /// - Returns: The identity.
    /// - Throws: ``OpenIDError`` if the answer isn't one to this attempt, the provider refuses, or its token isn't valid.
    public func identity(
        by answer: OpenIDAnswer, to attempt: OpenIDAttempt, callback: String
    ) async throws(OpenIDError) -> OpenIDIdentity {
        guard let state = answer.state, state.utf8.elementsEqual(attempt.state.utf8) else { throw .otherAttempt }
        // According to RFC 9207, so that one provider can't answer for another.
        if let issuer = answer.issuer, issuer != configuration.issuer { throw .otherAttempt }
        if let error = answer.error { throw .refused(OpenIDError.code(error)) }
        guard let code = answer.code, 1...4_096 ~= code.utf8.count else { throw .otherAttempt }
        let document = try await document()
        let token = try await transport.token(
            from: document, for: code, verifier: attempt.verifier, callback: callback, configuration)
        let header = try IDTokenHeader(of: token)
        var keys = try await self.keys(of: document)
        // A provider may have begun to sign with a new key.
        if !keys.contain(header), forgetKeys() { keys = try await self.keys(of: document) }
        let claims = try await keys.claims(of: token, header)
        return try claims.identity(configuration: configuration, nonce: attempt.nonce, now: now())
    }
}

// MARK: - What the provider publishes

extension OpenIDProvider {
    /// The address of what the provider publishes about itself.
    package var discoveryAddress: String {
        let issuer = configuration.issuer
        return (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    /// Fetches what the provider publishes, as a sign-in does.
    ///
    /// - Throws: ``OpenIDError`` if the provider can't be reached or used.
    package func check() async throws(OpenIDError) {
        _ = try await keys(of: try await document())
    }

    private func document() async throws(OpenIDError) -> OpenIDDocument {
        let time = now()
        let known = cache.withLock { cache in
            time.timeIntervalSince(cache.documentAt) < Self.lifetime ? cache.document : nil
        }
        if let known { return known }
        guard let url = URL(string: discoveryAddress) else { throw .invalidIssuer }
        let document = try OpenIDDocument(await transport.get(url), issuer: configuration.issuer)
        cache.withLock { ($0.document, $0.documentAt) = (document, time) }
        return document
    }

    private func keys(of document: OpenIDDocument) async throws(OpenIDError) -> SigningKeys {
        let time = now()
        let known = cache.withLock { time.timeIntervalSince($0.keysAt) < Self.lifetime ? $0.keys : nil }
        if let known { return known }
        let keys = try await SigningKeys(await transport.get(document.keysEndpoint))
        cache.withLock { ($0.keys, $0.keysAt) = (keys, time) }
        return keys
    }

    /// Forgets the keys, so that they are fetched again; returns whether they were old enough.
    private func forgetKeys() -> Bool {
        let time = now()
        return cache.withLock { cache in
            guard time.timeIntervalSince(cache.keysAt) >= Self.keyPause else { return false }
            cache.keys = nil
            return true
        }
    }
}

/// An attempt to sign in at a provider: what a browser keeps until the provider has answered.
public struct OpenIDAttempt: Hashable, Sendable {
    /// Binds the provider's answer to the browser.
    public let state: String
    /// Binds the ID token to the attempt.
    public let nonce: String
    /// Proves to the provider that the code is exchanged by the site that has asked for it.
    let verifier: String

    /// Creates a new attempt, of random values.
    public init() {
        (state, nonce) = (String.randomHexadecimal(bytes: 32), String.randomHexadecimal(bytes: 32))
        // 43 to 128 characters.
        verifier = String.randomHexadecimal(bytes: 32)
    }

    /// Reads an attempt from ``text``; `nil` if it isn't one.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        guard parts.count == 3, parts.allSatisfy({ $0.isHexadecimal(bytes: 32) }) else { return nil }
        (state, nonce, verifier) = (parts[0], parts[1], parts[2])
    }

    /// The attempt as text.
    public var text: String { "\(state).\(nonce).\(verifier)" }

    var challenge: String { Base64URL.encode(Array(SHA256.hash(data: Array(verifier.utf8)))) }
}

/// The query with which a provider sends a browser back.
public struct OpenIDAnswer: Sendable {
    /// The code to exchange; the attempt's state; the provider's address; and why it has refused.
    public var code, state, issuer, error: String?

    /// Creates an answer.
    public init(code: String?, state: String?, issuer: String?, error: String?) {
        (self.code, self.state, self.issuer, self.error) = (code, state, issuer, error)
    }
}

/// A person, as a provider knows them.
public struct OpenIDIdentity: Hashable, Sendable {
    /// The provider's address.
    public let issuer: String
    /// The person's identifier at the provider, which is never given to anyone else.
    public let subject: String
    /// The name that the person would like; it proves nothing.
    public let preferredName: String?
}

/// Why a provider's sign-in failed.
public enum OpenIDError: Error, Hashable, Sendable {
    /// The address of the provider can't be used.
    case invalidIssuer
    /// The provider doesn't answer, with the reason.
    case unreachable(String)
    /// A part of the provider's answer is missing or invalid.
    case unusable(String)
    /// The answer belongs to another attempt, or none.
    case otherAttempt
    /// The provider refuses, with its code.
    case refused(String)
    /// The ID token isn't valid, with the reason.
    case invalidToken(String)

    /// The code of an error, without anything that a provider could want to show.
    static func code(_ text: String) -> String {
        let isPlain = 1...60 ~= text.utf8.count && text.utf8.allSatisfy { Base64URL.isLetterOrDigit($0) || $0 == 0x5F }
        return isPlain ? text : "unknown_error"
    }
}

extension OpenIDError: CustomStringConvertible {
    /// What failed, for people.
    public var description: String {
        switch self {
        case .invalidIssuer:
            "The provider's address must begin with https://, and have no query; http:// is only for this computer."
        case .unreachable(let reason): "The provider can't be reached: \(reason). Try again later."
        case .unusable(let part): "The provider's answer can't be used: \(part). Tell the person who runs this server."
        case .otherAttempt: "This sign-in took too long, or was begun in another tab. Try again."
        case .refused(let code): "The provider didn't sign you in (\(code))."
        case .invalidToken(let reason):
            "The provider's answer isn't valid: \(reason). Tell the person who runs this server."
        }
    }
}
