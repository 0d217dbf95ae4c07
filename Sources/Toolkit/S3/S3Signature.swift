import Crypto
import Digests
import Foundation

/// Signs requests to S3 with AWS Signature Version 4.
///
/// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html
struct S3Signature: Sendable {
    /// A request as far as it is signed.
    struct Request: Sendable {
        var method: String
        /// The host, with the port unless it's the scheme's default.
        var host: String
        /// The path before percent-encoding, beginning with a slash.
        var path: String
        var query: [(name: String, value: String)] = []
        /// The header fields to sign, with names in lower case, without those that signing adds.
        var headers: [(name: String, value: String)] = []
    }

    /// What a signed request contains instead of the content's hash if the content isn't signed.
    static let unsignedPayload = "UNSIGNED-PAYLOAD"
    /// The SHA-256 of no bytes.
    static let emptyHash = SHA256.hash(data: Data()).hexadecimal

    let credentials: S3Credentials
    let region: String
    /// The time of the request.
    let date: Date
}

extension S3Signature {
    /// The request's header fields with those that sign it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - payload: The SHA-256 of the content as hexadecimal digits, or ``unsignedPayload``.
    /// - Returns: All header fields except `host`, which the client adds.
    func headers(of request: Request, payload: String) -> [(name: String, value: String)] {
        var signed = request
        signed.headers.append(("x-amz-content-sha256", payload))
        signed.headers.append(("x-amz-date", time))
        if let token = credentials.sessionToken { signed.headers.append(("x-amz-security-token", token)) }
        let added = signed.headers
        signed.headers.append(("host", request.host))
        let names = Self.signedNames(of: signed)
        let value =
            "AWS4-HMAC-SHA256 Credential=\(credentials.keyID)/\(scope),SignedHeaders=\(names),"
            + "Signature=\(signature(of: signed, payload: payload))"
        return added + [("authorization", value)]
    }

    /// The query of a URL that makes the request without a key until it expires.
    ///
    /// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
    ///
    /// - Parameters:
    ///   - request: The request, without header fields.
    ///   - lifetime: How long the URL is valid, at most a week.
    /// - Returns: The percent-encoded query.
    func presignedQuery(of request: Request, lifetime: Duration) -> String {
        var signed = request
        signed.headers = [("host", request.host)]
        let seconds = min(max(lifetime.components.seconds, 1), 604_800)
        signed.query += [
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"), ("X-Amz-Credential", "\(credentials.keyID)/\(scope)"),
            ("X-Amz-Date", time), ("X-Amz-Expires", "\(seconds)"), ("X-Amz-SignedHeaders", "host"),
        ]
        if let token = credentials.sessionToken { signed.query.append(("X-Amz-Security-Token", token)) }
        let signature = signature(of: signed, payload: Self.unsignedPayload)
        return "\(Self.canonicalQuery(signed.query))&X-Amz-Signature=\(signature)"
    }

    private func signature(of request: Request, payload: String) -> String {
        let headers = request.headers.sorted { $0.name < $1.name }
            .map { "\($0.name):\($0.value.trimmingCharacters(in: .whitespaces))\n" }.joined()
        let canonical = [
            request.method, Self.encoded(path: request.path), Self.canonicalQuery(request.query), headers,
            Self.signedNames(of: request), payload,
        ].joined(separator: "\n")
        let text = [
            "AWS4-HMAC-SHA256", time, scope, SHA256.hash(data: Data(canonical.utf8)).hexadecimal,
        ].joined(separator: "\n")
        var key = SymmetricKey(data: Data("AWS4\(credentials.secret)".utf8))
        for part in [day, region, "s3", "aws4_request"] { key = SymmetricKey(data: Self.code(part, key)) }
        return Data(Self.code(text, key)).hexadecimal
    }

    private static func code(_ text: String, _ key: SymmetricKey) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)
    }

    private static func signedNames(of request: Request) -> String {
        request.headers.map(\.name).sorted().joined(separator: ";")
    }

    private var scope: String { "\(day)/\(region)/s3/aws4_request" }

    private var day: String { String(time.prefix(8)) }

    /// The time as in `20130524T000000Z`.
    private var time: String {
        date.formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt))
    }
}

extension S3Signature {
    /// The query with percent-encoded names and values, ordered by them.
    static func canonicalQuery(_ query: [(name: String, value: String)]) -> String {
        query.map { (encoded($0.name), encoded($0.value)) }.sorted { $0 < $1 }.map { "\($0)=\($1)" }
            .joined(separator: "&")
    }

    /// The path with its names percent-encoded.
    static func encoded(path: String) -> String { encoded(path, keeping: "/") }

    /// Percent-encodes all bytes except letters, digits and `-._~`.
    static func encoded(_ text: String, keeping other: String = "") -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                if other.utf8.contains(byte) {
                    result.unicodeScalars.append(Unicode.Scalar(byte))
                } else {
                    let digits = String(byte, radix: 16, uppercase: true)
                    result += "%\(digits.count == 1 ? "0" : "")\(digits)"
                }
            }
        }
        return result
    }
}
