/// The words of a search, as typed.
///
/// Each word must occur in a page. Words in quotation marks must occur one after the other, and a word or phrase after a
/// minus sign must not occur. Every text is a valid search.
public struct SearchWords: Hashable, Sendable {
    /// A word or a phrase.
    public struct Term: Hashable, Sendable {
        /// The word, or the words of the phrase.
        public var text: String
        /// Whether the last word may be the beginning of a longer word.
        public var isPrefix: Bool

        /// Creates a term.
        public init(_ text: String, isPrefix: Bool = false) {
            (self.text, self.isPrefix) = (text, isPrefix)
        }
    }

    /// The maximum length of a search, in Unicode scalars; the rest is ignored.
    public static let maximumLength = 200

    /// The terms that a page must contain.
    public private(set) var required: [Term] = []
    /// The terms that a page must not contain.
    public private(set) var excluded: [Term] = []

    /// Parses words as typed.
    ///
    /// The last term is a prefix, unless it is a complete phrase or excluded, because it may still be being typed.
    public init(_ text: String = "") {
        var rest = text.unicodeScalars.prefix(Self.maximumLength)
        while let next = Self.takeTerm(from: &rest) {
            guard next.text.contains(where: { $0.isSearchable }) else { continue }
            let isLast = rest.allSatisfy { !$0.isSearchable }
            let term = Term(String(next.text), isPrefix: isLast && !next.isComplete && !next.isExcluded)
            if next.isExcluded { excluded.append(term) } else { required.append(term) }
        }
    }

    /// Whether there are no words to search for.
    public var isEmpty: Bool { required.isEmpty && excluded.isEmpty }
}

extension SearchWords {
    private typealias Scalars = Substring.UnicodeScalarView

    private struct Parsed {
        var text: Scalars
        var isExcluded: Bool
        /// Whether it is a phrase with both quotation marks.
        var isComplete: Bool
    }

    /// Takes the next term; returns `nil` at the end.
    private static func takeTerm(from rest: inout Scalars) -> Parsed? {
        rest = rest.drop { $0.properties.isWhitespace }
        guard let first = rest.first else { return nil }
        let isExcluded = first == "-"
        if isExcluded { rest = rest.dropFirst() }
        if let mark = rest.first, mark.isQuotationMark {
            rest = rest.dropFirst()
            let phrase = rest.prefix { !$0.isQuotationMark }
            rest = rest[phrase.endIndex...]
            let isComplete = !rest.isEmpty
            rest = rest.dropFirst()
            return Parsed(text: phrase, isExcluded: isExcluded, isComplete: isComplete)
        }
        let word = rest.prefix { !$0.properties.isWhitespace && !$0.isQuotationMark }
        rest = rest[word.endIndex...]
        return Parsed(text: word, isExcluded: isExcluded, isComplete: false)
    }
}

extension Unicode.Scalar {
    /// Whether it is a letter, a mark of one, or a number, which an index of words contains.
    package var isSearchable: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .privateUse:
            true
        default: false
        }
    }

    private static let quotationMarks: Set<Unicode.Scalar> = ["\"", "“", "”", "„", "‟", "«", "»"]

    /// Whether it begins or ends a phrase.
    fileprivate var isQuotationMark: Bool { Self.quotationMarks.contains(self) }
}
