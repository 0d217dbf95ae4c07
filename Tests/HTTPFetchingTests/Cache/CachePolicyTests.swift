import Foundation
import HTTPTypes
import Testing

@testable import HTTPFetching

/// What is served of what is kept.
///
/// The cases follow the list of https://github.com/http-tests/cache-tests, for a private cache.
@Suite struct CachePolicyTests {
    /// An answer that was kept, and what is asked so many seconds after it came.
    struct Case: Sendable, CustomTestStringConvertible {
        var headers: [String]
        var after: Double = 3
        var request: [String] = []
        var use = FetchRequest.CacheUse.standard
        var status = 200
        var decision: String

        init(
            _ headers: String..., after: Double = 3, request: [String] = [], use: FetchRequest.CacheUse = .standard,
            status: Int = 200, is decision: String
        ) {
            self.headers = headers
            self.after = after
            self.request = request
            self.use = use
            self.status = status
            self.decision = decision
        }

        var testDescription: String {
            "\(headers.joined(separator: "; ")) \(request) \(use) \(status) after \(after) s: \(decision)"
        }
    }

    static let came = Date(timeIntervalSince1970: 1_795_000_000)

    private static func at(_ seconds: Double) -> String { HTTPDate.format(came.addingTimeInterval(seconds)) }

    static let freshness: [Case] = [
        Case(is: "fetch"),
        Case("Cache-Control: max-age=3600", is: "serve"),
        Case("Cache-Control: max-age=2", is: "fetch"),
        Case("Cache-Control: max-age=0", is: "fetch"),
        Case("Cache-Control: max-age=2147483647", is: "serve"),
        Case("Cache-Control: max-age=2147483648", is: "serve"),
        Case("Cache-Control: max-age=99999999999", is: "serve"),
        Case("Cache-Control: max-age=3600", "Age: 7200", is: "fetch"),
        Case("Cache-Control: max-age=3600", "Date: \(at(-7200))", is: "fetch"),
        Case("Cache-Control: max-age=3600", "Expires: \(at(-100))", is: "serve"),
        Case("Cache-Control: max-age=3600", "Expires: 0", is: "serve"),
        Case("Cache-Control: max-age=0", "Expires: \(at(3600))", is: "fetch"),
        Case("Cache-Control: foobar, max-age=3600", is: "serve"),
        Case("Cache-Control: MaX-aGe=3600", is: "serve"),
        Case("Cache-Control: max-age=-3600", is: "fetch"),
        // Nothing that is shared is meant.
        Case("Cache-Control: max-age=1, s-maxage=3600", is: "fetch"),
        Case("Cache-Control: max-age=1", "Cache-Control: s-maxage=3600", is: "fetch"),
        Case("Cache-Control: s-maxage=1, max-age=3600", is: "serve"),
        Case("Cache-Control: private, max-age=3600", is: "serve"),
        Case("Cache-Control: public, max-age=3600", is: "serve"),
    ]

    static let age: [Case] = [
        Case("Cache-Control: max-age=3600", "Age: old", is: "serve"),
        Case("Cache-Control: max-age=3600", "Age: -7200", is: "serve"),
        Case("Cache-Control: max-age=3600", "Age: 7200.0", is: "serve"),
        Case("Cache-Control: max-age=3600", "Age: 2147483647", is: "fetch"),
        Case("Cache-Control: max-age=3600", "Age: 2147483648", is: "fetch"),
        Case("Cache-Control: max-age=3600", "Age: 2147483649", is: "fetch"),
        Case("Cache-Control: max-age=3600", "Age: 7200, 0", is: "fetch"),
        Case("Cache-Control: max-age=3600", "Age: 0, 7200", is: "serve"),
        Case("Cache-Control: max-age=3600", "Age: 7200", "Age: 0", is: "fetch"),
        Case("Cache-Control: max-age=3600", "Age: 0", "Age: 7200", is: "serve"),
        Case("Cache-Control: max-age=3600", "Age: 0", "Age: 0", is: "serve"),
    ]

    static let expires: [Case] = [
        Case("Expires: \(at(3600))", is: "serve"),
        Case("Expires: \(at(-3600))", is: "fetch"),
        Case("Expires: \(at(0))", "Date: \(at(0))", is: "fetch"),
        Case("Expires: \(at(3600))", "Date: \(at(7200))", is: "fetch"),
        Case("Expires: 0", is: "fetch"),
        Case("Expires: \(at(3600))", "Date: nonsense", is: "serve"),
        Case("Expires: \(at(3600))", "Date: \(at(-3600))", "Age: 7300", is: "fetch"),
        Case("Expires: \(at(3600))", "Age: 3700", is: "fetch"),
        Case("Expires: \(at(3600))", "Expires: \(at(3600))", is: "fetch"),
        Case("Expires: Tue, 19 Jan 2038 14:14:08 GMT", is: "serve"),
        Case("Expires: Fri, 19 Nov 2286 14:14:08 GMT", is: "serve"),
        Case("Expires: Friday, 19-Nov-50 14:14:08 GMT", is: "serve"),
        Case("Expires: Thu Nov 19 14:14:08 2286", is: "serve"),
        Case("Expires: fri, 19 nov 2286 14:14:08 gmt", is: "serve"),
        Case("Expires: Fri, 19 Nov 2286 14:14:08 UTC", is: "fetch"),
        Case("Expires: Fri, 19 Nov 2286 14:14:08 AEST", is: "fetch"),
        Case("Expires: Fri, 19 Nov 86 14:14:08 GMT", is: "fetch"),
        Case("Expires: Fri 19 Nov 2286 14:14:08 GMT", is: "fetch"),
        Case("Expires: Fri, 19  Nov  2286 14:14:08 GMT", is: "fetch"),
        Case("Expires: Fri, 19-Nov-2286 14:14:08 GMT", is: "fetch"),
        Case("Expires: Fri, 19 Nov 2286 14.14.08 GMT", is: "fetch"),
        Case("Expires: Fri, 19 Nov 2286 3:14:08 GMT", is: "fetch"),
    ]

    static let heuristics: [Case] =
        [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].map {
            Case("Last-Modified: \(at(-1_000))", after: 99, status: $0, is: "serve")
        }
        + [201, 202, 302, 303, 307, 400, 403, 418, 429, 500, 599].map {
            Case("Last-Modified: \(at(-1_000))", status: $0, is: "revalidate")
        }
        + [
            Case("Last-Modified: \(at(-1_000))", after: 101, is: "revalidate"),
            Case("Last-Modified: \(at(-1_000))", "Cache-Control: public", status: 418, is: "serve"),
            Case("Last-Modified: \(at(1_000))", is: "revalidate"),
            Case("Last-Modified: nonsense", is: "revalidate"),
            Case("Last-Modified: \(at(-1_000_000_000))", after: 7 * 86_400 - 1, is: "serve"),
            Case("Last-Modified: \(at(-1_000_000_000))", after: 7 * 86_400 + 1, is: "revalidate"),
            Case("Last-Modified: \(at(-1_000_000))", "Cache-Control: max-age=0", is: "revalidate"),
        ]

    static let replies: [Case] = [
        Case("Cache-Control: no-cache, max-age=3600", "ETag: \"a\"", is: "revalidate"),
        Case("Cache-Control: No-CaChE", "Expires: \(at(3600))", "ETag: \"a\"", is: "revalidate"),
        Case("Cache-Control: no-cache=\"set-cookie\", max-age=3600", "ETag: \"a\"", is: "revalidate"),
        Case("Cache-Control: no-cache", "Last-Modified: \(at(-1))", is: "revalidate"),
        Case("Cache-Control: max-age=3600, must-revalidate", is: "serve"),
        Case("Cache-Control: max-age=1, must-revalidate", "ETag: \"a\"", is: "revalidate"),
        Case("Cache-Control: max-age=3600, immutable", is: "serve"),
        Case("Cache-Control: max-age=1, immutable", "ETag: \"a\"", is: "revalidate"),
        Case("Cache-Control: max-age=1", "ETag: \"a\"", is: "revalidate"),
        Case("Cache-Control: max-age=1", "ETag: W/\"a\"", is: "revalidate"),
        Case("Cache-Control: max-age=3600", "Pragma: no-cache", is: "serve"),
        Case("Cache-Control: max-age=3600", "Set-Cookie: a=b", is: "serve"),
        Case("Cache-Control: max-age=3600", status: 404, is: "serve"),
        Case("Cache-Control: max-age=3600", status: 599, is: "serve"),
        Case("Cache-Control: max-age=1", "ETag: \"a\"", status: 404, is: "revalidate"),
    ]

    static let requests: [Case] = [
        Case("Cache-Control: max-age=3600", request: ["Cache-Control: max-age=0"], is: "fetch"),
        Case("Cache-Control: max-age=3600", request: ["Cache-Control: max-age=1"], is: "fetch"),
        Case("Cache-Control: max-age=3600", request: ["Cache-Control: max-age=600"], is: "serve"),
        Case("Cache-Control: max-age=3600", "Age: 1800", request: ["Cache-Control: max-age=600"], is: "fetch"),
        Case("Cache-Control: max-age=1", request: ["Cache-Control: max-stale=1000"], is: "stale"),
        Case("Cache-Control: max-age=1", request: ["Cache-Control: max-stale"], is: "stale"),
        Case("Cache-Control: max-age=1", request: ["Cache-Control: max-stale=1"], is: "fetch"),
        Case("Cache-Control: max-age=1500", "Age: 2000", request: ["Cache-Control: max-stale=1000"], is: "stale"),
        Case("Cache-Control: max-age=1, must-revalidate", request: ["Cache-Control: max-stale"], is: "fetch"),
        Case("Cache-Control: max-age=1500", request: ["Cache-Control: min-fresh=2000"], is: "fetch"),
        Case("Cache-Control: max-age=1500", "Age: 1000", request: ["Cache-Control: min-fresh=1000"], is: "fetch"),
        Case("Cache-Control: max-age=1500", request: ["Cache-Control: min-fresh=1000"], is: "serve"),
        Case("Cache-Control: max-age=3600", request: ["Cache-Control: no-cache"], is: "fetch"),
        Case("Cache-Control: max-age=3600", "ETag: \"a\"", request: ["Cache-Control: no-cache"], is: "revalidate"),
        Case("Cache-Control: max-age=3600", "ETag: \"a\"", request: ["Pragma: no-cache"], is: "revalidate"),
        Case("Cache-Control: max-age=3600", request: ["Pragma: no-cache", "Cache-Control: max-age=9"], is: "serve"),
        Case("Cache-Control: max-age=3600", request: ["Pragma: other"], is: "serve"),
        Case("Cache-Control: max-age=3600", request: ["Cache-Control: no-store"], is: "fetch"),
        Case("Cache-Control: max-age=3600", request: ["Cache-Control: only-if-cached"], is: "serve"),
        Case("Cache-Control: max-age=1", request: ["Cache-Control: only-if-cached"], is: "notCached"),
        Case("Cache-Control: max-age=3600", request: ["Authorization: x", "Cookie: a=b"], is: "serve"),
        Case("Cache-Control: max-age=3600", request: ["Range: bytes=0-1"], is: "fetch"),
        Case("Cache-Control: max-age=3600", request: ["If-None-Match: \"a\""], is: "fetch"),
        Case("Cache-Control: max-age=3600", request: ["If-Modified-Since: \(at(0))"], is: "fetch"),
    ]

    static let stale: [Case] = [
        Case("Cache-Control: max-age=1, stale-while-revalidate=3600", is: "while"),
        Case("Cache-Control: max-age=1, stale-while-revalidate=1", is: "fetch"),
        Case("Cache-Control: max-age=1, stale-while-revalidate=3600, must-revalidate", "ETag: \"a\"", is: "revalidate"),
        Case("Cache-Control: max-age=1, stale-while-revalidate=3600, no-cache", "ETag: \"a\"", is: "revalidate"),
        Case(
            "Cache-Control: max-age=1, stale-while-revalidate=3600", request: ["Cache-Control: max-age=1"], is: "fetch"),
        Case("Cache-Control: max-age=3600, stale-while-revalidate=3600", is: "serve"),
        Case("Cache-Control: max-age=1, stale-if-error=3600", is: "fetch"),
    ]

    static let uses: [Case] = [
        Case("Cache-Control: max-age=3600", "ETag: \"a\"", use: .revalidate, is: "revalidate"),
        Case("Cache-Control: max-age=3600", use: .revalidate, is: "fetch"),
        Case("Cache-Control: max-age=3600, immutable", "ETag: \"a\"", use: .revalidate, is: "serve"),
        Case("Cache-Control: max-age=1, immutable", "ETag: \"a\"", use: .revalidate, is: "revalidate"),
        Case("Cache-Control: max-age=1, stale-while-revalidate=99", use: .revalidate, is: "fetch"),
        Case("Cache-Control: max-age=1", use: .preferCached, is: "stale"),
        Case("Cache-Control: max-age=3600", use: .preferCached, is: "serve"),
        Case("Cache-Control: no-cache", "ETag: \"a\"", use: .onlyCached, is: "stale"),
        Case("Cache-Control: max-age=3600", use: .ignored, is: "fetch"),
    ]

    @Test(
        arguments: [freshness, age, expires, heuristics, replies, requests, stale, uses].flatMap(\.self))
    func decisions(case it: Case) throws {
        let record = CacheRecord.kept(it.headers, status: it.status)
        let question = CacheQuestion(headers: try HTTPFields(lines: it.request), use: it.use)
        let decision = CachePolicy().decide(question, [record], at: Self.came.addingTimeInterval(it.after))
        #expect(decision.name == it.decision)
    }

    @Test func whatIsNotKeptIsFetched() {
        let policy = CachePolicy()
        #expect(policy.decide(CacheQuestion(), [], at: Self.came) == .fetch)
        #expect(policy.decide(CacheQuestion(use: .onlyCached), [], at: Self.came) == .notCached)
        #expect(policy.decide(CacheQuestion(use: .preferCached), [], at: Self.came) == .fetch)
        let only = CacheQuestion(headers: [.cacheControl: "only-if-cached"])
        #expect(policy.decide(only, [], at: Self.came) == .notCached)
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .delete, .head, .options])
    func onlyWhatIsGotIsServed(method: HTTPRequest.Method) {
        let record = CacheRecord.kept(["Cache-Control: max-age=3600"])
        #expect(CachePolicy().decide(CacheQuestion(method: method), [record], at: Self.came) == .fetch)
    }

    @Test func aClockThatWasSetBackMakesNothingFresh() {
        let record = CacheRecord.kept(["Cache-Control: max-age=3600"])
        #expect(CachePolicy().decide(CacheQuestion(), [record], at: Self.came - 1) == .fetch)
    }

    @Test func theTimeOnTheWayCounts() {
        var record = CacheRecord.kept(["Cache-Control: max-age=3600", "Age: 100"])
        record.requested = Self.came - 50
        #expect(CachePolicy().age(of: record, at: Self.came + 10) == 160)
    }

    static let errors: [(String, String, Double, Bool)] = [
        ("max-age=1, stale-if-error=60", "", 30, true), ("max-age=1, stale-if-error=60", "", 62, false),
        ("max-age=1", "", 2, false), ("max-age=1", "stale-if-error=60", 30, true),
        ("max-age=1, stale-if-error=60, must-revalidate", "", 30, false),
        ("max-age=1, stale-if-error=60, no-cache", "", 30, false),
        ("max-age=1, stale-if-error=60", "no-cache", 30, false),
    ]

    @Test(arguments: errors)
    func afterAnError(reply: String, request: String, after: Double, isServed: Bool) throws {
        let record = CacheRecord.kept(["Cache-Control: \(reply)"])
        let question = CacheQuestion(headers: request.isEmpty ? [:] : [.cacheControl: request])
        let may = CachePolicy().mayServeAfterError(record, for: question, at: Self.came + after)
        #expect(may == isServed)
    }
}

extension CachePolicy.Decision {
    /// One word for it.
    var name: String {
        switch self {
        case .fetch: "fetch"
        case .revalidate: "revalidate"
        case .serve: "serve"
        case .serveStale: "stale"
        case .serveWhileRevalidating: "while"
        case .notCached: "notCached"
        }
    }
}

extension HTTPFields {
    /// - Parameter lines: `Name: value`.
    /// - Throws: When a name is none.
    init(lines: [String]) throws {
        self.init()
        for line in lines {
            let parts = line.split(separator: ": ", maxSplits: 1)
            let name = try #require(HTTPField.Name(String(parts[0])))
            append(HTTPField(name: name, value: String(parts[1])))
        }
    }
}

extension CacheRecord {
    /// A record of an answer that came, without delay, when the tests begin.
    static func kept(_ headers: [String], status: Int = 200, varying: [String: String] = [:]) -> CacheRecord {
        CacheRecord(
            varying: varying, status: status, headers: (try? HTTPFields(lines: headers)) ?? [:],
            requested: CachePolicyTests.came, received: CachePolicyTests.came,
            body: .init(digest: String(repeating: "0", count: 64), checksum: 0, bytes: 0))
    }
}
