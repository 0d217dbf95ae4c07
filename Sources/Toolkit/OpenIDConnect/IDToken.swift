import Foundation
import JWTKit

/// The header of a signed ID token, before its signature is checked: RFC 7515, section 4.
struct IDTokenHeader {
    /// Signatures by a key that only the provider has.
    ///
    /// Not among them: `none`, and those by a secret that both have.
    private static let algorithms: Set<String> = [
        "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
    ]

    let algorithm: String
    /// The name of the key; `nil` if the provider has only one.
    let key: String?

    private struct Fields: Decodable {
        var alg: String?
        var kid: String?
        var crit: [String]?
    }

    init(of token: String) throws(OpenIDError) {
        guard let encoded = token.split(separator: ".", omittingEmptySubsequences: false).first,
            let data = Base64URL.decode(encoded), let fields = try? JSONDecoder().decode(Fields.self, from: data)
        else { throw .invalidToken("it has no header") }
        guard let algorithm = fields.alg, Self.algorithms.contains(algorithm) else {
            throw .invalidToken("its signature is of another kind")
        }
        // Extensions that must be understood.
        guard fields.crit == nil else { throw .invalidToken("it has unknown extensions") }
        (self.algorithm, key) = (algorithm, fields.kid)
    }
}

/// The keys with which a provider signs.
struct SigningKeys: Sendable {
    private static let maximumCount = 100

    private let collection: JWTKeyCollection
    private let names: Set<String>
    /// Whether one key has no name, which then is the only one.
    private let hasUnnamedKey: Bool

    private struct Fields: Decodable {
        var keys: [Entry]
    }

    /// A key; `nil` if it is of an unknown kind, or isn't for signatures.
    private struct Entry: Decodable {
        private struct Use: Decodable {
            var use: String?
        }

        let key: JWK?

        init(from decoder: any Decoder) throws {
            let use = try? Use(from: decoder).use
            key = use == nil || use == "sig" ? try? JWK(from: decoder) : nil
        }
    }

    init(_ data: Data) async throws(OpenIDError) {
        guard let fields = try? JSONDecoder().decode(Fields.self, from: data), fields.keys.count <= Self.maximumCount
        else { throw .unusable("jwks_uri") }
        collection = JWTKeyCollection()
        var names: Set<String> = []
        var unnamed: [JWK] = []
        for key in fields.keys.compactMap(\.key) {
            guard let name = key.keyIdentifier?.string else {
                unnamed.append(key)
                continue
            }
            // A key that can't be used isn't an error before a token needs it.
            if (try? await collection.add(jwk: key, isDefault: nil)) != nil { names.insert(name) }
        }
        hasUnnamedKey = names.isEmpty && unnamed.count == 1
        if hasUnnamedKey, var key = unnamed.first {
            key.keyIdentifier = JWKIdentifier(string: "")
            guard (try? await collection.add(jwk: key, isDefault: true)) != nil else { throw .unusable("jwks_uri") }
        }
        self.names = names
    }

    /// Whether a token's key is among them.
    func contain(_ header: IDTokenHeader) -> Bool {
        guard let key = header.key else { return hasUnnamedKey || names.count == 1 }
        return names.contains(key) || hasUnnamedKey
    }

    /// The claims of a token whose signature is valid.
    func claims(of token: String, _ header: IDTokenHeader) async throws(OpenIDError) -> IDTokenClaims {
        guard contain(header) else { throw .invalidToken("its key is unknown") }
        do {
            // With one key, a token needn't name it; otherwise the collection finds it by its name.
            return try await collection.verify(token, as: IDTokenClaims.self, iteratingKeys: header.key == nil)
        } catch {
            throw .invalidToken("its signature or its content is wrong")
        }
    }
}

/// The claims of an ID token: OpenID Connect Core 1.0, section 2.
struct IDTokenClaims: JWTPayload {
    /// How far the clocks of the site and the provider may differ, in seconds.
    private static let tolerance: TimeInterval = 120

    /// One audience or several.
    ///
    /// Not JWTKit's own claim, which stops the program if there is none.
    struct Audience: Codable, Sendable {
        let values: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(String.self) {
                values = [value]
            } else {
                values = try container.decode([String].self)
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(values)
        }
    }

    var iss, sub: String
    var aud: Audience
    var exp, iat: Double
    var nonce, azp, preferredUsername: String?

    private enum CodingKeys: String, CodingKey {
        case iss, sub, aud, exp, iat, nonce, azp
        case preferredUsername = "preferred_username"
    }

    /// Everything is checked by ``identity(configuration:nonce:now:)``.
    func verify(using algorithm: some JWTAlgorithm) {}

    /// The identity, if the token is meant for this site and this attempt.
    func identity(
        configuration: OpenIDProvider.Configuration, nonce attempt: String, now: Date
    ) throws(OpenIDError) -> OpenIDIdentity {
        guard iss == configuration.issuer else { throw .invalidToken("it is of another provider") }
        guard aud.values.contains(configuration.clientID),
            azp == nil ? aud.values.count == 1 : azp == configuration.clientID
        else { throw .invalidToken("it is for another site") }
        let time = now.timeIntervalSince1970
        guard exp > time - Self.tolerance else { throw .invalidToken("it has expired") }
        guard iat < time + Self.tolerance else { throw .invalidToken("it is of the future") }
        guard nonce == attempt else { throw .invalidToken("it is for another attempt") }
        guard 1...255 ~= sub.utf8.count else { throw .invalidToken("its subject is missing or too long") }
        return OpenIDIdentity(issuer: iss, subject: sub, preferredName: preferredUsername)
    }
}

/// Base64 for URLs, without padding: RFC 4648, section 5.
enum Base64URL {
    static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    static func decode(_ text: some StringProtocol) -> Data? {
        guard text.utf8.allSatisfy({ isLetterOrDigit($0) || $0 == 0x2D || $0 == 0x5F }) else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: String(text).replacing("-", with: "+").replacing("_", with: "/") + padding)
    }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
            || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
}
