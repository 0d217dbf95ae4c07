import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import Site

@Suite struct FirstRunHintTests {
    private static let apps = [
        SiteApp(name: "One", path: "/one/", summary: "Does one.", hint: "Try <this> first."),
        SiteApp(name: "Two", path: "/two/", summary: "Does two.", hint: "Try that."),
        SiteApp(name: "Three", path: "/three/", summary: "Does three."),
    ]

    private func site() throws -> some ApplicationProtocol {
        try SiteServer(configuration: SiteConfiguration(port: 80, apps: Self.apps), logger: .quiet) { router, layout in
            for app in Self.apps {
                for (path, isFirst) in [(app.path, true), ("\(app.path)more", false)] {
                    router.get(RouterPath(path)) { request, _ in
                        layout.page(
                            title: app.name, heading: app.name, app: app, content: HTML(markup: ""),
                            firstPageIn: isFirst ? request : nil)
                    }
                }
            }
        }.application()
    }

    private func dismiss(
        _ app: String, _ client: some TestClientProtocol, cookie: String? = nil
    ) async throws -> TestResponse {
        var headers: HTTPFields = [
            .origin: "http://localhost:80", .contentType: "application/x-www-form-urlencoded",
        ]
        headers[.cookie] = cookie
        return try await client.execute(
            uri: "/hints/dismiss", method: .post, headers: headers, body: ByteBuffer(string: "app=\(app)"))
    }

    private func page(_ path: String, _ client: some TestClientProtocol, cookie: String? = nil) async throws -> String {
        var headers = HTTPFields()
        headers[.cookie] = cookie
        return String(buffer: try await client.execute(uri: path, method: .get, headers: headers).body)
    }

    @Test func firstPageShowsTheHintUntilItIsDismissed() async throws {
        try await site().test(.router) { client in
            let fresh = try await page("/one/", client)
            #expect(fresh.contains("<p>Try &lt;this&gt; first.</p>"))
            #expect(fresh.contains(#"<input type="hidden" name="app" value="/one/">"#))
            let response = try await dismiss("/one/", client)
            #expect(response.status == .seeOther && response.headers[.location] == "/one/")
            let set = try #require(response.headers[.setCookie])
            #expect(set.contains("HttpOnly") && set.contains("SameSite=Strict"))
            let cookie = String(set.prefix { $0 != ";" })
            #expect(try await !page("/one/", client, cookie: cookie).contains("id=\"tip\""))
            #expect(try await page("/two/", client, cookie: cookie).contains("Try that."))
            // The second dismissal keeps the first.
            let both = try #require(try await dismiss("/two/", client, cookie: cookie).headers[.setCookie])
            #expect(both.hasPrefix("meanwhile-hints=one.two;"))
        }
    }

    @Test(arguments: ["/one/more", "/three/", "/three/more", "/"])
    func otherPagesShowNoHint(path: String) async throws {
        try await site().test(.router) { client in
            let text = try await page(path, client)
            #expect(!text.contains("id=\"tip\""))
        }
    }

    @Test(arguments: ["/three/", "/", "", "/one", "https://example.com/"])
    func dismissalOfAnUnknownHintIsRefused(app: String) async throws {
        try await site().test(.router) { client in
            let response = try await dismiss(app, client)
            #expect(response.status == .unprocessableContent)
            #expect(String(buffer: response.body).contains("Back button"))
        }
    }

    @Test(arguments: [
        ("", ""), ("one", "one"), ("two.one.two", "one.two"), ("a.<b>.C.d d.e-1", "a.e-1"), ("...", ""),
        (String(repeating: "a.", count: 600), ""),
    ])
    func invalidNamesInTheCookieAreIgnored(value: String, expected: String) {
        #expect(DismissedHints(value: value).value == expected)
    }
}
