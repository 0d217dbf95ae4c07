import FixtureSite
import Foundation
import Testing

@testable import Capture

/// Tests of articles, which the reader view shows.
@Suite(.timeLimit(.minutes(20))) struct ArticleTests {
    private static let address = "http://page.example/a"

    private static func archive(_ html: String, pictures: [String: Data] = [:]) -> WebArchive {
        WebArchive(
            mainResource: .init(
                data: Data(html.utf8), url: address, mediaType: "text/html", textEncodingName: "UTF-8", frameName: ""),
            subresources: pictures.map {
                .init(data: $1, url: "http://page.example/\($0)", mediaType: "image/png")
            })
    }

    private static func article(_ html: String, pictures: [String: Data] = [:]) async throws -> String {
        var options = CaptureOptions.withLongTimeouts
        options.viewerLinkPath = "/open?url="
        options.articleStylePath = "/article.css"
        return String(
            decoding: try await sharedCapturer.article(of: archive(html, pictures: pictures), options: options),
            as: UTF8.self)
    }

    private static let paragraphs = (1...12).map {
        "<p>Paragraph \($0) says something, at some length, about the subject of this page, as articles do.</p>"
    }.joined()

    @Test func articleHasTheTextWithoutNavigationAdvertisingAndStyles() async throws {
        let html = try await Self.article(
            """
            <!doctype html><html lang="he" dir="rtl"><head><title>The subject – A site</title>
            <style>p { color: red }</style></head><body><nav><a href="/1">Home</a> <a href="/2">News</a></nav>
            <div class="banner-ad"><p>Buy this now, while it is cheap, before all of it is gone forever.</p></div>
            <article><h1>The subject</h1>\(Self.paragraphs)
            <h2 id="more">More <a href="#more">¶</a></h2><ul><li>one</li><li>two</li></ul>
            <blockquote>Quoted words</blockquote><pre><code>let a = 1
            let b = 2</code></pre><table><tr><th>Head</th></tr><tr><td colspan="2">Cell</td></tr></table>
            <p><a href="/other?a=1&amp;b=2">Another page</a>, <a href="#more">further up</a>.</p>\(Self.paragraphs)
            </article><footer>Imprint and cookies</footer></body></html>
            """)
        #expect(html.contains("<html lang=\"he\" dir=\"rtl\""))
        #expect(html.contains("<h1 dir=\"auto\">The subject</h1>"))
        #expect(html.components(separatedBy: "The subject</h").count == 2)
        #expect(html.components(separatedBy: "Paragraph 12 says").count == 3)
        for text in [
            "<li>two</li>", "Quoted words", "let a = 1\nlet b = 2", "<td colspan=\"2\">Cell</td>", "id=\"more\"",
        ] {
            #expect(html.contains(text), "\(text)")
        }
        #expect(
            html.contains("href=\"/open?url=http%3A%2F%2Fpage%2Eexample%2Fother%3Fa%3D1%26b%3D2\" target=\"_blank\""))
        #expect(html.contains("<a href=\"#more\">further up</a>"))
        for text in ["Home", "Buy this", "color: red", "Imprint", "¶"] { #expect(!html.contains(text), "\(text)") }
        #expect(html.contains("<link rel=\"stylesheet\" href=\"/article.css\">"))
    }

    @Test func onlyPicturesOfTheArchiveAreShown() async throws {
        let png = try #require(
            Data(
                base64Encoded:
                    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAFCAIAAAD38zoCAAAAEUlEQVR4nGM4IWeDFTHQQQIAJwotUaRVcNYAAAAASUVORK5CYII="
            ))
        let html = try await Self.article(
            """
            <title>A page</title><article><h1>A page</h1>\(Self.paragraphs)<p><img src="a.png" alt="A &quot;red&quot; one"></p>
            <p><img src="missing.png" alt="Not here"> and some words after the picture, to keep it.</p>\(Self.paragraphs)
            """, pictures: ["a.png": png])
        #expect(html.contains("<img src=\"data:image/png;base64,iVBOR"))
        #expect(html.contains("alt=\"A &quot;red&quot; one\""))
        #expect(html.contains("Not here") && !html.contains("missing.png"))
    }

    @Test(arguments: [
        "", "<title>Links</title><ul>\(String(repeating: "<li><a href=/x>A link</a></li>", count: 100))</ul>",
        "<title>Short</title><p>Nothing much here.</p>",
    ])
    func pageWithoutArticleHasNone(html: String) async throws {
        #expect(try await Self.article("<!doctype html>\(html)") == "")
    }

    @Test func hostilePagesArticleCannotRunLoadOrNavigate() async throws {
        let hostile = hostilePage.replacing("still here", with: "still here \(Self.paragraphs)")
        for html in [hostile, "<main>\(hostile)\(Self.paragraphs)</main>", hostile + Self.paragraphs] {
            let article = try await Self.article(html)
            #expect(article.contains("Paragraph 12 says"))
            let findings = try await ViewerCopyTests.findings(in: Data(article.utf8))
            // The style sheet is the site's own, and links lead into the library.
            #expect(
                findings.allSatisfy { $0 == "link href /article.css" || $0.hasPrefix("a href /open?url=http") },
                "\(findings)")
            #expect(!article.contains("<script") && !article.contains("evil.example/"))
        }
    }

    @Test func elementsNamedLikePropertiesOfTheDocumentDoNoHarm() async throws {
        let names = [
            "documentElement", "body", "title", "cloneNode", "getElementsByTagName", "querySelectorAll", "contentType",
        ]
        let traps = names.map { "<form name=\"\($0)\"><input name=\"attributes\"></form><img name=\"\($0)\">" }.joined()
        do {
            _ = try await Self.article("<!doctype html>\(traps)<article>\(Self.paragraphs)</article>")
        } catch let error as CaptureError {
            #expect(error.code == .renderingFailed, "\(error)")
        }
    }

    @Test func veryDeepPageIsRead() async throws {
        let (open, close) = (String(repeating: "<div><b>", count: 400), String(repeating: "</b></div>", count: 400))
        let html = try await Self.article(
            "<title>Deep</title><article>\(Self.paragraphs)\(open)bottom\(close)\(Self.paragraphs)")
        #expect(html.contains("Paragraph 12 says"))
    }

    /// The blocks of text of a page, without its navigation, that an article must have.
    private static let pages = [
        "python3-doc/html/library/asyncio-task.html", "python3-doc/html/tutorial/classes.html",
        "python3-doc/html/whatsnew/3.11.html", "sqlite3/lang_select.html",
        "apache2-doc/manual/en/howto/htaccess.html.en", "debian-handbook/html/en-US/sect.apt-get.html",
        "debian-handbook/html/ja-JP/sect.backup.html", "debian-handbook/html/ar-MA/sect.backup.html",
    ]

    /// Compares with the text that Python's parser finds in the page's paragraphs, quotes and code.
    @Test(arguments: pages)
    func noParagraphOfARealPageIsLost(page: String) async throws {
        let file = URL(filePath: "/usr/share/doc/\(page)")
        guard let source = try? String(contentsOf: file, encoding: .utf8) else { return }
        let html = try await Self.article(source)
        func words(_ text: String) -> String {
            // A page's buttons aren't a part of its article.
            let plain = text.replacing(/<button(?s:.)*?<\/button>/, with: "").replacing(/<[^>]*>/, with: "").replacing(
                "&lt;", with: "<"
            ).replacing("&gt;", with: ">")
                .replacing("&quot;", with: "\"").replacing("&#39;", with: "'").replacing("&#8217;", with: "’")
                .replacing("&nbsp;", with: " ").replacing("&amp;", with: "&")
            return String(plain.unicodeScalars.filter { !$0.properties.isWhitespace && $0 != "¶" })
        }
        let article = words(html)
        // Debian's handbook writes paragraphs as groups.
        let form =
            page.contains("debian-handbook")
            ? /<div class="para">((?s:.)*?)<\/div>/ : /<p(?:\s[^>]*)?>((?s:.)*?)<\/p>/
        let paragraphs = source.matches(of: form).map { words(String($0.output.1)) }
            .filter { $0.count >= 60 && !$0.contains("&") }
        #expect(paragraphs.count >= 3)
        let lost = paragraphs.filter { !article.contains($0) }
        #expect(lost.count <= paragraphs.count / 50, "\(lost.count) of \(paragraphs.count): \(lost.prefix(3))")
    }
}

/// Tests of the writer with texts that no script would send, as from a process that a page has taken over.
@Suite struct ArticleWriterTests {
    private static func document(_ texts: [String], limit: Int = 1 << 20) throws -> String {
        let article = PageScripts.Article(
            texts: texts, title: "<b>\"T\"", byline: "", site: "", language: "en\" onload=\"x", direction: "up")
        var writer = ArticleWriter(
            article,
            resources: [
                "http://a.example/p": .init(data: Data("x".utf8), url: "http://a.example/p", mediaType: "image/png"),
                "http://a.example/s": .init(data: Data("x".utf8), url: "http://a.example/s", mediaType: "text/html"),
            ], linkPath: "/open?url=", stylePath: nil, limit: limit)
        return String(decoding: try writer.document(), as: UTF8.self)
    }

    private static func body(_ texts: String...) throws -> String {
        let html = try document(texts)
        let start = try #require(html.range(of: "</h1>"))
        let end = try #require(html.range(of: "</article>"))
        return String(html[start.upperBound..<end.lowerBound])
    }

    @Test func unknownElementsAttributesAndAddressesAreLeftOut() throws {
        #expect(try Self.body("<script", "=alert(1)", ">", "=a<b>&\"") == "alert(1)a&lt;b&gt;&amp;&quot;")
        #expect(
            try Self.body("<p onclick=x", ">", "<p", "@onclick x", "@style y", "@id a\"b", "=t", ">")
                == "<p id=\"a&quot;b\">t</p>")
        #expect(try Self.body("<a", "@href javascript:alert(1)", "=t", ">") == "<a>t</a>")
        #expect(try Self.body("<a", "@href data:text/html,x", "=t", ">") == "<a>t</a>")
        #expect(try Self.body("<img", "@src http://b.example/", "@alt x", ">") == "")
        #expect(try Self.body("<img", "@src http://a.example/s", ">") == "")
        #expect(try Self.body("<img", "@src data:text/html,x", ">") == "")
        #expect(
            try Self.body("<img", "@src http://a.example/p#f", "@id body", ">")
                == "<img src=\"data:image/png;base64,eA==\">")
        #expect(try Self.body("<td", "@colspan 1e9", "@rowspan 7", ">") == "<td rowspan=\"7\"></td>")
        #expect(try Self.body("<p", "@lang x\"y", "@dir auto\"", ">") == "<p></p>")
    }

    @Test func elementsAreClosedInTheirOrder() throws {
        #expect(try Self.body(">", ">", "<p", "<b", "=x") == "<p><b>x</b></p>")
        #expect(try Self.body("<p", ">", ">", "=x", "@href y", "") == "<p></p>x")
        #expect(try Self.body("<br", ">", "<p", "=x", ">") == "<br><p>x</p>")
        let deep = try Self.document(Array(repeating: "<div", count: 5_000) + ["=x"])
        #expect(deep.components(separatedBy: "<div>").count - 1 == 120)
        #expect(deep.components(separatedBy: "</div>").count - 1 == 120)
    }

    @Test func headIsEscaped() throws {
        let html = try Self.document(["=x"])
        #expect(html.contains("<title>&lt;b&gt;&quot;T&quot;</title>") && !html.contains("onload"))
        #expect(html.hasPrefix("<!doctype html><html data-minutes=\"1\">"))
    }

    @Test func documentBeyondTheLimitIsRefused() throws {
        #expect(throws: ArticleWriter.Failure.tooLarge) {
            try Self.document(["=\(String(repeating: "x", count: 200))"], limit: 100)
        }
        #expect(try Self.document([]).isEmpty)
    }

    @Test func readingTimeCountsWordsAndChineseCharacters() {
        func minutes(_ text: String) -> Int {
            var time = ReadingTime()
            time.add(text)
            return time.minutes
        }
        #expect(minutes("") == 1)
        #expect(minutes(String(repeating: "word ", count: 2_300)) == 10)
        #expect(minutes(String(repeating: "漢字", count: 1_000)) == 4)
    }
}
