import Foundation
import Hummingbird
import Testing

@testable import Site

/// Renders hostile text with templates, and reads it back in Chromium.
@Suite(.timeLimit(.minutes(15))) struct EscapingTests {
    /// Texts with each scalar that combines with a neighbour.
    ///
    /// The scalar is before, after and between the characters that must be escaped.
    private static let texts: [String] = {
        let special = ["&", "<", ">", "\"", "'", "\r", "\n", "`", "</script>", "<!--", "<b>", "&lt;", "{{", "}}"]
        let scalars = (0x80...0x10FFFF).compactMap { Unicode.Scalar(UInt32($0)) }.filter { scalar in
            ("<" + String(scalar)).count == 1 || (String(scalar) + "<").count == 1
        }
        return scalars.map { scalar in
            special.map { "\(scalar)\($0)x\($0)\(scalar)y\(scalar)\($0)\(scalar)" }.joined(separator: "z")
        } + special + (1...0x7F).compactMap { Unicode.Scalar(UInt32($0)).map { "a\($0)b" } }
    }()

    private static let template = #"""
        <script type="application/json" id="data">{{{json(data)}}}</script>
        <div id="rows">
        {{#rows}}<p title="{{text}}" data-text='{{text}}'>{{text}}</p><a href="{{url(path)}}"></a>{{/rows}}
        </div>
        <img src="/held" alt="">
        """#

    /// Compares the document's content with the texts, which are fetched separately as JSON.
    private static let script = #"""
        const texts = await (await fetch("/texts")).json();
        const data = JSON.parse(document.getElementById("data").textContent);
        const rows = [...document.getElementById("rows").children];
        const found = [];
        const compare = (what, text, index) => {
          if (text !== texts[index]) found.push(`${what} ${index}: ${JSON.stringify(text)}, not ${JSON.stringify(texts[index])}`);
        };
        if (rows.length !== 2 * texts.length) found.push(`${rows.length} elements, not ${2 * texts.length}`);
        if (document.querySelectorAll("#rows *").length !== rows.length) found.push("an element in a text");
        if (found.length === 0) texts.forEach((text, index) => {
          const row = rows[2 * index], link = rows[2 * index + 1];
          compare("JSON", data[index], index);
          compare("text", row?.textContent, index);
          compare("attribute", row?.title, index);
          compare("attribute in single quotes", row?.dataset.text, index);
          if (row?.attributes.length !== 2) found.push(`attributes in ${index}`);
          const url = new URL(link.href);
          if (url.origin !== location.origin || !url.pathname.startsWith("/")) found.push(`${index} leads to ${link.href}`);
          let path = null;
          try { path = decodeURIComponent(link.getAttribute("href").slice(3)); } catch {}
          // Characters of the URL syntax aren't encoded.
          if (path !== texts[index]) found.push(`URL ${index}: ${JSON.stringify(path)}, not ${JSON.stringify(texts[index])}`);
        });
        const results = `${texts.length}\n` + found.slice(0, 20).join("\n");
        await fetch("/results", {method: "POST", body: new URLSearchParams({results})});
        """#

    @Test func browserReadsEscapedTextBackUnchanged() async throws {
        let layout = try Layout(apps: [])
        let templates = try Templates(["rows": Array(Self.template.utf8)])
        let json = try JSONEncoder().encode(Self.texts)
        let page = templates.render(
            "rows",
            [
                "data": ScriptData(json: json),
                "rows": Self.texts.map {
                    ["text": $0, "path": Link("/p/\($0.replacing("%", with: "%25"))")] as [String: Any]
                },
            ])
        let lines = try await SelfTestingPage.results(of: Self.script) { router in
            router.get("/page") { _, _ in
                layout.page(
                    title: "Tests", heading: nil,
                    content: HTML(markup: page.markup + SelfTestingPage.scriptElement))
            }
            router.get("/texts") { _, _ in
                Response(
                    status: .ok, headers: [.contentType: "application/json"],
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: json)))
            }
        }
        #expect(lines.first == "\(Self.texts.count)")
        #expect(lines.dropFirst().isEmpty, "\(lines.dropFirst().joined(separator: "\n"))")
        #expect(Self.texts.count > 2_000)
    }

    @Test(arguments: [
        ("/a", "/a"), ("/a b?c=d&e=f#g", "/a%20b?c=d&e=f#g"), ("//evil.example", "/"),
        ("/\\evil.example", "/%5Cevil.example"),
        ("/\t/evil.example", "/%09/evil.example"), ("javascript:alert(1)", "/"), ("", "/"), ("evil", "/"),
        ("/\u{301}\"<>", "/%CC%81%22%3C%3E"), ("/%2e", "/%2e"), ("https://evil.example/", "/"),
    ])
    func linkPathStaysOnTheSite(path: String, url: String) {
        #expect(Link(path).url == url)
    }

    @Test(arguments: [
        ("https://a.example/b?c", true), ("HTTP://a.example/", true), ("javascript:alert(1)", false),
        ("data:text/html,x", false), ("file:///etc/passwd", false), ("//a.example/", false), ("relative", false),
    ])
    func onlyHTTPAddressesBecomeLinks(address: String, isLink: Bool) throws {
        #expect((Link(try #require(URL(string: address))) != nil) == isLink)
    }

    @Test(arguments: [
        "{{{name}}}", "{{{\nname\n}}}", "{{{html(name)}}}{{{name}}}", "{{ =<% %>=}}", "{{& name}}", "{{&name}}",
        "{{{url(name)}}}", "{{=<% %>=}}<% name %>", "{{% CONTENT_TYPE:TEXT}}",
        "<a href=\"{{name}}\">", "<form method=post action='{{name}}'>", "<a href={{url(name)}}>", "<p title={{name}}>",
        "<a HREF = \"{{ name }}\">", "<script>const a = {{name}}</script>", "<style>p { color: {{name}} }</style>",
        "<script>{{{html(name)}}}</script>", "<p onclick=\"{{name}}\">", "<p style=\"color: {{name}}\">",
        "<iframe srcdoc=\"{{name}}\">", "<use xlink:href=\"{{name}}\"/>",
    ])
    func unsafeTemplateIsRejected(source: String) {
        #expect(throws: UnsafeTemplate.self) { try Templates(["bad": Array(source.utf8)]) }
    }

    @Test func valueOfTheWrongTypeRendersAsEmpty() throws {
        let templates = try Templates([
            "all": Array(#"[{{{html(name)}}}{{{json(name)}}}<a href="{{url(name)}}">]"#.utf8)
        ])
        for name in ["<b>", "javascript:alert(1)"] {
            #expect(templates.render("all", ["name": name]).markup == #"[<a href="">]"#)
        }
        #expect(templates.render("all", ["name": Link("/<b>")]).markup == #"[<a href="/%3Cb%3E">]"#)
    }

    @Test func partialInASectionEscapesByScalar() throws {
        let templates = try Templates([
            "list": Array("{{#items}}{{> item}}{{/items}}".utf8), "item": Array("<i>{{.}}</i>".utf8),
        ])
        let markup = templates.render("list", ["items": ["\u{600}<", "\"\u{301}"]]).markup
        #expect(Array(markup.utf8) == Array("<i>\u{600}&lt;</i><i>&quot;\u{301}</i>".utf8))
    }
}
