import Capture
import Foundation
import Futures
public import OfflineLibraryModel
public import Persistence
import Synchronization

// The full-text search.

/// The texts of a page that are searched, in the form of the index.
struct SearchedTexts: Sendable {
    var title: String
    var address: String
    /// The text of the page; `nil` if it isn't known.
    var body: String?

    /// Creates the texts of a page.
    init(title: String, addresses: [URL], body: String?) {
        self.title = SearchIndex.form(of: title)
        var lines: [String] = []
        for address in addresses.map(\.absoluteString) {
            for line in [address, address.removingPercentEncoding] where line.map({ !lines.contains($0) }) ?? false {
                line.map { lines.append($0) }
            }
        }
        self.address = SearchIndex.form(of: lines.joined(separator: "\n"))
        self.body = body.map { SearchIndex.form(of: $0) }
    }

    /// Stores the texts of a page in place of its previous ones.
    func store(of page: Int64, in transaction: any SQLConnection) throws {
        try transaction.execute(
            """
            INSERT INTO library_text (page, title, address, body) VALUES (?, ?, ?, ?)
            ON CONFLICT (page) DO UPDATE SET title = excluded.title, address = excluded.address, body = excluded.body
            """, [page, title, address, body])
        try Self.updateIndex(of: page, in: transaction)
    }

    /// Updates the index after a change of a page's texts in PostgreSQL; in SQLite, triggers do it.
    static func updateIndex(of page: Int64, in transaction: any SQLConnection) throws {
        guard transaction.dialect == .postgreSQL else { return }
        let row = try transaction.row(
            "SELECT title, note, address, body FROM library_text WHERE page = ?", [page])
        guard let row else { return }
        var vector = WordVector()
        try vector.add(row.decode(atIndex: 0), weight: .title)
        try vector.add(row.decode(atIndex: 1), weight: .note)
        try vector.add(row.decode(atIndex: 2), weight: .address)
        try vector.add(row.decode(String?.self, atIndex: 3) ?? "", weight: .body)
        try transaction.execute(
            "UPDATE library_text SET search = CAST(? AS TSVECTOR) WHERE page = ?", [vector.text, page])
    }
}

extension LibraryMigrations {
    /// The columns that identify rows, of tables that have no such constraint in PostgreSQL: its indexes refuse long texts.
    package static let keys = ["library_schedule": ["owner", "key"]]

    /// The index of the searched texts: a virtual table in SQLite, and a column in PostgreSQL.
    package static let searchIndex = DerivedIndex(
        of: "library_text", virtualTables: ["library_search"], columns: ["search"],
        add: { pages, transaction in
            for page in pages {
                switch transaction.dialect {
                case .postgreSQL: try SearchedTexts.updateIndex(of: page, in: transaction)
                case .sqlite:
                    try transaction.execute(
                        """
                        INSERT INTO library_search (rowid, title, address, body, note)
                        SELECT page, title, address, body, note FROM library_text WHERE page = ?
                        """, [page])
                }
            }
        },
        clear: { transaction in
            guard transaction.dialect == .sqlite else { return }
            try transaction.execute("INSERT INTO library_search (library_search) VALUES ('delete-all')")
        })
}

/// Ends a search that takes too long, or whose result is no longer needed.
private final class SearchDeadline: Sendable {
    private let end: ContinuousClock.Instant
    private let isCancelled = Atomic(false)

    init(_ limit: Duration) { end = .now + limit }

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    func check() throws {
        if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
        if ContinuousClock.now >= end { throw LibraryError.storage(LibraryWords.searchTookTooLong) }
    }
}

extension SQLiteLibraryStore {
    /// The number of matches that are ranked: the newest ones.
    package static let maximumRanked = 2_000
    /// The number of words in an excerpt.
    private static let excerptLength = 28

    private struct Match {
        var number: Int64
        var id: String
        var requestedAt: Double
        var isDeleted: Bool
        /// Smaller for better matches.
        var score: Double
    }

    /// Finds pages.
    public func find(
        _ query: LibraryQuery, owner: OwnerID, range: Range<Int>
    ) async throws(LibraryError) -> FoundPages {
        guard !query.isEmpty else { return FoundPages() }
        let deadline = SearchDeadline(searchLimit)
        let found: Result<FoundPages, LibraryError> = await withTaskCancellationHandler {
            do throws(LibraryError) {
                return .success(
                    try await read { connection in
                        try Self.pages(query, owner: owner, range: range, in: connection, deadline)
                    })
            } catch {
                return .failure(error)
            }
        } onCancel: {
            deadline.cancel()
        }
        return try found.get()
    }

    private static func pages(
        _ query: LibraryQuery, owner: OwnerID, range: Range<Int>, in connection: any SQLConnection,
        _ deadline: SearchDeadline
    ) throws -> FoundPages {
        let search: any TextSearch =
            switch connection.dialect {
            case .sqlite: FTS5Search(query.words)
            case .postgreSQL: WordSearch(query.words)
            }
        let condition = condition(of: query.filter, owner: owner, connection.dialect)
        var matches: [Match]
        if search.requiresWords {
            matches = try Self.matches(search.ranked(condition, limit: maximumRanked + 1), in: connection, deadline)
            if matches.count > maximumRanked {
                // An old page with such a title comes before the newest pages with such a text.
                let named = try Self.matches(
                    search.rankedWithoutBody(condition, limit: maximumRanked / 2), in: connection, deadline)
                let known = Set(matches.map(\.number))
                matches.append(contentsOf: named.filter { !known.contains($0.number) })
            }
            matches.sort { ($0.score, -$0.requestedAt, -$0.number) < ($1.score, -$1.requestedAt, -$1.number) }
        } else {
            matches = try newest(without: search.exclusion, condition, in: connection, deadline)
        }
        let isCutOff = matches.count > maximumRanked
        if isCutOff { matches.removeLast(matches.count - maximumRanked) }
        let shown = matches[range.clamped(to: matches.indices)]
        var excerpts: [Int64: TextExcerpt] = [:]
        if search.requiresWords {
            for match in shown {
                try deadline.check()
                let marked = try search.excerpt(of: match.number, words: excerptLength, in: connection)
                excerpts[match.number] = marked.flatMap { SearchIndex.excerpt(from: $0) }
            }
        }
        return FoundPages(
            pages: shown.compactMap { match in
                SavedPage.ID(match.id).map { FoundPages.Page(id: $0, excerpt: excerpts[match.number]) }
            }, count: matches.count { !$0.isDeleted }, hasMore: range.upperBound < matches.count, isCutOff: isCutOff)
    }

    /// The conditions for the address of a row.
    ///
    /// The column has only the host, so a port is compared with the beginnings that an address can have.
    private static func conditions(of site: PageSite, _ dialect: SQLDialect) -> [SQLFragment] {
        var conditions = [SQLFragment("host = ?", [site.host])]
        if dialect == .postgreSQL {
            let part = SQLDialect.indexedPart(of:)
            conditions.append(SQLFragment("\(part("host")) = \(part("?"))", [site.host]))
        }
        guard site.port != nil else { return conditions }
        let beginnings = ["http://", "https://", "http://www.", "https://www."].map { beginning in
            let text = "\(beginning)\(site)/"
            let address = "substr(coalesce(url, library_page.address) || '/', 1, \(text.unicodeScalars.count))"
            return switch dialect {
            case .sqlite: SQLFragment("\(address) = ? COLLATE NOCASE", [text])
            case .postgreSQL: SQLFragment("lower(\(address)) = lower(?)", [text])
            }
        }
        let anyBeginning = beginnings.joined(separator: " OR ")
        return conditions + [SQLFragment("(\(anyBeginning.sql))", anyBeginning.arguments)]
    }

    /// The condition for rows of `library_page`.
    private static func condition(of filter: PageFilter, owner: OwnerID, _ dialect: SQLDialect) -> SQLFragment {
        var conditions = [SQLFragment("owner = ?", [owner])]
        func add(_ sql: String, _ arguments: SQLArguments = []) { conditions.append(SQLFragment(sql, arguments)) }
        if filter.isFavourite { add("is_favourite = 1") }
        if filter.hasNote { add("library_page.note != ''") }
        if let site = filter.site { conditions.append(contentsOf: Self.conditions(of: site, dialect)) }
        if let tag = filter.tag { add("number IN (SELECT page FROM library_tag WHERE key = ?)", [tag.key]) }
        if let since = filter.since { add("requested_at >= ?", [since.timeIntervalSinceReferenceDate]) }
        if let before = filter.before { add("requested_at < ?", [before.timeIntervalSinceReferenceDate]) }
        if let state = filter.reading { conditions.append(Self.condition(of: state)) }
        if filter.isChanged { add(changedCondition(dialect)) }
        switch filter.outcome {
        case .complete: add("state = 'found' AND is_complete = 1")
        case .partial: add("state = 'found' AND is_complete = 0")
        case .failed: add("state = 'failed'")
        case nil: break
        }
        return conditions.joined(separator: " AND ")
    }

    /// The newest pages that meet a condition and aren't excluded.
    private static func newest(
        without exclusion: SQLFragment?, _ condition: SQLFragment, in connection: any SQLConnection,
        _ deadline: SearchDeadline
    ) throws -> [Match] {
        let conditions = [condition, exclusion].compactMap(\.self).joined(separator: " AND ")
        return try matches(
            SQLFragment(
                """
                SELECT number, id, requested_at, deleted_at IS NOT NULL, 0.0 FROM library_page
                WHERE \(conditions.sql) ORDER BY requested_at DESC, number DESC LIMIT \(maximumRanked + 1)
                """, conditions.arguments), in: connection, deadline)
    }

    private static func matches(
        _ statement: SQLFragment, in connection: any SQLConnection, _ deadline: SearchDeadline
    ) throws -> [Match] {
        var matches: [Match] = []
        try deadline.check()
        try connection.forEachRow(statement.sql, statement.arguments) { row in
            try deadline.check()
            matches.append(
                Match(
                    number: try row.decode(atIndex: 0), id: try row.decode(atIndex: 1),
                    requestedAt: try row.decode(atIndex: 2), isDeleted: try row.decode(atIndex: 3),
                    score: try row.decode(atIndex: 4)))
            return true
        }
        return matches
    }
}

/// A search for words in the index of a database.
protocol TextSearch {
    /// Whether a page must contain anything.
    var requiresWords: Bool { get }
    /// The condition for rows of `library_page` that don't contain the excluded words; `nil` if there are none.
    var exclusion: SQLFragment? { get }

    /// A query of the newest matches: their number, ID, time and deletion, and a score, smaller for better ones.
    func ranked(_ condition: SQLFragment, limit: Int) -> SQLFragment
    /// The same query, but of matches in the title, the address, the note and the tags.
    func rankedWithoutBody(_ condition: SQLFragment, limit: Int) -> SQLFragment
    /// An excerpt of a page's text in the form of the index, with marks around matches; `nil` if there is no text.
    func excerpt(of page: Int64, words: Int, in connection: any SQLConnection) throws -> String?
}

/// A search in SQLite's index.
private struct FTS5Search: TextSearch {
    /// The weights of matches in the title, the addresses, the text, and the tags and note.
    private static let weights = "10.0, 4.0, 1.0, 6.0"

    private let expressions: SearchIndex.Expressions

    init(_ words: SearchWords) {
        expressions = SearchIndex.expressions(of: words)
    }

    var requiresWords: Bool { expressions.required != nil }

    var exclusion: SQLFragment? {
        expressions.excluded.map {
            SQLFragment("number NOT IN (SELECT rowid FROM library_search WHERE library_search MATCH ?)", [$0])
        }
    }

    func ranked(_ condition: SQLFragment, limit: Int) -> SQLFragment {
        ranked(expressions.all ?? "", condition, limit)
    }

    func rankedWithoutBody(_ condition: SQLFragment, limit: Int) -> SQLFragment {
        ranked("{title address note} : (\(expressions.all ?? ""))", condition, limit)
    }

    private func ranked(_ expression: String, _ condition: SQLFragment, _ limit: Int) -> SQLFragment {
        SQLFragment(
            """
            SELECT number, id, requested_at, deleted_at IS NOT NULL, bm25(library_search, \(Self.weights))
            FROM library_search JOIN library_page ON number = library_search.rowid
            WHERE library_search MATCH ? AND \(condition.sql)
            ORDER BY library_search.rowid DESC LIMIT ?
            """, [expression] + condition.arguments + [limit])
    }

    func excerpt(of page: Int64, words: Int, in connection: any SQLConnection) throws -> String? {
        try connection.value(
            """
            SELECT snippet(library_search, 2, char(2), char(3), '…', \(words))
            FROM library_search WHERE library_search MATCH ? AND rowid = ?
            """, [expressions.required, page])
    }
}

// MARK: - Texts of earlier archives

extension SQLiteLibraryStore {
    /// The next archive whose page has no text yet.
    public func unreadArchive(after number: Int64) async throws(LibraryError) -> UnreadArchive? {
        let found = try await read { connection -> UnreadArchive? in
            var last = number
            while true {
                // A few, because all rows of a result are read in PostgreSQL.
                let rows = try connection.rows(
                    """
                    SELECT number, id, owner, blob, bytes FROM library_text
                    JOIN library_page ON number = library_text.page
                    JOIN library_file ON library_file.page = number AND kind = '\(FileKind.webArchive.rawValue)'
                    WHERE body IS NULL AND deleted_at IS NULL AND library_text.page > ? ORDER BY library_text.page
                    LIMIT 10
                    """, [last])
                for row in rows {
                    last = try row.decode(atIndex: 0)
                    guard let page = SavedPage.ID(try row.decode(String.self, atIndex: 1)),
                        let blob = BlobStore.ID(try row.decode(String.self, atIndex: 3))
                    else { continue }
                    return UnreadArchive(
                        page: page, owner: try row.decode(atIndex: 2),
                        file: try pageFile(blob, bytes: try row.decode(atIndex: 4), in: connection), number: last)
                }
                if rows.isEmpty { return nil }
            }
        }
        if let found { try await makeLocal(found.file) }
        return found
    }

    /// Stores the text of an archive, unless another text or archive has replaced it.
    public func saveText(_ text: String, of archive: UnreadArchive) async throws(LibraryError) {
        let body = SearchIndex.form(of: text)
        try await write(of: archive.owner) { transaction in
            let changed = try transaction.execute(
                """
                UPDATE library_text SET body = ?1 WHERE page = ?2 AND body IS NULL AND EXISTS (
                    SELECT * FROM library_file
                    WHERE page = ?2 AND kind = '\(FileKind.webArchive.rawValue)' AND blob = ?3)
                """, [body, archive.number, archive.file.digest])
            if changed > 0 { try SearchedTexts.updateIndex(of: archive.number, in: transaction) }
        }
    }
}
