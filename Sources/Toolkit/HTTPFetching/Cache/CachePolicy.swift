import Foundation
import HTTPTypes

/// What may be kept of an answer, and when it may be served again, by RFC 9111 and RFC 5861: pure.
///
/// It is that of a private cache: of one user, or of one program. `private` and `Authorization` keep nothing out of it, and
/// `s-maxage` says nothing to it.
struct CachePolicy: Sendable, Hashable {
    /// How much of the time since an answer was last modified it is taken to be fresh, where nobody says for how long.
    ///
    /// 10 %: https://www.rfc-editor.org/rfc/rfc9111#section-4.2.2
    var heuristicShare = 0.1
    /// The most that comes of that; browsers have a week.
    var heuristicLimit: TimeInterval = 7 * 86_400
}

/// What the policy looks at of a request.
struct CacheQuestion: Sendable, Hashable {
    var method: HTTPRequest.Method = .get
    /// All that is sent, what the fetcher adds of its own too: `Vary` may name it.
    var headers: HTTPFields = [:]
    var use = FetchRequest.CacheUse.standard

    /// Whether nobody is to be asked.
    var staysHere: Bool { use == .onlyCached || CacheControl(headers).contains("only-if-cached") }

    /// Whether the cache has nothing to do with it: it is not to be read, or asks for a part, or for a condition of its own.
    var isForTheServer: Bool {
        if method != .get || use == .ignored { return true }
        return [.range, .ifRange, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince]
            .contains { (name: HTTPField.Name) in headers.contains(name) }
    }
}

extension CachePolicy {
    /// For how long an answer is fresh, from its beginning, in seconds.
    ///
    /// https://www.rfc-editor.org/rfc/rfc9111#section-4.2.1
    func lifetime(of record: CacheRecord) -> TimeInterval {
        let control = CacheControl(record.headers)
        if let seconds = control.seconds("max-age") { return TimeInterval(seconds) }
        let date = self.date(of: record)
        let expires = record.headers[values: .expires]
        if !expires.isEmpty {
            // Several, or one that is no date, such as 0, is in the past.
            guard expires.count == 1, let end = HTTPDate.parse(expires[0], now: record.received) else { return 0 }
            return max(0, end.timeIntervalSince(date))
        }
        guard Self.isCacheableByDefault(record.status) || control.contains("public"),
            let text = record.headers[.lastModified], let modified = HTTPDate.parse(text, now: record.received)
        else { return 0 }
        return min(max(0, date.timeIntervalSince(modified)) * heuristicShare, heuristicLimit)
    }

    /// How old an answer is, in seconds.
    ///
    /// https://www.rfc-editor.org/rfc/rfc9111#section-4.2.3. Where the clock has been set back, so that it came in the
    /// future, it is older than anything.
    func age(of record: CacheRecord, at now: Date) -> TimeInterval {
        guard now >= record.received else { return .infinity }
        let apparent = max(0, record.received.timeIntervalSince(date(of: record)))
        let said = record.headers[values: .age].first.flatMap { FieldList.split($0).first }.flatMap(DeltaSeconds.parse)
        let delay = max(0, record.received.timeIntervalSince(record.requested))
        return max(apparent, TimeInterval(said ?? 0) + delay) + now.timeIntervalSince(record.received)
    }

    /// When an answer was made; when it came, if it does not say.
    private func date(of record: CacheRecord) -> Date {
        record.headers[.date].flatMap { HTTPDate.parse($0, now: record.received) } ?? record.received
    }

    /// Whether an answer of that status may be kept though nothing says so.
    ///
    /// https://www.rfc-editor.org/rfc/rfc9110#section-15.1
    static func isCacheableByDefault(_ status: Int) -> Bool {
        [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }
}

extension CachePolicy {
    /// What to do about a request.
    enum Decision: Sendable, Hashable {
        /// Ask the server; nothing that is kept is of use.
        case fetch
        /// Ask the server whether this is still good.
        case revalidate(CacheRecord)
        /// Serve it.
        case serve(CacheRecord)
        /// Serve it, though it may be out of date.
        case serveStale(CacheRecord)
        /// Serve it, though it may be out of date, and ask the server meanwhile.
        case serveWhileRevalidating(CacheRecord)
        /// Nothing may be asked, and nothing that is kept will do.
        case notCached
    }

    /// Decides what to do about a request.
    ///
    /// https://www.rfc-editor.org/rfc/rfc9111#section-4
    ///
    /// - Parameters:
    ///   - question: The request.
    ///   - records: What is kept of its address.
    ///   - now: The time.
    /// - Returns: What to do.
    func decide(_ question: CacheQuestion, _ records: [CacheRecord], at now: Date) -> Decision {
        if question.isForTheServer { return .fetch }
        let wants = CacheControl(question.headers)
        let staysHere = question.staysHere
        guard !wants.contains("no-store"), let record = select(question, records) else {
            return staysHere ? .notCached : .fetch
        }
        let reply = CacheControl(record.headers)
        let lifetime = lifetime(of: record)
        let age = age(of: record, at: now)
        let isFresh = age < lifetime
        let asksAnyway = reply.contains("no-cache") || Self.asksForNew(question, wants)
        switch question.use {
        case .onlyCached, .preferCached:
            return isFresh ? .serve(record) : .serveStale(record)
        case .revalidate:
            // https://www.rfc-editor.org/rfc/rfc8246#section-2: what never changes while it is fresh need not be asked for.
            if isFresh, reply.contains("immutable") { return .serve(record) }
        case .standard, .ignored:
            if !asksAnyway {
                if isFresh, suits(wants, lifetime: lifetime, age: age) { return .serve(record) }
                if let decision = stale(record, reply, wants, by: age - lifetime, age: age) { return decision }
            }
        }
        if staysHere { return .notCached }
        return Self.hasValidator(record) ? .revalidate(record) : .fetch
    }

    /// `no-cache`, or what stood for it in HTTP/1.0.
    private static func asksForNew(_ question: CacheQuestion, _ wants: CacheControl) -> Bool {
        if wants.contains("no-cache") { return true }
        return wants.isEmpty
            && FieldList.split(question.headers[values: .pragma]).contains { $0.lowercased() == "no-cache" }
    }

    /// Whether what is fresh is as fresh as is wanted.
    private func suits(_ wants: CacheControl, lifetime: TimeInterval, age: TimeInterval) -> Bool {
        if let most = wants.seconds("max-age"), age > TimeInterval(most) { return false }
        if let least = wants.seconds("min-fresh"), lifetime - age < TimeInterval(least) { return false }
        return true
    }

    /// What is stale, and may be served all the same.
    private func stale(
        _ record: CacheRecord, _ reply: CacheControl, _ wants: CacheControl, by staleness: TimeInterval,
        age: TimeInterval
    ) -> Decision? {
        guard staleness >= 0, !reply.contains("must-revalidate"), wants.seconds("min-fresh") == nil else { return nil }
        if let most = wants.seconds("max-age"), age > TimeInterval(most) { return nil }
        if let most = wants.secondsIfAny("max-stale"), staleness <= TimeInterval(most) { return .serveStale(record) }
        // https://www.rfc-editor.org/rfc/rfc5861#section-3
        if let most = reply.seconds("stale-while-revalidate"), staleness <= TimeInterval(most) {
            return .serveWhileRevalidating(record)
        }
        return nil
    }

    /// Whether a record may be served because the server could not be asked.
    ///
    /// https://www.rfc-editor.org/rfc/rfc5861#section-4
    func mayServeAfterError(_ record: CacheRecord, for question: CacheQuestion, at now: Date) -> Bool {
        let reply = CacheControl(record.headers)
        let wants = CacheControl(question.headers)
        guard !reply.contains("must-revalidate"), !reply.contains("no-cache"), !Self.asksForNew(question, wants),
            let most = [reply.seconds("stale-if-error"), wants.seconds("stale-if-error")].compactMap(\.self).max()
        else { return false }
        return age(of: record, at: now) - lifetime(of: record) <= TimeInterval(most)
    }

    /// Whether a status says that the server could not answer.
    ///
    /// https://www.rfc-editor.org/rfc/rfc5861#section-4
    static func isServerFailure(_ status: Int) -> Bool { [500, 502, 503, 504].contains(status) }
}

extension HTTPField.Name {
    /// `Pragma`, of HTTP/1.0.
    ///
    /// https://www.rfc-editor.org/rfc/rfc9111#section-5.4
    static var pragma: HTTPField.Name {
        guard let name = HTTPField.Name("Pragma") else { preconditionFailure("letters are a name") }
        return name
    }
}
