import Foundation

/// What a provider publishes about itself: OpenID Connect Discovery 1.0, section 3.
struct OpenIDDocument: Sendable {
    let authorizationEndpoint, tokenEndpoint, keysEndpoint: URL
    /// Whether the secret must be sent in the form instead of the header.
    let wantsSecretInForm: Bool

    private struct Fields: Decodable {
        var issuer, authorizationEndpoint, tokenEndpoint, jwksUri: String?
        var tokenEndpointAuthMethodsSupported: [String]?
    }

    init(_ data: Data, issuer: String) throws(OpenIDError) {
        guard let fields = try? JSONDecoder.snakeCase.decode(Fields.self, from: data) else {
            throw .unusable("openid-configuration")
        }
        // Another issuer's document would let that issuer sign people in.
        guard fields.issuer == issuer else { throw .unusable("issuer") }
        authorizationEndpoint = try Self.address(fields.authorizationEndpoint, "authorization_endpoint")
        tokenEndpoint = try Self.address(fields.tokenEndpoint, "token_endpoint")
        keysEndpoint = try Self.address(fields.jwksUri, "jwks_uri")
        let methods = fields.tokenEndpointAuthMethodsSupported ?? ["client_secret_basic"]
        wantsSecretInForm = !methods.contains("client_secret_basic") && methods.contains("client_secret_post")
    }

    private static func address(_ text: String?, _ name: String) throws(OpenIDError) -> URL {
        guard let url = text.flatMap({ URL(string: $0) }), OpenIDProvider.Configuration.isAllowed(url),
            url.user() == nil, url.fragment() == nil
        else { throw .unusable(name) }
        return url
    }
}

extension JSONDecoder {
    /// A decoder of names such as `token_endpoint`.
    static var snakeCase: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }
}
