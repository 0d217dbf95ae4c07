import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import Site

private let apps = [
    SiteApp(name: "Offline Library", path: "/library/", summary: "Keeps pages & more."),
    SiteApp(name: "EmojiArt", path: "/art/", summary: "Boards.", isReady: false),
]

@Suite struct PagesTests {
    private func site(_ routes: (SiteRouter, Layout) throws -> Void = { _, _ in }) throws -> some ApplicationProtocol {
        try SiteServer(configuration: SiteConfiguration(port: 80, apps: apps), logger: .quiet, routes: routes)
            .application()
    }

    @Test func homePageListsTheApps() async throws {
        try await site().test(.router) { client in
            let response = try await client.execute(uri: "/", method: .get)
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == "text/html; charset=utf-8")
            let page = String(buffer: response.body)
            #expect(page.contains(#"<h2><a href="/library/">Offline Library</a></h2>"#))
            #expect(page.contains("<h2>EmojiArt</h2>"))
            #expect(page.contains("Keeps pages &amp; more."))
            #expect(page.contains(#"<span class="badge">Coming soon</span>"#))
            #expect(!page.contains("/art/"))
            #expect(page.contains("<title>Meanwhile</title>"))
        }
    }

    @Test func layoutAddsTitleNavigationAndScripts() throws {
        let layout = try Layout(apps: apps)
        let page = layout.html(
            title: "<i>Kept</i>", heading: "A & B", app: apps[0], content: HTML(markup: "<p id=here>Here</p>"),
            styles: ["library/library.css"], scripts: ["library/library.js"]
        ).markup
        #expect(page.hasPrefix("<!doctype html>\n<html lang=\"en\" data-language=\"en-GB\""))
        #expect(page.contains("<title>&lt;i&gt;Kept&lt;/i&gt; · Offline Library · Meanwhile</title>"))
        #expect(page.contains("<h1>A &amp; B</h1>"))
        #expect(page.contains("<p id=here>Here</p>"))
        #expect(page.contains(#"<a href="/library/" aria-current="true">Offline Library</a>"#))
        let files = layout.files.path
        #expect(page.contains(#"<link rel="stylesheet" href="\#(files)/library/library.css">"#))
        for script in ["site/live.js", "library/library.js"] {
            #expect(page.contains(#"<script type="module" src="\#(files)/\#(script)"></script>"#))
        }
        #expect(page.contains(##"<a class="skip" href="#main">"##))
        for forbidden in ["style=", "<style", "onclick", "{{"] { #expect(!page.contains(forbidden)) }
        let own = layout.html(title: "Own", heading: nil, content: HTML(markup: "")).markup
        #expect(!own.contains("<h1>") && !own.contains("aria-current"))
    }

    @Test func everyResponseHasSecurityHeaders() async throws {
        try await site().test(.router) { client in
            for path in ["/", StaticFiles(of: apps).path(of: "site/site.css"), "/nowhere", "/healthz"] {
                let headers = try await client.execute(uri: path, method: .get).headers
                let policy = try #require(headers[.contentSecurityPolicy])
                for part in ["default-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"] {
                    #expect(policy.contains(part))
                }
                #expect(headers[.xContentTypeOptions] == "nosniff")
                #expect(headers[.referrerPolicy] == "same-origin")
                #expect(headers[.crossOriginOpenerPolicy] == "same-origin")
                #expect(headers[.crossOriginResourcePolicy] == "same-origin")
            }
        }
    }

    @Test(arguments: [
        ("https://pages.example.com", "max-age=31536000"), ("http://pages.example.com", nil), (nil, nil),
    ])
    func onlyHTTPSOriginSendsStrictTransportSecurity(origin: String?, expected: String?) async throws {
        let configuration = SiteConfiguration(port: 80, origin: origin.flatMap { URL(string: $0) }, apps: apps)
        let site = try SiteServer(configuration: configuration, logger: .quiet) { _, _ in }
        try await site.application().test(.router) { client in
            for path in ["/", StaticFiles(of: apps).path(of: "site/site.css"), "/nowhere", "/healthz"] {
                let headers = try await client.execute(uri: path, method: .get).headers
                #expect(headers.first { $0.name.canonicalName == "strict-transport-security" }?.value == expected)
            }
        }
    }

    @Test func contentSecurityPolicyOfARouteIsNotReplaced() async throws {
        let app = try site { router, _ in
            router.get("/outside") { _, _ in
                Response(status: .ok, headers: [.contentSecurityPolicy: "default-src 'none'"])
            }
        }
        try await app.test(.router) { client in
            let headers = try await client.execute(uri: "/outside", method: .get).headers
            #expect(headers[values: .contentSecurityPolicy] == ["default-src 'none'"])
            #expect(headers[.xContentTypeOptions] == "nosniff")
        }
    }

    @Test(arguments: [
        ("site.css", "text/css; charset=utf-8"), ("live.js", "text/javascript; charset=utf-8"),
        ("backoff.js", "text/javascript; charset=utf-8"), ("morph.js", "text/javascript; charset=utf-8"),
        ("icon.svg", "image/svg+xml"),
    ])
    func staticFilesAreCachedAsImmutable(name: String, contentType: String) async throws {
        try await site().test(.router) { client in
            let path = StaticFiles(of: apps).path(of: "site/\(name)")
            let response = try await client.execute(uri: path, method: .get)
            #expect(response.status == .ok && response.body.readableBytes > 100)
            #expect(response.headers[.contentType] == contentType)
            #expect(response.headers[.cacheControl] == "public, max-age=31536000, immutable")
            let head = try await client.execute(uri: path, method: .head)
            #expect(head.status == .ok && head.body.readableBytes == 0)
            #expect(head.headers[.contentLength] == "\(response.body.readableBytes)")
        }
    }

    @Test func staticFileIsCompressedForAClientThatAcceptsIt() async throws {
        try await site().test(.router) { client in
            let path = StaticFiles(of: apps).path(of: "site/site.css")
            let plain = try await client.execute(uri: path, method: .get)
            let headers: HTTPFields = [.acceptEncoding: "gzip, deflate, br"]
            let compressed = try await client.execute(uri: path, method: .get, headers: headers)
            #expect(plain.headers[.contentEncoding] == nil && compressed.headers[.contentEncoding] == "gzip")
            #expect(compressed.body.readableBytes * 3 < plain.body.readableBytes)
            #expect(compressed.headers[.contentLength] == "\(compressed.body.readableBytes)")
            // A cache must not send the compressed file to a client that doesn't accept it.
            for response in [plain, compressed] {
                #expect(response.headers[.vary] == "Accept-Encoding")
                #expect(response.headers[.contentType] == "text/css; charset=utf-8")
                #expect(response.headers[.cacheControl] == "public, max-age=31536000, immutable")
            }
        }
    }

    @Test func siteIconIsServedAtTheDefaultPath() async throws {
        try await site().test(.router) { client in
            let icon = try await client.execute(uri: "/favicon.ico", method: .get)
            #expect(icon.status == .ok && icon.headers[.contentType] == "image/svg+xml")
            let path = StaticFiles(of: apps).path(of: "site/icon.svg")
            #expect(try await client.execute(uri: path, method: .get).body == icon.body)
            // Its path doesn't change with its content, so it isn't cached forever.
            #expect(icon.headers[.cacheControl] == "public, max-age=86400")
            #expect(icon.headers[.crossOriginResourcePolicy] == "same-origin")
        }
    }

    /// A page of an older version must not load the scripts of this one.
    @Test func staticFilePathChangesWithContentAndNames() async throws {
        func files(_ files: [String: [UInt8]]) -> StaticFiles {
            StaticFiles(of: [SiteApp(name: "Own", path: "/own/", summary: "Has files.", files: files)])
        }
        let all = [["a.js": [1]], ["a.js": [2]], ["b.js": [1]], ["a.js": [1], "b.js": []], [:]].map(files)
        #expect(Set(all.map(\.path)).count == all.count)
        #expect(files(["a.js": [1]]).path == all[0].path)
        let app = SiteApp(name: "Own", path: "/own/", summary: "Has files.", files: ["a.js": [1], "c.unheard": [2]])
        let configuration = SiteConfiguration(port: 80, apps: [app])
        let site = try SiteServer(configuration: configuration, logger: .quiet) { _, _ in }
        try await site.application().test(.router) { client in
            let path = StaticFiles(of: [app]).path
            let script = try await client.execute(uri: "\(path)/own/a.js", method: .get)
            #expect(Array(buffer: script.body) == [1])
            let other = try await client.execute(uri: "\(path)/own/c.unheard", method: .get)
            #expect(other.headers[.contentType] == "application/octet-stream")
            for unknown in ["/files/0123456789abcdef/own/a.js", "\(path)/own/b.js", "\(path)/a.js", "/own/a.js"] {
                #expect(try await client.execute(uri: unknown, method: .get).status == .notFound)
            }
        }
    }

    @Test func healthCheckAnswersOK() async throws {
        try await site().test(.router) { client in
            let response = try await client.execute(uri: "/healthz", method: .get)
            #expect(response.status == .ok && String(buffer: response.body) == "ok\n")
        }
    }

    @Test func templatesEscapeTextAndIncludePartials() throws {
        let templates = try Templates([
            "list": Array("<ul>{{#items}}{{> item}}{{/items}}</ul>".utf8),
            "item": Array(#"<li title="{{name}}">{{{html(html)}}}</li>"#.utf8),
        ])
        let items =
            [["name": "\"><script>", "html": HTML(markup: "<b>1</b>")], ["name": "a'b", "html": HTML(markup: "2")]]
            as [[String: Any]]
        let text = templates.render("list", ["items": items]).markup
        #expect(text == #"<ul><li title="&quot;&gt;&lt;script&gt;"><b>1</b></li><li title="a&#39;b">2</li></ul>"#)
        #expect(throws: (any Error).self) { try Templates(["bad": Array("{{#open}}".utf8)]) }
    }
}
