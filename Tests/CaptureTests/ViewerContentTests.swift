import FaultServer
import FixtureSite
import Foundation
import Testing

@testable import Capture

/// Tests of a viewer copy's contents, and how often they are included.
@Suite(.timeLimit(.minutes(20))) struct ViewerContentTests {
    private static let pageURL = "http://page.example/"

    private static func copy(
        _ body: String, _ resources: [(name: String, type: String, data: Data)] = [], within limit: Double = 0.005
    ) async throws -> (archive: WebArchive, text: String) {
        let archive = WebArchive(
            mainResource: .init(
                data: Data("<!DOCTYPE html><title>t</title>\(body)".utf8), url: pageURL, mediaType: "text/html",
                textEncodingName: "UTF-8", frameName: ""),
            subresources: resources.map { .init(data: $0.data, url: pageURL + $0.name, mediaType: $0.type) })
        return (archive, String(decoding: try await ViewerCopyTests.expectSame(archive, within: limit), as: UTF8.self))
    }

    /// A picture large enough to be worth sharing.
    private static func picture(from site: FixtureSite, _ number: Int) async throws -> Data {
        try await download(site.url("/image/\(number).png?width=200&height=200"))
    }

    @Test func pictureShownAThousandTimesIsIncludedOnce() async throws {
        try await FixtureSite.run { site in
            let picture = try await Self.picture(from: site, 7)
            let images = String(repeating: "<img src=p.png width=20 height=20 style='margin: 1px'> ", count: 1000)
            let rules = (0..<50).map { "b:nth-of-type(\($0)) { background: red url(p.png) 0 0 / 20px }" }.joined()
            let (_, text) = try await Self.copy(
                "<link rel=stylesheet href=s.css>\(images)\(String(repeating: "<b>b</b>", count: 50))"
                    + "<img src=p.png><i style='background: url(p.png)'>i</i>",
                [("p.png", "image/png", picture), ("s.css", "text/css", Data(rules.utf8))])
            #expect(text.ranges(of: picture.base64EncodedString()).count == 1)
        }
    }

    @Test func pictureInAFallbackIsIncludedInPlace() async throws {
        try await FixtureSite.run { site in
            let picture = try await Self.picture(from: site, 8)
            let (_, text) = try await Self.copy(
                "<style>div { height: 100px; background: url(p.png); background: -no-such-thing(url(p.png)) }"
                    + "div + div { background-image: image-set('p.png' 2x) }</style><div>a</div><div>b</div>",
                [("p.png", "image/png", picture)])
            #expect(text.contains("no-such-thing(url(data:"))
        }
    }

    @Test func displayedCandidateOfSeveralPicturesIsIncluded() async throws {
        try await FixtureSite.run { site in
            let (one, two) = (try await Self.picture(from: site, 9), try await Self.picture(from: site, 10))
            // Chromium chooses a missing candidate of the first image.
            let (_, text) = try await Self.copy(
                """
                <img srcset="lacking.png 1x, two.png 2x" width="100" height="100">
                <picture><source media="(min-width: 1px)" srcset="one.png 800w, lacking.png 1600w" sizes="50vw"><img src="no.png">
                </picture><img sizes="100px" srcset="two.png 200w, lacking.png 9000w"><img src="two.png">
                """, [("one.png", "image/png", one), ("two.png", "image/png", two)], within: 0.02)
            #expect(text.contains(" 800w\""))
            #expect(text.contains(" 2x"))
            #expect(!text.contains("lacking"))
        }
    }

    @Test func objectsAreReplacedByAllowedElements() async throws {
        try await FixtureSite.run { site in
            let picture = try await Self.picture(from: site, 11)
            let (_, text) = try await Self.copy(
                """
                <style>object { border: 3px solid blue; margin: 4px } embed { width: 50px }</style>
                <object data="p.png" width="80"></object><embed src="p.png" type="image/png" height="40">
                <object data="page.html" width="300" height="100"></object><object data="no.swf">instead</object>
                """,
                [
                    ("p.png", "image/png", picture),
                    ("page.html", "text/html", Data("<!DOCTYPE html><p>in an object</p>".utf8)),
                ])
            #expect(text.contains("instead"))
            #expect(text.contains("in an object"))
            #expect(text.ranges(of: "data:image/png").count == 2)
        }
    }

    @Test func symbolsOfExternalDrawingsAreInlined() async throws {
        let drawings = """
            <svg xmlns="http://www.w3.org/2000/svg"><linearGradient id="g"><stop stop-color="blue"/></linearGradient>
            <symbol id="a" viewBox="0 0 10 10" fill="red"><path d="M0 0h10v5z"/><circle cx="5" cy="5" r="2" fill="url(#g)"/></symbol>
            <rect id="b" width="30" height="20"/><script>evil()</script></svg>
            """
        let (_, text) = try await Self.copy(
            """
            <svg width="100" height="100" style="color: green"><use href="icons.svg#a" x="10" y="5" width="60" height="60"/>
            <use xlink:href="icons.svg#b" x="50" y="70" fill="currentColor"/><use href="no.svg#d"/></svg>
            <svg width="40" height="40"><use href="#own"/><defs><rect id="own" width="9" height="9"/></defs></svg>
            """, [("icons.svg", "image/svg+xml", Data(drawings.utf8))])
        #expect(text.contains("<use href=\"#own\">"))
        #expect(text.contains("<path d=\"M0 0h10v5z\">"))
        #expect(!text.contains("evil"))
    }

    @Test func framesetsAreShown() async throws {
        let (_, text) = try await Self.copy(
            "<frameset cols='30%,*'><frame src=a.html><frame src=b.html></frameset>",
            [
                ("a.html", "text/html", Data("<p>frame a, without standards<div style='width: 50'>w</div>".utf8)),
                ("b.html", "text/html", Data("<!DOCTYPE html><p>frame b".utf8)),
            ])
        #expect(text.ranges(of: "src=\"data:text/html").count == 2)
    }

    @Test func linksToOtherPagesOpenNewWindows() async throws {
        let (_, text) = try await Self.copy(
            """
            <a id=a href="other">x</a><a id=b href="#below">x</a><a id=c href="\(Self.pageURL)#below">x</a>
            <a id=d href="mailto:x@example.com">x</a><a id=e href="https://other.example/?a=1&amp;b=2#c" target=_top rel=next>x</a>
            <a id=f href="#">x</a><a id=g name=below>x</a><a id=h href="file:///etc/passwd" download>x</a>
            """)
        let new = "target=\"_blank\" rel=\"noopener noreferrer\""
        for link in [
            "<a id=\"a\" href=\"http://page.example/other\" \(new)>", "<a id=\"b\" href=\"#below\">",
            "<a id=\"c\" href=\"#below\">", "<a id=\"d\">",
            "<a id=\"e\" href=\"https://other.example/?a=1&amp;b=2#c\" \(new)>", "<a id=\"f\" href=\"#\">",
            "<a id=\"g\" name=\"below\">", "<a id=\"h\">",
        ] { #expect(text.contains(link), "\(link)") }
    }

    @Test func linksLeadThroughTheSiteThatShowsTheCopy() async throws {
        let archive = WebArchive(
            mainResource: .init(
                data: Data(
                    """
                    <!DOCTYPE html><title>t</title><a id=a href="other?x=1#y">x</a><a id=b href="#below">x</a>
                    <a id=c href="/\(String(repeating: "long", count: 1_000))">x</a><iframe src=f.html></iframe>
                    <iframe src=quirky.html></iframe>
                    """.utf8), url: Self.pageURL, mediaType: "text/html", textEncodingName: "UTF-8", frameName: ""),
            subresources: [
                .init(
                    data: Data(
                        "<!DOCTYPE html><a id=d href='https://other.example/?a=1&amp;b=2'>x</a><a id=e href='#y'>x</a>"
                            .utf8),
                    url: Self.pageURL + "f.html", mediaType: "text/html"),
                .init(
                    data: Data("<a id=f href='https://other.example/'>x</a>".utf8),
                    url: Self.pageURL + "quirky.html", mediaType: "text/html"),
            ])
        var options = CaptureOptions.withLongTimeouts
        options.viewerLinkPath = "/open?url="
        let copy = try await sharedCapturer.viewerCopy(of: archive, options: options)
        let text = String(decoding: copy, as: UTF8.self)
        let new = "target=\"_blank\" rel=\"noopener noreferrer\""
        #expect(text.contains("<a id=\"a\" href=\"/open?url=http%3A%2F%2Fpage.example%2Fother%3Fx%3D1%23y\" \(new)>"))
        #expect(text.contains("<a id=\"b\" href=\"#below\">"))
        // Too long for a path.
        #expect(text.contains("<a id=\"c\" href=\"http://page.example/longlong"))
        // A frame has the base of the page around it; a link within it stays there.
        let links = try await ViewerCopyTests.evaluate(
            "Array.from(document.querySelectorAll('a'), (link) => link.href)", as: [String].self, in: copy,
            inFrame: true)
        #expect(
            links == [
                "http://copy.example/open?url=https%3A%2F%2Fother.example%2F%3Fa%3D1%26b%3D2", "about:srcdoc#y",
            ])
        // A frame in quirks mode is a data URL, in which paths lead nowhere.
        let quirky = try #require(text.firstMatch(of: /src="data:text\/html[^,]*,([^"]*)"/)).output.1
        #expect(quirky.removingPercentEncoding?.contains("<a id=\"f\" href=\"https://other.example/\" \(new)>") == true)
    }

    @Test func marksShowWhereContentIsMissing() async throws {
        let archive = WebArchive(
            mainResource: .init(
                data: Data(
                    """
                    <!DOCTYPE html><title>t</title><img src="no.png?a=1&amp;b=<b>" width=300 height=150>
                    <img src=pixel.png width=1 height=1><img src=error.png width=200 height=40 alt=words>
                    <img src=wide.png width=2000 height=400 alt=words style="max-width: 100%; height: auto">
                    <iframe src=no.html width=400 height=100></iframe><iframe src=hidden.html hidden></iframe>
                    """.utf8), url: Self.pageURL, mediaType: "text/html", textEncodingName: "UTF-8", frameName: ""),
            subresources: [.init(data: Data("<p>404".utf8), url: Self.pageURL + "error.png", mediaType: "text/html")])
        let copy = try await sharedCapturer.viewerCopy(of: archive, options: .withLongTimeouts)
        let marks = String(decoding: copy, as: UTF8.self).matches(of: /src="data:image\/svg\+xml;base64,([^"]*)"/)
            .compactMap { Data(base64Encoded: String($0.output.1)).map { String(decoding: $0, as: UTF8.self) } }
        #expect(marks.count == 4)
        for (mark, part) in zip(
            marks, [">http://page.example/no.png?a=1&amp;b=", ">Missing picture<", "wide.png<", "no.html<"])
        {
            #expect(mark.contains(part), "\(mark)")
        }
        #expect(marks.last?.contains("width=\"400\" height=\"100\"") == true)
        let findings = try await ViewerCopyTests.findings(in: copy)
        #expect(findings.isEmpty, "\(findings)")
        let unanswered = try await ViewerCopyTests.render(copy).unanswered
        #expect(unanswered == [])
    }

    @Test func fragmentLinksInFramesStayInTheirFrames() async throws {
        let (_, text) = try await Self.copy(
            "<iframe src=f.html></iframe>",
            [("f.html", "text/html", Data("<!DOCTYPE html><a href='#below'>x</a><p id=below>y</p>".utf8))])
        let address = try await ViewerCopyTests.evaluate(
            "document.querySelector('a').href", as: String.self, in: Data(text.utf8), inFrame: true)
        #expect(address == "about:srcdoc#below")
    }

    /// The contents of style elements, and their form in the copy; `p.png` exists.
    private static let styles: [(written: String, copied: String)] = [
        ("a { background: url( p.png ) }", "a { background: url(DATA) }"),
        ("a { background: u\\72 l('p.png') }", "a { background: url(DATA) }"),
        ("a { background: URL(\\70 .png#x) }", "a { background: url(DATA#x) }"),
        ("a { fill: url(#p.png); x: url('#a') }", "a { fill: url(#p.png); x: url('#a') }"),
        (
            "a { b: 1url(p.png); c: #url(p.png); d: \"url(p.png)\" }",
            "a { b: 1url(p.png); c: #url(p.png); d: \"url(p.png)\" }"
        ),
        ("/* url(p.png) */ a { b: url(/* p.png */) }", " a { b: url(a b) }"),
        ("a { b: url(p .png) } c { d: url(p.png", "a { b: url(a b) } c { d: url(DATA)}"),
        ("a { b: image-set('p.png' 1x type('p.png')) }", "a { b: image-set(url(DATA) 1x type('p.png')) }"),
        (
            "@namespace s url(p.png); @supports (b: url(p.png)) { a { b: c } }",
            "@namespace s url(p.png); @supports (b: url(data:,)) { a { b: c } }"
        ),
        (
            "@media (1px<=width) and (width<9px){ a > b { c: d<e } }",
            "@media (1px<=width) and (width<9px){ a > b { c: d< e } }"
        ),
        ("@import 'no.css' print; @import url(no.css);", "@import url(\"data:,\") print; @import url(\"data:,\");"),
        (
            "a { b: url('p.png\n); c: url(p.png) } d { e: url(p.png) }",
            "a { b: broken( ); c: url(DATA) } d { e: url(DATA) }"
        ),
        (
            "a { --b: { c: url(p.png) }; d: e } } f { g: url(p.png) !important }",
            "a { --b: { c: url(DATA) }; d: e } } f { g: url(DATA) !important }"
        ),
        (
            "a::after { content: '<\\/style>\\3c b' } <!-- b { c: d } -->",
            "a::after { content: '\\3c \\/style>\\3c b' }   b { c: d } -->"
        ),
    ]

    @Test func addressesInStylesAreFoundAsInABrowser() async throws {
        let picture = Data("not really".utf8)
        let archive = WebArchive(
            mainResource: .init(
                data: Data("<!DOCTYPE html>\(Self.styles.map { "<style>\($0.written)</style>" }.joined())".utf8),
                url: Self.pageURL, mediaType: "text/html"),
            subresources: [.init(data: picture, url: Self.pageURL + "p.png", mediaType: "image/png")])
        let text = String(
            decoding: try await sharedCapturer.viewerCopy(of: archive, options: .withLongTimeouts), as: UTF8.self)
        let copies = text.matches(of: /<style>([^\u{0}]*?)<\/style>/).map { match in
            String(match.output.1).replacing("data:image/png;base64,\(picture.base64EncodedString())", with: "DATA")
        }
        #expect(copies.count == Self.styles.count)
        for (style, copy) in zip(Self.styles, copies) { #expect(copy == style.copied, "\(style.written)") }
    }

    @Test func styleSheetsAreDecodedInTheirOwnEncoding() async throws {
        let latin =
            Data("@charset \"iso-8859-1\"; p::after { content: \"d".utf8) + Data([0xE9]) + Data("j\\E0  vu\" }".utf8)
        let (_, text) = try await Self.copy("<link rel=stylesheet href=s.css><p>x</p>", [("s.css", "text/css", latin)])
        #expect(text.contains("d%C3%A9j%5CE0  vu"))
    }

    @Test func byteOrderMarkOverridesTheEncodingOfAStyleSheet() async throws {
        let archive = WebArchive(
            mainResource: .init(
                data: Data("<!DOCTYPE html><title>t</title><link rel=stylesheet href=s.css><p>x</p>".utf8),
                url: Self.pageURL, mediaType: "text/html", textEncodingName: "UTF-8", frameName: ""),
            subresources: [
                .init(
                    data: Data([0xEF, 0xBB, 0xBF]) + Data("p::after { content: \"déjà vu\" }".utf8),
                    url: Self.pageURL + "s.css", mediaType: "text/css", textEncodingName: "iso-8859-1")
            ])
        let copy = try await ViewerCopyTests.expectSame(archive)
        #expect(String(decoding: copy, as: UTF8.self).contains("d%C3%A9j%C3%A0 vu"))
    }

    @Test func theSameArchiveGivesTheSameCopy() async throws {
        try await FixtureSite.run { site in
            let capture = try await sharedCapturer.capture(
                site.url("/"), formats: [.webArchive], options: .withLongTimeouts)
            let archive = try WebArchive(propertyList: try #require(capture.data[.webArchive]))
            let copies = (
                try await sharedCapturer.viewerCopy(of: archive, options: .withLongTimeouts),
                try await sharedCapturer.viewerCopy(of: archive, options: .withLongTimeouts)
            )
            #expect(copies.0 == copies.1)
        }
    }

    @Test func sandboxedFrameShowsTheCopyWithoutRequests() async throws {
        let (archive, picture, copy) = try await FixtureSite.run { site in
            let capture = try await sharedCapturer.capture(
                site.url("/"), formats: [.webArchive], options: .withLongTimeouts)
            let archive = try WebArchive(propertyList: try #require(capture.data[.webArchive]))
            let copy = try await sharedCapturer.viewerCopy(of: archive, options: .withLongTimeouts)
            return (archive, try await sharedCapturer.render(archive, options: .withLongTimeouts).png, copy)
        }
        #expect(archive.subframes.count == 4)
        let height = try #require(pictureSize(picture)).height
        try await withTemporaryFolder { folder in
            let page = """
                <!DOCTYPE html><style>body { margin: 0 } iframe { display: block; border: 0 }</style>
                <iframe sandbox="allow-popups" width="1280" height="\(height)" src="copy.html"></iframe>
                """
            try copy.write(to: folder.appending(path: "copy.html"))
            try Data(page.utf8).write(to: folder.appending(path: "viewer.html"))
            try await FixtureSite.run(serving: folder) { site in
                let shown = try await sharedCapturer.capture(
                    site.url("/files/viewer.html"), formats: [.png], options: .withLongTimeouts)
                let difference = try await Checks.difference(try #require(shown.data[.png]), picture)
                #expect(difference.different <= 0.005)
                #expect(Set(site.requests).subtracting(["/favicon.ico"]) == ["/files/viewer.html", "/files/copy.html"])
            }
        }
    }

    private static let sharedArchives: [URL] = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let shared =
            ProcessInfo.processInfo.environment["MEANWHILE_SHARED"].map { URL(filePath: $0) }
            ?? root.deletingLastPathComponent().appending(path: "shared")
        return ["blog-post", "wikipedia"].map { shared.appending(path: "data/webarchive/\($0).webarchive") }
            .filter { FileManager.default.fileExists(atPath: $0.path()) }
    }()

    @Test(arguments: sharedArchives)
    func archivesSavedBySafariAreShown(file: URL) async throws {
        let data = try Data(contentsOf: file)
        let copy = try await sharedCapturer.viewerCopy(
            of: try WebArchive(propertyList: data), options: .withLongTimeouts)
        #expect(copy.count < data.count)
        let findings = try await ViewerCopyTests.findings(in: copy)
        #expect(findings.isEmpty, "\(findings)")
        #expect(try await ViewerCopyTests.render(copy).unanswered == [])
    }

    /// In a frame without scripts, Chromium lays a canvas out as an inline element without a size, and shows its content.
    @Test func drawingsOfACanvasAreShownWithoutScripts() async throws {
        let canvases: [(attributes: String, style: String, size: [Double], isDrawn: Bool)] = [
            ("width=120 height=60", "", [120, 60], true),
            ("width=80 height=40", "", [80, 40], false),
            ("", "width: 50%", [300, 150], true),
            ("width=100 height=50", "display: block; height: 30px", [60, 30], true),
            ("width=100 height=50", "padding: 5px; border: 1px solid; position: absolute; left: 0", [112, 62], true),
            ("width=1200 height=600", "max-width: 100%;", [600, 300], true),
        ]
        let tags = canvases.map {
            "<canvas \($0.attributes) style='\($0.style)'\($0.isDrawn ? "" : " data-empty")>No canvas</canvas>"
        }
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.respond(
                    200, [("Content-Type", "text/html")],
                    """
                    <!DOCTYPE html><title>t</title><style>div { width: 600px }</style><div>\(tags.joined())</div><script>
                    for (const canvas of document.querySelectorAll("canvas:not([data-empty])")) {
                        const pen = canvas.getContext("2d");
                        pen.fillStyle = "red";
                        pen.fillRect(0, 0, 30, 30);
                    }
                    </script>
                    """)
            }
        ])
        let capture = try await sharedCapturer.capture(
            server.url("/"), formats: [.webArchive], options: .withLongTimeouts)
        await server.close()
        let archive = try WebArchive(propertyList: try #require(capture.data[.webArchive]))
        let copies = [
            archive.mainResource.data, try await sharedCapturer.viewerCopy(of: archive, options: .withLongTimeouts),
        ]
        for copy in copies {
            let html = String(decoding: copy, as: UTF8.self).replacing("&", with: "&amp;").replacing(
                "\"", with: "&quot;")
            let frame =
                "<!DOCTYPE html><iframe sandbox=allow-same-origin width=800 height=900 srcdoc=\"\(html)\"></iframe>"
            let found = try await ViewerCopyTests.evaluate(
                """
                [...document.querySelector("iframe").contentDocument.querySelectorAll("canvas")].map((canvas) => {
                    const { width, height } = canvas.getBoundingClientRect();
                    const image = canvas.ownerDocument.defaultView.getComputedStyle(canvas).backgroundImage;
                    return [width, height, Number(image.startsWith('url("data:image/png')), canvas.childNodes.length];
                })
                """, as: [[Double]].self, in: Data(frame.utf8))
            #expect(found == canvases.map { $0.size + [$0.isDrawn ? 1 : 0, 0] })
        }
    }
}
