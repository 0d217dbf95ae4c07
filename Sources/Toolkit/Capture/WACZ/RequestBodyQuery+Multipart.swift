import Foundation

// Forms with files, `multipart/form-data`, as a query: the names and values of their parts, whatever the boundary is.

extension RequestBodyQuery {
    /// The names and contents of the parts of a form, in order.
    ///
    /// A part without a name has the name `None`, as in other implementations. Reading ends when the query is as long as it
    /// can be, so a body of many parts takes no longer than reading it once.
    ///
    /// - Parameters:
    ///   - body: The body, which isn't trusted.
    ///   - type: The content type with its boundary.
    /// - Returns: The query; `nil` if the type has no valid boundary.
    static func multipart(_ body: Data, type: String) -> String? {
        guard let boundary = boundary(in: type) else { return nil }
        let delimiter = Array("--\(boundary)".utf8)
        return body.withUnsafeBytes { bytes in
            var reader = MultipartReader(bytes: bytes, delimiter: delimiter)
            var query: [UInt8] = []
            while query.count < limit, let part = reader.next() {
                if !query.isEmpty { query.append(UInt8(ascii: "&")) }
                query += escaped(Array((part.name ?? "None").utf8))
                query.append(UInt8(ascii: "="))
                let content = bytes[part.content]
                // Each byte of a file is escaped; a text is escaped as UTF-8. No more is needed than fits the query.
                let start = content.prefix(limit)
                query += escaped(part.isFile ? Array(start) : Array(String(decoding: start, as: UTF8.self).utf8))
            }
            return String(decoding: query.prefix(limit), as: UTF8.self)
        }
    }

    /// The boundary in a content type; `nil` if there is none, or it isn't one.
    private static func boundary(in type: String) -> String? {
        let value = HeaderParameters.value(of: "boundary", in: type) ?? ""
        // As https://docs.python.org/3.11/library/cgi.html accepts it, which pywb uses.
        let isValid = (1...201).contains(value.utf8.count) && value.utf8.last != 0x20
        return isValid && value.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? value : nil
    }
}

/// Reads the parts of a body, each at most once.
private struct MultipartReader {
    struct Part {
        var name: String?
        var isFile: Bool
        var content: Range<Int>
    }

    let bytes: UnsafeRawBufferPointer
    /// The boundary after two hyphens.
    let delimiter: [UInt8]
    private var offset = 0
    private var isBegun = false
    private var isDone = false

    /// The maximum length of a part's header that is read, in bytes.
    private static let longestHeader = 10_000

    init(bytes: UnsafeRawBufferPointer, delimiter: [UInt8]) { (self.bytes, self.delimiter) = (bytes, delimiter) }

    mutating func next() -> Part? {
        if !isBegun {
            isBegun = true
            // What comes before the first delimiter isn't a part.
            _ = skipToDelimiter()
        }
        guard !isDone, offset < bytes.count else { return nil }
        var name: String?
        var isFile = false
        while offset < bytes.count {
            let line = nextLine()
            let text = String(decoding: bytes[line].prefix(Self.longestHeader), as: UTF8.self)
            let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
            if trimmed.isEmpty { break }
            guard trimmed.lowercased().hasPrefix("content-disposition:") else { continue }
            name = HeaderParameters.value(of: "name", in: trimmed)
            isFile = HeaderParameters.value(of: "filename", in: trimmed) != nil
        }
        return Part(name: name, isFile: isFile, content: skipToDelimiter())
    }

    /// The next line with its end.
    private mutating func nextLine() -> Range<Int> {
        let start = offset
        let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
        offset = end
        return start..<end
    }

    /// Continues after the next delimiter; returns what comes before it, without the line break.
    private mutating func skipToDelimiter() -> Range<Int> {
        let start = offset
        while offset < bytes.count {
            let line = nextLine()
            guard bytes[line].starts(with: delimiter) else { continue }
            let rest = bytes[line].dropFirst(delimiter.count)
            let isLast = rest.starts(with: [0x2D, 0x2D])
            guard rest.dropFirst(isLast ? 2 : 0).allSatisfy({ [0x20, 0x09, 0x0D, 0x0A].contains($0) }) else { continue }
            if isLast { isDone = true }
            var end = line.lowerBound
            if end > start, bytes[end - 1] == 0x0A { end -= 1 }
            if end > start, end < line.lowerBound, bytes[end - 1] == 0x0D { end -= 1 }
            return start..<end
        }
        isDone = true
        return start..<bytes.count
    }
}

/// The parameters of a header, such as `form-data; name="a"`.
private enum HeaderParameters {
    /// The value of a parameter; `nil` if there is none.
    static func value(of name: String, in header: String) -> String? {
        for parameter in parameters(of: header).dropFirst() {
            guard let equals = parameter.firstIndex(of: "=") else { continue }
            let key = parameter[..<equals].trimmingCharacters(in: .whitespaces).lowercased()
            guard key == name else { continue }
            let value = parameter[parameter.index(after: equals)...].trimmingCharacters(in: .whitespaces)
            guard value.unicodeScalars.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") else { return value }
            return String(value.dropFirst().dropLast()).replacing("\\\\", with: "\\").replacing("\\\"", with: "\"")
        }
        return nil
    }

    /// The parts between semicolons that aren't in quotation marks.
    private static func parameters(of header: String) -> [String] {
        var parts: [String] = []
        var part = String.UnicodeScalarView()
        var (isQuoted, isEscaped) = (false, false)
        for scalar in header.unicodeScalars {
            if scalar == ";", !isQuoted {
                parts.append(String(part))
                part = String.UnicodeScalarView()
                continue
            }
            if scalar == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = scalar == "\\" && !isEscaped
            part.append(scalar)
        }
        return parts + [String(part)]
    }
}
