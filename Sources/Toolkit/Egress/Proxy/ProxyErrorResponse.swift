import NIOCore
import NIOHTTP1

/// A response of the proxy itself: a text for users, and `Proxy-Status` for programs.
struct ProxyErrorResponse {
    var status: HTTPResponseStatus
    /// The message for users.
    var text: String
    /// The error type from https://www.rfc-editor.org/rfc/rfc9209#section-2.3.
    var kind: String
    /// Whether to close the connection after the response.
    var closes: Bool
    var headers: [(name: String, value: String)] = []

    init(_ problem: ProxyRequest.Problem) {
        self.init(status: problem.status, text: problem.text, kind: "http_request_error", closes: true)
    }

    init(status: HTTPResponseStatus, text: String, kind: String, closes: Bool) {
        self.status = status
        self.text = text
        self.kind = kind
        self.closes = closes
    }

    /// The response to a client without credentials, which reveals only that they are required.
    static func unauthorized(closes: Bool) -> ProxyErrorResponse {
        var answer = ProxyErrorResponse(
            status: .proxyAuthenticationRequired, text: "This proxy requires the credentials of a session.",
            kind: "http_request_denied", closes: closes)
        answer.headers = [("Proxy-Authenticate", "Basic realm=\"meanwhile\", charset=\"UTF-8\"")]
        return answer
    }

    init(_ error: EgressError, closes: Bool) {
        let (status, kind): (HTTPResponseStatus, String) =
            switch error.code {
            case .refused: (.forbidden, "destination_ip_prohibited")
            case .invalidHost: (.badRequest, "http_request_error")
            case .nameNotFound, .resolutionFailed: (.badGateway, "dns_error")
            case .connectionRefused: (.badGateway, "connection_refused")
            case .unreachable: (.badGateway, "destination_ip_unroutable")
            case .invalidResponse: (.badGateway, "http_protocol_error")
            case .timedOut: (.gatewayTimeout, "connection_timeout")
            case .limitExceeded: (.serviceUnavailable, "connection_limit_reached")
            default: (.badGateway, "connection_terminated")
            }
        self.init(status: status, text: error.message, kind: kind, closes: closes)
    }

    func write(to buffer: inout ByteBuffer, isHead: Bool) {
        let body = text + "\n"
        buffer.writeString("HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n")
        buffer.writeString("Content-Type: text/plain; charset=utf-8\r\nContent-Length: \(body.utf8.count)\r\n")
        buffer.writeString("Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n")
        buffer.writeString("Proxy-Status: \(Self.name); error=\(kind)\r\n")
        for header in headers { buffer.writeString("\(header.name): \(header.value)\r\n") }
        buffer.writeString(closes ? "Connection: close\r\n\r\n" : "\r\n")
        if !isHead { buffer.writeString(body) }
    }

    /// The proxy's name in `Proxy-Status`.
    static let name = "meanwhile"
}

extension PinningProxy {
    /// Whether a response to an `http` request comes from the proxy itself and not from a server, by its
    /// `Proxy-Status`.
    public static func isOwnResponse(proxyStatus: String?) -> Bool {
        proxyStatus?.hasPrefix("\(ProxyErrorResponse.name); error=") == true
    }
}
