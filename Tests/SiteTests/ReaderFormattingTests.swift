import Formats
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import Site

/// Tests which parts of a request determine the formats of its response.
@Suite(.timeLimit(.minutes(10))) struct ReaderFormattingTests {
    private func html(_ headers: HTTPFields) async throws -> (text: String, vary: String?) {
        let configuration = SiteConfiguration(port: 80, apps: [])
        let site = try SiteServer(
            configuration: configuration, logger: .quiet,
            routes: { router, layout in
                router.get("/time") { _, _ in
                    let content = HTML.time(Date(timeIntervalSince1970: 1_795_698_300))
                    return layout.page(title: "Time", heading: nil, content: content)
                }
            })
        return try await site.application().test(.router) { client in
            let response = try await client.execute(uri: "/time", method: .get, headers: headers)
            return (String(buffer: response.body), response.headers[.vary])
        }
    }

    @Test func timesHaveTheLanguageAndTheZoneOfTheRequest() async throws {
        let page = try await html([.acceptLanguage: "de-DE,en;q=0.5", .cookie: "a=b; meanwhile-zone=Asia/Tokyo"])
        #expect(page.text.contains(#"<time datetime="2026-11-26T13:05:00Z">26.11.2026, 22:05</time>"#))
        #expect(page.text.contains(#"<html lang="en" data-language="de-DE" data-zone="Asia/Tokyo">"#))
        #expect(page.vary == "Accept-Language, Cookie")
    }

    @Test(arguments: ["", #""><script>alert(1)</script>"#, "../../etc/passwd", String(repeating: "A", count: 4_000)])
    func invalidValuesGetTheServersFormats(value: String) async throws {
        let page = try await html([.acceptLanguage: value, .cookie: "meanwhile-zone=\(value)"])
        let zone = ReaderFormats.standard.zoneName
        #expect(page.text.contains(#"<html lang="en" data-language="en-GB" data-zone="\#(zone)">"#))
    }
}
