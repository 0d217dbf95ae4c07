import FixtureSite
import Foundation
import Testing

@testable import Capture

/// WACZ files of the fixture site, checked by other programs.
@Suite(.timeLimit(.minutes(20))) struct WACZTests {
    @Test func recordsOfOneLoadPassEveryReferee() async throws {
        try await FixtureSite.run { site in
            let capture = try await sharedCapturer.capture(
                site.url("/recorded"), formats: [.wacz, .webArchive], options: .withLongTimeouts)
            #expect(site.requests.count { $0 == "/recorded" } == 1)
            #expect(capture.data[.webArchive]?.starts(with: Data("bplist00".utf8)) == true)
            let data = try #require(capture.data[.wacz])
            let origin = "http://127.0.0.1:\(site.port)"
            let wacz = try await Checks.wacz(data, origin: origin)
            Self.expectRecords(wacz.records, origin: origin)
            Self.expectPrivacy(wacz.records)
            #expect(wacz.pages.first?.hasText == true)
            let page = try #require(wacz.pages.last)
            #expect(page.url == "\(origin)/recorded")
            #expect(page.title == "Recorded – «Запись»")
            #expect(page.text?.contains("Recorded – «Запись»") == true)
            let paths = Set(wacz.shown.map { "\($0.method) \($0.url.replacing(origin, with: "")) \($0.status)" })
            let expected = [
                "GET /recorded 200", "GET /redirect-to?url=/image/1.png 302", "GET /image/1.png 200",
                "GET /image/2.png 200", "GET /missing/absent.png 404", "GET /plain 200",
                "GET http://localhost:\(site.port)/plain?other 200", "GET /recorded/latin.css 200",
                "GET /recorded/compressed.css 200", "GET /recorded/marked.js 200", "GET /media/clip.webm 200",
                "GET /recorded/%D1%80%D0%B8%D1%81%D1%83%D0%BD%D0%BE%D0%BA.png"
                    + "?%D0%BA%D0%BB%D1%8E%D1%87=%D0%97%D0%BD%D0%B0%D0%BA&b=2&a=1 200",
                "POST /recorded/upload 200", "POST /recorded/form 200", "PUT /recorded/form 200",
                "GET /empty?fetched 200",
                "GET /no-content 204", "GET /large?megabytes=3 200", "GET /recorded/repeated 200",
                "GET /recorded/tagged 200", "GET /recorded/fields 200",
            ]
            for path in expected { #expect(paths.contains(path), "pywb doesn't show \(path)") }
            // Forms with other values have other responses.
            #expect(wacz.shown.filter { $0.url.hasSuffix("/recorded/upload") }.map(\.bytes).sorted() == [5, 6])
            #expect(wacz.shown.contains { $0.url.hasSuffix("megabytes=3") && $0.bytes == 3_000_000 })
            var changed = data
            changed[data.count / 4] ^= 1
            await withKnownIssue("The referees notice a changed byte.") {
                _ = try await Checks.wacz(changed, origin: origin)
            }
        }
    }

    private static func expectRecords(_ records: [Checks.Record], origin: String) {
        func of(_ path: String, _ type: String = "response") -> [Checks.Record] {
            records.filter { $0.type == type && $0.fields["WARC-Target-URI"] == origin + path }
        }
        #expect(records.first?.type == "warcinfo")
        let page = of("/recorded").first
        #expect(page?.line == "HTTP/1.1 200 OK")
        #expect(page?.fields["WARC-IP-Address"] == "127.0.0.1")
        let request = of("/recorded", "request").first
        #expect(request?.line == "GET /recorded HTTP/1.1")
        #expect(request?.values("Host") == [origin.replacing("http://", with: "")])
        #expect(request?.values("Accept").isEmpty == false)
        #expect(request?.fields["WARC-Concurrent-To"] == page?.fields["WARC-Record-ID"])
        #expect(of("/redirect-to?url=/image/1.png").first?.values("Location") == ["/image/1.png"])
        let compressed = of("/recorded/compressed.css").first
        #expect(compressed?.values("x-orig-Content-Encoding") == ["gzip"])
        #expect(compressed?.values("Content-Encoding") == [])
        #expect(compressed?.values("Content-Length") == ["112"])
        #expect(of("/recorded/fields").first?.values("X-Greeting") == ["Grüße, мир"])
        #expect(of("/empty?fetched").first?.bytes == 0)
        #expect(of("/plain?head", "request").first?.line == "HEAD /plain?head HTTP/1.1")
        #expect(of("/plain?head").first?.bytes == 0)
        #expect(of("/recorded/form", "request").map(\.bytes).sorted() == [3, 8, 29, 59])
        // A repeated body, and a response that only confirms an earlier one.
        for (path, profile) in [("repeated", "identical-payload-digest"), ("tagged", "server-not-modified")] {
            let original = of("/recorded/\(path)")
            let repeated = of("/recorded/\(path)", "revisit")
            #expect(original.count == 1)
            #expect(repeated.map { $0.fields["WARC-Refers-To"] } == original.map { $0.fields["WARC-Record-ID"] })
            #expect(repeated.first?.fields["WARC-Profile"]?.hasSuffix(profile) == true)
        }
        #expect(of("/recorded/tagged", "revisit").first?.line == "HTTP/1.1 304 Not Modified")
        // Media players request parts, so the whole file comes from another request.
        #expect(of("/media/clip.webm", "resource").count + of("/media/clip.webm").count >= 1)
    }

    private static func expectPrivacy(_ records: [Checks.Record]) {
        for record in records {
            for name in ["Authorization", "Cookie", "Set-Cookie", "Proxy-Authorization", "Proxy-Connection"] {
                #expect(record.values(name).isEmpty, "\(record.fields["WARC-Target-URI"] ?? "") has \(name)")
            }
        }
        let fields = records.filter { $0.fields["WARC-Target-URI"]?.hasSuffix("/recorded/fields") == true }
        #expect(Set(fields.map(\.type)) == ["request", "response"])
    }

    @Test func sortableURLsAreThoseOfTheIndexers() async throws {
        var chance = SystemRandomNumberGenerator()
        let hosts = [
            "example.org", "www.example.org", "WWW3.Example.org.", "127.0.0.1", "[::1]", "a..b", "xn--e1afmkfd",
        ]
        let ports = ["", ":80", ":443", ":8080"]
        let parts = [
            "", "/", "/A/b/", "//a///b", "/./a/../b/../../c", "/%41%2f%2541", "/%D0%BF%23%3f", "/a b%zz%", "/é",
            "/(S(abcdefghij0123456789ABCD))/page.aspx", "/x/(abcdefghij0123456789ABCD)/page.aspx?x", "/(a(b))/x.aspx",
        ]
        let session = String(repeating: "aB1", count: 10) + "xy"
        let queries = [
            "", "?", "?a", "?b=2&a=1&a=0&a", "?a==&=&&", "?%26=%3D", "?jsessionid=\(session)",
            "?a=1&PHPSESSID=\(session)&b=2",
            "?sid=\(session)&x", "?ASPSESSIONIDabcdefgh=abcdefghijklmnopqrstuvwx&a", "?cfid=1&cftoken=2&b", "?x=?/#y",
        ]
        var urls = hosts.flatMap { host in ports.map { "http://\(host)\($0)/" } }
        for path in parts { for query in queries { urls.append("https://example.org\(path)\(query)") } }
        urls += ["http://user:password@example.org/a", "https://example.org/a#b?c"]
        for _ in 0..<500 {
            let random = String((0..<12).map { _ in "/?&=%2aAb.é#(".randomElement(using: &chance) ?? "a" })
            urls.append("https://example.org/\(random)")
        }
        let expected = try await Checks.sortableURLs(of: urls)
        for (url, expected) in zip(urls, expected) { #expect(SortableURL.key(of: url) == expected, "\(url)") }
    }
}
