import HTTPTypes

/// Decides whether and how a broken transfer is resumed.
///
/// The server must have sent a strong validator: https://www.rfc-editor.org/rfc/rfc9110#section-13.1.5
struct ResumeStateMachine: Sendable, Hashable {
    /// The kind of request to send.
    enum RequestKind: Sendable, Hashable {
        case fromStart
        /// The rest from this offset, if the validator still matches.
        case from(Int64, validator: String)
    }

    private struct Source: Sendable, Hashable {
        var validator: String
        var total: Int64?
    }

    private let isAllowed: Bool
    private var attemptsLeft: Int
    private var requestKind = RequestKind.fromStart
    private var source: Source?
    private var received: Int64 = 0
    /// Whether any attempt received a response.
    private var hasResponse = false
    private var mayRetry = true

    /// Only a GET request without a range of its own can be resumed.
    init(method: HTTPRequest.Method, isPlain: Bool, attempts: Int) {
        self.isAllowed = method == .get && isPlain
        self.attemptsLeft = attempts
        self.mayRetry = method == .get || method == .head
    }

    enum ResponseAction: Sendable, Hashable {
        /// Take the content as the whole, and discard what was collected before.
        case replace
        /// Append the content: it's the rest.
        case append
        /// Ignore the content, discard what was collected because it's out of date, and request the whole again.
        case restart
        /// Give up; the transfer stays broken.
        case fail
    }

    /// Handles the head of a response.
    mutating func answered(status: Int, headers: HTTPFields) -> ResponseAction {
        hasResponse = true
        switch requestKind {
        case .fromStart:
            return begin(status: status, headers: headers)
        case .from(let start, let validator):
            switch status {
            case 200:
                return begin(status: status, headers: headers)
            case 206 where isContinuation(headers, from: start, validator: validator):
                return .append
            case 206, 416:
                guard attemptsLeft > 0 else { return .fail }
                attemptsLeft -= 1
                requestKind = .fromStart
                source = nil
                received = 0
                return .restart
            default:
                return .fail
            }
        }
    }

    /// Counts bytes that were collected.
    mutating func received(_ count: Int) {
        received += Int64(count)
    }

    /// Handles a broken connection; returns the request to send next, or `nil` to give up.
    mutating func connectionLost() -> RequestKind? {
        if !hasResponse {
            // The server may have closed an idle connection just as it was reused, so one retry is harmless.
            guard mayRetry else { return nil }
            mayRetry = false
            return requestKind
        }
        guard isAllowed, attemptsLeft > 0, received > 0, let source else { return nil }
        if let total = source.total, received >= total { return nil }
        attemptsLeft -= 1
        requestKind = .from(received, validator: source.validator)
        return requestKind
    }

    private mutating func begin(status: Int, headers: HTTPFields) -> ResponseAction {
        received = 0
        source = nil
        requestKind = .fromStart
        // Ranges count the bytes as sent, so they can't be used with content that was decompressed.
        if status == 200, headers[.contentEncoding] == nil, headers[.acceptRanges]?.lowercased() != "none",
            let validator = headers[.eTag], !validator.hasPrefix("W/")
        {
            source = Source(validator: validator, total: headers.announcedLength)
        }
        return .replace
    }

    /// Whether the response carries the rest from `start` of the same content, with the same total length.
    private func isContinuation(_ headers: HTTPFields, from start: Int64, validator: String) -> Bool {
        if let tag = headers[.eTag], tag != validator { return false }
        guard headers[.contentEncoding] == nil, let range = headers[.contentRange].flatMap(ContentRange.init) else {
            return false
        }
        guard range.first == start, range.reachesEnd else { return false }
        // A server that doesn't give the total length now must not have given one before.
        guard let total = range.total else { return source?.total == nil }
        return source?.total == nil || source?.total == total
    }
}
