import Foundation

/// A file in a `multipart/form-data` form; see RFC 7578.
///
/// Only pages whose script didn't load send such forms; the script sends the file itself as the body.
struct UploadedFile {
    /// The file's name on the user's machine.
    var name: String?
    /// The file's contents.
    var data: Data

    init(name: String?, data: Data) {
        self.name = name
        self.data = data
    }

    /// The maximum number of parts, and the maximum bytes of a part's headers.
    ///
    /// A form has one field, for the file. Without a limit, a body of 40 MB could have eight million parts.
    private static let (mostParts, longestHead) = (100, 10_000)

    /// Finds the first file of a body whose parts are separated by a boundary; `nil` if there is none.
    ///
    /// - Complexity: O(*n*).
    init?(in body: Data, boundary: String) {
        let delimiter = Array("\r\n--\(boundary)".utf8)
        let file = body.withUnsafeBytes { Self.first(in: $0, delimiter: delimiter) }
        guard let file else { return nil }
        self = file
    }

    private static func first(in body: UnsafeRawBufferPointer, delimiter: [UInt8]) -> UploadedFile? {
        // A delimiter at the start of the body has no line break before it.
        var start: Int
        if body.starts(with: delimiter.dropFirst(2)) {
            start = delimiter.count - 2
        } else if let place = place(of: delimiter, in: body, from: 0) {
            start = place + delimiter.count
        } else {
            return nil
        }
        for _ in 0..<mostParts {
            guard let end = place(of: delimiter, in: body, from: start) else { return nil }
            if let file = UploadedFile(part: UnsafeRawBufferPointer(rebasing: body[start..<end])) { return file }
            start = end + delimiter.count
        }
        return nil
    }

    /// The offset of a byte sequence that starts with a carriage return.
    ///
    /// Few bytes are compared twice: the only carriage returns in the sequence are its first byte and at most one
    /// other.
    private static func place(of mark: [UInt8], in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var place = start
        while place + mark.count <= bytes.count {
            if bytes[place] == mark[0], bytes[place..<place + mark.count].elementsEqual(mark) { return place }
            place += 1
        }
        return nil
    }

    /// Parses a part: its headers, an empty line, and its contents; `nil` if it isn't a file.
    private init?(part: UnsafeRawBufferPointer) {
        let head = UnsafeRawBufferPointer(rebasing: part.prefix(Self.longestHead))
        let emptyLine = Array("\r\n\r\n".utf8)
        guard let end = Self.place(of: emptyLine, in: head, from: 0) else { return nil }
        let disposition = String(decoding: head[..<end], as: UTF8.self).split(whereSeparator: \.isNewline)
            .first { $0.lowercased().hasPrefix("content-disposition:") }
        guard let disposition, let name = Self.fileName(in: String(disposition)) else { return nil }
        let data = Data(part[(end + emptyLine.count)...])
        // Browsers send this if the user chose no file.
        if name.isEmpty, data.isEmpty { return nil }
        self.init(name: name, data: data)
    }

    private static func fileName(in disposition: String) -> String? {
        guard let start = disposition.range(of: "filename=\"") else { return nil }
        let rest = disposition[start.upperBound...]
        guard let end = rest.firstIndex(of: "\"") else { return nil }
        // Browsers escape these characters; see the HTML standard, "multipart/form-data encoding algorithm".
        return String(rest[..<end]).replacing("%22", with: "\"").replacing("%0D", with: "").replacing("%0A", with: " ")
    }
}
