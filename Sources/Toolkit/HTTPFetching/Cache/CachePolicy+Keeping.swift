import Foundation
import HTTPTypes

extension CachePolicy {
    /// What is kept of an answer, but for its content; `nil` if nothing may be, or nothing would come of it.
    ///
    /// https://www.rfc-editor.org/rfc/rfc9111#section-3
    ///
    /// - Parameters:
    ///   - question: The request.
    ///   - status: The answer's status.
    ///   - headers: The answer's header fields.
    ///   - requested: When it was asked for.
    ///   - received: When it came.
    ///   - body: Its content, which is whole.
    /// - Returns: The record, or `nil`.
    func record(
        of question: CacheQuestion, status: Int, headers: HTTPFields, requested: Date, received: Date,
        body: CacheRecord.Body
    ) -> CacheRecord? {
        guard mayKeep(question, status: status, headers: headers),
            let varying = Self.varying(question, headers)
        else { return nil }
        let record = CacheRecord(
            varying: varying, status: status, headers: Self.kept(headers), requested: requested, received: received,
            body: body)
        return isOfUse(record) ? record : nil
    }

    /// Whether an answer may be kept, by what is known before its content has come.
    func mayKeep(_ question: CacheQuestion, status: Int, headers: HTTPFields) -> Bool {
        guard !question.isForTheServer, (200..<600).contains(status), status != 206, status != 304 else { return false }
        // It would take the place of what can be served instead.
        if Self.isServerFailure(status) { return false }
        let reply = CacheControl(headers)
        if CacheControl(question.headers).contains("no-store") { return false }
        if reply.contains("must-understand") {
            guard Self.isUnderstood(status) else { return false }
        } else if reply.contains("no-store") {
            return false
        }
        return reply.contains("max-age") || reply.contains("public") || reply.contains("private")
            || headers.contains(.expires) || Self.isCacheableByDefault(status)
    }

    /// Whether an answer says that what was there before is no more, even if it may not be kept itself.
    static func takesPlace(_ status: Int) -> Bool {
        (200..<400).contains(status) && status != 206 && status != 304 || status == 404 || status == 410
    }

    /// What can be served some day, or asked about.
    private func isOfUse(_ record: CacheRecord) -> Bool {
        if Self.hasValidator(record) { return true }
        let reply = CacheControl(record.headers)
        if reply.contains("no-cache") { return false }
        return lifetime(of: record) > 0
            || (reply.seconds("stale-while-revalidate") ?? 0) + (reply.seconds("stale-if-error") ?? 0) > 0
    }

    /// Those whose meaning for a cache is known.
    private static func isUnderstood(_ status: Int) -> Bool {
        isCacheableByDefault(status) || [201, 202, 205, 302, 303, 307, 400, 401, 403, 408, 409, 429].contains(status)
    }

    /// The header fields that are kept: not those of the connection, nor those of what was undone on the way.
    ///
    /// https://www.rfc-editor.org/rfc/rfc9111#section-3.1
    static func kept(_ headers: HTTPFields) -> HTTPFields {
        var left = Set(FieldList.split(headers[values: .connection]).map { $0.lowercased() })
        left.formUnion(ofConnection)
        return HTTPFields(headers.filter { !left.contains($0.name.canonicalName) })
    }

    private static let ofConnection: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]
}

extension CachePolicy {
    /// Whether the server can be asked whether a record is still good.
    static func hasValidator(_ record: CacheRecord) -> Bool {
        record.headers.contains(.eTag) || record.headers.contains(.lastModified)
    }

    /// The header fields that ask whether a record is still good.
    ///
    /// https://www.rfc-editor.org/rfc/rfc9111#section-4.3.1
    static func conditions(for record: CacheRecord) -> HTTPFields {
        var conditions = HTTPFields()
        if let tag = record.headers[.eTag] { conditions[.ifNoneMatch] = tag }
        if let date = record.headers[.lastModified] { conditions[.ifModifiedSince] = date }
        return conditions
    }

    /// A record after the server has said that it is still good: with the header fields of what said so.
    ///
    /// https://www.rfc-editor.org/rfc/rfc9111#section-3.2
    ///
    /// - Returns: The record; `nil` if the answer is about another content: it names a strong validator that is not ours.
    static func freshened(
        _ record: CacheRecord, by headers: HTTPFields, requested: Date, received: Date
    ) -> CacheRecord? {
        if let tag = headers[.eTag], !tag.hasPrefix("W/"), tag != record.headers[.eTag] { return nil }
        var record = record
        var new = HTTPFields(kept(headers).filter { !ofContent.contains($0.name.canonicalName) })
        // An age that is not said anew would be counted twice.
        record.headers[.age] = nil
        for name in Set(new.map(\.name)) { record.headers[fields: name] = [] }
        if !new.contains(.date) {
            record.headers[fields: .date] = []
            new[.date] = HTTPDate.format(received)
        }
        record.headers.append(contentsOf: new)
        record.requested = requested
        record.received = received
        return record
    }

    /// Those that say how the content is, which stays what it is.
    private static let ofContent: Set<String> = [
        "content-encoding", "content-length", "content-md5", "content-range", "content-type", "etag",
    ]
}

extension CachePolicy {
    /// The addresses whose records are not good any more after a request that may have changed something.
    ///
    /// https://www.rfc-editor.org/rfc/rfc9111#section-4.4
    static func invalidated(by method: HTTPRequest.Method, at url: URL, status: Int, headers: HTTPFields) -> [URL] {
        guard ![.get, .head, .options, .trace].contains(method), (200..<400).contains(status) else { return [] }
        let others = [headers[.location], headers[.contentLocation]].compactMap(\.self)
            .compactMap { URL(string: $0, relativeTo: url)?.absoluteURL }
            .filter { WebOrigin($0) == WebOrigin(url) }
        return [url] + others
    }
}
