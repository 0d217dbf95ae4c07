import Foundation

/// A record of a WARC file, which isn't trusted.
struct WARCRecord {
    /// The fields, by lower-case name.
    var fields: [String: String]
    var block: Data

    var type: String { fields["warc-type"]?.lowercased() ?? "" }
    var url: String? { fields["warc-target-uri"] }

    /// Parses the content of a member; `nil` if it isn't one record.
    init?(_ content: Data) {
        guard let (lines, block) = Self.head(of: content), lines.first?.hasPrefix("WARC/1.") == true else { return nil }
        fields = Dictionary(Self.fields(lines.dropFirst()), uniquingKeysWith: { first, _ in first })
        guard let length = fields["content-length"].flatMap({ Int($0) }), length >= 0, length <= block.count,
            block.dropFirst(length).elementsEqual("\r\n\r\n".utf8)
        else { return nil }
        self.block = block.prefix(length)
    }

    /// The HTTP response in the block.
    struct Response {
        var status: Int
        var fields: [(name: String, value: String)]
        var body: Data

        func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
    }

    /// Parses the response of a record; `nil` if it isn't one.
    var response: Response? {
        guard type == "response" || type == "revisit", let (lines, body) = Self.head(of: block),
            let line = lines.first?.split(separator: " "), line.count >= 2, line[0].hasPrefix("HTTP/"),
            let status = Int(line[1]), (100...599).contains(status)
        else { return nil }
        return Response(status: status, fields: Self.fields(lines.dropFirst()).map { ($0, $1) }, body: body)
    }

    /// The part of the block that the payload's digest covers.
    var payload: Data? {
        if type == "request" || type == "response" { return Self.head(of: block)?.body }
        return type == "resource" ? block : nil
    }

    /// Whether a digest field is wrong.
    func isWrong(_ field: String, for data: Data?) -> Bool {
        guard let expected = fields[field], let data else { return false }
        return expected.hasPrefix("sha256:") && expected != WARCWriter.digest([data])
    }

    /// The lines before the first empty line, and what follows it.
    private static func head(of data: Data) -> (lines: [String], body: Data)? {
        guard let end = data.firstRange(of: Data("\r\n\r\n".utf8)) else { return nil }
        let text = String(decoding: data[data.startIndex..<end.lowerBound], as: UTF8.self)
        return (text.components(separatedBy: "\r\n"), data[end.upperBound...])
    }

    private static func fields(_ lines: some Sequence<String>) -> [(String, String)] {
        lines.compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            return (line[..<colon].lowercased(), value)
        }
    }
}
