import Foundation

/// A file that a form brings, as `multipart/form-data`; see RFC 7578.
///
/// For pages whose script did not load: a script sends the file as it is.
struct UploadedFile {
    /// What it is called on the machine that it comes from.
    var name: String?
    /// What is in it.
    var data: Data

    init(name: String?, data: Data) {
        self.name = name
        self.data = data
    }

    /// What stands between the parts of such a body; `nil` for another type of body, as the request's header names it.
    static func boundary(in contentType: String) -> String? {
        let parts = contentType.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        guard parts.first?.lowercased() == "multipart/form-data" else { return nil }
        for part in parts.dropFirst() where part.lowercased().hasPrefix("boundary=") {
            let value = part.dropFirst("boundary=".count).trimmingCharacters(in: CharacterSet(charactersIn: "\""))
            // RFC 2046, section 5.1.1.
            return (1...70).contains(value.utf8.count) ? value : nil
        }
        return nil
    }

    /// The first file of a body; `nil` where there is none, as where nobody chose one.
    ///
    /// - Parameters:
    ///   - body: All of it.
    ///   - boundary: What stands between its parts.
    init?(in body: Data, boundary: String) {
        let delimiter = Data("--\(boundary)".utf8)
        var start = body.range(of: delimiter)?.upperBound
        while let begin = start, let next = body.range(of: Data("\r\n".utf8) + delimiter, in: begin..<body.endIndex) {
            if let file = UploadedFile(part: body[begin..<next.lowerBound]) {
                self = file
                return
            }
            start = next.upperBound
        }
        return nil
    }

    /// A part of a body, if it is a file: its headers, an empty line, and what is in it.
    private init?(part: Data) {
        guard let end = part.range(of: Data("\r\n\r\n".utf8)) else { return nil }
        let headers = String(decoding: part[part.startIndex..<end.lowerBound], as: UTF8.self)
        let disposition = headers.split(whereSeparator: \.isNewline)
            .first { $0.lowercased().hasPrefix("content-disposition:") }
        guard let disposition, let name = Self.fileName(in: String(disposition)) else { return nil }
        let data = Data(part[end.upperBound...])
        // What a browser sends where nothing was chosen.
        if name.isEmpty, data.isEmpty { return nil }
        self.init(name: name, data: data)
    }

    private static func fileName(in disposition: String) -> String? {
        guard let start = disposition.range(of: "filename=\"") else { return nil }
        let rest = disposition[start.upperBound...]
        guard let end = rest.firstIndex(of: "\"") else { return nil }
        // How browsers write what would end the name; see the HTML standard, "multipart/form-data encoding algorithm".
        return String(rest[..<end]).replacing("%22", with: "\"").replacing("%0D", with: "").replacing("%0A", with: " ")
    }
}
