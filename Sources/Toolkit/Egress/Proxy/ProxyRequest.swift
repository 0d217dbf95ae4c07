import NIOHTTP1

/// A client's request to the proxy, parsed from the request's head only.
struct ProxyRequest: Equatable {
    enum Kind: Equatable {
        case forward(HTTPRequestHead)
        /// Tunnel bytes in both directions.
        case tunnel
    }

    /// The reason why a request is invalid, with a text for the client.
    struct Problem: Error, Equatable {
        var status: HTTPResponseStatus
        var text: String
    }

    var host: String
    var port: Int
    var kind: Kind

    /// Whether the request can be sent again: it has no body, and its method is idempotent.
    ///
    /// https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2
    var isRepeatable: Bool {
        guard case .forward(let head) = kind else { return false }
        let idempotent: [HTTPMethod] = [.GET, .HEAD, .OPTIONS, .TRACE, .PUT, .DELETE]
        return idempotent.contains(head.method) && !head.headers.contains(name: "transfer-encoding")
            && (head.headers.first(name: "content-length") ?? "0") == "0"
    }

    init(_ head: HTTPRequestHead) throws(Problem) {
        guard head.version == .http1_1 else {
            throw Problem(status: .httpVersionNotSupported, text: "This proxy supports only HTTP/1.1.")
        }
        try Self.checkFraming(of: head.headers)
        guard head.uri.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") }) else {
            throw Problem(status: .badRequest, text: "The address contains invalid characters.")
        }
        if head.method == .CONNECT {
            guard let (host, port) = Self.authority(head.uri[...], defaultPort: nil) else {
                throw Problem(status: .badRequest, text: "CONNECT needs a host and a port.")
            }
            (self.host, self.port, self.kind) = (host, port, .tunnel)
            return
        }
        guard head.uri.prefix(7).lowercased() == "http://" else {
            throw Problem(
                status: .badRequest,
                text: "This is a proxy: it accepts complete addresses that start with http://, and CONNECT for others.")
        }
        let rest = head.uri.dropFirst(7)
        let authority = rest.prefix { !"/?#".contains($0) }
        let target = rest[authority.endIndex...]
        guard let (host, port) = Self.authority(authority, defaultPort: 80), !target.contains("#") else {
            throw Problem(status: .badRequest, text: "The address has no host, or has a user name or a fragment.")
        }
        var forwarded = head
        forwarded.uri = target.hasPrefix("/") ? String(target) : "/" + target
        if target.isEmpty, head.method == .OPTIONS { forwarded.uri = "*" }
        forwarded.headers = Self.endToEnd(head.headers)
        // The URL's authority overrides the `Host` field: https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
        forwarded.headers.replaceOrAdd(name: "Host", value: String(authority))
        (self.host, self.port, self.kind) = (host, port, .forward(forwarded))
    }

    /// Parses a host, which it returns in lower case, and a port; user names aren't allowed.
    private static func authority(_ text: Substring, defaultPort: Int?) -> (host: String, port: Int)? {
        guard !text.contains("@"), !text.isEmpty, text.first != "[" || text.contains("]") else { return nil }
        let end = text.first == "[" ? text.firstIndex(of: "]").map { text.index(after: $0) } : text.firstIndex(of: ":")
        let host = text[..<(end ?? text.endIndex)].lowercased()
        let rest = end.map { text[$0...] } ?? ""
        guard !host.isEmpty else { return nil }
        if rest.isEmpty || rest == ":" { return defaultPort.map { (host, $0) } }
        guard rest.first == ":", let port = PortNumber.port(rest.dropFirst()) else { return nil }
        return (host, port)
    }

    /// Rejects framing that two parsers could interpret differently: such a difference enables request smuggling.
    ///
    /// https://www.rfc-editor.org/rfc/rfc9112#section-6.3
    private static func checkFraming(of headers: HTTPHeaders) throws(Problem) {
        let lengths = headers["content-length"]
        let encodings = headers["transfer-encoding"]
        guard lengths.count <= 1, encodings.count <= 1, lengths.isEmpty || encodings.isEmpty,
            lengths.allSatisfy({
                !$0.isEmpty && $0.utf8.count <= 18 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }),
            encodings.allSatisfy({ $0.lowercased() == "chunked" })
        else { throw Problem(status: .badRequest, text: "The request's length is ambiguous.") }
        guard headers["host"].count <= 1 else {
            throw Problem(status: .badRequest, text: "The request has several Host headers.")
        }
        let named = headers[canonicalForm: "connection"].map { $0.lowercased() }
        guard !named.contains(where: { ["content-length", "transfer-encoding", "host"].contains($0) }) else {
            throw Problem(
                status: .badRequest, text: "The request's Connection header names a header that can't be removed.")
        }
    }

    /// Removes the header fields that apply to a single connection.
    ///
    /// https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1
    static func endToEnd(_ headers: HTTPHeaders) -> HTTPHeaders {
        var result = headers
        for name in headers[canonicalForm: "connection"] { result.remove(name: String(name)) }
        let isChunked = headers.contains(name: "transfer-encoding")
        for name in [
            "Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authorization", "Proxy-Authenticate",
            "Proxy-Authentication-Info", "Proxy-Status", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
            // The proxy doesn't wait for `100 Continue`; it forwards the body as it arrives.
            "Expect",
        ] {
            result.remove(name: name)
        }
        if isChunked { result.add(name: "Transfer-Encoding", value: "chunked") }
        return result
    }
}
