import Foundation
import OfflineLibraryModel

/// The form in which the full-text index gets texts, and the query expressions of SQLite's index FTS5.
///
/// FTS5 splits texts into words at spaces and punctuation, and ignores case and accents. Chinese, Japanese and Korean
/// have no such words to search for, so each run of their characters is written as overlapping pairs, and the last
/// character alone: every character then begins a pair, and a query of any length is a phrase of pairs. Control
/// characters separate the pairs, so that an excerpt can be joined again.
enum SearchIndex {
    /// Between two pairs, which share a character.
    private static let pairSeparator: Unicode.Scalar = "\u{1F}"
    /// Between a run and other characters that follow or precede it without a space.
    private static let runSeparator: Unicode.Scalar = "\u{1E}"
    /// The marks around the matches of an excerpt.
    static let (beginning, end): (Unicode.Scalar, Unicode.Scalar) = ("\u{2}", "\u{3}")

    /// The characters that are written as pairs.
    private static func isPaired(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3005...0x3007, 0x3021...0x3029, 0x3031...0x3035, 0x3041...0x3096, 0x309D...0x309F, 0x30A1...0x30FA,
            0x30FC...0x30FF, 0x3105...0x312F, 0x31A0...0x31BF, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0x20000...0x3FFFF:
            true
        default: false
        }
    }

    /// A part of a text.
    private enum Segment {
        /// Characters that are written as pairs.
        case run([Unicode.Scalar])
        /// Other characters; control characters and several spaces are one space.
        case words([Unicode.Scalar])
    }

    private static func segments(of text: String) -> [Segment] {
        var segments: [Segment] = []
        var scalars: [Unicode.Scalar] = []
        var isRun = false
        func finish() {
            if !scalars.isEmpty { segments.append(isRun ? .run(scalars) : .words(scalars)) }
            scalars.removeAll(keepingCapacity: true)
        }
        // The same text may be written with full-width letters, or with letters and accents apart.
        for var scalar in text.precomposedStringWithCompatibilityMapping.unicodeScalars {
            if isPaired(scalar) != isRun {
                finish()
                isRun.toggle()
            }
            if !scalar.isASCII ? scalar.properties.isWhitespace || scalar.value < 0xA0 : scalar.value <= 0x20 {
                scalar = " "
                if scalars.last == " " { continue }
            }
            if scalar != "\u{7F}" { scalars.append(scalar) }
        }
        finish()
        return segments
    }

    /// Writes a run as pairs.
    ///
    /// - Parameters:
    ///   - run: The characters.
    ///   - text: The text to append the pairs to.
    ///   - isComplete: Whether the last character alone follows.
    private static func append(
        _ run: [Unicode.Scalar], to text: inout String.UnicodeScalarView, isComplete: Bool
    ) {
        for (character, next) in zip(run, run.dropFirst()) {
            text.append(character)
            text.append(next)
            text.append(pairSeparator)
        }
        if isComplete || run.count == 1, let last = run.last {
            text.append(last)
        } else {
            text.removeLast()
        }
    }

    /// The form of a text in the index.
    static func form(of text: String) -> String {
        var form = String.UnicodeScalarView()
        for segment in segments(of: text) {
            switch segment {
            case .words(let words): form.append(contentsOf: words)
            case .run(let run):
                if let last = form.last, last != " " { form.append(runSeparator) }
                append(run, to: &form, isComplete: true)
                form.append(runSeparator)
            }
        }
        return String(form)
    }
}

// MARK: - Queries

extension SearchIndex {
    /// The FTS5 expressions of words.
    struct Expressions {
        /// What a page must contain; `nil` if that is nothing.
        var required: String?
        /// What a page must not contain; `nil` if that is nothing.
        var excluded: String?

        /// The expression for a single match; `nil` if nothing is required.
        var all: String? {
            guard let excluded else { return required }
            return required.map { "(\($0)) NOT (\(excluded))" }
        }
    }

    /// The expressions of words, in which nothing typed is syntax.
    static func expressions(of words: SearchWords) -> Expressions {
        func joined(_ terms: [SearchWords.Term], _ separator: String) -> String? {
            terms.isEmpty ? nil : terms.map(expression).joined(separator: separator)
        }
        // Without an operator between them, FTS5 ignores phrases in which it recognises no word.
        return Expressions(required: joined(words.required, " "), excluded: joined(words.excluded, " OR "))
    }

    private static func expression(of term: SearchWords.Term) -> String {
        let (text, isPrefix) = phrase(of: term)
        return "\"\(text.replacing("\"", with: "\"\""))\"\(isPrefix ? "*" : "")"
    }

    /// The phrase of a term, in the form of the index, and whether its last word is a prefix.
    static func phrase(of term: SearchWords.Term) -> (text: String, isPrefix: Bool) {
        var segments = segments(of: term.text)
        // Punctuation at the end must not keep the term from ending in a run.
        while case .words(let words)? = segments.last, !words.contains(where: { $0.isSearchable }) {
            segments.removeLast()
        }
        var phrase = String.UnicodeScalarView()
        var isPrefix = term.isPrefix
        for (index, segment) in segments.enumerated() {
            switch segment {
            case .words(let words): phrase.append(contentsOf: words)
            case .run(let run):
                let isLast = index == segments.count - 1
                phrase.append(runSeparator)
                append(run, to: &phrase, isComplete: !isLast)
                phrase.append(runSeparator)
                // A single character begins a pair. Two are a whole pair already.
                if isLast { isPrefix = run.count == 1 }
            }
        }
        return (String(phrase), isPrefix)
    }
}

// MARK: - Excerpts

extension SearchIndex {
    /// Joins the pairs of an excerpt again.
    ///
    /// - Parameter marked: An excerpt in the form of the index, with marks around matches.
    /// - Returns: The excerpt; `nil` if nothing in it matches.
    static func excerpt(from marked: String) -> TextExcerpt? {
        var (isMatch, isShared) = (false, false)
        var scalars: [(scalar: Unicode.Scalar, isMatch: Bool)] = []
        for scalar in marked.unicodeScalars {
            switch scalar {
            case beginning: isMatch = true
            case end: isMatch = false
            case pairSeparator: isShared = true
            case runSeparator: isShared = false
            default:
                if isShared, let last = scalars.indices.last, scalars[last].scalar == scalar {
                    scalars[last].isMatch = scalars[last].isMatch || isMatch
                } else {
                    scalars.append((scalar, isMatch))
                }
                isShared = false
            }
        }
        guard scalars.contains(where: { $0.isMatch }) else { return nil }
        var parts: [TextExcerpt.Part] = []
        for slice in scalars.chunks(where: { $0.isMatch == $1.isMatch }) {
            let text = String(String.UnicodeScalarView(slice.map { $0.scalar }))
            parts.append(TextExcerpt.Part(text, isMatch: slice.first?.isMatch == true))
        }
        return TextExcerpt(parts)
    }
}

extension Array {
    /// Splits the array between neighbours that don't belong together.
    fileprivate func chunks(where belong: (Element, Element) -> Bool) -> [ArraySlice<Element>] {
        var chunks: [ArraySlice<Element>] = []
        var start = startIndex
        for index in indices.dropFirst() where !belong(self[index - 1], self[index]) {
            chunks.append(self[start..<index])
            start = index
        }
        if start < endIndex { chunks.append(self[start...]) }
        return chunks
    }
}
