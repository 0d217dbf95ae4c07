import Foundation

/// Finds emoji by their Unicode names, keywords and common words, in English, and lists them by group.
public enum EmojiSearch {
    /// An emoji and its name.
    public struct Hit: Hashable, Sendable, Codable {
        /// The emoji.
        public let emoji: String
        /// The Unicode name, such as `dog face`.
        public let name: String
    }

    /// A group of emoji, as on a keyboard.
    public struct Group: Hashable, Sendable {
        /// Unicode's name of the group, such as `Animals & Nature`.
        public let name: String
        /// The emoji in Unicode's order, without those that only add a skin tone.
        public let hits: [Hit]
    }

    /// The emoji that match a text, the best matches first.
    ///
    /// Every word must match, regardless of case and accents. The order is: exact names, common words such as “happy”,
    /// names that contain the words, names with words that start with them, keywords, and beginnings of keywords.
    /// Matches of the same kind are in Unicode's order, except that each common word has an order of its own. An emoji
    /// with a skin tone is left out if the one without it matches, and otherwise comes after the others. A text that is
    /// an emoji matches that emoji.
    public static func search(_ text: String, limit: Int = 100) -> [Hit] {
        index.search(text, limit: limit)
    }

    /// All emoji by group, in Unicode's order.
    public static var groups: [Group] { index.groups }

    /// The Unicode name of an emoji, such as `dog face`; `nil` if it has none.
    ///
    /// Variation selectors make no difference.
    public static func name(of emoji: String) -> String? {
        index.entry(of: emoji).map { index.hits[$0].name }
    }

    /// The emoji with a skin tone; the same emoji if it has no skin tones.
    public static func toned(_ hit: Hit, _ tone: SkinTone) -> Hit {
        index.entry(of: Index.toned(hit.emoji, tone.scalar)).map { index.hits[$0] } ?? hit
    }

    static let index = Index(
        String(decoding: PackageResources.emoji_names_txt, as: UTF8.self),
        common: String(decoding: PackageResources.emoji_words_txt, as: UTF8.self))
}

/// One of the five skin tones of emoji; the raw value is the first part of its Unicode name.
public enum SkinTone: String, CaseIterable, Codable, Hashable, Sendable {
    /// 🏻
    case light
    /// 🏼
    case mediumLight = "medium-light"
    /// 🏽
    case medium
    /// 🏾
    case mediumDark = "medium-dark"
    /// 🏿
    case dark

    /// The modifier that gives an emoji this skin tone.
    public var scalar: Unicode.Scalar {
        switch self {
        case .light: "\u{1F3FB}"
        case .mediumLight: "\u{1F3FC}"
        case .medium: "\u{1F3FD}"
        case .mediumDark: "\u{1F3FE}"
        case .dark: "\u{1F3FF}"
        }
    }
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
            /// The emoji that people expect for the word, in this order.
            var common: [Int] = []
        }

        /// All emoji, in Unicode's order.
        let hits: [Hit]
        /// The emoji by group.
        let groups: [Group]
        private let names: [[[UInt8]]]
        /// For an emoji with a skin tone, the index of the one without it in ``hits``.
        private let plains: [Int?]
        /// The index of an emoji in ``hits``, by its text without variation selectors.
        private let entries: [String: Int]
        /// The distinct words, sorted.
        private let words: [Word]

        /// Parses lines of tab-separated fields.
        ///
        /// A line has an emoji, its name, its keywords, and `*` if the emoji also exists in each skin tone. A line that
        /// begins with `## ` has the name of a group.
        ///
        /// `script/generate-emoji-names` writes them. In both texts, a line that begins with `# ` is a comment.
        ///
        /// - Parameters:
        ///   - lines: The emoji.
        ///   - common: Lines of two tab-separated fields: common words, and their emoji in order, separated by spaces.
        init(_ lines: String, common: String = "") {
            var hits: [Hit] = []
            var heads: [(name: String, start: Int)] = []
            var names: [[[UInt8]]] = []
            var plains: [Int?] = []
            var entries: [String: Int] = [:]
            var named: [String: Int] = [:]
            var words: [[UInt8]: Word] = [:]
            func add(_ emoji: String, _ name: String, _ described: Substring) {
                let entry = hits.count
                // An emoji of two people with different skin tones is composed in another way than the one without
                // tones, but both have the same name up to the colon.
                plains.append(Self.withoutTones(emoji).flatMap { entries[$0] ?? named[Self.plainName(name)] })
                hits.append(Hit(emoji: emoji, name: name))
                names.append(Self.words(name))
                entries[Self.withoutSelectors(emoji)] = entry
                named[name] = entry
                for word in names[entry] { words[word, default: Word(letters: word)].named.append(entry) }
                for word in Self.words(described) {
                    words[word, default: Word(letters: word)].described.append(entry)
                }
            }
            for line in lines.split(separator: "\n") where !line.hasPrefix("# ") {
                if line.hasPrefix("## ") {
                    heads.append((String(line.dropFirst(3)), hits.count))
                    continue
                }
                let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
                guard fields.count >= 2 else { continue }
                let (emoji, name) = (String(fields[0]), String(fields[1]))
                add(emoji, name, fields.count > 2 ? fields[2] : "")
                guard fields.count > 3 else { continue }
                for tone in SkinTone.allCases {
                    add(Self.toned(emoji, tone.scalar), Self.toned(name, ArtWords.skinTone(tone.rawValue)), "")
                }
            }
            for line in common.split(separator: "\n") where !line.hasPrefix("# ") {
                let fields = line.split(separator: "\t")
                guard fields.count == 2 else { continue }
                let found = fields[1].split(separator: " ").compactMap { entries[Self.withoutSelectors(String($0))] }
                for word in Self.words(fields[0]) { words[word, default: Word(letters: word)].common = found }
            }
            let ends = heads.dropFirst().map { $0.start } + [hits.count]
            self.groups = zip(heads, ends).map { head, end in
                Group(
                    name: head.name,
                    hits: (head.start..<end).filter { plains[$0] == nil }.map { hits[$0] })
            }
            (self.hits, self.names, self.plains, self.entries) = (hits, names, plains, entries)
            self.words = words.values.sorted { $0.letters.lexicographicallyPrecedes($1.letters) }
        }
    }
}

// MARK: - Searching

extension EmojiSearch.Index {
    /// How well the words match an emoji; smaller is better.
    private enum Fit {
        static let wholeName: UInt8 = 0
        static let common: UInt8 = 1
        static let nameWord: UInt8 = 2
        static let nameBeginning: UInt8 = 3
        static let keyword: UInt8 = 4
        static let keywordBeginning: UInt8 = 5
        static let none: UInt8 = 6
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
            // A skin tone is a variant of the emoji without it.
            if let plain = plains[entry], fits[plain] != Fit.none { continue }
            let isWhole = fits[entry] <= Fit.nameWord && names[entry] == words
            found[2 * Int(isWhole ? Fit.wholeName : fits[entry]) + (plains[entry] == nil ? 0 : 1)].append(entry)
        }
        if words.count == 1 {
            let known = Set(found[2 * Int(Fit.common)])
            found[2 * Int(Fit.common)] = common(first).filter(known.contains)
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
            let common = isWhole ? Fit.common : Fit.nameBeginning
            for entry in word.common where common < fits[entry] { fits[entry] = common }
            for entry in word.named where name < fits[entry] { fits[entry] = name }
            for entry in word.described where keyword < fits[entry] { fits[entry] = keyword }
        }
        // An emoji with a skin tone has the keywords and the common words of the one without it.
        for (entry, plain) in plains.enumerated() {
            if let plain, fits[plain] < fits[entry] { fits[entry] = fits[plain] }
        }
        return fits
    }

    /// The emoji of a common word, in its order; empty for another word.
    private func common(_ typed: [UInt8]) -> [Int] {
        let place = start(of: typed)
        return words.indices.contains(place) && words[place].letters == typed ? words[place].common : []
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

    /// Inserts a skin tone after the first scalar, in place of a variation selector.
    static func toned(_ emoji: String, _ tone: Unicode.Scalar) -> String {
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

    /// The part of a name before its colon.
    private static func plainName(_ name: String) -> String {
        name.range(of: ": ").map { String(name[..<$0.lowerBound]) } ?? name
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
