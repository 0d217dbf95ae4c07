import NIOCore
import NIOHTTP1

/// A server's response as it's written to the client.
struct ProxyResponse {
    /// How the end of the body is marked.
    enum Framing: Equatable {
        case none
        case counted
        case chunked
    }

    let framing: Framing
    /// Whether the server's connection can be reused.
    let isUpstreamReusable: Bool
    private let head: HTTPResponseHead

    /// Returns `nil` for responses that a server may not send through a proxy.
    init?(_ head: HTTPResponseHead, to method: HTTPMethod, closes: Bool) {
        // The proxy never requests a switch of protocols, and a server must not obtain the proxy's credentials by
        // asking for them.
        guard head.status != .switchingProtocols, head.status != .proxyAuthenticationRequired else { return nil }
        let isChunked = head.headers.contains(name: "transfer-encoding")
        let lengths = head.headers["content-length"]
        guard lengths.count <= 1, lengths.isEmpty || !isChunked else { return nil }
        let keepsAlive = head.isKeepAlive
        var head = head
        head.headers = ProxyRequest.endToEnd(head.headers)
        head.headers.remove(name: "Transfer-Encoding")
        let hasNoBody = method == .HEAD || head.status == .noContent || head.status == .notModified
        if hasNoBody {
            self.framing = .none
            if head.status == .noContent { head.headers.remove(name: "Content-Length") }
        } else if lengths.isEmpty {
            self.framing = .chunked
            head.headers.add(name: "Transfer-Encoding", value: "chunked")
        } else {
            self.framing = .counted
        }
        // Without a length or chunks, the body ends with the connection.
        self.isUpstreamReusable = keepsAlive && (isChunked || !lengths.isEmpty || hasNoBody)
        if closes { head.headers.add(name: "Connection", value: "close") }
        self.head = head
    }

    func writeHead(to buffer: inout ByteBuffer) {
        buffer.writeString("HTTP/1.1 \(head.status.code) \(head.status.reasonPhrase)\r\n")
        for (name, value) in head.headers { buffer.writeString("\(name): \(value)\r\n") }
        buffer.writeString("\r\n")
    }
}
