import Foundation

/// Searches emoji by their Unicode names and keywords, in English.
public enum EmojiSearch {
    /// An emoji and its name.
    public struct Hit: Hashable, Sendable, Codable {
        /// The emoji.
        public let emoji: String
        /// The Unicode name, such as `dog face`.
        public let name: String
    }

    /// The emoji that match a text, the best matches first.
    ///
    /// Every word must match, regardless of case and accents. The order is: exact names, names that contain the words,
    /// names with words that start with them, keywords, and beginnings of keywords. Within each group, emoji without a
    /// skin tone come first, and otherwise the order is Unicode's. A text that is an emoji matches that emoji.
    public static func search(_ text: String, limit: Int = 100) -> [Hit] {
        index.search(text, limit: limit)
    }

    /// The Unicode name of an emoji, with or without its variation selectors, such as `dog face`; `nil` if it has none.
    public static func name(of emoji: String) -> String? {
        index.entry(of: emoji).map { index.hits[$0].name }
    }

    static let index = Index(String(decoding: PackageResources.emoji_names_txt, as: UTF8.self))
}

extension EmojiSearch {
    /// A sorted index of all words of names and keywords.
    struct Index: Sendable {
        private struct Word: Sendable {
            var letters: [UInt8]
            /// The emoji with the word in their names.
            var named: [Int] = []
            /// The emoji with the word among their keywords.
            var described: [Int] = []
        }

        /// All emoji, in Unicode's order.
        let hits: [Hit]
        private let names: [[[UInt8]]]
        private let isToned: [Bool]
        /// The index of an emoji in ``hits``, by its text without variation selectors.
        private let entries: [String: Int]
        /// The distinct words, sorted.
        private let words: [Word]

        /// Parses lines of tab-separated fields: an emoji, its name, its keywords, and `*` if the emoji also exists in
        /// each skin tone.
        ///
        /// `script/generate-emoji-names` writes them. A line that begins with `# ` is a comment.
        init(_ lines: String) {
            var hits: [Hit] = []
            var names: [[[UInt8]]] = []
            var keywords: [[[UInt8]]] = []
            var isToned: [Bool] = []
            var entries: [String: Int] = [:]
            var words: [[UInt8]: Word] = [:]
            func add(_ emoji: String, _ name: String, _ described: Substring) {
                let entry = hits.count
                let plain = Self.withoutTones(emoji)
                hits.append(Hit(emoji: emoji, name: name))
                names.append(Self.words(name))
                // An emoji with a skin tone has the keywords of the one without.
                keywords.append(plain.flatMap { entries[$0] }.map { keywords[$0] } ?? Self.words(described))
                isToned.append(plain != nil)
                entries[Self.withoutSelectors(emoji)] = entry
                for word in names[entry] { words[word, default: Word(letters: word)].named.append(entry) }
                for word in keywords[entry] { words[word, default: Word(letters: word)].described.append(entry) }
            }
            for line in lines.split(separator: "\n") where !line.hasPrefix("# ") {
                let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
                guard fields.count >= 2 else { continue }
                let (emoji, name) = (String(fields[0]), String(fields[1]))
                add(emoji, name, fields.count > 2 ? fields[2] : "")
                guard fields.count > 3 else { continue }
                for (tone, words) in Self.tones {
                    add(Self.toned(emoji, tone), Self.toned(name, words), "")
                }
            }
            (self.hits, self.names, self.isToned, self.entries) = (hits, names, isToned, entries)
            self.words = words.values.sorted { $0.letters.lexicographicallyPrecedes($1.letters) }
        }
    }
}

// MARK: - Searching

extension EmojiSearch.Index {
    /// How well the words match an emoji; smaller is better.
    private enum Fit {
        static let wholeName: UInt8 = 0
        static let nameWord: UInt8 = 1
        static let nameBeginning: UInt8 = 2
        static let keyword: UInt8 = 3
        static let keywordBeginning: UInt8 = 4
        static let none: UInt8 = 5
    }

    func entry(of emoji: String) -> Int? {
        entries[Self.withoutSelectors(emoji)]
    }

    /// The matches, the best first; see ``EmojiSearch/search(_:limit:)``.
    func search(_ text: String, limit: Int) -> [EmojiSearch.Hit] {
        // Limits the cost: each word takes time, and a real query is shorter.
        let typed = text.prefix(200).trimmingCharacters(in: .whitespacesAndNewlines)
        if let entry = entry(of: typed) { return Array([hits[entry]].prefix(max(limit, 0))) }
        let words = Self.words(typed)
        guard let first = words.first else { return [] }
        var fits = fits(of: first)
        for word in words.dropFirst() {
            let more = self.fits(of: word)
            for entry in fits.indices where more[entry] > fits[entry] { fits[entry] = more[entry] }
        }
        var found: [[Int]] = Array(repeating: [], count: 2 * Int(Fit.none))
        for entry in fits.indices where fits[entry] != Fit.none {
            let isWhole = fits[entry] == Fit.nameWord && names[entry] == words
            found[2 * Int(isWhole ? Fit.wholeName : fits[entry]) + (isToned[entry] ? 1 : 0)].append(entry)
        }
        return found.joined().prefix(max(limit, 0)).map { hits[$0] }
    }

    /// How well a word matches each emoji.
    private func fits(of typed: [UInt8]) -> [UInt8] {
        var fits = Array(repeating: Fit.none, count: hits.count)
        for word in words[start(of: typed)...] {
            guard word.letters.starts(with: typed) else { break }
            let isWhole = word.letters.count == typed.count
            let (name, keyword) =
                isWhole ? (Fit.nameWord, Fit.keyword) : (Fit.nameBeginning, Fit.keywordBeginning)
            for entry in word.named where name < fits[entry] { fits[entry] = name }
            for entry in word.described where keyword < fits[entry] { fits[entry] = keyword }
        }
        return fits
    }

    /// The index of the first word that doesn't precede `typed`; binary search.
    private func start(of typed: [UInt8]) -> Int {
        var range = words.startIndex..<words.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if words[middle].letters.lexicographicallyPrecedes(typed) {
                range = middle + 1..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound
    }
}

// MARK: - Words

extension EmojiSearch.Index {
    /// The words of a text, lowercased and without accents.
    static func words(_ text: some StringProtocol) -> [[UInt8]] {
        // Folding is slow, and most names are ASCII.
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return text.utf8.map(lowercased).split { !isLetterOrDigit($0) }.map(Array.init)
        }
        return text.folding(options: [.diacriticInsensitive, .caseInsensitive, .widthInsensitive], locale: nil)
            .unicodeScalars.split { !$0.properties.isAlphabetic && $0.properties.numericType == nil }
            .map { Array(String($0).utf8) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 0x20 : byte
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    /// The skin tones with their names.
    private static let tones: [(Unicode.Scalar, String)] = [
        ("\u{1F3FB}", "light skin tone"), ("\u{1F3FC}", "medium-light skin tone"), ("\u{1F3FD}", "medium skin tone"),
        ("\u{1F3FE}", "medium-dark skin tone"), ("\u{1F3FF}", "dark skin tone"),
    ]

    /// Inserts a skin tone after the first scalar, in place of a variation selector.
    private static func toned(_ emoji: String, _ tone: Unicode.Scalar) -> String {
        var scalars = Array(emoji.unicodeScalars)
        if scalars.count > 1, scalars[1].value == 0xFE0F { scalars.remove(at: 1) }
        scalars.insert(tone, at: min(1, scalars.count))
        return String(String.UnicodeScalarView(scalars))
    }

    /// Inserts a skin tone's name: “person: red hair” becomes “person: dark skin tone, red hair”.
    private static func toned(_ name: String, _ words: String) -> String {
        guard let colon = name.range(of: ": ") else { return "\(name): \(words)" }
        return name.replacingCharacters(in: colon, with: ": \(words), ")
    }

    private static func withoutSelectors(_ emoji: String) -> String {
        String(String.UnicodeScalarView(emoji.unicodeScalars.filter { $0.value != 0xFE0F }))
    }

    /// The emoji without skin tones and variation selectors; `nil` if it has no skin tone, or is one.
    private static func withoutTones(_ emoji: String) -> String? {
        let plain = emoji.unicodeScalars.filter { !$0.properties.isEmojiModifier }
        guard !plain.isEmpty, plain.count < emoji.unicodeScalars.count else { return nil }
        return withoutSelectors(String(String.UnicodeScalarView(plain)))
    }
}
