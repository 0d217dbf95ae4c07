import AsyncHTTPClient
import Foundation
import Futures
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOPosix

/// Sends the site's own requests to a provider, each with a limit of time and size, and without following redirects.
struct OpenIDTransport: Sendable {
    /// How long a request may take, from the connection to the last byte of the response.
    static let timeLimit = Duration.seconds(10)
    private static let maximumBytes = 1 << 20

    var timeLimit = Self.timeLimit

    /// Fetches what a provider publishes.
    func get(_ url: URL) async throws(OpenIDError) -> Data {
        var request = HTTPClientRequest(url: url.absoluteString)
        request.headers.add(name: "Accept", value: "application/json")
        let (status, data) = try await send(request)
        guard status == 200 else { throw .unreachable("it responds with status \(status)") }
        return data
    }

    private struct TokenFields: Decodable {
        var idToken, error: String?
    }

    /// Exchanges a code for an ID token.
    func token(
        from document: OpenIDDocument, for code: String, verifier: String, callback: String,
        _ configuration: OpenIDProvider.Configuration
    ) async throws(OpenIDError) -> String {
        var fields = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", callback),
            ("code_verifier", verifier),
        ]
        var request = HTTPClientRequest(url: document.tokenEndpoint.absoluteString)
        request.method = .POST
        request.headers.add(name: "Accept", value: "application/json")
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        if let secret = configuration.secret, !document.wantsSecretInForm {
            // Both are encoded like the fields of a form first: RFC 6749, section 2.3.1.
            let pair = "\(Self.encoded(configuration.clientID)):\(Self.encoded(secret))"
            request.headers.add(name: "Authorization", value: "Basic \(Data(pair.utf8).base64EncodedString())")
        } else {
            fields.append(("client_id", configuration.clientID))
            if let secret = configuration.secret { fields.append(("client_secret", secret)) }
        }
        request.body = .bytes(ByteBuffer(string: Self.form(fields)))
        let (status, data) = try await send(request)
        let answer = try? JSONDecoder.snakeCase.decode(TokenFields.self, from: data)
        guard status == 200 else { throw .refused(OpenIDError.code(answer?.error ?? "")) }
        guard let token = answer?.idToken else { throw .unusable("id_token") }
        return token
    }

    private func send(_ request: HTTPClientRequest) async throws(OpenIDError) -> (status: UInt, data: Data) {
        @Sendable func late() -> OpenIDError { .unreachable("it doesn't answer in time") }
        return try await withDeadline(timeLimit, late: late) { () async throws(OpenIDError) in
            var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
            configuration.connectionPool.retryConnectionEstablishment = false
            // People sign in so rarely that a client of its own for each request costs nothing.
            let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            let outcome: Result<(status: UInt, data: Data), OpenIDError>
            do {
                let response = try await client.execute(request, timeout: TimeAmount(timeLimit))
                let body = try await response.body.collect(upTo: Self.maximumBytes)
                outcome = .success((response.status.code, Data(buffer: body)))
            } catch is NIOTooManyBytesError {
                outcome = .failure(.unusable("its size"))
            } catch {
                outcome = .failure(.unreachable(Self.reason(error)))
            }
            try? await client.shutdown()
            return try outcome.get()
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case is NIOConnectionError: "nothing listens there"
        case let error as IOError where error.errnoCode == ECONNREFUSED: "nothing listens there"
        case let error as HTTPClientError where error == .connectTimeout || error == .deadlineExceeded:
            "it doesn't answer in time"
        case let error as HTTPClientError: "\(error.shortDescription)"
        default: "the connection failed: \(error)"
        }
    }

    /// The fields of a form.
    static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\(encoded($0))=\(encoded($1))" }.joined(separator: "&")
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
