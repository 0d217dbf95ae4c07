/// Recognizes emoji in text, by Swift's Unicode data (Unicode Technical Standard #51).
public enum EmojiText {
    /// The first scalar that is taken for an emoji when a user types it without a variation selector.
    ///
    /// Earlier scalars, such as digits, ©, ™, ‼ and most arrows, are more often meant as text; those from ⌨ on are
    /// pictures.
    static let firstPicture: UInt32 = 0x2300
}

extension EmojiText {
    /// Whether browsers show a character as an emoji, by default or because of its variation selector.
    ///
    /// 🐶, 👩‍👩‍👧, 🇦🇹 and 3️⃣ are shown as emoji; ☀, © and 3 are text without the variation selector 16.
    public static func isEmoji(_ character: Character) -> Bool {
        let scalars = Array(character.unicodeScalars)
        guard let found = sequence(in: scalars, at: 0) else { return false }
        return found.end == scalars.count && !found.isText
    }

    /// The emoji in a text, in order and with repetitions.
    ///
    /// Each is normalized so that it is displayed as an emoji: ☀ gets its variation selector, and 🐶 loses a redundant
    /// one. Other characters, and emoji that are too long, are skipped.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    public static func emojis(in text: String) -> [String] {
        let scalars = Array(text.unicodeScalars)
        var emojis: [String] = []
        var index = 0
        while index < scalars.count {
            guard let found = sequence(in: scalars, at: index) else {
                index += 1
                continue
            }
            let isMeantAsEmoji = !found.isText || scalars[index].value >= firstPicture
            if isMeantAsEmoji, found.text.utf8.count <= BoardLimits.emojiBytes { emojis.append(found.text) }
            index = found.end
        }
        return emojis
    }

    /// The emoji that makes up the whole text, normalized as by ``emojis(in:)``; `nil` if the text is anything else.
    public static func emoji(_ text: String) -> String? {
        guard text.count == 1, text.utf8.count <= BoardLimits.emojiBytes else { return nil }
        let emojis = emojis(in: text)
        return emojis.count == 1 ? emojis[0] : nil
    }
}

// MARK: - Sequences

extension EmojiText {
    private struct Found {
        var text: String
        var end: Int
        /// Whether it is displayed as text because it lacks a variation selector.
        var isText: Bool
    }

    private static let joiner: UInt32 = 0x200D
    private static let textSelector: UInt32 = 0xFE0E
    private static let emojiSelector: Unicode.Scalar = "\u{FE0F}"
    private static let keycap: Unicode.Scalar = "\u{20E3}"
    private static let lastTag: UInt32 = 0xE007F
    private static let tags: ClosedRange<UInt32> = 0xE0020...0xE007E

    /// The emoji sequence at an index, including joined elements.
    private static func sequence(in scalars: [Unicode.Scalar], at start: Int) -> Found? {
        guard var found = element(in: scalars, at: start) else { return nil }
        while found.end < scalars.count, scalars[found.end].value == joiner,
            let next = element(in: scalars, at: found.end + 1)
        {
            found.text.unicodeScalars.append(scalars[found.end])
            found.text += next.text
            // Joined elements are displayed as one picture.
            found = Found(text: found.text, end: next.end, isText: false)
        }
        return found
    }

    /// The single element at an index, without joined ones.
    private static func element(in scalars: [Unicode.Scalar], at start: Int) -> Found? {
        func scalar(_ offset: Int) -> Unicode.Scalar? {
            start + offset < scalars.count ? scalars[start + offset] : nil
        }
        func found(_ taken: [Unicode.Scalar], length: Int, isText: Bool = false) -> Found {
            var view = String.UnicodeScalarView()
            view.append(contentsOf: taken)
            return Found(text: String(view), end: start + length, isText: isText)
        }
        guard let first = scalar(0), first.properties.isEmoji else { return nil }
        // A flag is two regional indicators; a single one isn't an emoji.
        if first.isFlagLetter {
            guard let second = scalar(1), second.isFlagLetter else { return nil }
            return found([first, second], length: 2)
        }
        let hasEmojiSelector = scalar(1) == emojiSelector
        let next = scalar(hasEmojiSelector ? 2 : 1)
        let length = hasEmojiSelector ? 2 : 1
        if first.isASCII {
            guard next == keycap else { return nil }
            return found([first, emojiSelector, keycap], length: length + 1)
        }
        if scalar(1)?.value == textSelector { return nil }
        if let next, next.properties.isEmojiModifier, first.properties.isEmojiModifierBase {
            return found([first, next], length: length + 1)
        }
        if let tags = tags(in: scalars, from: start + length) {
            return found([first] + tags, length: length + tags.count)
        }
        if first.properties.isEmojiPresentation { return found([first], length: length) }
        return found([first, emojiSelector], length: length, isText: !hasEmojiSelector)
    }

    /// The tags of a flag such as Scotland's, with the terminator; `nil` if there are none, or no terminator.
    private static func tags(in scalars: [Unicode.Scalar], from start: Int) -> [Unicode.Scalar]? {
        let taken = scalars[min(start, scalars.count)...].prefix { tags.contains($0.value) }
        guard !taken.isEmpty, taken.endIndex < scalars.count, scalars[taken.endIndex].value == lastTag else {
            return nil
        }
        return Array(taken) + [scalars[taken.endIndex]]
    }
}

extension Unicode.Scalar {
    fileprivate var isFlagLetter: Bool { (0x1F1E6...0x1F1FF).contains(value) }
}
