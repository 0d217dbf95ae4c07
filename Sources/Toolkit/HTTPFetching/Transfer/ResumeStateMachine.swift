import HTTPTypes

/// Decides whether and how a broken transfer is resumed.
///
/// The server must have sent a strong validator: https://www.rfc-editor.org/rfc/rfc9110#section-13.1.5
struct ResumeStateMachine: Sendable, Hashable {
    /// The kind of request to send.
    enum Question: Sendable, Hashable {
        case fromTheBeginning
        /// The rest from this offset, if the validator still matches.
        case from(Int64, ifStill: String)
    }

    private struct Source: Sendable, Hashable {
        var validator: String
        var total: Int64?
    }

    private let isAllowed: Bool
    private var attemptsLeft: Int
    private var question = Question.fromTheBeginning
    private var source: Source?
    private var received: Int64 = 0
    /// Whether any attempt received a response.
    private var wasAnswered = false
    private var mayAskAnew = true

    /// Only a GET request without a range of its own can be resumed.
    init(method: HTTPRequest.Method, isPlain: Bool, attempts: Int) {
        self.isAllowed = method == .get && isPlain
        self.attemptsLeft = attempts
        self.mayAskAnew = method == .get || method == .head
    }

    enum AnswerAction: Sendable, Hashable {
        /// Take the content as the whole, and discard what was collected before.
        case takeFromTheBeginning
        /// Append the content: it's the rest.
        case takeTheRest
        /// Ignore the content, discard what was collected because it's out of date, and request the whole again.
        case askAnew
        /// Give up; the transfer stays broken.
        case fail
    }

    /// Handles the head of a response.
    mutating func answered(status: Int, headers: HTTPFields) -> AnswerAction {
        wasAnswered = true
        switch question {
        case .fromTheBeginning:
            return begin(status: status, headers: headers)
        case .from(let start, let validator):
            switch status {
            case 200:
                return begin(status: status, headers: headers)
            case 206 where isTheRest(headers, from: start, validator: validator):
                return .takeTheRest
            case 206, 416:
                guard attemptsLeft > 0 else { return .fail }
                attemptsLeft -= 1
                question = .fromTheBeginning
                source = nil
                received = 0
                return .askAnew
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
    mutating func broke() -> Question? {
        if !wasAnswered {
            // The server may have closed an idle connection just as it was reused, so one retry is harmless.
            guard mayAskAnew else { return nil }
            mayAskAnew = false
            return question
        }
        guard isAllowed, attemptsLeft > 0, received > 0, let source else { return nil }
        if let total = source.total, received >= total { return nil }
        attemptsLeft -= 1
        question = .from(received, ifStill: source.validator)
        return question
    }

    private mutating func begin(status: Int, headers: HTTPFields) -> AnswerAction {
        received = 0
        source = nil
        question = .fromTheBeginning
        // Ranges count the bytes as sent, so they can't be used with content that was decompressed.
        if status == 200, headers[.contentEncoding] == nil, headers[.acceptRanges]?.lowercased() != "none",
            let validator = headers[.eTag], !validator.hasPrefix("W/")
        {
            source = Source(validator: validator, total: headers.announcedLength)
        }
        return .takeFromTheBeginning
    }

    /// Whether the response carries the rest from `start` of the same content, with the same total length.
    private func isTheRest(_ headers: HTTPFields, from start: Int64, validator: String) -> Bool {
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
