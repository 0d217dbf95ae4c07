import Foundation
import Testing

@testable import Capture

/// How the browser's reports of requests and responses are put together.
struct ExchangeLogTests {
    private var log = ExchangeLog()

    private static func decoded<Event: Decodable>(_ json: String) throws -> Event {
        try JSONDecoder().decode(Event.self, from: Data(json.utf8))
    }

    private static func sent(_ url: String, redirect: String? = nil, id: String = "1") throws
        -> PageEvents.RequestWillBeSent
    {
        let response = redirect.map { #","redirectHasExtraInfo":true,"redirectResponse":\#($0)"# } ?? ""
        return try decoded(
            #"{"requestId":"\#(id)","loaderId":"\#(id)","wallTime":1,"request":{"url":"\#(url)","method":"GET"}\#(response)}"#
        )
    }

    private static func response(_ url: String, _ status: Int) -> String {
        #"{"url":"\#(url)","status":\#(status),"statusText":"Text","mimeType":"text/html","headers":{}}"#
    }

    private static func received(_ url: String, _ status: Int, id: String = "1", hasExtraInfo: Bool = true) throws
        -> PageEvents.ResponseReceived
    {
        try decoded(
            #"{"requestId":"\#(id)","hasExtraInfo":\#(hasExtraInfo),"response":\#(response(url, status))}"#)
    }

    private static func fields(_ status: Int, _ name: String, _ value: String, text: String? = nil) throws
        -> PageEvents.ResponseExtraInfo
    {
        let text = text.map { #","headersText":"\#($0)""# } ?? ""
        return try decoded(
            #"{"requestId":"1","statusCode":\#(status),"headers":{"\#(name)":"\#(value)"}\#(text)}"#)
    }

    @Test func hopsOfARedirectGetTheirOwnFields() throws {
        var log = log
        log.sentFields(try Self.decoded(#"{"requestId":"1","headers":{"Host":"a.example","X":"1"}}"#))
        log.sent(try Self.sent("http://user:secret@a.example/#part"))
        // The proxy's request for credentials comes first, and is no response of the server.
        log.receivedFields(try Self.fields(407, "Proxy-Authenticate", "Basic"))
        log.receivedFields(try Self.fields(302, "Location", "http://b.example/"))
        log.sent(try Self.sent("http://b.example/", redirect: Self.response("http://a.example/", 302)))
        log.sentFields(try Self.decoded(#"{"requestId":"1","headers":{"Host":"b.example","X":"2","Cookie":"a"}}"#))
        log.received(try Self.received("http://b.example/", 200))
        log.receivedFields(try Self.fields(200, "Set-Cookie", "a"))
        let exchanges = log.exchanges
        #expect(exchanges.map(\.url) == ["http://a.example/", "http://b.example/"])
        #expect(exchanges.map(\.isRedirect) == [true, false])
        #expect(exchanges.map { $0.requestField("x") } == ["1", "2"])
        #expect(exchanges.first?.responseField("location") == "http://b.example/")
        #expect(
            exchanges.last.map { String(decoding: $0.requestHead, as: UTF8.self) }
                == "GET / HTTP/1.1\r\nHost: b.example\r\nX: 2\r\n\r\n")
        #expect(
            exchanges.last.map { String(decoding: $0.responseHead(bodyLength: 3), as: UTF8.self) }
                == "HTTP/1.1 200 Text\r\nContent-Length: 3\r\n\r\n")
    }

    @Test func responsesWithoutTheNetworkAreLeftOut() throws {
        var log = log
        // An upgrade to HTTPS inside the browser.
        log.sent(try Self.sent("http://a.example/"))
        log.received(try Self.received("http://a.example/", 200, hasExtraInfo: false))
        log.sent(try Self.sent("http://a.example/cached", id: "2"))
        log.servedFromCache("2")
        log.received(try Self.received("http://a.example/cached", 200, id: "2"))
        log.sent(try Self.sent("http://a.example/pending", id: "3"))
        log.received(try Self.received("http://a.example/unknown", 200, id: "4"))
        #expect(log.exchanges.isEmpty)
    }

    @Test func linesOfTheResponseAreUsedIfTheyAreComplete() throws {
        for (text, line, head) in [
            ("HTTP/1.0 200 Fine\\r\\nX-A: b\\r\\n\\r\\n", "HTTP/1.0 200 Fine", "HTTP/1.0 200 Fine\r\nX-A: b\r\n\r\n"),
            // Chromium leaves out the rest of a line behind a byte that isn't UTF-8.
            ("HTTP/1.1 200 Fine X-A: b\\r\\n\\r\\n", "HTTP/1.1 200 Text", "HTTP/1.1 200 Text\r\nX-A: b\r\n\r\n"),
        ] {
            var log = log
            log.sent(try Self.sent("http://a.example/"))
            log.received(try Self.received("http://a.example/", 200))
            log.receivedFields(try Self.fields(200, "X-A", "b", text: text))
            let exchange = try #require(log.exchanges.first)
            #expect(exchange.response.statusLine == line)
            #expect(String(decoding: exchange.responseHead(bodyLength: nil), as: UTF8.self) == head)
        }
    }

    @Test func valuesThatAreNotUTF8KeepTheirBytes() throws {
        var log = log
        log.sent(try Self.sent("http://a.example/"))
        log.received(try Self.received("http://a.example/", 200))
        log.receivedFields(try Self.fields(200, "X-A", "é", text: "HTTP/1.1 200 OK\\r\\nX-A: "))
        let head = try #require(log.exchanges.first).responseHead(bodyLength: nil)
        #expect(head == Data("HTTP/1.1 200 Text\r\nX-A: ".utf8) + [0xE9] + Data("\r\n\r\n".utf8))
    }

    @Test func hostileFieldsStayInTheirLine() {
        var exchange = HTTPExchange(
            id: "1", url: "http://a.example/a b\r\nX: y", method: "GET", date: Date(),
            fields: [.init(name: "A\nB", value: "c\r\n\r\nd\u{0}")], requestBody: .none,
            response: .init(status: 200, statusLine: "HTTP/1.1 200 O\r\nK", fields: [], mediaType: ""),
            isRedirect: false)
        exchange.response.fields = [.init(name: "Set-Cookie2", value: "a"), .init(name: "X\r", value: "\n")]
        #expect(String(decoding: exchange.requestHead, as: UTF8.self).components(separatedBy: "\r\n").count == 4)
        #expect(
            String(decoding: exchange.responseHead(bodyLength: nil), as: UTF8.self).components(separatedBy: "\r\n")
                .count
                == 4)
    }

    @Test func fieldsBeyondTheLimitAreLeftOut() throws {
        var log = ExchangeLog(limit: 2_000)
        for id in 0..<10 { log.sent(try Self.sent("http://a.example/\(id)", id: "\(id)")) }
        #expect(log.isCut)
        for id in 0..<10 { log.received(try Self.received("http://a.example/\(id)", 200, id: "\(id)")) }
        #expect(log.exchanges.isEmpty)
    }

    @Test(arguments: [
        ("application/x-www-form-urlencoded", "a=b+c&d=%C3%A9", "a=b c&d=é"),
        (
            "application/json", #"{"a":"x y","b":[1,2.5],"c":{"a":null,"d":true}}"#,
            "a=x+y&b=1&b.2_=2.5&a.2_=None&d=True"
        ),
        ("text/plain;charset=UTF-8", "text", "__wb_post_data=dGV4dA=="),
        ("", "\u{0}", "__wb_post_data=AA=="),
    ])
    func bodiesOfRequestsBecomeQueries(type: String, body: String, query: String) {
        let exchange = HTTPExchange(
            id: "1", url: "http://a.example/", method: "POST", date: Date(),
            fields: [.init(name: "Content-Type", value: type)], requestBody: .data(Data(body.utf8)),
            response: .init(status: 200, statusLine: "", fields: [], mediaType: ""), isRedirect: false)
        #expect(RequestBodyQuery.query(of: exchange) == query)
    }

    private static func query(_ body: Data, type: String) -> String? {
        let exchange = HTTPExchange(
            id: "1", url: "http://a.example/", method: "POST", date: Date(),
            fields: [.init(name: "Content-Type", value: type)], requestBody: .data(body),
            response: .init(status: 200, statusLine: "", fields: [], mediaType: ""), isRedirect: false)
        return RequestBodyQuery.query(of: exchange)
    }

    private static let form = "--X\r\nContent-Disposition: form-data; name=\"a b\"\r\n\r\né &\r\n\r\n--X"

    @Test(arguments: [
        ("multipart/form-data; boundary=X", "\(form)--\r\n", "a+b=%C3%A9+%26%0D%0A"),
        ("Multipart/Form-Data; charset=utf-8; Boundary=\"X\"", "before\r\n\(form)--", "a+b=%C3%A9+%26%0D%0A"),
        (
            "multipart/form-data; boundary=X",
            "\(form)\r\ncontent-disposition: form-data; filename=\"; name=b\"; name=\"c\\\"\"\r\n\r\n-\r\n--XY\r\n--X--",
            "a+b=%C3%A9+%26%0D%0A&c%22=-%0D%0A--XY"
        ),
        // No end, and no name.
        ("multipart/form-data; boundary=X", "--X\r\nA: b\r\n\r\nc", "None=c"),
        ("multipart/form-data; boundary=X", "--X", ""), ("multipart/form-data; boundary=X", "no part", ""),
        // No valid boundary.
        ("multipart/form-data", "ab", "__wb_post_data=YWI="),
        ("multipart/form-data; boundary=\"a \"", "ab", "__wb_post_data=YWI="),
        ("multipart/form-data; boundary=\(String(repeating: "a", count: 202))", "ab", "__wb_post_data=YWI="),
    ])
    func formsWithFilesBecomeQueries(type: String, body: String, query: String) {
        #expect(Self.query(Data(body.utf8), type: type) == query)
    }

    @Test func queriesOfFormsAreThoseOfPywb() async throws {
        func form(_ parts: (head: String, content: Data)...) -> Data {
            parts.reduce(Data()) {
                $0 + Data("--X\r\nContent-Disposition: form-data; \($1.head)\r\n\r\n".utf8) + $1.content
                    + Data("\r\n".utf8)
            } + Data("--X--\r\n".utf8)
        }
        let file = Data([0, 0xFF, 0x0D, 0x0A, 0x2D, 0x2D])
        let type = "multipart/form-data; boundary=X"
        let plain = [
            form(
                ("name=\"a\"", Data("Käse & Brot\r\n~*'()".utf8)), ("name=\"a\"", Data()),
                ("name=\"é b\"", Data("+".utf8))),
            form(("name=\"file\"; filename=\"ä;.bin\"\r\nContent-Type: application/octet-stream", file)),
            form(("name=\"long\"", Data(String(repeating: "ab ", count: 3_000).utf8))),
        ]
        for (body, queries) in zip(plain, try await Checks.requestQueries(of: plain.map { (type, $0) })) {
            #expect(queries == Array(repeating: Self.query(body, type: type) ?? "", count: 2))
        }
        // cdxj-indexer decodes what browsers escape in a name; pywb, which looks for the query, doesn't.
        let escaped = form(("name=\"a %22b%22\"", Data("c".utf8)))
        let queries = try await Checks.requestQueries(of: [(type, escaped)])
        #expect(queries.first?.first == Self.query(escaped, type: type))
    }

    @Test func hostileFormsTakeTimeInProportionToTheirSize() {
        let type = "multipart/form-data; boundary=\(String(repeating: "-", count: 200))"
        for part in ["\n", "-", "\n--", "\r\n" + String(repeating: "-", count: 202) + "\r\n\r\n", "a:\n"] {
            let times = [100_000, 1_600_000].map { size in
                let body = Data(String(repeating: part, count: size / part.utf8.count).utf8)
                return shortestProcessorTime {
                    let length = Self.query(body, type: type)?.utf8.count
                    #expect(length.map { $0 <= 4_096 } == true)
                }
            }
            // A time that grows as the square is 256 times as long.
            #expect(times[1] < times[0] * 64)
        }
    }
}
