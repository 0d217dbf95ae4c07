import Capture
import Foundation
import Futures
import GRDB
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
    func store(of page: Int64, in connection: Database) throws {
        try connection.execute(
            sql: """
                INSERT INTO library_text (page, title, address, body) VALUES (?, ?, ?, ?)
                ON CONFLICT (page) DO UPDATE SET title = excluded.title, address = excluded.address, body = excluded.body
                """, arguments: [page, title, address, body])
    }
}

/// Ends a search that takes too long, or whose result is no longer needed.
private final class SearchDeadline: Sendable {
    private static let limit = Duration.seconds(5)

    private let end = ContinuousClock.now + limit
    private let isCancelled = Atomic(false)

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    func check() throws {
        if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
        if ContinuousClock.now >= end { throw LibraryError.storage(LibraryWords.searchTookTooLong) }
    }
}

extension SQLiteLibraryStore {
    /// The number of matches that are ranked: the newest ones.
    package static let maximumRanked = 2_000
    /// The weights of matches in the title, the addresses, the text, and the tags and note.
    private static let weights = "10.0, 4.0, 1.0, 6.0"
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
        let deadline = SearchDeadline()
        let found: Result<FoundPages, LibraryError> = await withTaskCancellationHandler {
            do throws(LibraryError) {
                return .success(
                    try await run(database.read) { connection in
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
        _ query: LibraryQuery, owner: OwnerID, range: Range<Int>, in connection: Database, _ deadline: SearchDeadline
    ) throws -> FoundPages {
        let expressions = SearchIndex.expressions(of: query.words)
        let condition = condition(of: query.filter, owner: owner)
        var matches: [Match]
        if let expression = expressions.all {
            matches = try ranked(expression, condition, limit: maximumRanked + 1, in: connection, deadline)
            if matches.count > maximumRanked {
                // An old page with such a title comes before the newest pages with such a text.
                let named = try ranked(
                    "{title address note} : (\(expression))", condition, limit: maximumRanked / 2, in: connection,
                    deadline)
                let known = Set(matches.map(\.number))
                matches.append(contentsOf: named.filter { !known.contains($0.number) })
            }
            matches.sort { ($0.score, -$0.requestedAt, -$0.number) < ($1.score, -$1.requestedAt, -$1.number) }
        } else {
            matches = try newest(without: expressions.excluded, condition, in: connection, deadline)
        }
        let isCutOff = matches.count > maximumRanked
        if isCutOff { matches.removeLast(matches.count - maximumRanked) }
        let shown = matches[range.clamped(to: matches.indices)]
        let excerpts = try expressions.required.map { try Self.excerpts($0, of: shown, in: connection, deadline) }
        return FoundPages(
            pages: shown.compactMap { match in
                SavedPage.ID(match.id).map { FoundPages.Page(id: $0, excerpt: excerpts?[match.number]) }
            }, count: matches.count { !$0.isDeleted }, hasMore: range.upperBound < matches.count, isCutOff: isCutOff)
    }

    /// The conditions for the address of a row.
    ///
    /// The column has only the host, so a port is compared with the beginnings that an address can have.
    private static func conditions(of site: PageSite) -> [SQL] {
        guard site.port != nil else { return ["host = \(site.host)"] }
        let beginnings: [SQL] = ["http://", "https://", "http://www.", "https://www."].map { beginning in
            let text = "\(beginning)\(site)/"
            return
                "substr(coalesce(url, library_page.address) || '/', 1, \(text.unicodeScalars.count)) = \(text) COLLATE NOCASE"
        }
        return ["host = \(site.host)", "(\(beginnings.joined(separator: " OR ")))"]
    }

    /// The condition for rows of `library_page`.
    private static func condition(of filter: PageFilter, owner: OwnerID) -> SQL {
        var conditions: [SQL] = ["owner = \(owner)"]
        if filter.isFavourite { conditions.append("is_favourite = 1") }
        if filter.hasNote { conditions.append("library_page.note != ''") }
        if let site = filter.site { conditions.append(contentsOf: Self.conditions(of: site)) }
        if let tag = filter.tag {
            conditions.append("number IN (SELECT page FROM library_tag WHERE key = \(tag.key))")
        }
        if let since = filter.since { conditions.append("requested_at >= \(since.timeIntervalSinceReferenceDate)") }
        if let before = filter.before { conditions.append("requested_at < \(before.timeIntervalSinceReferenceDate)") }
        if let state = filter.reading { conditions.append(Self.condition(of: state)) }
        if filter.isChanged { conditions.append(SQL(sql: changedCondition)) }
        switch filter.outcome {
        case .complete: conditions.append("state = 'found' AND is_complete = 1")
        case .partial: conditions.append("state = 'found' AND is_complete = 0")
        case .failed: conditions.append("state = 'failed'")
        case nil: break
        }
        return conditions.joined(separator: " AND ")
    }

    /// The newest pages that match an expression and a condition, with their scores.
    private static func ranked(
        _ expression: String, _ condition: SQL, limit: Int, in connection: Database, _ deadline: SearchDeadline
    ) throws -> [Match] {
        try matches(
            """
            SELECT number, id, requested_at, deleted_at IS NOT NULL, bm25(library_search, \(sql: weights))
            FROM library_search JOIN library_page ON number = library_search.rowid
            WHERE library_search MATCH \(expression) AND \(condition)
            ORDER BY library_search.rowid DESC LIMIT \(limit)
            """, in: connection, deadline)
    }

    /// The newest pages that meet a condition and don't match an expression.
    private static func newest(
        without expression: String?, _ condition: SQL, in connection: Database, _ deadline: SearchDeadline
    ) throws -> [Match] {
        let exclusion: SQL? = expression.map {
            "number NOT IN (SELECT rowid FROM library_search WHERE library_search MATCH \($0))"
        }
        return try matches(
            """
            SELECT number, id, requested_at, deleted_at IS NOT NULL, 0.0 FROM library_page
            WHERE \([condition, exclusion].compactMap(\.self).joined(separator: " AND "))
            ORDER BY requested_at DESC, number DESC LIMIT \(maximumRanked + 1)
            """, in: connection, deadline)
    }

    private static func matches(_ sql: SQL, in connection: Database, _ deadline: SearchDeadline) throws -> [Match] {
        var matches: [Match] = []
        let rows = try SQLRequest<Row>(literal: sql).fetchCursor(connection)
        try deadline.check()
        while let row = try rows.next() {
            try deadline.check()
            matches.append(Match(number: row[0], id: row[1], requestedAt: row[2], isDeleted: row[3], score: row[4]))
        }
        return matches
    }

    /// The excerpts of the texts that match an expression, by page.
    private static func excerpts(
        _ expression: String, of matches: ArraySlice<Match>, in connection: Database, _ deadline: SearchDeadline
    ) throws -> [Int64: TextExcerpt] {
        let statement = try connection.cachedStatement(
            sql: """
                SELECT snippet(library_search, 2, char(2), char(3), '…', \(excerptLength))
                FROM library_search WHERE library_search MATCH ? AND rowid = ?
                """)
        var excerpts: [Int64: TextExcerpt] = [:]
        for match in matches {
            try deadline.check()
            let marked = try String.fetchOne(statement, arguments: [expression, match.number])
            excerpts[match.number] = marked.flatMap { SearchIndex.excerpt(from: $0) }
        }
        return excerpts
    }
}

// MARK: - Texts of earlier archives

extension SQLiteLibraryStore {
    /// The next archive whose page has no text yet.
    public func unreadArchive(after number: Int64) async throws(LibraryError) -> UnreadArchive? {
        try await run(database.read) { connection in
            let rows = try Row.fetchCursor(
                connection,
                sql: """
                    SELECT number, id, owner, blob, bytes FROM library_text
                    JOIN library_page ON number = library_text.page
                    JOIN library_file ON library_file.page = number AND kind = '\(FileKind.webArchive.rawValue)'
                    WHERE body IS NULL AND deleted_at IS NULL AND library_text.page > ? ORDER BY library_text.page
                    """, arguments: [number])
            while let row = try rows.next() {
                guard let page = SavedPage.ID(row["id"]), let blob = BlobStore.ID(row["blob"]) else { continue }
                return UnreadArchive(
                    page: page, owner: row["owner"],
                    file: try pageFile(blob, bytes: row["bytes"], in: connection),
                    number: row["number"])
            }
            return nil
        }
    }

    /// Stores the text of an archive, unless another text or archive has replaced it.
    public func saveText(_ text: String, of archive: UnreadArchive) async throws(LibraryError) {
        let body = SearchIndex.form(of: text)
        try await run(database.write) { transaction in
            try transaction.execute(
                sql: """
                    UPDATE library_text SET body = ?1 WHERE page = ?2 AND body IS NULL AND EXISTS (
                        SELECT * FROM library_file
                        WHERE page = ?2 AND kind = '\(FileKind.webArchive.rawValue)' AND blob = ?3)
                    """, arguments: [body, archive.number, archive.file.digest])
        }
    }
}
