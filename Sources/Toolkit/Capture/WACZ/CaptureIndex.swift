import Foundation

/// The index of a WARC file: its lines, and the compressed form in which readers search.
///
/// https://specs.webrecorder.net/cdxj/0.1.0/ and
/// https://pywb.readthedocs.io/en/latest/manual/indexing.html#zipnum-sharded-index
struct CaptureIndex {
    /// The methods of indexed requests: readers would show the responses to others, such as HEAD, in place of the page.
    private static let methods = ["GET", "POST", "PUT"]
    /// The number of lines in one compressed part.
    private static let linesPerPart = 1_024

    /// The lines, compressed in parts.
    let compressed: Data
    /// For each part its first key, its position and its length.
    let parts: Data

    private struct Line: Encodable {
        var url: String
        var mime: String?
        var status: String?
        var digest: String
        var length: String
        var offset: String
        var filename: String
        var method: String?
        var requestBody: String?
    }

    private struct Part: Encodable {
        var offset: Int
        var length: Int
        var digest: String
        var filename: String
    }

    /// Sorts and compresses the lines of an index.
    ///
    /// - Parameters:
    ///   - records: The records to index.
    ///   - warc: The name of the file that contains them.
    ///   - name: The name of the compressed index.
    ///   - isCancelled: Checked for each part.
    /// - Throws: `cancelled` or `failed`.
    init(
        _ records: [IndexedRecord], of warc: String, named name: String, isCancelled: () -> Bool
    ) throws(WACZError) {
        var lines: [String] = []
        for record in records where Self.methods.contains(record.method) {
            lines.append(try Self.line(for: record, in: warc))
        }
        lines.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var compressed = Data()
        var parts = #"!meta 0 {"format": "cdxj-gzip-1.0", "filename": "\#(name)"}"# + "\n"
        for start in stride(from: 0, to: lines.count, by: Self.linesPerPart) {
            let part = lines[start..<min(start + Self.linesPerPart, lines.count)]
            let member = try GzipMember.compress([Data(part.joined().utf8)], isCancelled: isCancelled)
            let key = part.first.map { $0.split(separator: " ", maxSplits: 2).prefix(2).joined(separator: " ") } ?? ""
            let entry = Part(
                offset: compressed.count, length: member.count, digest: WARCWriter.digest([member]), filename: name)
            parts += "\(key) \(try Self.json(entry))\n"
            compressed += member
        }
        self.compressed = compressed
        self.parts = Data(parts.utf8)
    }

    private static func line(for record: IndexedRecord, in warc: String) throws(WACZError) -> String {
        let isPlain = record.method == "GET"
        let line = Line(
            url: record.url, mime: record.mediaType, status: record.status.map { "\($0)" }, digest: record.digest,
            length: "\(record.place.length)", offset: "\(record.place.offset)", filename: warc,
            method: isPlain ? nil : record.method, requestBody: isPlain ? nil : record.requestBody ?? "")
        let key = SortableURL.key(of: RequestBodyQuery.indexedURL(of: record))
        return "\(key) \(timestamp(of: record.date)) \(try json(line))\n"
    }

    /// A time as 14 digits.
    private static func timestamp(of date: Date) -> String { date.formatted(.iso8601).filter(\.isNumber) }

    private static func json(_ value: some Encodable) throws(WACZError) -> String {
        try WACZWriter.json(value)
    }
}
