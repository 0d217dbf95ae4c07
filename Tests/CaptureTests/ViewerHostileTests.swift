import FixtureSite
import Foundation
import Testing

@testable import Capture

/// Tests with malicious archives, and with archives odd enough to cause harm.
@Suite(.timeLimit(.minutes(20))) struct ViewerHostileTests {
    private static let address = "http://hostile.example/"

    private static func archive(
        _ html: String, type: String = "text/html", _ resources: [String: (type: String, text: String)] = [:]
    ) -> WebArchive {
        WebArchive(
            mainResource: .init(
                data: Data(html.utf8), url: address, mediaType: type, textEncodingName: "UTF-8", frameName: ""),
            subresources: resources.sorted { $0.key < $1.key }.map { name, resource in
                .init(
                    data: Data(resource.text.utf8), url: address + name, mediaType: resource.type,
                    textEncodingName: "UTF-8")
            })
    }

    /// Makes a copy, and expects that no part of it runs, loads or navigates.
    private static func safeCopy(of archive: WebArchive) async throws -> String {
        let copy = try await sharedCapturer.viewerCopy(of: archive, options: .withLongTimeouts)
        let findings = try await ViewerCopyTests.findings(in: copy)
        #expect(findings.isEmpty, "\(findings)")
        #expect(try await ViewerCopyTests.render(copy).unanswered == [])
        return String(decoding: copy, as: UTF8.self)
    }

    @Test func hostilePageCannotRunLoadOrNavigate() async throws {
        let copy = try await Self.safeCopy(
            of: Self.archive(hostilePage, ["a.css": ("text/css", "@import 'http://evil.example/c'; p{color:red}")]))
        #expect(copy.contains("still here"))
        #expect(copy.contains("data:text/css;charset=utf-8,"))
        // The address isn't in the copy at all, not even as text.
        #expect(!copy.contains("evil"))
        #expect(!copy.contains("<script"))
    }

    @Test func scriptsHiddenInXMLDoNotRunInHTML() async throws {
        let copy = try await Self.safeCopy(of: Self.archive(hostileXML, type: "application/xhtml+xml"))
        #expect(copy.contains("still here"))
    }

    @Test func circularStyleSheetImportsEnd() async throws {
        let copy = try await Self.safeCopy(
            of: Self.archive(
                "<!DOCTYPE html><link rel=stylesheet href=a.css><link rel=stylesheet href=self.css><p>still here</p>",
                [
                    "a.css": ("text/css", "@import 'b.css'; p { color: red }"),
                    "b.css": ("text/css", "@import url(a.css); p { margin: 1px }"),
                    "self.css": ("text/css", "@import 'self.css'; p { padding: 1px }"),
                ]))
        #expect(copy.contains("padding"))
        #expect(copy.contains("margin"))
    }

    @Test func doubledStyleSheetImportsDoNotGrowExponentially() async throws {
        var sheets: [String: (type: String, text: String)] = [:]
        // Chromium itself loads all of them.
        for number in 0..<11 {
            let next = "@import '\(number + 1).css';"
            sheets["\(number).css"] = ("text/css", "\(next)\(next) p { margin: \(number)px }")
        }
        let copy = try await Self.safeCopy(
            of: Self.archive("<!DOCTYPE html><link rel=stylesheet href=0.css><p>still here</p>", sheets))
        #expect(copy.utf8.count < 5_000_000)
    }

    @Test func hundredNestedFramesAreIncluded() async throws {
        func page(_ depth: Int) -> WebArchive {
            let frame =
                depth < 100 ? "<iframe name=\"a&quot;b\" src=\"http://hostile.example/\(depth + 1)\"></iframe>" : ""
            return WebArchive(
                mainResource: .init(
                    data: Data("<!DOCTYPE html><p>depth \(depth) &amp; \"quoted\"</p>\(frame)".utf8),
                    url: "http://hostile.example/\(depth)", mediaType: "text/html", textEncodingName: "UTF-8"),
                subframes: depth < 100 ? [page(depth + 1)] : [])
        }
        let copy = try await Self.safeCopy(of: page(0))
        for depth in 0...100 { #expect(copy.contains("depth \(depth) ")) }
        #expect(copy.utf8.count < 2_000_000)
    }

    /// Regression test: the writer tried each level twice if the document of a quirks-mode frame was too long for a
    /// `data:` address.
    @Test func quirkyFramesTooLongForAnAddressAreCopied() async throws {
        let text = String(repeating: "x", count: 2_500_000)
        func page(_ depth: Int) -> WebArchive {
            let content =
                depth < 28 ? "<iframe src=\"http://hostile.example/\(depth + 1)\"></iframe>" : "<p>still here \(text)"
            return WebArchive(
                mainResource: .init(
                    data: Data("<p>depth \(depth) \(content)".utf8), url: "http://hostile.example/\(depth)",
                    mediaType: "text/html", textEncodingName: "UTF-8"),
                subframes: depth < 28 ? [page(depth + 1)] : [])
        }
        let copy = String(
            decoding: try await sharedCapturer.viewerCopy(of: page(0), options: .withLongTimeouts), as: UTF8.self)
        for depth in 0...28 { #expect(copy.contains("depth \(depth) ")) }
        #expect(copy.contains("still here"))
    }

    @Test func refreshOfAPageIsRemoved() async throws {
        let refresh = "<meta http-equiv=refresh content='0;url=http://hostile.example/'>"
        _ = try await Self.safeCopy(of: Self.archive("<!DOCTYPE html>\(refresh)<p>still here</p>"))
    }

    @Test func resourcesOverTheLimitAreLeftOut() async throws {
        let picture = try #require(Data(base64Encoded: onePixel))
        var archive = Self.archive("<!DOCTYPE html><p>still here</p><img src=p.png><img src=q.png>")
        archive.subresources = ["p.png", "q.png"].map { name in
            .init(data: picture + Data(count: 50_000), url: Self.address + name, mediaType: "image/png")
        }
        var options = CaptureOptions.withLongTimeouts
        options.maximumArchiveBytes = 100_000
        let copy = String(decoding: try await sharedCapturer.viewerCopy(of: archive, options: options), as: UTF8.self)
        #expect(copy.ranges(of: "data:image/png").count == 1)
        #expect(copy.utf8.count <= 100_000)
        options.maximumArchiveBytes = 100
        await #expect {
            try await sharedCapturer.viewerCopy(of: archive, options: options)
        } throws: {
            ($0 as? CaptureError)?.code == .tooLarge
        }
    }
}

private let onePixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

let hostilePage = #"""
    <!DOCTYPE html><html manifest="http://evil.example/m" onclick="evil()"><head>
    <meta http-equiv="refresh" content="0;url=http://evil.example/gone">
    <meta http-equiv="Content-Security-Policy" content="report-uri http://evil.example/r">
    <link rel="stylesheet" href="http://hostile.example/a.css">
    <link rel="stylesheet" href="data:text/css,@import 'http://evil.example/d';b{background:url(http://evil.example/e)}">
    <base href="http://evil.example/">
    <link rel="preload" as="image" href="p"><link rel="prefetch" href="p"><link rel="preconnect" href="http://evil.example">
    <link rel="dns-prefetch" href="//evil.example"><link rel="manifest" href="m"><link rel="modulepreload" href="m.js">
    <link rel="stylesheet" href="lacking.css"><link rel="icon" href="i.png">
    <style>@import "http://evil.example/1"; @import url(//evil.example/2) screen; @\69mport '/evil/3';
    p { background: u\72l(http://evil.example/4) } i::after { content: "</sty\6ce><script src=x>" }
    b { background: image-set("evil.png" 1x, url(evil) 2x); cursor: url(evil.cur), auto; filter: url(evil.svg#f) }
    @font-face { font-family: e; src: url(evil.woff) } u { font-family: e; --x: { a: url(evil) } }
    /* evil */ s { background: url(evil x) } em { background: url("evil</style>
    <script>document.title = 'evil'</script><script type="module" src="evil.js"></script>
    </head><body onload="evil()" background="evil.png" style="background:url(evil.png);b\61 ckground:u\72l('evil')">
    <p id="here">still here</p><img src="evil.png" srcset="evil 2x" onerror="evil()" lowsrc="evil">
    <a href="javascript:evil()">a</a><a href=" java&#10;script:evil()">b</a><a href="http://other.example/x" ping="/evil">c</a>
    <a href="evil:x">d</a><a href="data:text/html,evil">e</a><a href="http://hostile.example/#here">f</a>
    <map><area href="javascript:evil()" shape="default"></map>
    <svg><script>evil()</script><a xlink:href="javascript:evil()"><set attributeName="href" to="javascript:evil()"/>
    <animate attributeName="xlink:href" values="javascript:evil()"/><text y="9">t</text></a><image href="evil.png"/>
    <use href="evil.svg#x"/><style>rect { fill: url(evil.svg#a) }</style><rect fill="url(evil.svg#b)" width="9" height="9"/>
    <feImage xlink:href="evil"/><foreignObject><iframe src="evil"></iframe></foreignObject></svg>
    <math href="javascript:evil()"><mi xlink:href="javascript:evil()">x</mi></math>
    <form action="http://evil.example/f"><input name="a"><button formaction="javascript:evil()">g</button>
    <input type="image" src="evil.png"></form><isindex action="evil">
    <iframe src="http://evil.example/"></iframe><iframe src="javascript:evil()"></iframe>
    <iframe srcdoc="<script>evil()</script><img src=http://evil.example/z onerror=evil()><base href=evil>"></iframe>
    <iframe src="data:text/html,<script>evil()</script><img src=http://evil.example/y>"></iframe>
    <object data="evil.swf" classid="evil"><param name="movie" value="x"></object><embed src="evil">
    <applet code="evil"></applet><noscript><img src="evil"></noscript><xmp></xm<script>x</xmp>
    <video src="evil" poster="evil" autoplay><source src="evil"><track src="evil" default></video><audio src="evil"></audio>
    <picture><source srcset="evil 1x"><img src="evil"></picture><table background="evil"><td background="evil">x</table>
    <template><script>evil()</script><img src="evil"></template>
    <div><template shadowrootmode="open"><style>@import "evil"; p { background: url(evil) }</style><p>in shadow</p>
    <img src="evil" onerror="evil()"><script>evil()</script></template></div><noembed><script>evil()</script></noembed>
    <!--><script>evil()</script>--><input value="&quot;><script>" autofocus onfocus="evil()"><details ontoggle="evil()" open>
    <div style="width: 1px; background: url(&quot;http://evil.example/s&quot;) }} ;x:url(evil" title="</style>"></div>
    <plaintext><script>quoted()</script>
    """#

private let hostileXML = #"""
    <!DOCTYPE html SYSTEM 'a"><script>evil()</script>'>
    <html xmlns="http://www.w3.org/1999/xhtml" xmlns:x="http://www.w3.org/1999/xhtml" xmlns:s="http://www.w3.org/2000/svg">
    <head><title>t</title><?x ><script>evil()</script>?><!--><script>evil()</script>--></head>
    <body><p>still here</p><x:script>evil()</x:script><SCRIPT>evil()</SCRIPT><script xmlns="urn:other">evil()</script>
    <xmp>&lt;/xmp>&lt;script>evil()&lt;/script></xmp><plaintext>plain</plaintext>
    <iframe>&lt;/iframe>&lt;script>evil()&lt;/script></iframe><noframes>&lt;/noframes>&lt;script>evil()&lt;/script></noframes>
    <s:svg><style>&lt;img src="evil" onerror="evil()"/>&lt;/style>&lt;script>evil()&lt;/script></style>
    <s:style>&lt;/style>&lt;script>evil()&lt;/script></s:style><s:SCRIPT>evil()</s:SCRIPT></s:svg>
    <s:style>&lt;/style>&lt;img src="evil" onerror="evil()"/></s:style><img xmlns="urn:other" src="evil" onerror="evil()"/>
    <style>p::after { content: "&lt;/style>&lt;script>evil()&lt;/script>" } /* &lt;/style>&lt;script>evil()&lt;/script> */</style>
    <title>&lt;/title>&lt;script>evil()&lt;/script></title><textarea>&lt;/textarea>&lt;script>evil()&lt;/script></textarea>
    <noscript>&lt;script>evil()&lt;/script></noscript></body></html>
    """#
