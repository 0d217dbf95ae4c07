import Foundation
import HTTPTypes
import Testing

@testable import HTTPFetching

/// What is kept of an answer, and what becomes of it: the rest of the list that ``CachePolicyTests`` follows.
@Suite struct CacheKeepingTests {
    private let came = CachePolicyTests.came

    private func kept(
        _ headers: [String], status: Int = 200, method: HTTPRequest.Method = .get, request: [String] = []
    ) throws -> CacheRecord? {
        CachePolicy().record(
            of: CacheQuestion(method: method, headers: try HTTPFields(lines: request)), status: status,
            headers: try HTTPFields(lines: headers), requested: came, received: came,
            body: .init(digest: "", checksum: 0, bytes: 0))
    }

    @Test(arguments: [
        ["Cache-Control: max-age=60"], ["Cache-Control: private, max-age=60"], ["ETag: \"a\""],
        ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"], ["Cache-Control: no-cache", "ETag: \"a\""],
        ["Cache-Control: max-age=0, stale-while-revalidate=9"], ["Cache-Control: max-age=0, stale-if-error=9"],
        ["Cache-Control: no-store, must-understand, max-age=60"], ["Set-Cookie: a=b", "Cache-Control: max-age=60"],
        ["Vary: accept", "Cache-Control: max-age=60"],
    ])
    func kept(headers: [String]) throws {
        #expect(try kept(headers) != nil)
    }

    @Test(arguments: [
        [], ["Cache-Control: no-store"], ["Cache-Control: nO-StOrE", "ETag: \"a\""],
        ["Cache-Control: no-store, max-age=60", "Expires: Fri, 19 Nov 2286 14:14:08 GMT"], ["Cache-Control: max-age=0"],
        ["Cache-Control: no-cache, max-age=60"], ["Vary: *", "Cache-Control: max-age=60"],
        ["Vary: *, *", "Cache-Control: max-age=60"], ["Vary: *", "Vary: *", "Cache-Control: max-age=60"],
        ["Vary: , *", "Cache-Control: max-age=60"], ["Vary: Foo, *", "Cache-Control: max-age=60"],
        ["Vary: *, Foo", "Cache-Control: max-age=60"],
    ])
    func notKept(headers: [String]) throws {
        #expect(try kept(headers) == nil)
    }

    @Test func statuses() throws {
        let fresh = ["Cache-Control: max-age=60"]
        for status in [200, 203, 204, 299, 301, 302, 307, 308, 400, 404, 410, 418, 451, 599] {
            #expect(try kept(fresh, status: status) != nil, "\(status)")
        }
        // A part is no whole; a failure would take the place of what could be served instead.
        for status in [100, 103, 206, 304, 500, 502, 503, 504, 600] {
            #expect(try kept(fresh, status: status) == nil, "\(status)")
        }
        let strange = ["Cache-Control: no-store, must-understand, max-age=60"]
        #expect(try kept(strange, status: 404) != nil)
        #expect(try kept(strange, status: 599) == nil)
        #expect(try kept(["ETag: \"a\""], status: 302) == nil)
    }

    @Test func requests() throws {
        let fresh = ["Cache-Control: max-age=60"]
        #expect(try kept(fresh, request: ["Authorization: x"]) != nil)
        #expect(try kept(fresh, request: ["Cookie: a=b"]) != nil)
        #expect(try kept(fresh, request: ["Cache-Control: no-store"]) == nil)
        #expect(try kept(fresh, request: ["Range: bytes=0-1"]) == nil)
        #expect(try kept(fresh, method: .post) == nil)
        #expect(try kept(fresh, method: .head) == nil)
    }

    @Test func whatIsOfTheConnectionIsNotKept() throws {
        let record = try #require(
            try kept([
                "Cache-Control: max-age=60", "Connection: a, Close", "A: 1", "Keep-Alive: 5", "TE: x", "Upgrade: y",
                "Proxy-Authenticate: z", "Transfer-Encoding: chunked", "B: 2", "Set-Cookie: c", "B: 3",
            ]))
        #expect(
            record.headers.map { "\($0.name): \($0.value)" } == [
                "Cache-Control: max-age=60", "B: 2", "Set-Cookie: c", "B: 3",
            ])
    }
}

extension CacheKeepingTests {
    static let variants: [(String, [String], [String], Bool)] = [
        ("Foo", ["Foo: 1"], ["Foo: 1"], true), ("Foo", ["Foo: 1"], ["Foo: 2"], false), ("Foo", [], ["Foo: 1"], false),
        ("Foo", ["Foo: 1"], [], false), ("Foo", [], [], true), ("Foo", ["Foo: 1"], ["Foo: 1", "Other: 2"], true),
        ("Foo, Bar", ["Foo: 1", "Bar: a"], ["Bar: a", "Foo: 1"], true),
        ("Foo, Bar", ["Foo: 1", "Bar: a"], ["Foo: 1"], false), ("Foo, Bar, Baz", ["Foo: 1"], ["Foo: 1"], true),
        ("Foo, Bar, Baz", ["Foo: 1", "Bar: b"], ["Foo: 1", "Bar: c"], false),
        ("fOO", ["Foo: 1, 2"], ["Foo: 1", "Foo:   2"], true), ("Foo", ["Foo: 1,2"], ["Foo: 1 , 2"], true),
        ("Foo", ["Foo: a"], ["Foo: A"], false),
        ("Accept-Language", ["Accept-Language: en, DE"], ["Accept-Language: EN,de"], true),
        ("Accept-Language", ["Accept-Language: en;q=0.5"], ["Accept-Language: en; q=0.5"], true),
        ("not a name", ["Foo: 1"], ["Foo: 2"], true),
    ]

    @Test(arguments: variants)
    func whatVariesIsToldApart(vary: String, stored: [String], asked: [String], fits: Bool) throws {
        let record = try #require(try kept(["Vary: \(vary)", "Cache-Control: max-age=60"], request: stored))
        let question = CacheQuestion(headers: try HTTPFields(lines: asked))
        #expect(CachePolicy().decide(question, [record], at: came + 1).name == (fits ? "serve" : "fetch"))
    }

    @Test(arguments: ["Authorization", "Cookie", "Proxy-Authorization"])
    func whatNobodyElseMayKnowIsComparedAndNotKept(name: String) throws {
        let record = try #require(
            try kept(["Vary: \(name)", "Cache-Control: max-age=60"], request: ["\(name): secret"]))
        #expect(!String(decoding: try JSONEncoder().encode(record), as: UTF8.self).contains("secret"))
        for (asked, fits) in [(["\(name): secret"], true), (["\(name): other"], false), ([], false)] {
            let question = CacheQuestion(headers: try HTTPFields(lines: asked))
            #expect(CachePolicy().decide(question, [record], at: came + 1).name == (fits ? "serve" : "fetch"))
        }
    }

    @Test func ofSeveralVariantsTheOneThatFitsIsServed() throws {
        let one = try #require(try kept(["Vary: Foo", "Cache-Control: max-age=60"], request: ["Foo: 1"]))
        let two = try #require(try kept(["Vary: Foo", "Cache-Control: max-age=60"], request: ["Foo: 2"]))
        for (asked, record) in [("1", one), ("2", two)] {
            let question = CacheQuestion(headers: try HTTPFields(lines: ["Foo: \(asked)"]))
            #expect(CachePolicy().decide(question, [one, two], at: came + 1) == .serve(record))
        }
        var newer = one
        newer.received += 1
        newer.status = 203
        let question = CacheQuestion(headers: try HTTPFields(lines: ["Foo: 1"]))
        #expect(CachePolicy().decide(question, [newer, one, two], at: came + 2) == .serve(newer))
    }
}

extension CacheKeepingTests {
    @Test func theServerIsAskedByWhatItSaid() throws {
        let record = CacheRecord.kept(["ETag: W/\"a\"", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"])
        #expect(
            CachePolicy.conditions(for: record)
                == [.ifNoneMatch: "W/\"a\"", .ifModifiedSince: "Sun, 06 Nov 1994 08:49:37 GMT"])
        #expect(CachePolicy.conditions(for: CacheRecord.kept(["A: b"])).isEmpty)
    }

    @Test func whatIsStillGoodTakesNewHeaders() throws {
        let record = CacheRecord.kept([
            "ETag: \"a\"", "Cache-Control: max-age=1", "Content-Type: text/plain", "Content-Length: 5", "X-Old: 1",
            "X-Both: 1", "X-Both: 2", "Age: 50", "Date: Sun, 06 Nov 1994 08:49:37 GMT",
        ])
        let reply = try HTTPFields(lines: [
            "ETag: \"a\"", "Cache-Control: max-age=60", "Content-Type: text/html", "Content-Length: 0", "X-Both: 3",
            "X-New: 4", "Connection: close, X-Hop", "X-Hop: 5", "Content-Encoding: gzip", "Content-Range: bytes 0-1/2",
        ])
        let new = try #require(
            CachePolicy.freshened(record, by: reply, requested: came + 99, received: came + 100))
        #expect(new.headers[.cacheControl] == "max-age=60")
        #expect(new.headers[.contentType] == "text/plain" && new.headers[.contentLength] == "5")
        #expect(new.headers[.eTag] == "\"a\"" && new.headers[.age] == nil)
        #expect(
            new.headers.contains { $0.name.rawName == "X-Old" } && new.headers.contains { $0.name.rawName == "X-New" })
        #expect(new.headers.filter { $0.name.rawName == "X-Both" }.map(\.value) == ["3"])
        #expect(!new.headers.contains { ["X-Hop", "Content-Encoding", "Content-Range"].contains($0.name.rawName) })
        #expect(CachePolicy().decide(CacheQuestion(), [new], at: came + 150).name == "serve")
        #expect(CachePolicy().decide(CacheQuestion(), [new], at: came + 170).name == "revalidate")
    }

    @Test func whatIsSaidOfAnotherContentChangesNothing() throws {
        let record = CacheRecord.kept(["ETag: \"a\""])
        #expect(CachePolicy.freshened(record, by: [.eTag: "\"b\""], requested: came, received: came) == nil)
        #expect(CachePolicy.freshened(record, by: [.eTag: "W/\"b\""], requested: came, received: came) != nil)
        #expect(CachePolicy.freshened(record, by: [:], requested: came, received: came) != nil)
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .delete, .patch])
    func whatMayHaveChangedIsDropped(method: HTTPRequest.Method) throws {
        let url = try #require(URL(string: "http://a.example/x"))
        func dropped(_ status: Int, _ headers: HTTPFields = [:]) -> [String] {
            CachePolicy.invalidated(by: method, at: url, status: status, headers: headers).map(\.absoluteString)
        }
        #expect(dropped(200) == ["http://a.example/x"])
        #expect(dropped(302) == ["http://a.example/x"])
        #expect(dropped(404) == [] && dropped(500) == [])
        #expect(
            dropped(201, [.location: "/y", .contentLocation: "z"])
                == ["http://a.example/x", "http://a.example/y", "http://a.example/z"])
        #expect(dropped(201, [.location: "http://b.example/y"]) == ["http://a.example/x"])
    }

    @Test func whatOnlyLooksDropsNothing() throws {
        let url = try #require(URL(string: "http://a.example/x"))
        for method: HTTPRequest.Method in [.get, .head, .options, .trace] {
            #expect(CachePolicy.invalidated(by: method, at: url, status: 200, headers: [:]) == [])
        }
    }

    @Test(arguments: [
        ("http://A.example:80", "http://a.example/"), ("https://a.example/x?q#f", "https://a.example:443/x?q"),
    ])
    func addressesAreOneInAnyForm(first: String, second: String) throws {
        #expect(HTTPCache.key(try #require(URL(string: first))) == HTTPCache.key(try #require(URL(string: second))))
    }

    @Test func queriesAreApart() throws {
        let keys = try ["http://a.example/x", "http://a.example/x?a", "http://a.example/x?b", "http://a.example:81/x"]
            .map { HTTPCache.key(try #require(URL(string: $0))) }
        #expect(Set(keys).count == 4)
    }
}
