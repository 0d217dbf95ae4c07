import Foundation
import Hummingbird
import Testing

@testable import Site

/// Tests which requests a server on a real port accepts.
@Suite(.timeLimit(.minutes(10))) struct HostAndOriginTests {
    @Test func requestsForOtherHostsAreRejected() async throws {
        let origin = URL(string: "https://pages.example.com")
        try await RunningSite.run(SiteConfiguration(port: 0, origin: origin)) { site in
            let port = site.port
            let hosts = [
                ("127.0.0.1:\(port)", 200), ("localhost:\(port)", 200), ("LocalHost:\(port)", 200),
                ("[::1]:\(port)", 200), ("pages.example.com", 200), ("pages.example.com:443", 200),
                ("Pages.Example.COM", 200),
                ("127.0.0.1", 421), ("localhost", 421), ("localhost:\(port + 1)", 421), ("localhost.:\(port)", 421),
                ("evil.example:\(port)", 421), ("localhost:\(port).evil.example", 421),
                ("localhost:\(port)@evil.example", 421), ("evil.example@localhost:\(port)", 421),
                ("127.0.0.2:\(port)", 421), ("127.1:\(port)", 421), ("0.0.0.0:\(port)", 421),
                ("[::ffff:127.0.0.1]:\(port)", 421), ("pages.example.com:80", 421), ("pages.example.com.", 421),
                ("a.pages.example.com", 421), ("localhost:+\(port)", 421), ("localhost:0\(port)0", 421),
            ]
            for (host, status) in hosts {
                let answer = try await site.send("GET", "/healthz", ["Host: \(host)"])
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(host): \(answer.prefix(40))")
            }
            let two = try await site.send("GET", "/healthz", [site.host, "Host: evil.example"])
            #expect(two.hasPrefix("HTTP/1.1 400 "))
            #expect(try await site.send("GET", "/healthz", []).hasPrefix("HTTP/1.1 400 "))
            #expect(try await site.send("GET", "/healthz", ["Host:"]).hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test func hostErrorNamesTheAddressAndTheOption() async throws {
        try await RunningSite.run { site in
            let answer = try await site.send("GET", "/", ["Host: <evil>.example"])
            #expect(answer.contains("http://127.0.0.1:\(site.port)"))
            #expect(answer.contains("--origin"))
            #expect(answer.contains("&lt;evil&gt;.example") && !answer.contains("<evil>"))
            #expect(answer.contains("Content-Security-Policy: "))
        }
    }

    /// Some proxies don't forward the host.
    @Test(arguments: [
        (nil, "127.0.0.1", "http://127.0.0.1"), ("https://pages.example.com", "127.0.0.1", "https://pages.example.com"),
        ("http://pages.example.com:81/", "localhost", "http://pages.example.com:81"),
        ("https://pages.example.com", "pages.example.com", "https://pages.example.com"),
    ])
    func addressesForOthersBeginWithTheOrigin(origin: String?, host: String, address: String) async throws {
        let configuration = SiteConfiguration(port: 0, origin: origin.flatMap { URL(string: $0) })
        let routes: RunningSite.Routes = {
            $0.get("/address") { request, context in context.siteAddress(in: request) }
        }
        try await RunningSite.run(configuration, routes: routes) { site in
            let isLoopback = host != "pages.example.com"
            let port = isLoopback ? ":\(site.port)" : ""
            let answer = try await site.send("GET", "/address", ["Host: \(host)\(port)"])
            #expect(answer.hasSuffix("\r\n\r\n" + (origin == nil ? address + port : address)), "\(answer)")
        }
    }

    @Test func changesFromOtherOriginsAreRejected() async throws {
        let origin = URL(string: "https://pages.example.com/")
        let configuration = SiteConfiguration(port: 0, origin: origin)
        let routes: RunningSite.Routes = { $0.post("/change") { _, _ in "changed" } }
        try await RunningSite.run(configuration, routes: routes) { site in
            let port = site.port
            let cases: [([String], Int)] = [
                (["Origin: http://127.0.0.1:\(port)"], 200),
                (["Origin: http://localhost:\(port)"], 200),
                (["Origin: http://[::1]:\(port)"], 200),
                (["Origin: https://pages.example.com", "Sec-Fetch-Site: same-origin"], 200),
                (["Sec-Fetch-Site: same-origin"], 200),
                (["Sec-Fetch-Site: none"], 200),
                (["X-Requested-With: curl"], 200),
                ([], 403),
                (["Sec-Fetch-Site: cross-site"], 403),
                (["Sec-Fetch-Site: same-site"], 403),
                (["Sec-Fetch-Site: cross-site", "X-Requested-With: curl"], 403),
                (["Origin: null"], 403),
                (["Origin: null", "X-Requested-With: curl"], 403),
                (["Origin: null", "Sec-Fetch-Site: same-origin"], 403),
                (["Origin: http://evil.example", "Sec-Fetch-Site: same-origin"], 403),
                (["Origin: http://127.0.0.1:\(port + 1)"], 403),
                (["Origin: http://localhost"], 403),
                (["Origin: https://127.0.0.1:\(port)"], 403),
                (["Origin: http://pages.example.com"], 403),
                (["Origin: https://pages.example.com:8443"], 403),
                (["Origin: http://127.0.0.1:\(port).evil.example"], 403),
                (["Origin: "], 403),
                (["Origin: http://127.0.0.1:\(port)", "Origin: http://evil.example"], 403),
                (["Referer: http://127.0.0.1:\(port)/"], 403),
            ]
            for (fields, status) in cases {
                let answer = try await site.send("POST", "/change", [site.host] + fields)
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(fields): \(answer.prefix(40))")
                #expect(answer.hasSuffix("changed") == (status == 200))
            }
        }
    }

    @Test(arguments: ["PUT", "DELETE", "PATCH", "OPTIONS", "POST", "PROPFIND"])
    func foreignOriginIsRejectedForEachChangingMethod(method: String) async throws {
        try await RunningSite.run { site in
            let answer = try await site.send(method, "/", [site.host, "Origin: http://evil.example"])
            #expect(answer.hasPrefix("HTTP/1.1 403 "))
            #expect(!answer.contains("Access-Control"))
        }
    }

    @Test func crossOriginGetIsAnsweredWithoutCORSHeaders() async throws {
        try await RunningSite.run { site in
            let fields = [site.host, "Origin: http://evil.example", "Sec-Fetch-Site: cross-site"]
            let answer = try await site.send("GET", "/", fields)
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
            #expect(answer.contains("Cross-Origin-Resource-Policy: same-origin"))
            #expect(!answer.contains("Access-Control"))
        }
    }

    @Test(arguments: [
        "", "http:", "http://", "http:///", "ftp://a", "http://a/b", "http://a?b", "http://a:", "http://a:b",
        "http://a:123456", "http://u@a", "http://a b", "//a", "a",
    ])
    func invalidOriginIsRejected(text: String) {
        // A colon without a port is invalid too: browsers never send it.
        #expect(WebOrigin(text) == nil)
    }
}
