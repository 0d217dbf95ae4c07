import Foundation

/// A part of a MIME message, or the whole: headers and a body (RFC 2045, 2046).
struct MIMEMessage {
    /// The values of the headers, by name in lower case; the first of each name counts.
    var headers: [String: String]
    /// The body as it is in the message.
    var body: ArraySlice<UInt8>

    /// The maximum length of the headers, in bytes, and of a value.
    private static let (longestHead, longestValue) = (64_000, 20_000)

    /// Parses headers, an empty line and a body; `nil` if the headers don't end.
    init?(_ bytes: ArraySlice<UInt8>) {
        var (lines, offset): ([[UInt8]], Int) = ([], bytes.startIndex)
        let limit = min(bytes.endIndex, bytes.startIndex + Self.longestHead)
        var isEnded = false
        while offset < limit {
            guard let end = bytes[offset..<limit].firstIndex(of: 0x0A) else { break }
            var line = Array(bytes[offset..<end])
            if line.last == 0x0D { line.removeLast() }
            offset = end + 1
            if line.isEmpty {
                isEnded = true
                break
            }
            // A line that begins with a space continues the one before.
            if let first = line.first, first == 0x20 || first == 0x09, !lines.isEmpty {
                lines[lines.count - 1] += line
            } else {
                lines.append(line)
            }
        }
        guard isEnded else { return nil }
        var headers: [String: String] = [:]
        for line in lines {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            let value = String(decoding: line[(colon + 1)...].prefix(Self.longestValue), as: UTF8.self)
            if headers[name] == nil { headers[name] = value.trimmingCharacters(in: .whitespaces) }
        }
        self.headers = headers
        body = bytes[offset...]
    }

    /// The media type in lower case, such as `text/html`; empty if there is none.
    var mediaType: String {
        let value = headers["content-type"] ?? ""
        return value.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// A parameter of the content type; `nil` if there is none.
    func parameter(_ name: String) -> String? {
        for part in (headers["content-type"] ?? "").split(separator: ";").dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard pair.count == 2, pair[0].lowercased() == name else { continue }
            return pair[1].trimmingCharacters(in: CharacterSet(charactersIn: "\""))
        }
        return nil
    }

    /// The body without its transfer encoding; damaged encodings lose only what is damaged.
    var content: Data {
        switch (headers["content-transfer-encoding"] ?? "").lowercased() {
        case "base64": Data(base64Encoded: Data(body), options: .ignoreUnknownCharacters) ?? Data()
        case "quoted-printable": Data(Self.unquoted(body))
        default: Data(body)
        }
    }

    /// Decodes quoted-printable text (RFC 2045, 6.7).
    private static func unquoted(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var offset = bytes.startIndex
        func digit(_ place: Int) -> UInt8? {
            guard place < bytes.endIndex else { return nil }
            switch bytes[place] {
            case 0x30...0x39: return bytes[place] - 0x30
            case 0x41...0x46: return bytes[place] - 0x41 + 10
            case 0x61...0x66: return bytes[place] - 0x61 + 10
            default: return nil
            }
        }
        while offset < bytes.endIndex {
            let byte = bytes[offset]
            offset += 1
            guard byte == UInt8(ascii: "=") else {
                result.append(byte)
                continue
            }
            if let high = digit(offset), let low = digit(offset + 1) {
                result.append(high << 4 | low)
                offset += 2
            } else if offset < bytes.endIndex, bytes[offset] == 0x0A {
                // A soft line break.
                offset += 1
            } else if offset + 1 < bytes.endIndex, bytes[offset] == 0x0D, bytes[offset + 1] == 0x0A {
                offset += 2
            } else {
                result.append(byte)
            }
        }
        return result
    }

    /// The parts of a multipart body; an unfinished last part counts, because its content may still be useful.
    ///
    /// - Parameter limit: The maximum number of parts.
    /// - Returns: The parts, as far as they have headers.
    func parts(upTo limit: Int) -> [MIMEMessage] {
        guard let boundary = parameter("boundary"), !boundary.isEmpty else { return [] }
        let mark = Array("--\(boundary)".utf8)
        var parts: [MIMEMessage] = []
        var (start, offset): (Int?, Int) = (nil, body.startIndex)
        func add(upTo end: Int, before boundary: Int) {
            guard let start, start <= boundary else { return }
            // Without a body, the line break before the boundary is the empty line after the headers.
            let part = (start <= end ? MIMEMessage(body[start..<end]) : nil) ?? MIMEMessage(body[start..<boundary])
            if let part { parts.append(part) }
        }
        // Each line is compared with the boundary once.
        while offset < body.endIndex, parts.count < limit {
            let lineEnd = body[offset...].firstIndex(of: 0x0A) ?? body.endIndex
            if body[offset..<lineEnd].starts(with: mark) {
                // The line break before the boundary belongs to it.
                var end = offset
                if end > body.startIndex, body[end - 1] == 0x0A { end -= 1 }
                if end > body.startIndex, body[end - 1] == 0x0D { end -= 1 }
                add(upTo: end, before: offset)
                let rest = body[(offset + mark.count)..<lineEnd]
                if rest.starts(with: Array("--".utf8)) { return parts }
                start = min(lineEnd + 1, body.endIndex)
            }
            offset = min(lineEnd + 1, body.endIndex)
        }
        if parts.count < limit { add(upTo: body.endIndex, before: body.endIndex) }
        return parts
    }
}
