import OfflineLibraryModel
import Persistence

/// A search in PostgreSQL's index of words.
struct WordSearch: TextSearch {
    /// The weights of matches in the text, the addresses, the tags and note, and the title.
    ///
    /// As with FTS5, a match in the title counts ten times as much as one in the text. The score of a word grows little
    /// with the number of its matches, so that a match in the title comes before any number of them in the text.
    private static let weights = "{0.1, 0.4, 0.6, 1.0}"

    private let required: [WordPhrase]
    private let excluded: [WordPhrase]

    init(_ words: SearchWords) {
        required = words.required.map(WordPhrase.init)
        excluded = words.excluded.map(WordPhrase.init)
    }

    var requiresWords: Bool { !required.isEmpty }

    var exclusion: SQLFragment? {
        let query = query(excluded, " | ")
        guard !query.isEmpty else { return nil }
        return SQLFragment(
            "number NOT IN (SELECT page FROM library_text WHERE search @@ CAST(? AS TSQUERY))", [query])
    }

    func ranked(_ condition: SQLFragment, limit: Int) -> SQLFragment {
        ranked(query(required, " & "), condition, limit)
    }

    func rankedWithoutBody(_ condition: SQLFragment, limit: Int) -> SQLFragment {
        ranked(query(required, " & ", weights: "ABC"), condition, limit)
    }

    private func ranked(_ required: String, _ condition: SQLFragment, _ limit: Int) -> SQLFragment {
        let excluded = query(excluded, " | ")
        let query = required.isEmpty || excluded.isEmpty ? required : "\(required) & !(\(excluded))"
        // The scores only of the newest matches are computed.
        return SQLFragment(
            """
            SELECT number, id, requested_at, is_deleted,
                CAST(-ts_rank('\(Self.weights)', search, CAST(? AS TSQUERY), 1) AS DOUBLE PRECISION)
            FROM (
                SELECT number, id, requested_at, deleted_at IS NOT NULL AS is_deleted, search
                FROM library_text JOIN library_page ON number = library_text.page
                WHERE search @@ CAST(? AS TSQUERY) AND \(condition.sql) ORDER BY number DESC LIMIT ?
            ) AS newest
            """, [rankedWords, query] + condition.arguments + [limit])
    }

    /// The query that determines the score: each word counts alone, as with FTS5.
    private var rankedWords: String {
        required.flatMap { phrase in
            phrase.words.enumerated().map { number, word in
                phrase.isPrefix && number == phrase.words.count - 1 ? "'\(word)':*" : "'\(word)'"
            }
        }.joined(separator: " | ")
    }

    private func query(_ phrases: [WordPhrase], _ separator: String, weights: String = "") -> String {
        phrases.compactMap { $0.query(weights: weights) }.joined(separator: separator)
    }

    func excerpt(of page: Int64, words: Int, in connection: any SQLConnection) throws -> String? {
        let body = try connection.value("SELECT body FROM library_text WHERE page = ?", [page], as: String.self)
        return body.flatMap { WordExcerpt($0, matching: required)?.marked(words: words) }
    }
}

/// The words of a term, which must follow one another.
struct WordPhrase {
    let words: [String]
    /// Whether the last word may be the beginning of a longer one.
    let isPrefix: Bool

    init(_ term: SearchWords.Term) {
        let (text, isPrefix) = SearchIndex.phrase(of: term)
        var words: [String] = []
        var splitter = WordSplitter()
        splitter.forEachWord(in: text) { word, _ in words.append(word) }
        (self.words, self.isPrefix) = (words, isPrefix)
    }

    /// The phrase as a `tsquery` of PostgreSQL.
    ///
    /// - Parameter weights: The letters of the texts in which it must be; empty for all texts.
    /// - Returns: `nil` if it has no words.
    func query(weights: String) -> String? {
        guard let last = words.last else { return nil }
        let suffix = weights.isEmpty ? "" : ":\(weights)"
        let terms = words.dropLast().map { "'\($0)'\(suffix)" } + ["'\(last)'\(isPrefix ? ":*\(weights)" : suffix)"]
        return "(\(terms.joined(separator: " <-> ")))"
    }
}

/// Finds the best excerpt of a text, as FTS5's function `snippet` does.
struct WordExcerpt {
    private struct Match {
        var range: Range<Int>
        var phrase: Int
    }

    private let text: String
    /// The ranges of the words.
    private let words: [Range<String.Index>]
    /// The matches, in their order.
    private let matches: [Match]
    /// The numbers of the words that begin sentences.
    private let sentences: [Int]

    /// - Returns: `nil` if nothing matches.
    init?(_ text: String, matching phrases: [WordPhrase]) {
        var (words, ranges, sentences): ([String], [Range<String.Index>], [Int]) = ([], [], [])
        var splitter = WordSplitter()
        splitter.forEachWord(in: text) { word, range in
            if words.isEmpty || Self.isSentence(at: range.lowerBound, in: text) { sentences.append(words.count) }
            words.append(word)
            ranges.append(range)
        }
        var matches: [Match] = []
        for start in words.indices {
            for (number, phrase) in phrases.enumerated() where phrase.matches(words[start...]) {
                matches.append(Match(range: start..<start + phrase.words.count, phrase: number))
            }
        }
        guard !matches.isEmpty else { return nil }
        (self.text, self.words, self.matches, self.sentences) = (text, ranges, matches, sentences)
    }

    /// Whether a word after spaces and a full stop or colon begins here.
    private static func isSentence(at index: String.Index, in text: String) -> Bool {
        let before = text.unicodeScalars[..<index]
        guard let last = before.last, [" ", "\t", "\n", "\r"].contains(last) else { return false }
        let end = before.last { ![" ", "\t", "\n", "\r"].contains($0) }
        return end == "." || end == ":"
    }

    /// The excerpt with the most phrases, with marks around matches.
    func marked(words count: Int) -> String {
        var best = (score: 0, start: 0)
        func consider(_ score: Int, _ start: Int) {
            if score > best.score { best = (score, start) }
        }
        var sentence = 0
        for match in matches {
            let (score, start) = score(from: match.range.lowerBound, count)
            consider(score, start)
            // A short text is shown whole.
            guard words.count > count else { continue }
            while sentence + 1 < sentences.count, sentences[sentence + 1] <= match.range.lowerBound { sentence += 1 }
            let first = sentences[sentence]
            guard first < match.range.lowerBound else { continue }
            consider(self.score(from: first, count).score + (first == 0 ? 120 : 100), first)
        }
        return marked(best.start..<min(best.start + count, words.count))
    }

    /// The score of the excerpt that begins with a word, and the beginning that puts its matches in the middle.
    private func score(from position: Int, _ count: Int) -> (score: Int, start: Int) {
        var (score, end) = (0, position)
        var (seen, first): (Set<Int>, Int?) = ([], nil)
        for match in matches[firstMatch(from: position)...] {
            guard match.range.lowerBound < position + count else { break }
            score += seen.insert(match.phrase).inserted ? 1_000 : 1
            first = first ?? match.range.lowerBound
            end = match.range.upperBound
        }
        let middle = (first ?? position) - (count - (end - (first ?? position))) / 2
        return (score, max(0, min(middle, words.count - count)))
    }

    /// The first match at a position or after it.
    private func firstMatch(from position: Int) -> Int {
        var (low, high) = (0, matches.count)
        while low < high {
            let middle = (low + high) / 2
            if matches[middle].range.lowerBound < position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func marked(_ range: Range<Int>) -> String {
        var marked = String.UnicodeScalarView(range.lowerBound > 0 ? "…".unicodeScalars : "".unicodeScalars)
        let scalars = text.unicodeScalars
        var index = range.lowerBound > 0 ? words[range.lowerBound].lowerBound : text.startIndex
        for match in merged where match.overlaps(range) {
            let shown = match.clamped(to: range)
            let (start, end) = (words[shown.lowerBound].lowerBound, words[shown.upperBound - 1].upperBound)
            marked.append(contentsOf: scalars[index..<start])
            marked.append(SearchIndex.beginning)
            marked.append(contentsOf: scalars[start..<end])
            marked.append(SearchIndex.end)
            index = end
        }
        if range.upperBound < words.count {
            marked.append(contentsOf: scalars[index..<words[range.upperBound - 1].upperBound])
            marked.append("…")
        } else {
            marked.append(contentsOf: scalars[index...])
        }
        return String(marked)
    }

    /// The ranges of the matches; those that overlap are one.
    private var merged: [Range<Int>] {
        matches.map(\.range).reduce(into: []) { merged, range in
            if let last = merged.last, range.lowerBound < last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
    }
}

extension WordPhrase {
    /// Whether a text begins with the phrase.
    fileprivate func matches(_ text: ArraySlice<String>) -> Bool {
        guard let last = words.last, text.count >= words.count else { return false }
        for (word, other) in zip(words.dropLast(), text) where word != other { return false }
        let other = text[text.startIndex + words.count - 1]
        return isPrefix ? other.hasPrefix(last) : other == last
    }
}
