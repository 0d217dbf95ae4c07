import Foundation
import OfflineLibraryModel

// The words of a text in PostgreSQL's index, which are made here: the text-search configurations of a server differ,
// and none of them treats words as FTS5 does.

/// Splits texts in the form of the index into words, as FTS5's tokenizer `unicode61 remove_diacritics 2` does.
struct WordSplitter {
    /// PostgreSQL refuses longer words than 2,046 bytes; the rest of a word is ignored.
    private static let maximumBytes = 2_000

    /// The lower-case letters without diacritics of other characters than ASCII.
    private var folded: [Unicode.Scalar: String.UnicodeScalarView] = [:]

    /// Calls a closure with each word and its range.
    mutating func forEachWord(
        in text: String, _ body: (_ word: String, _ range: Range<String.Index>) throws -> Void
    ) rethrows {
        let scalars = text.unicodeScalars
        var (word, bytes, start) = (String.UnicodeScalarView(), 0, scalars.startIndex)
        var index = scalars.startIndex
        func finish() throws {
            guard bytes > 0 else { return }
            try body(String(word), start..<index)
            word.removeAll(keepingCapacity: true)
            bytes = 0
        }
        while index < scalars.endIndex {
            let scalar = scalars[index]
            if scalar.isWordCharacter {
                if bytes == 0 { start = index }
                if bytes < Self.maximumBytes { bytes += append(scalar, to: &word) }
            } else if !scalar.isIgnoredDiacritic {
                try finish()
            }
            scalars.formIndex(after: &index)
        }
        try finish()
    }

    /// Appends a character, and returns its length in bytes.
    private mutating func append(_ scalar: Unicode.Scalar, to word: inout String.UnicodeScalarView) -> Int {
        if scalar.isASCII {
            let isUpperCase = (0x41...0x5A).contains(scalar.value)
            word.append(isUpperCase ? Unicode.Scalar(UInt8(scalar.value) + 0x20) : scalar)
            return 1
        }
        let letters = folded[scalar] ?? Self.fold(scalar)
        folded[scalar] = letters
        word.append(contentsOf: letters)
        return letters.reduce(0) { $0 + $1.utf8.count }
    }

    /// FTS5 removes diacritics only of Latin letters.
    private static func fold(_ scalar: Unicode.Scalar) -> String.UnicodeScalarView {
        let lowerCase = scalar.properties.lowercaseMapping
        let base = lowerCase.decomposedStringWithCanonicalMapping.unicodeScalars.prefix(1)
        return base.first?.isASCII == true ? String.UnicodeScalarView(base) : lowerCase.unicodeScalars
    }
}

extension Unicode.Scalar {
    fileprivate var isWordCharacter: Bool {
        isASCII
            ? (0x61...0x7A).contains(value) || (0x41...0x5A).contains(value) || (0x30...0x39).contains(value)
            : isSearchable
    }

    /// Whether FTS5 ignores the character within a word: these are bits of a table that begins at U+0300.
    fileprivate var isIgnoredDiacritic: Bool {
        (0x300...0x331).contains(value) && (0x0003_61F8_0802_9FDF as UInt64) >> (value - 0x300) & 1 == 1
    }
}

/// The words of a page with their positions, as a `tsvector` of PostgreSQL.
///
/// What exceeds the limits of PostgreSQL is left out: https://www.postgresql.org/docs/15/textsearch-limits.html
/// Words beyond the last position are found, but not as a part of a phrase.
struct WordVector {
    /// The weight of a match, which also tells in which text it is.
    enum Weight: String {
        case title = "A"
        case note = "B"
        case address = "C"
        /// The weight `D`, which isn't written.
        case body = ""
    }

    private static let (lastPosition, maximumPositions) = (16_383, 255)
    /// A vector must be smaller than 1 MB.
    private static let maximumBytes = 1_000_000

    private var splitter = WordSplitter()
    /// The positions of each word, with the letters of their weights.
    private var words: [String: [String]] = [:]
    private var position = 0
    private var bytes = 0

    /// Adds the words of a text in the form of the index.
    mutating func add(_ text: String, weight: Weight) {
        splitter.forEachWord(in: text) { word, _ in
            position += 1
            if words[word] == nil {
                // With padding and the number of positions.
                let added = word.utf8.count + 4
                guard bytes + added <= Self.maximumBytes else { return }
                bytes += added
                words[word] = []
            }
            guard position <= Self.lastPosition, bytes + 2 <= Self.maximumBytes,
                let count = words[word]?.count, count < Self.maximumPositions
            else { return }
            bytes += 2
            words[word]?.append("\(position)\(weight.rawValue)")
        }
        // No phrase continues in the next text.
        position += 1
    }

    /// The text form; words contain only letters and digits, so nothing needs to be escaped.
    var text: String {
        words.map { word, positions in
            positions.isEmpty ? "'\(word)'" : "'\(word)':\(positions.joined(separator: ","))"
        }.joined(separator: " ")
    }
}
