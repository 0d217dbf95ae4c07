/// What changed between the texts of two versions of a page.
public struct TextChanges: Hashable, Sendable {
    /// The number of words.
    public struct Count: Hashable, Codable, Sendable {
        /// The words that only the new text has.
        public var added: Int
        /// The words that only the old text has.
        public var removed: Int
        /// Whether the texts were too different to be compared word by word, so that the numbers are too great.
        public var isCoarse: Bool

        /// Creates numbers of words.
        public init(added: Int = 0, removed: Int = 0, isCoarse: Bool = false) {
            (self.added, self.removed, self.isCoarse) = (added, removed, isCoarse)
        }

        /// Whether the texts are the same, apart from spaces and line breaks.
        public var isUnchanged: Bool { added == 0 && removed == 0 }
    }

    /// A piece of a paragraph.
    public struct Part: Hashable, Sendable {
        /// Where the piece occurs.
        public enum Kind: Hashable, Sendable { case same, added, removed }

        /// Where the piece occurs.
        public var kind: Kind
        /// The text.
        public var text: String

        /// Creates a piece.
        public init(_ kind: Kind, _ text: String) { (self.kind, self.text) = (kind, text) }
    }

    /// Some paragraphs in a row.
    public enum Section: Hashable, Sendable {
        /// Paragraphs that both texts have.
        case same([String])
        /// Paragraphs that changed, each as its pieces.
        case changed([[Part]])
    }

    /// The text, in order.
    public private(set) var sections: [Section] = []
    /// The number of words that changed.
    public private(set) var count = Count()

    /// The number of words and spaces in changed paragraphs up to which those are compared word by word.
    private static let maximumTokens = 60_000

    /// Compares two texts.
    ///
    /// Takes up to some seconds for hostile texts, so a server should call it off the main actor.
    ///
    /// - Parameters:
    ///   - old: The text of the old version.
    ///   - new: The text of the new version.
    public init(from old: String, to new: String) {
        let (old, new) = (Self.paragraphs(of: old), Self.paragraphs(of: new))
        var numbers: [Substring: Int] = [:]
        let difference = SequenceDifference(
            from: Self.numbered(old, &numbers), to: Self.numbered(new, &numbers))
        count.isCoarse = difference.isCoarse
        var next = 0
        for change in difference.changes {
            addSame(new[next..<change.new.lowerBound])
            addChange(from: Array(old[change.old]), to: Array(new[change.new]))
            next = change.new.upperBound
        }
        addSame(new[next...])
    }

    /// The lines of a text that aren't empty, without spaces around them.
    private static func paragraphs(of text: String) -> [Substring] {
        text.unicodeScalars.split { $0 == "\n" || $0 == "\r" || $0 == "\u{2028}" || $0 == "\u{2029}" }
            .compactMap { line in
                guard let first = line.firstIndex(where: { !$0.properties.isWhitespace }),
                    let last = line.lastIndex(where: { !$0.properties.isWhitespace })
                else { return nil }
                return Substring(line[first...last])
            }
    }

    private static func numbered(_ texts: [Substring], _ numbers: inout [Substring: Int]) -> [Int] {
        texts.map { text in
            if let number = numbers[text] { return number }
            numbers[text] = numbers.count
            return numbers.count - 1
        }
    }

    private mutating func addSame(_ paragraphs: ArraySlice<Substring>) {
        if !paragraphs.isEmpty { sections.append(.same(paragraphs.map(String.init))) }
    }

    /// Adds paragraphs that replace others.
    private mutating func addChange(from old: [Substring], to new: [Substring]) {
        let (oldWords, newWords) = (old.map(Self.tokens), new.map(Self.tokens))
        let size = (oldWords + newWords).reduce(0) { $0 + $1.count }
        var paragraphs: [[Part]]
        if old.isEmpty || new.isEmpty {
            paragraphs = old.map { [Part(.removed, String($0))] } + new.map { [Part(.added, String($0))] }
        } else if size <= Self.maximumTokens {
            paragraphs = compareWords(from: oldWords, to: newWords)
        } else {
            count.isCoarse = true
            paragraphs = old.map { [Part(.removed, String($0))] } + new.map { [Part(.added, String($0))] }
        }
        for part in paragraphs.joined() where part.kind != .same {
            let words = Self.tokens(of: Substring(part.text)).count { Self.isWord($0) }
            if part.kind == .added { count.added += words } else { count.removed += words }
        }
        paragraphs.removeAll { $0.isEmpty }
        sections.append(.changed(paragraphs))
    }

    /// Compares paragraphs word by word; a line break is a token, too.
    private mutating func compareWords(from old: [[Substring]], to new: [[Substring]]) -> [[Part]] {
        let (a, b) = (Array(old.joined(separator: ["\n"])), Array(new.joined(separator: ["\n"])))
        var numbers: [Substring: Int] = [:]
        let difference = SequenceDifference(from: Self.numbered(a, &numbers), to: Self.numbered(b, &numbers))
        if difference.isCoarse { count.isCoarse = true }
        var paragraphs: [[Part]] = [[]]
        func add(_ kind: Part.Kind, _ tokens: ArraySlice<Substring>) {
            for line in tokens.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                if line.offset > 0 { paragraphs.append([]) }
                guard !line.element.isEmpty else { continue }
                paragraphs[paragraphs.count - 1].append(Part(kind, line.element.joined()))
            }
        }
        var next = 0
        for change in difference.changes {
            add(.same, b[next..<change.new.lowerBound])
            add(.removed, a[change.old])
            add(.added, b[change.new])
            next = change.new.upperBound
        }
        add(.same, b[next...])
        return paragraphs
    }

    // MARK: - Words

    /// The words of a paragraph, and what is between them; each character of a script without spaces is a word.
    static func tokens(of text: Substring) -> [Substring] {
        var tokens: [Substring] = []
        let scalars = text.unicodeScalars
        var start = scalars.startIndex
        while start < scalars.endIndex {
            let kind = kind(of: scalars[start])
            var end = scalars.index(after: start)
            if kind != .single {
                while end < scalars.endIndex, self.kind(of: scalars[end]) == kind { end = scalars.index(after: end) }
            }
            tokens.append(Substring(scalars[start..<end]))
            start = end
        }
        return tokens
    }

    private enum Kind { case word, space, single }

    private static func kind(of scalar: Unicode.Scalar) -> Kind {
        if scalar.properties.isWhitespace { return .space }
        switch scalar.value {
        // Thai, Lao, Myanmar, Khmer, and Chinese, Japanese and Korean characters.
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3005...0x30FF, 0x3400...0x9FFF, 0xF900...0xFAFF,
            0x20000...0x3FFFF:
            return .single
        default:
            let isPart = scalar.isSearchable || scalar.properties.generalCategory == .nonspacingMark || scalar == "'"
            return isPart ? .word : .single
        }
    }

    private static func isWord(_ token: Substring) -> Bool { token.unicodeScalars.contains { $0.isSearchable } }
}
