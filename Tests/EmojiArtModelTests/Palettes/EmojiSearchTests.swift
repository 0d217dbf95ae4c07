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
        #expect(index.search("good", limit: 100).map(\.emoji) == ["👍"])
        #expect(index.search("good dark", limit: 100).map(\.emoji) == ["👍🏾", "👍🏿"])
    }

    @Test func emojiWithTwoSkinTonesIsAVariantOfTheEmojiWithoutThem() {
        let index = EmojiSearch.Index(
            "🤝\thandshake\tdeal\n🫱🏻‍🫲🏿\thandshake: light skin tone, dark skin tone\n👩🏻‍🤝‍👩🏿\twomen: light skin tone")
        #expect(index.search("deal", limit: 100).map(\.emoji) == ["🤝"])
        #expect(index.search("deal dark", limit: 100).map(\.emoji) == ["🫱🏻‍🫲🏿"])
        // If no emoji without skin tones has its name, it is found like any other emoji.
        #expect(index.search("women", limit: 100).map(\.emoji) == ["👩🏻‍🤝‍👩🏿"])
    }

    @Test func emojiHasItsUnicodeName() {
        #expect(EmojiSearch.name(of: "👩🏽‍🦰") == "woman: medium skin tone, red hair")
        #expect(EmojiSearch.name(of: "#️⃣") == "keycap: #")
    }

    @Test func allWordsMustMatch() {
        #expect(inIndex("dog pet") == ["🐶", "🐕", "🐩"])
        #expect(inIndex("pet dog") == ["🐶", "🐕", "🐩"])
        #expect(inIndex("dog xyz") == [])
        #expect(inIndex("h d") == ["🌭"])
    }

    @Test func skinTonesAreFoundOnlyByTheirNames() {
        #expect(inIndex("hand") == ["👋", "🙌"])
        #expect(inIndex("hello") == ["👋", "🙌"])
        // A skin tone has the keywords of the emoji without one.
        #expect(inIndex("hello light") == ["👋🏻"])
        // Emoji without a skin tone come first.
        let index = EmojiSearch.Index("👍\tthumbs up\t\t*\n💡\tlight bulb")
        #expect(index.search("light", limit: 2).map(\.emoji) == ["💡", "👍🏻"])
    }

    @Test func commonWordDecidesTheOrderOfItsEmoji() {
        let index = EmojiSearch.Index(
            "🚋\ttram car\n🚗\tautomobile\tcar\n🚕\ttaxi\n🏎️\tracing car\n🚃\tcar",
            common: "# a comment\ncar cars\t🚗 🚕 🏎️ 🦄")
        // An exact name comes first, and other names follow.
        #expect(index.search("car", limit: 9).map(\.emoji) == ["🚃", "🚗", "🚕", "🏎️", "🚋"])
        #expect(index.search("cars", limit: 9).map(\.emoji) == ["🚗", "🚕", "🏎️"])
        // The beginning of a word, and one word of several, find them too.
        #expect(Set(index.search("ca", limit: 9).map(\.emoji)) == ["🚃", "🚗", "🚕", "🏎️", "🚋"])
        #expect(index.search("cars taxi", limit: 9).map(\.emoji) == ["🚕"])
    }

    @Test func groupsContainEveryEmojiWithoutSkinTonesOnce() {
        let index = EmojiSearch.Index("## Smileys\n😀\tgrinning face\n## People & Body\n👍\tthumbs up\t\t*\n## None")
        #expect(index.groups.map(\.name) == ["Smileys", "People & Body", "None"])
        #expect(index.groups.map { $0.hits.map(\.emoji) } == [["😀"], ["👍"], []])
        let groups = EmojiSearch.groups
        #expect(groups.map(\.name).prefix(3) == ["Smileys & Emotion", "People & Body", "Animals & Nature"])
        #expect(groups.map { $0.hits.first?.emoji ?? "" } == ["😀", "👋", "🐵", "🍇", "🌍", "🎃", "👓", "🏧", "🏁"])
        let all = groups.flatMap(\.hits)
        #expect(Set(all).count == all.count)
        #expect(all.filter { $0.emoji.unicodeScalars.contains(SkinTone.dark.scalar) }.map(\.emoji) == ["🏿"])
    }

    @Test func skinToneIsAppliedOnlyToEmojiThatSupportIt() {
        func toned(_ text: String, _ tone: SkinTone) -> EmojiSearch.Hit? {
            EmojiSearch.search(text).first.map { EmojiSearch.toned($0, tone) }
        }
        #expect(toned("👍", .medium) == EmojiSearch.Hit(emoji: "👍🏽", name: "thumbs up: medium skin tone"))
        #expect(toned("☝️", .mediumDark)?.emoji == "☝🏾")
        #expect(toned("🐶", .dark)?.emoji == "🐶")
        #expect(SkinTone.allCases.map { toned("👋", $0)?.emoji } == ["👋🏻", "👋🏼", "👋🏽", "👋🏾", "👋🏿"])
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
    }

    @Test func emptyIndexFindsNothing() {
        #expect(EmojiSearch.Index("").search("dog", limit: 100) == [])
    }

    @Test func limitIsRespected() {
        #expect(index.search("dog", limit: 0) == [])
        #expect(index.search("dog", limit: -1) == [])
        #expect(index.search("dog", limit: 2).map(\.emoji) == ["🐕", "🐶"])
    }

    @Test func longQueryFindsTheEmojiOfItsWords() {
        #expect(inIndex(String(repeating: "dog ", count: 100_000)).first == "🐶")
    }

    // MARK: - All Unicode emoji

    @Test func indexContainsEveryUnicodeEmojiOnce() {
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
        #expect(found("smile").first == "😊")
        #expect(found("happy").prefix(4) == ["😀", "😃", "😄", "😁"])
        #expect(found("car").prefix(3) == ["🚗", "🚕", "🚙"])
        #expect(found("cab").first == "🚕")
        #expect(found("hand").allSatisfy { !$0.unicodeScalars.contains(where: \.properties.isEmojiModifier) })
        #expect(found("austria") == ["🇦🇹"])
        #expect(found("scotland") == ["🏴󠁧󠁢󠁳󠁣󠁴󠁿"])
        #expect(found("thumbs up").first == "👍")
        #expect(found("woman astronaut").first == "👩‍🚀")
        #expect(found("moose") == ["🫎"])
        #expect(found("pinata") == ["🪅"])
        #expect(found("heart", limit: 5).count == 5)
    }

    @Test func everyCommonWordIsOnOneLineWithKnownEmoji() {
        let lines = String(decoding: PackageResources.emoji_words_txt, as: UTF8.self).split(separator: "\n")
            .filter { !$0.hasPrefix("# ") }.map { $0.split(separator: "\t") }
        #expect(lines.count > 150 && lines.allSatisfy { $0.count == 2 })
        let words = lines.flatMap { $0[0].split(separator: " ") }
        #expect(Set(words).count == words.count)
        for line in lines {
            let emojis = line[1].split(separator: " ").map(String.init)
            #expect(Set(emojis).count == emojis.count, "\(line)")
            #expect(emojis.allSatisfy { EmojiSearch.name(of: $0) != nil }, "\(line)")
            for word in line[0].split(separator: " ") {
                // Emoji whose whole name is the word come first.
                #expect(Set(emojis).isSubset(of: found(String(word), limit: emojis.count + 3)), "\(word)")
            }
        }
    }

    @Test func nameIsReturnedForEmojiOnly() {
        #expect(EmojiSearch.name(of: "🐶") == "dog face")
        #expect(EmojiSearch.name(of: "❤") == "red heart")
        #expect(EmojiSearch.name(of: "👩🏽‍🚀") == "woman astronaut: medium skin tone")
        #expect(EmojiSearch.name(of: "x") == nil)
        #expect(EmojiSearch.name(of: "") == nil)
    }
}
