import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import Site

private struct Secret: Error { let password = "hunter2" }

private struct TooLate: PresentableError {
    var problem: Problem {
        Problem(.gone, title: "Too <late>", detail: "It & its copies are gone.", headers: [.retryAfter: "5"])
    }
}

private struct Answers: Decodable {
    let name: String
    let count: Int
}

@Suite struct ProblemTests {
    private func site(_ maximumBodyBytes: Int = 1000) throws -> some ApplicationProtocol {
        let app = SiteApp(name: "Library", path: "/library/", summary: "Keeps.")
        let configuration = SiteConfiguration(port: 80, apps: [app], maximumBodyBytes: maximumBodyBytes)
        return try SiteServer(configuration: configuration, logger: .quiet) { router, _ in
            router.get("/secret") { _, _ -> String in throw Secret() }
            router.get("/late") { _, _ -> String in throw TooLate() }
            router.get("/teapot") { _, _ -> String in throw HTTPError(.init(code: 418), message: "Short & stout") }
            router.get("/cancelled") { _, _ -> String in throw CancellationError() }
            router.post("/form") { request, context in
                let answers = try await request.decode(as: Answers.self, context: context)
                return "\(answers.name): \(answers.count)"
            }
        }.application()
    }

    @Test(arguments: [
        ("/late", 410, "Too &lt;late&gt;"), ("/late", 410, "It &amp; its copies are gone."),
        ("/nowhere", 404, "There is no such page"), ("/teapot", 418, "Short &amp; stout"),
        ("/%3Cscript%3Ealert(1)%3C/script%3E", 404, "There is no such page"), ("/cancelled", 503, "stopping"),
        ("/library/nowhere", 404, #"<a class="button" href="/library/">Go to Library</a>"#),
    ])
    func browserReceivesAnErrorPage(path: String, status: Int, text: String) async throws {
        let accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
        try await site().test(.router) { client in
            let response = try await client.execute(uri: path, method: .get, headers: [.accept: accept])
            #expect(response.status.code == status)
            #expect(response.headers[.contentType] == "text/html; charset=utf-8")
            #expect(response.headers[.contentSecurityPolicy] == SecurityHeaders.contentSecurityPolicy)
            #expect(response.headers[.cacheControl] == "no-store")
            let page = String(buffer: response.body)
            #expect(page.contains(text))
            #expect(!page.contains("<script>"))
        }
    }

    @Test func clientThatPrefersJSONReceivesProblemJSON() async throws {
        try await site().test(.router) { client in
            let headers: HTTPFields = [.accept: "application/problem+json, text/html"]
            let response = try await client.execute(uri: "/late", method: .get, headers: headers)
            #expect(response.status == .gone)
            #expect(response.headers[.contentType] == "application/problem+json")
            #expect(response.headers[.retryAfter] == "5")
            #expect(response.headers[.vary] == "Accept")
            let json = #"{"detail":"It & its copies are gone.","status":410,"title":"Too <late>","type":"about:blank"}"#
            #expect(String(buffer: response.body) == json)
        }
    }

    @Test func unknownErrorRevealsNoDetails() async throws {
        try await site().test(.router) { client in
            for accept in ["text/html", "application/json"] {
                let response = try await client.execute(uri: "/secret", method: .get, headers: [.accept: accept])
                #expect(response.status == .internalServerError)
                let text = String(buffer: response.body)
                #expect(!text.contains("hunter2") && !text.contains("Secret"))
                #expect(text.contains(try Regex("reference is [0-9a-f]{6,}")))
            }
        }
    }

    @Test func headRequestForAMissingPageHasNoBody() async throws {
        try await site().test(.router) { client in
            let response = try await client.execute(uri: "/nowhere", method: .head)
            #expect(response.status == .notFound)
            #expect(response.body.readableBytes == 0)
        }
    }

    @Test(arguments: [
        ("application/x-www-form-urlencoded", "name=a+b&count=2", 200, "a b: 2"),
        ("application/x-www-form-urlencoded; charset=utf-8", "count=2&name=%C3%A9", 200, "é: 2"),
        ("application/x-www-form-urlencoded", "name=a", 400, "The form was not understood"),
        ("application/x-www-form-urlencoded", "name=a&count=x", 400, "The form was not understood"),
        ("application/x-www-form-urlencoded", "", 400, "The form was not understood"),
        ("application/x-www-form-urlencoded", "%", 400, "The form was not understood"),
        ("application/x-www-form-urlencoded", "name=a&count=2&" + String(repeating: "a[", count: 400), 400, "not"),
        ("application/x-www-form-urlencoded", "name=" + String(repeating: "a", count: 1000), 413, "1,000 bytes"),
        ("application/json", "{}", 415, "This is not a form"),
        ("", "name=a&count=2", 415, "This is not a form"),
    ])
    func onlyValidFormIsDecoded(contentType: String, body: String, status: Int, text: String) async throws {
        try await site().test(.router) { client in
            var headers: HTTPFields = [.origin: "http://localhost"]
            headers[.contentType] = contentType.isEmpty ? nil : contentType
            let response = try await client.execute(
                uri: "/form", method: .post, headers: headers, body: ByteBuffer(string: body))
            #expect(response.status.code == status)
            #expect(String(buffer: response.body).contains(text))
        }
    }

    @Test func aMillionBracketsDoNotOverflowTheStack() async throws {
        try await site(10_000_000).test(.router) { client in
            for name in [String(repeating: "[a]", count: 1_000_000), String(repeating: "%5Ba%5D", count: 1_000_000)] {
                let response = try await client.execute(
                    uri: "/form", method: .post,
                    headers: [.origin: "http://localhost", .contentType: "application/x-www-form-urlencoded"],
                    body: ByteBuffer(string: "a\(name)=1"))
                #expect(response.status == .badRequest)
            }
        }
    }

    @Test(arguments: [
        ("application/json", true), ("application/problem+json, text/html", true), ("*/*", false), ("", false),
        ("text/html", false), ("text/html, application/json;q=0.9", false), ("APPLICATION/JSON ; Q=0.5", true),
        ("text/html;q=0.2, application/json;q=0.3", true), ("application/json;q=0", false), (";;,,q=", false),
        ("application/json;q=x", false), ("text/html,application/xhtml+xml,*/*;q=0.8", false),
    ])
    func acceptHeaderDecidesWhetherJSONIsPreferred(accept: String, isJSON: Bool) {
        #expect(ProblemPages.prefersJSON([accept]) == isJSON)
    }
}
