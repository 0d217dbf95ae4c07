import HTTPTypes

/// Whether and how a transfer that broke is resumed.
///
/// A server must have sent a strong validator: https://www.rfc-editor.org/rfc/rfc9110#section-13.1.5
struct ResumeStateMachine: Sendable, Hashable {
    /// How to ask.
    enum Question: Sendable, Hashable {
        case fromTheBeginning
        /// For the rest, if it is still the same.
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
    /// Whether anything was ever answered.
    private var wasAnswered = false
    private var mayAskAnew = true

    /// Only a plain GET, one for the whole, can be resumed.
    init(method: HTTPRequest.Method, isPlain: Bool, attempts: Int) {
        self.isAllowed = method == .get && isPlain
        self.attemptsLeft = attempts
        self.mayAskAnew = method == .get || method == .head
    }

    enum AnswerAction: Sendable, Hashable {
        /// Its content is the whole: what was collected before is nothing.
        case takeFromTheBeginning
        /// Its content is the rest.
        case takeTheRest
        /// Its content is of no use, and what was collected is out of date: ask for the whole.
        case askAnew
        /// The transfer stays broken.
        case fail
    }

    /// An answer begins.
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

    /// So many bytes more were collected.
    mutating func received(_ count: Int) {
        received += Int64(count)
    }

    /// The connection broke; returns how to ask again; `nil` if the transfer stays broken.
    mutating func broke() -> Question? {
        if !wasAnswered {
            // A connection that was kept open may have been closed just as it was used again: once, that means nothing.
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
        // Parts are parts of what is sent; what was decompressed on the way has others.
        if status == 200, headers[.contentEncoding] == nil, headers[.acceptRanges]?.lowercased() != "none",
            let validator = headers[.eTag], !validator.hasPrefix("W/")
        {
            source = Source(validator: validator, total: headers.announcedLength)
        }
        return .takeFromTheBeginning
    }

    /// `bytes 100-199/200`, from where it broke, of as many as there were, and of the same content.
    private func isTheRest(_ headers: HTTPFields, from start: Int64, validator: String) -> Bool {
        if let tag = headers[.eTag], tag != validator { return false }
        guard headers[.contentEncoding] == nil, let range = headers[.contentRange].flatMap(ContentRange.init) else {
            return false
        }
        guard range.first == start, range.reachesEnd else { return false }
        // Where the server does not say how long it is, it must not have said so before.
        guard let total = range.total else { return source?.total == nil }
        return source?.total == nil || source?.total == total
    }
}
