import Testing

@testable import EmojiArtModel

/// Tests which text is an emoji.
@Suite struct EmojiTextTests {
    @Test(arguments: [
        "🐶", "😀", "⌚", "☀️", "❤️", "©️", "✈️", "👋🏽", "☝🏽", "👩‍👩‍👧", "🐻‍❄️", "🏳️‍🌈", "🏴‍☠️", "👩🏽‍🚀", "🧑🏻‍❤️‍💋‍🧑🏿", "🇦🇹", "🇺🇸",
        "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🏴󠁵󠁳󠁴󠁸󠁿", "3️⃣", "#️⃣", "*️⃣", "🏽", "🔟",
    ])
    func everyKindOfEmojiIsRecognised(_ text: String) throws {
        let character = try #require(text.first)
        #expect(text.count == 1)
        #expect(EmojiText.isEmoji(character))
        #expect(EmojiText.emojis(in: text) == [text])
        #expect(EmojiText.emoji(text) == text)
    }

    @Test(arguments: [
        "3", "#", "*", "a", "é", "©", "®", "™", "ℹ", "‼", "↔", " ", "+", "−", "∞", "한", "漢", "\u{1F1E6}", "\u{FE0F}",
        "\u{200D}",
        "#\u{FE0F}", "3\u{FE0E}", "☀\u{FE0E}", "⌚\u{FE0E}", "\u{20E3}", "a\u{20E3}", "\u{0}",
    ])
    func nonEmojiTextIsNotRecognised(_ text: String) throws {
        #expect(EmojiText.isEmoji(try #require(text.first)) == false)
        #expect(EmojiText.emojis(in: text) == [])
        #expect(EmojiText.emoji(text) == nil)
    }

    @Test func typedTextSymbolBecomesEmoji() {
        for (typed, meant) in [("☀", "☀️"), ("❤", "❤️"), ("✈", "✈️"), ("⌨", "⌨️"), ("▶", "▶️")] {
            #expect(!EmojiText.isEmoji(Character(typed)))
            #expect(EmojiText.emojis(in: typed) == [meant])
            #expect(EmojiText.isEmoji(Character(meant)))
        }
    }

    @Test func variationSelectorsAreNormalised() {
        // Needless, missing and misplaced selectors.
        #expect(EmojiText.emojis(in: "🐶\u{FE0F}") == ["🐶"])
        #expect(EmojiText.emojis(in: "3\u{20E3}") == ["3️⃣"])
        #expect(EmojiText.emojis(in: "\u{2764}\u{200D}\u{1F525}") == ["❤️‍🔥"])
        #expect(EmojiText.emojis(in: "\u{1F3F3}\u{200D}\u{1F308}") == ["🏳️‍🌈"])
        #expect(EmojiText.emojis(in: "\u{261D}\u{FE0F}\u{1F3FD}") == ["☝🏽"])
    }

    @Test func textIsSplitIntoItsEmoji() {
        #expect(EmojiText.emojis(in: "a 🐶, b🐱!\n👩‍👩‍👧👨‍🚀 5 5️⃣ 🐶") == ["🐶", "🐱", "👩‍👩‍👧", "👨‍🚀", "5️⃣", "🐶"])
        #expect(EmojiText.emojis(in: "🇦🇹🇩🇪🇨🇭") == ["🇦🇹", "🇩🇪", "🇨🇭"])
        #expect(EmojiText.emojis(in: "👋👋🏻👋🏿") == ["👋", "👋🏻", "👋🏿"])
        #expect(EmojiText.emojis(in: "🏴🏴󠁧󠁢󠁥󠁮󠁧󠁿🏴‍☠️") == ["🏴", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴‍☠️"])
        #expect(EmojiText.emojis(in: "no emoji at all: 1 + 1 = 2 © ™") == [])
        #expect(EmojiText.emojis(in: "") == [])
    }

    @Test func brokenSequencesYieldTheirWholeEmoji() {
        // A joiner that joins nothing, a third letter of flags, a skin tone on a dog, a flag without an end.
        #expect(EmojiText.emojis(in: "👩\u{200D}") == ["👩"])
        #expect(EmojiText.emojis(in: "\u{200D}👩\u{200D}a") == ["👩"])
        #expect(EmojiText.emojis(in: "🇦🇹\u{1F1E9}") == ["🇦🇹"])
        #expect(EmojiText.emojis(in: "🐶🏽") == ["🐶", "🏽"])
        #expect(EmojiText.emojis(in: "🏴\u{E0067}\u{E0062}") == ["🏴"])
        #expect(EmojiText.emojis(in: "🐶\u{301}") == ["🐶"])
        for text in ["👩\u{200D}", "🐶🏽", "🏴\u{E0067}\u{E0062}", "🐶\u{301}"] {
            #expect(!EmojiText.isEmoji(Character(text)))
        }
    }

    @Test func overlongJoinedSequenceIsLeftOut() {
        let chain = Array(repeating: "👩", count: 1_000).joined(separator: "\u{200D}")
        #expect(EmojiText.emojis(in: chain + "🐶") == ["🐶"])
        #expect(EmojiText.emoji(chain) == nil)
    }

    @Test func onlyASingleEmojiIsAccepted() {
        #expect(EmojiText.emoji("🐶🐱") == nil)
        #expect(EmojiText.emoji("🐶 ") == nil)
        #expect(EmojiText.emoji("a🐶") == nil)
        #expect(EmojiText.emoji("") == nil)
        #expect(EmojiText.emoji("☀") == "☀️")
    }

    @Test func allUnicodeEmojiAreRecognisedWithAndWithoutSelectors() {
        for hit in EmojiSearch.index.hits {
            let bare = String(String.UnicodeScalarView(hit.emoji.unicodeScalars.filter { $0.value != 0xFE0F }))
            #expect(hit.emoji.count == 1 && EmojiText.isEmoji(Character(hit.emoji)), "\(hit)")
            #expect(EmojiText.emojis(in: hit.emoji) == [hit.emoji], "\(hit)")
            // ©, ™ and the like are text without a selector.
            let first = bare.unicodeScalars.first?.value ?? 0
            let isText = bare.unicodeScalars.count == 1 && first < EmojiText.firstPicture && bare != hit.emoji
            #expect(EmojiText.emojis(in: bare) == (isText ? [] : [hit.emoji]), "\(hit)")
        }
    }

    @Test func allUnicodeEmojiInOneTextAreSplit() {
        let all = EmojiSearch.index.hits.map(\.emoji)
        #expect(EmojiText.emojis(in: all.joined(separator: " ")) == all)
    }
}
