import Crypto
import Digests
import Foundation

/// Writes a compressed WARC file in memory.
///
/// https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/
struct WARCWriter {
    /// A record's place in the file.
    struct Place: Hashable {
        var offset: Int
        var length: Int
    }

    /// A record before its fixed fields are added.
    struct Record {
        /// The value of `WARC-Type`.
        var type: String
        var id = WARCWriter.newID()
        var date: Date
        /// Further fields, in order.
        var fields: [(name: String, value: String)]
        /// The parts of the block.
        var block: [Data]
    }

    private(set) var data = Data()
    private let isCancelled: () -> Bool

    /// Creates an empty file.
    ///
    /// - Parameter isCancelled: Checked while records are written.
    init(isCancelled: @escaping () -> Bool = { false }) {
        self.isCancelled = isCancelled
    }

    /// Appends a record.
    ///
    /// - Returns: Its place.
    /// - Throws: `cancelled` or `failed`.
    @discardableResult
    mutating func append(_ record: Record) throws(WACZError) -> Place {
        var head = "WARC/1.1\r\nWARC-Type: \(record.type)\r\nWARC-Record-ID: \(record.id)\r\n"
        head += "WARC-Date: \(record.date.formatted(.iso8601))\r\n"
        for (name, value) in record.fields { head += "\(name): \(HTTPExchange.cleaned(value))\r\n" }
        head += "WARC-Block-Digest: \(Self.digest(record.block))\r\n"
        head += "Content-Length: \(record.block.reduce(0) { $0 + $1.count })\r\n\r\n"
        let member = try GzipMember.compress(
            [Data(head.utf8)] + record.block + [Data("\r\n\r\n".utf8)], isCancelled: isCancelled)
        let place = Place(offset: data.count, length: member.count)
        data += member
        return place
    }

    /// A new value of `WARC-Record-ID`.
    static func newID() -> String { "<urn:uuid:\(UUID().uuidString.lowercased())>" }

    /// The digest of a block or payload, as recorders of web browsers write it.
    static func digest(_ parts: [Data]) -> String {
        var hash = SHA256()
        for part in parts { hash.update(data: part) }
        return "sha256:\(hash.finalize().hexadecimal)"
    }
}

// MARK: - Exchanges

/// An exchange with its content, as a WARC file records it.
struct RecordedExchange: Sendable {
    enum Content: Sendable {
        /// The response has no body: a redirect, for example.
        case none
        /// The body of the response, decoded.
        case body(Data)
        /// The whole resource from a later request, because the browser asked only for parts of it.
        case reloaded(Data)
    }

    var exchange: HTTPExchange
    var content: Content
}

/// What an index says about a record.
struct IndexedRecord: Sendable {
    var url: String
    var date: Date
    var method: String
    /// The request's body as a query; `nil` if there is none.
    var requestBody: String?
    /// The media type; `nil` if the response has none.
    var mediaType: String?
    /// The HTTP status; `nil` for a resource without a response.
    var status: Int?
    var digest: String
    var place: WARCWriter.Place
}

extension WARCWriter {
    /// Appends the record that describes the file.
    mutating func appendInfo(fileName: String, at date: Date) throws(WACZError) {
        let text = """
            software: Meanwhile\r
            format: WARC File Format 1.1\r
            conformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r
            description: Bodies are decoded, and the fields that described their encoding are renamed to x-orig-. The \
            request fields Authorization and Cookie and the response field Set-Cookie are left out.\r

            """
        try append(
            Record(
                type: "warcinfo", date: date,
                fields: [("WARC-Filename", fileName), ("Content-Type", "application/warc-fields")],
                block: [Data(text.utf8)]))
    }

    /// Appends the records of an exchange: a request, and a response, a `revisit` or a resource.
    ///
    /// A response that repeats an earlier one of the same URL is a `revisit`, and so is one with status 304.
    ///
    /// - Returns: What the index says about it.
    /// - Throws: `cancelled` or `failed`.
    mutating func append(
        _ recorded: RecordedExchange, originals: inout [String: Original]
    ) throws(WACZError) -> IndexedRecord {
        let exchange = recorded.exchange
        let id = Self.newID()
        var shared = [("WARC-Target-URI", exchange.url)]
        if let address = exchange.address { shared.append(("WARC-IP-Address", address)) }
        if let name = exchange.response.newerProtocol { shared.append(("WARC-Protocol", name)) }
        var indexed = IndexedRecord(
            url: exchange.url, date: exchange.date, method: exchange.method,
            requestBody: RequestBodyQuery.query(of: exchange), mediaType: exchange.declaredMediaType,
            status: exchange.response.status, digest: "", place: Place(offset: 0, length: 0))
        if case .reloaded(let data) = recorded.content {
            indexed.digest = Self.digest([data])
            indexed.status = nil
            (indexed.method, indexed.requestBody) = ("GET", nil)
            indexed.mediaType = exchange.response.mediaTypeOrUnknown
            indexed.place = try append(
                Record(
                    type: "resource", id: id, date: exchange.date,
                    fields: shared + [
                        ("WARC-Payload-Digest", indexed.digest), ("Content-Type", exchange.response.mediaTypeOrUnknown),
                    ], block: [data]))
            return indexed
        }
        let body: Data
        if case .body(let data) = recorded.content { body = data } else { body = Data() }
        let payload = Self.digest([body])
        indexed.digest = payload
        let original = originals["\(exchange.url) \(payload)"]
        let isRepeated = original != nil && !body.isEmpty
        let isUnmodified = exchange.response.status == 304
        let isRevisit = isRepeated || isUnmodified
        var fields = shared + [("WARC-Payload-Digest", payload)]
        if isRevisit {
            indexed.mediaType = "warc/revisit"
            let profile = isUnmodified ? "server-not-modified" : "identical-payload-digest"
            fields.append(("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/\(profile)"))
            if let original = isUnmodified ? originals[exchange.url] : original {
                fields += [
                    ("WARC-Refers-To", original.id), ("WARC-Refers-To-Target-URI", exchange.url),
                    ("WARC-Refers-To-Date", original.date.formatted(.iso8601)),
                ]
                if isUnmodified {
                    indexed.digest = original.digest
                    fields[fields.firstIndex { $0.0 == "WARC-Payload-Digest" } ?? 0].1 = original.digest
                }
            }
        } else if case .body = recorded.content {
            let original = Original(id: id, date: exchange.date, digest: payload)
            originals["\(exchange.url) \(payload)"] = original
            originals[exchange.url] = original
        }
        fields.append(("Content-Type", "application/http; msgtype=response"))
        let head = exchange.responseHead(bodyLength: isRevisit ? nil : body.count)
        indexed.place = try append(
            Record(
                type: isRevisit ? "revisit" : "response", id: id, date: exchange.date, fields: fields,
                block: isRevisit ? [head] : [head, body]))
        try appendRequest(of: exchange, for: id, shared: shared)
        return indexed
    }

    private mutating func appendRequest(
        of exchange: HTTPExchange, for response: String, shared: [(String, String)]
    ) throws(WACZError) {
        var fields = shared + [("WARC-Concurrent-To", response)]
        let body: Data
        switch exchange.requestBody {
        case .none: body = Data()
        case .data(let data): body = data
        case .unavailable:
            body = Data()
            fields.append(("WARC-Truncated", "unspecified"))
        }
        fields += [
            ("WARC-Payload-Digest", Self.digest([body])), ("Content-Type", "application/http; msgtype=request"),
        ]
        try append(
            Record(type: "request", date: exchange.date, fields: fields, block: [exchange.requestHead, body]))
    }

    /// An earlier record that a `revisit` refers to.
    struct Original {
        var id: String
        var date: Date
        var digest: String
    }
}

extension HTTPExchange {
    /// The media type that the response declares, without parameters.
    fileprivate var declaredMediaType: String? {
        responseField("content-type").flatMap { $0.split { $0 == ";" || $0.isWhitespace }.first.map { String($0) } }
    }
}

extension HTTPExchange.Response {
    fileprivate var mediaTypeOrUnknown: String { mediaType.isEmpty ? "application/octet-stream" : mediaType }
}
