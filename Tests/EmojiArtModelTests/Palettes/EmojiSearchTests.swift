import Foundation
import Testing

@testable import EmojiArtModel

/// Tests finding emoji by name and keyword.
@Suite struct EmojiSearchTests {
    private func found(_ text: String, limit: Int = 100) -> [String] {
        EmojiSearch.search(text, limit: limit).map(\.emoji)
    }

    /// A small index in which every rank occurs.
    private let index = EmojiSearch.Index(
        """
        🐶\tdog face\tpet
        🐕\tdog\tpet
        🦮\tguide dog\tblind
        🌭\thot dog\tfrankfurter sausage
        🐺\twolf\tdoggy face
        🐩\tpoodle\tdog pet
        👋\twaving hand\thello
        👋🏻\twaving hand: light skin tone
        🙌\traising hands\thello
        🇨🇮\tflag: Côte d’Ivoire
        ❤️\tred heart\tlove
        """)

    private func inIndex(_ text: String) -> [String] {
        index.search(text, limit: 100).map(\.emoji)
    }

    @Test func wholeNameRanksBeforeWordsThenKeywords() {
        #expect(inIndex("dog") == ["🐕", "🐶", "🦮", "🌭", "🐩", "🐺"])
        #expect(inIndex("do") == ["🐶", "🐕", "🦮", "🌭", "🐺", "🐩"])
        #expect(inIndex("dog face") == ["🐶", "🐺"])
    }

    @Test func skinTonesAreDerivedFromBaseEmoji() {
        let index = EmojiSearch.Index(
            "# a comment\n👍\tthumbs up\t+1 good\t*\n🧑‍🦰\tperson: red hair\tadult\t*\n☝️\tindex up\t\t*")
        #expect(index.hits.count == 18)
        #expect(index.hits[1] == EmojiSearch.Hit(emoji: "👍🏻", name: "thumbs up: light skin tone"))
        #expect(index.hits[11] == EmojiSearch.Hit(emoji: "🧑🏿‍🦰", name: "person: dark skin tone, red hair"))
        #expect(index.hits[14].emoji == "☝🏼" && index.hits[14].name == "index up: medium-light skin tone")
        // They are found by the keywords of the emoji without a skin tone.
        #expect(index.search("good", limit: 100).map(\.emoji) == ["👍", "👍🏻", "👍🏼", "👍🏽", "👍🏾", "👍🏿"])
    }

    @Test func indexHasEveryEmojiOnceWithItsName() {
        #expect(EmojiSearch.index.hits.count == 3_660)
        #expect(Set(EmojiSearch.index.hits.map(\.emoji)).count == 3_660)
        #expect(EmojiSearch.name(of: "👩🏽‍🦰") == "woman: medium skin tone, red hair")
        #expect(EmojiSearch.name(of: "#️⃣") == "keycap: #")
    }

    @Test func allWordsMustMatch() {
        #expect(inIndex("dog pet") == ["🐶", "🐕", "🐩"])
        #expect(inIndex("pet dog") == ["🐶", "🐕", "🐩"])
        #expect(inIndex("dog xyz") == [])
        #expect(inIndex("h d") == ["🌭"])
    }

    @Test func skinTonesRankAfterBaseEmoji() {
        #expect(inIndex("hand") == ["👋", "👋🏻", "🙌"])
        // By the keywords of the emoji without a skin tone.
        #expect(inIndex("hello") == ["👋", "🙌", "👋🏻"])
        #expect(inIndex("hello light") == ["👋🏻"])
    }

    @Test func searchIgnoresCaseAndAccents() {
        #expect(inIndex("COTE D'IVOIRE") == ["🇨🇮"])
        #expect(inIndex("côte") == ["🇨🇮"])
        #expect(inIndex("co\u{302}te d’ivoire") == ["🇨🇮"])
        #expect(inIndex("  Red-Heart!  ") == ["❤️"])
        #expect(inIndex("ｄｏｇ") == inIndex("dog"))
    }

    @Test func emojiAsQueryFindsItself() {
        #expect(inIndex(" 🐶 ") == ["🐶"])
        #expect(inIndex("\u{2764}") == ["❤️"])
        #expect(inIndex("👋🏻") == ["👋🏻"])
        #expect(inIndex("🦄") == [])
    }

    @Test func queryWithoutWordsFindsNothing() {
        for text in ["", " ", "-", "!!!", "\u{0}", "’"] { #expect(inIndex(text) == []) }
        #expect(EmojiSearch.Index("").search("dog", limit: 100) == [])
        #expect(index.search("dog", limit: 0) == [])
        #expect(index.search("dog", limit: -1) == [])
        #expect(index.search("dog", limit: 2).map(\.emoji) == ["🐕", "🐶"])
        #expect(inIndex(String(repeating: "dog ", count: 100_000)).first == "🐶")
    }

    // MARK: - All of Unicode

    @Test func indexContainsAllOfUnicode() {
        let hits = EmojiSearch.index.hits
        // Unicode 15.0, and five skin tones.
        #expect(hits.count == 3_655 + 5)
        #expect(Set(hits.map(\.emoji)).count == hits.count)
        #expect(hits.allSatisfy { !$0.name.isEmpty && $0.emoji.utf8.count <= BoardLimits.emojiBytes })
        #expect(hits.first == EmojiSearch.Hit(emoji: "😀", name: "grinning face"))
        #expect(hits.last == EmojiSearch.Hit(emoji: "🏴󠁧󠁢󠁷󠁬󠁳󠁿", name: "flag: Wales"))
    }

    @Test func everyEmojiIsFoundByItsName() {
        for hit in EmojiSearch.index.hits where !EmojiSearch.Index.words(hit.name).isEmpty {
            #expect(found(hit.name, limit: 10).contains(hit.emoji) || hit.name.hasPrefix("keycap: "), "\(hit)")
        }
    }

    @Test func commonQueriesFindExpectedEmoji() {
        #expect(found("dog").prefix(2) == ["🐕", "🐶"])
        #expect(found("poop").first == "💩")
        #expect(found("smile").isEmpty == false)
        #expect(found("austria") == ["🇦🇹"])
        #expect(found("scotland") == ["🏴󠁧󠁢󠁳󠁣󠁴󠁿"])
        #expect(found("thumbs up").first == "👍")
        #expect(found("woman astronaut").first == "👩‍🚀")
        #expect(found("moose") == ["🫎"])
        #expect(found("pinata") == ["🪅"])
        #expect(found("heart", limit: 5).count == 5)
    }

    @Test func nameIsReturnedForEmojiOnly() {
        #expect(EmojiSearch.name(of: "🐶") == "dog face")
        #expect(EmojiSearch.name(of: "❤") == "red heart")
        #expect(EmojiSearch.name(of: "👩🏽‍🚀") == "woman astronaut: medium skin tone")
        #expect(EmojiSearch.name(of: "x") == nil)
        #expect(EmojiSearch.name(of: "") == nil)
    }
}
