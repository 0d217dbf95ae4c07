import Digests
import Foundation
import HTTPTypes

@testable import HTTPFetching

extension FuzzTarget {
    /// Header fields of a response: what they mean to the cache, and where they lead.
    static let httpHeaders = FuzzTarget(
        "http-headers",
        dictionary: [
            "cache-control: ", "max-age=", "s-maxage=", "no-store", "no-cache", "must-understand", "immutable",
            "stale-while-revalidate=", "stale-if-error=", "max-stale", "min-fresh=", "age: ", "date: ", "expires: ",
            "last-modified: ", "etag: W/", "vary: *", "vary: ", "location: http://", "location: //", "connection: ",
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "99999999999999999999", "pragma: no-cache", "content-range: bytes ",
        ]
    ) { data in
        var input = InputReader(data)
        let status = 100 + Int(input.byte()) * 2
        let seconds = Double(input.byte()) * 1_000
        let asked = input.number(below: 4)
        let lines = input.lines()
        let middle = lines.firstIndex(of: "") ?? lines.count
        let (reply, question) = (fields(lines[..<middle]), fields(lines[middle...]))
        try checkDates(in: lines)
        for line in lines { try checkLists(line) }
        let received = Date(timeIntervalSince1970: 1_700_000_000)
        let now = received.addingTimeInterval(seconds - 1_000)
        let policy = CachePolicy()
        let uses: [FetchRequest.CacheUse] = [.standard, .revalidate, .preferCached, .onlyCached]
        let cacheQuestion = CacheQuestion(method: .get, headers: question, use: uses[asked])
        let body = CacheRecord.Body(of: Data())
        let record = policy.record(
            of: cacheQuestion, status: status, headers: reply, requested: received.addingTimeInterval(-1),
            received: received, body: body)
        if let record {
            try check(record, policy, cacheQuestion, at: now)
            if let freshened = CachePolicy.freshened(record, by: question, requested: now, received: now) {
                try check(freshened, policy, cacheQuestion, at: now)
            }
        }
        try followRedirects(status: status, reply)
    }

    private static func fields(_ lines: ArraySlice<String>) -> HTTPFields {
        var fields = HTTPFields()
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else { continue }
            let field = HTTPField(name: name, value: parts[1].trimmingCharacters(in: .whitespaces))
            fields.append(field)
        }
        return fields
    }

    /// What is read as a date is written as the same date.
    private static func checkDates(in lines: [String]) throws {
        for line in lines {
            let text = line.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? line
            guard let date = HTTPDate.parse(text, now: Date(timeIntervalSince1970: 1_700_000_000)) else { continue }
            let written = HTTPDate.format(date)
            try require(HTTPDate.parse(written) == date, "\(text) is read as \(date), which is written as \(written)")
        }
    }

    private static func checkLists(_ line: String) throws {
        for element in FieldList.split(line) {
            try require(!element.isEmpty && element.first != " " && element.last != " ", "“\(element)” is not trimmed")
        }
        if let seconds = DeltaSeconds.parse(line) {
            try require((0...DeltaSeconds.most).contains(seconds), "“\(line)” is \(seconds) seconds")
        }
    }

    private static func check(
        _ record: CacheRecord, _ policy: CachePolicy, _ question: CacheQuestion, at now: Date
    ) throws {
        let (lifetime, age) = (policy.lifetime(of: record), policy.age(of: record, at: now))
        try require(lifetime >= 0 && lifetime.isFinite, "it is fresh for \(lifetime) s")
        try require(age >= 0, "it is \(age) s old")
        switch policy.decide(question, [record], at: now) {
        case .serve(let served):
            try require(served == record, "another record is served")
        case .fetch, .revalidate, .serveStale, .serveWhileRevalidating, .notCached:
            break
        }
        _ = policy.mayServeAfterError(record, for: question, at: now)
        _ = CachePolicy.conditions(for: record)
        _ = CachePolicy.invalidated(by: .post, at: webAddress, status: record.status, headers: record.headers)
        let entry = CacheEntryFile(key: "k", records: [record])
        guard let encoded = entry.encoded else { return }
        try require(CacheEntryFile(decoding: encoded) == entry, "a record is not read as it was written")
    }

    private static let webAddress: URL = {
        var parts = URLComponents()
        (parts.scheme, parts.host, parts.path) = ("https", "example.org", "/a/b")
        return parts.url ?? URL(filePath: "/")
    }()

    private static func followRedirects(status: Int, _ headers: HTTPFields) throws {
        guard var trail = try? RedirectTrail(FetchRequest(webAddress), limit: 4) else { return }
        for step in 0...6 {
            do throws(FetchError) {
                guard try trail.follow(status: status, headers: headers) else { return }
            } catch {
                return
            }
            try require(step <= 4, "more than four redirects are followed")
            let url = trail.hop.url
            try require(url.scheme?.lowercased() == "https", "\(url) is followed from https")
            try require(url.user == nil && url.password == nil, "\(url) has a name or password")
        }
    }

    /// `Content-Range` and `Content-Length`, and what becomes of a transfer that broke.
    static let httpRanges = FuzzTarget(
        "http-ranges", maximumLength: 512,
        dictionary: [
            "bytes ", "-", "/", "*", "9223372036854775807", "-9223372036854775808", "W/\"a\"", "\"a\"", "none",
        ]
    ) { data in
        var input = InputReader(data)
        let bare = String(decoding: data, as: UTF8.self)
        if let range = ContentRange(bare) { try check(range) }
        var machine = ResumeStateMachine(method: .get, isPlain: true, attempts: 3)
        var questions = 0
        var start: Int64 = 0
        while !input.isAtEnd, questions < 8 {
            switch input.number(below: 4) {
            case 0, 1:
                let statuses = [200, 206, 416, 304, 500]
                let status = statuses[input.number(below: statuses.count)]
                var headers = HTTPFields()
                headers[.contentRange] = input.line()
                headers[.contentLength] = input.line()
                headers[.eTag] = input.line()
                if input.number(below: 8) == 0 { headers[.contentEncoding] = "gzip" }
                if let range = headers[.contentRange].flatMap(ContentRange.init) { try check(range) }
                try require(headers.announcedLength ?? 0 >= 0, "a length is below zero")
                if machine.answered(status: status, headers: headers) == .takeTheRest {
                    let range = headers[.contentRange].flatMap(ContentRange.init)
                    try require(status == 206 && range?.first == start, "a part is taken for the rest")
                }
            case 2:
                machine.received(Int(input.byte()) * 1_000)
            default:
                guard let question = machine.broke() else { return }
                questions += 1
                if case .from(let first, let validator) = question {
                    try require(first > 0 && !validator.hasPrefix("W/"), "it is resumed from \(first)")
                    start = first
                }
            }
        }
        try require(questions < 8, "it is tried again and again")
    }

    private static func check(_ range: ContentRange) throws {
        try require(range.first >= 0 && range.first <= range.last, "\(range) ends before it begins")
        if let total = range.total { try require(range.last < total, "\(range) is longer than the whole") }
        _ = range.reachesEnd
    }

    /// Files of the cache: their first line and checksum, or JSON under a line that is right.
    static let cacheRecords = FuzzTarget(
        "cache-records", maximumLength: 8_192,
        dictionary: [
            "meanwhile-http-cache 1 ", "\"key\":", "\"records\":", "\"varying\":", "\"status\":", "\"headers\":",
            "\"requested\":", "\"received\":", "\"body\":", "\"digest\":", "\"checksum\":", "\"bytes\":", "\"name\":",
            "\"value\":", "1e308", "-1", "18446744073709551615",
        ]
    ) { data in
        let line = Data("meanwhile-http-cache 1 \(XXH64.hash(data))\n".utf8)
        for file in [CacheEntryFile(decoding: data), CacheEntryFile(decoding: line + data)] {
            guard let file else { continue }
            let policy = CachePolicy()
            let now = Date(timeIntervalSince1970: 1_700_000_000)
            for record in file.records {
                let (lifetime, age) = (policy.lifetime(of: record), policy.age(of: record, at: now))
                try require(lifetime >= 0, "it is fresh for \(lifetime) s")
                try require(age >= 0, "it is \(age) s old")
                _ = CachePolicy.freshened(record, by: record.headers, requested: now, received: record.received)
                _ = CachePolicy.conditions(for: record)
            }
            _ = policy.decide(CacheQuestion(), file.records, at: now)
            guard let encoded = file.encoded else { continue }
            try require(CacheEntryFile(decoding: encoded) == file, "a file is not read as it was written")
        }
    }
}
