import OfflineLibraryModel
import Testing

@testable import OfflineLibraryStore

/// The form of texts in the index, written with `|` between pairs and `/` beside runs.
@Suite struct SearchIndexTests {
    private static func shown(_ form: String) -> String {
        form.replacing("\u{1F}", with: "|").replacing("\u{1E}", with: "/")
    }

    @Test(arguments: [
        ("Two words", "Two words"), ("東京都", "東京|京都|都/"), ("東", "東/"), ("iPhone手机壳2", "iPhone/手机|机壳|壳/2"),
        ("한국 어", "한국|국/ 어/"), ("ｆｕｌｌ　カタカナ", "full カタ|タカ|カナ|ナ/"), ("a\u{0}\u{1F}\r\n\t b\u{7F}", "a b"),
        ("e\u{301}", "é"), ("", ""),
    ])
    func runsAreWrittenAsPairs(text: String, form: String) {
        #expect(Self.shown(SearchIndex.form(of: text)) == form)
    }

    @Test(arguments: [
        ("apple pi", #""apple" "pi"*"#), ("\"a b\" -c", #"("a b") NOT ("c")"#), ("東京", #""/東京/""#), ("東", #""/東/"*"#),
        ("手机iPhone", #""/手机|机/iPhone"*"#), ("東京!", #""/東京/""#), ("NEAR(a*", #""NEAR(a*"*"#), ("a:b", #""a:b"*"#),
    ])
    func wordsBecomeQuotedPhrases(text: String, expression: String?) {
        #expect(SearchIndex.expressions(of: SearchWords(text)).all.map(Self.shown) == expression)
    }

    @Test func excerptIsJoinedAndMarked() {
        let marked = "at \u{2}東京\u{1F}京都\u{3}\u{1F}都市\u{1F}市\u{1E} <b>\u{2}now\u{3}…"
        let parts = SearchIndex.excerpt(from: marked)?.parts
        let expected = [("at ", false), ("東京都", true), ("市 <b>", false), ("now", true), ("…", false)]
        #expect(parts == expected.map { TextExcerpt.Part($0.0, isMatch: $0.1) })
        #expect(SearchIndex.excerpt(from: "nothing") == nil)
    }
}
