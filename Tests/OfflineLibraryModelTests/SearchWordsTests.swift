import OfflineLibraryModel
import Testing

/// How a search is parsed.
@Suite struct SearchWordsTests {
    private static func terms(_ words: [(text: String, isPrefix: Bool)]) -> [SearchWords.Term] {
        words.map { SearchWords.Term($0.text, isPrefix: $0.isPrefix) }
    }

    @Test func allWordsAreRequiredAndTheLastIsAPrefix() {
        let words = SearchWords("  apple\tpie rec")
        #expect(words.required == Self.terms([("apple", false), ("pie", false), ("rec", true)]))
        #expect(words.excluded.isEmpty)
    }

    @Test func quotedWordsAreAPhrase() {
        #expect(SearchWords(#""apple pie" rec"#).required == Self.terms([("apple pie", false), ("rec", true)]))
        #expect(SearchWords("“apple pie” tart”").required == Self.terms([("apple pie", false), ("tart", true)]))
        // A complete phrase is no prefix; one whose end isn't typed yet is.
        #expect(SearchWords(#""apple pie""#).required == Self.terms([("apple pie", false)]))
        #expect(SearchWords(#""apple pi"#).required == Self.terms([("apple pi", true)]))
    }

    @Test func wordsAfterAMinusSignAreExcluded() {
        let words = SearchWords(#"apple -pie -"sweet tart" x-ray"#)
        #expect(words.required == Self.terms([("apple", false), ("x-ray", true)]))
        #expect(words.excluded == Self.terms([("pie", false), ("sweet tart", false)]))
        #expect(SearchWords("-pie").required.isEmpty && !SearchWords("-pie").isEmpty)
    }

    @Test(arguments: ["", " \n", "-", "\"", "\"\"", "- - -", "!?*()", "\u{0}", "-\"\"", "🙂"])
    func textWithoutWordsIsEmpty(text: String) {
        #expect(SearchWords(text).isEmpty)
    }

    @Test func onlyTheFirstScalarsCount() {
        let text = String(repeating: "a\u{301}", count: 100_000)
        let words = SearchWords(text)
        #expect(words.required.map(\.text.unicodeScalars.count) == [SearchWords.maximumLength])
        #expect(SearchWords(String(repeating: " ", count: 200) + "word").isEmpty)
    }
}
