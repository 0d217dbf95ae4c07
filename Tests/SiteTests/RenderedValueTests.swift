import Foundation
import Mustache
import Testing

@testable import Site

/// Compares templates rendered by this module with those that the engine renders by reflection.
@Suite struct RenderedValueTests {
    private struct Name: CustomStringConvertible {
        let hidden = "hidden"
        var description: String { "a name" }
    }

    private enum Kind { case small }

    private struct Row {
        var text = "text"
        var empty = ""
        var number = 5
        var share = 0.5
        var isTrue = true
        var isFalse = false
        var some: String? = "some"
        var none: String?
        var name = Name()
        var maybeName: Name? = Name()
        var kind = Kind.small
        var names = ["one", "two"]
        var inner: Inner? = Inner()
        var noInner: Inner?
        var rows = [Inner(), Inner(word: nil)]
        var noRows: [Inner] = []
        var numbers: [Int]? = [1, 2]
        var link: Link? = Link("/path")
        var noLink: Link?
        var html = HTML(markup: "<b>bold</b>")
        var named = ["key": "value"]
        var part = "a substring".dropFirst(2)
    }

    private struct Inner {
        var word: String? = "word"
        var text = "inner"
    }

    private static let template = """
        {{text}}|{{empty}}|{{#empty}}e{{/empty}}|{{number}}|{{share}}|{{#isTrue}}t{{/isTrue}}{{^isTrue}}f{{/isTrue}}|\
        {{#isFalse}}t{{/isFalse}}{{^isFalse}}f{{/isFalse}}|{{some}}{{#some}}{{.}}{{/some}}|{{none}}{{^none}}n{{/none}}|\
        {{name}}|{{maybeName}}|{{name.hidden}}|{{kind}}|{{#names}}{{.}},{{/names}}|\
        {{#inner}}{{word}}{{text}}{{number}}{{/inner}}|{{inner.word}}|{{#noInner}}x{{/noInner}}{{^noInner}}y{{/noInner}}|\
        {{#rows}}{{^first()}},{{/first()}}{{text}}{{^word}}-{{/word}}{{#isTrue}}+{{/isTrue}}{{/rows}}|\
        {{#noRows}}x{{/noRows}}{{^noRows}}y{{/noRows}}|{{#numbers}}{{.}}{{/numbers}}|{{url(link)}}|{{^noLink}}z{{/noLink}}|\
        {{{html(html)}}}|{{named.key}}|{{part}}|{{missing}}|{{#text}}{{number}}{{/text}}
        """

    @Test func templatesRenderAsByReflection() throws {
        var library = MustacheLibrary()
        try library.register(Self.template, named: "page")
        let expected = library.render(Row(), withTemplate: "page")
        let templates = try Templates(["page": Array(Self.template.utf8)])
        #expect(templates.render("page", Row()).markup == expected)
        #expect(expected?.contains("text||") == true && expected?.contains("<b>bold</b>|value|substring||5") == true)
    }
}
