package import Foundation

/// A form with files, `multipart/form-data`; see RFC 7578.
package enum MultipartForm {
    /// The maximum number of parts, and the maximum bytes of a part's headers.
    ///
    /// Forms have a few fields. Without a limit, a body of 40 MB could have eight million parts.
    private static let (maximumParts, longestHead) = (100, 10_000)

    /// The boundary between a body's parts, from its content type; `nil` if it is not such a form.
    package static func boundary(in contentType: String) -> String? {
        let parts = contentType.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        guard parts.first?.lowercased() == "multipart/form-data" else { return nil }
        for part in parts.dropFirst() where part.lowercased().hasPrefix("boundary=") {
            let value = part.dropFirst("boundary=".count).trimmingCharacters(in: CharacterSet(charactersIn: "\""))
            // RFC 2046, section 5.1.1.
            return (1...70).contains(value.utf8.count) ? value : nil
        }
        return nil
    }

    /// The parts of a body, without those that have no name, no end, or too long headers.
    ///
    /// - Complexity: O(*n*).
    package static func parts(in body: Data, boundary: String) -> [FormPart] {
        let delimiter = Array("\r\n--\(boundary)".utf8)
        let ranges = body.withUnsafeBytes { Self.ranges(in: $0, delimiter: delimiter) }
        return ranges.compactMap { range in
            FormPart(body[(body.startIndex + range.lowerBound)..<(body.startIndex + range.upperBound)], longestHead)
        }
    }

    private static func ranges(in body: UnsafeRawBufferPointer, delimiter: [UInt8]) -> [Range<Int>] {
        // A delimiter at the start of the body has no line break before it.
        var start: Int
        if body.starts(with: delimiter.dropFirst(2)) {
            start = delimiter.count - 2
        } else if let place = place(of: delimiter, in: body, from: 0) {
            start = place + delimiter.count
        } else {
            return []
        }
        var ranges: [Range<Int>] = []
        while ranges.count < maximumParts, let end = place(of: delimiter, in: body, from: start) {
            ranges.append(start..<end)
            start = end + delimiter.count
        }
        return ranges
    }

    /// The offset of a byte sequence that starts with a carriage return.
    ///
    /// Few bytes are compared twice: the only carriage returns in the sequence are its first byte and at most one
    /// other.
    fileprivate static func place(of mark: [UInt8], in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var place = start
        while place + mark.count <= bytes.count {
            if bytes[place] == mark[0], bytes[place..<place + mark.count].elementsEqual(mark) { return place }
            place += 1
        }
        return nil
    }
}

/// A field or a file of a ``MultipartForm``.
package struct FormPart: Sendable {
    /// The name of the field; empty if it has none.
    package var name: String
    /// The file's name on the user's machine, without line breaks; `nil` if the part isn't a file.
    package var fileName: String?
    /// The content.
    package var data: Data

    /// Parses a part: its headers, an empty line, and its content.
    fileprivate init?(_ part: Data, _ longestHead: Int) {
        let emptyLine = Array("\r\n\r\n".utf8)
        let place = part.withUnsafeBytes { bytes in
            MultipartForm.place(
                of: emptyLine, in: UnsafeRawBufferPointer(rebasing: bytes.prefix(longestHead)), from: 0)
        }
        guard let place else { return nil }
        let head = String(decoding: part.prefix(place), as: UTF8.self)
        let disposition = head.split(whereSeparator: \.isNewline)
            .first { $0.lowercased().hasPrefix("content-disposition:") }
        guard let disposition = disposition.map(String.init) else { return nil }
        name = Self.value(of: "name", in: disposition) ?? ""
        fileName = Self.value(of: "filename", in: disposition)
        data = part.dropFirst(place + emptyLine.count)
        guard fileName != nil || !name.isEmpty else { return nil }
    }

    /// Whether a browser sent the part because the user chose no file.
    package var isNoFile: Bool { fileName?.isEmpty == true && data.isEmpty }

    private static func value(of parameter: String, in disposition: String) -> String? {
        // A space or a semicolon comes before each parameter, so `name` isn't found within `filename`.
        var rest = disposition[...]
        while let start = rest.range(of: "\(parameter)=\"") {
            let before = start.lowerBound == rest.startIndex ? nil : rest[rest.index(before: start.lowerBound)]
            rest = rest[start.upperBound...]
            guard before == " " || before == ";" || before == "\t" else { continue }
            guard let end = rest.firstIndex(of: "\"") else { return nil }
            // Browsers escape these characters; see the HTML standard, "multipart/form-data encoding algorithm".
            return String(rest[..<end]).replacing("%22", with: "\"").replacing("%0D", with: "")
                .replacing("%0A", with: " ")
        }
        return nil
    }
}
