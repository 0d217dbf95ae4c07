import Foundation

/// A request and the response to it, as the browser sent and received them.
struct HTTPExchange: Sendable {
    struct Field: Hashable, Sendable {
        var name: String
        var value: String
    }

    /// The body of a request.
    enum RequestBody: Hashable, Sendable {
        case none
        case data(Data)
        /// The browser reported that there is one, but not its content.
        case unavailable
    }

    struct Response: Sendable {
        var status: Int
        /// The first line, such as `HTTP/1.1 200 OK`.
        var statusLine: String
        var fields: [Field]
        var mediaType: String
        /// Whether Chromium decoded the fields byte by byte, whatever their encoding.
        var isDecodedByByte = false
        /// The protocol's name in ALPN, such as `h2`; `nil` for HTTP/1.
        var newerProtocol: String?
    }

    /// The browser's ID of the request; redirects have the same.
    var id: String
    /// The URL without user name, password and fragment.
    var url: String
    var method: String
    var date: Date
    var fields: [Field]
    var requestBody: RequestBody
    var response: Response
    /// Whether the browser followed this response to another URL.
    var isRedirect: Bool
    /// The address of the server.
    var address: String?
}

extension HTTPExchange {
    /// The request fields that are left out, because they may grant access to someone's account.
    private static let privateRequestFields: Set<String> = ["authorization", "cookie", "cookie2"]
    /// The response fields that are left out, for the same reason.
    private static let privateResponseFields: Set<String> = ["set-cookie", "set-cookie2"]

    /// Whether a field of a request is recorded: fields to this program's proxy and secrets aren't.
    static func isRecorded(requestField name: String) -> Bool {
        let name = name.lowercased()
        return !name.hasPrefix("proxy-") && !name.hasPrefix(":") && !privateRequestFields.contains(name)
    }

    /// Whether a field of a response is recorded: secrets aren't.
    static func isRecorded(responseField name: String) -> Bool {
        let name = name.lowercased()
        return !name.hasPrefix(":") && !privateResponseFields.contains(name)
    }

    /// The request's line and fields, ending with an empty line.
    var requestHead: Data {
        var text = "\(method) \(Self.target(of: url)) HTTP/1.1\r\n"
        for field in fields where Self.isRecorded(requestField: field.name) { text += Self.line(field) }
        return Data((text + "\r\n").utf8)
    }

    /// The response's line and fields, ending with an empty line.
    ///
    /// The browser decodes a body before it hands it over. As other recorders do, the fields that described the encoded
    /// body are renamed to `x-orig-…`, and the length is that of the decoded body.
    ///
    /// - Parameter bodyLength: The length of the body in bytes; `nil` to leave all fields as they were, for a response
    ///   whose body isn't recorded.
    /// - Returns: The lines in UTF-8, or in the encoding in which they were received.
    func responseHead(bodyLength: Int?) -> Data {
        var text = Self.cleaned(response.statusLine) + "\r\n"
        var isLengthKnown = false
        for field in response.fields where Self.isRecorded(responseField: field.name) {
            guard let bodyLength else {
                text += Self.line(field)
                continue
            }
            switch field.name.lowercased() {
            case "content-encoding", "transfer-encoding":
                text += Self.line(Field(name: "x-orig-\(field.name)", value: field.value))
            case "content-length":
                if field.value.trimmingCharacters(in: .whitespaces) != "\(bodyLength)" {
                    text += Self.line(Field(name: "x-orig-\(field.name)", value: field.value))
                }
                if !isLengthKnown { text += Self.line(Field(name: field.name, value: "\(bodyLength)")) }
                isLengthKnown = true
            default:
                text += Self.line(field)
            }
        }
        if let bodyLength, !isLengthKnown { text += "Content-Length: \(bodyLength)\r\n" }
        text += "\r\n"
        if response.isDecodedByByte, let bytes = Self.bytes(of: text) { return bytes }
        return Data(text.utf8)
    }

    /// The bytes of a text that Chromium decoded byte by byte, as Windows-1252; `nil` if it can't be such a text.
    static func bytes(of text: String) -> Data? {
        var bytes = Data()
        for scalar in text.unicodeScalars {
            if scalar.value <= 0xFF {
                bytes.append(UInt8(scalar.value))
            } else if let byte = String(scalar).data(using: .windowsCP1252)?.first {
                bytes.append(byte)
            } else {
                return nil
            }
        }
        return bytes
    }

    /// The value of the first field of a response with this lower-case name.
    func responseField(_ name: String) -> String? {
        response.fields.first { $0.name.lowercased() == name }?.value
    }

    /// The value of the first field of the request with this lower-case name.
    func requestField(_ name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }

    private static func line(_ field: Field) -> String { "\(cleaned(field.name)): \(cleaned(field.value))\r\n" }

    /// A text without characters that would end a line.
    static func cleaned(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            scalars.append(scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar)
        }
        return String(scalars)
    }
}

// MARK: - Parts of URLs

extension HTTPExchange {
    /// A URL without user name, password and fragment.
    static func recordedURL(_ url: String) -> String {
        let url = url.utf8.prefix { $0 != UInt8(ascii: "#") }
        let (authority, rest) = split(url)
        guard let authority, let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return String(Substring(url)) }
        let scheme = url[..<authority.startIndex]
        return String(Substring(scheme)) + String(Substring(authority[authority.index(after: at)...]))
            + String(Substring(rest))
    }

    /// The path and query of a URL, as in a request's first line.
    static func target(of url: String) -> String {
        let rest = split(url.utf8[...]).rest
        let text = cleaned(String(Substring(rest))).replacing(" ", with: "%20")
        return text.first == "/" ? text : "/" + text
    }

    /// The host of a URL with its port, as in the field `Host`.
    static func host(of url: String) -> String {
        split(url.utf8[...]).authority.map { String(Substring($0)) } ?? ""
    }

    private static func split(_ url: Substring.UTF8View) -> (authority: Substring.UTF8View?, rest: Substring.UTF8View) {
        guard let colon = url.firstIndex(of: UInt8(ascii: ":")), url[colon...].starts(with: "://".utf8) else {
            return (nil, url)
        }
        let start = url.index(colon, offsetBy: 3)
        let end = url[start...].firstIndex { "/?#".utf8.contains($0) } ?? url.endIndex
        return (url[start..<end], url[end...])
    }
}
