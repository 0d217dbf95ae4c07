import Foundation
import GRDB
public import OfflineLibraryModel
public import Persistence

// How far pages have been read.

extension SQLiteLibraryStore {
    /// Records how far a page has been read, unless a later position is stored.
    public func setPosition(
        _ position: ReadingPosition, in view: ReadingView, of id: SavedPage.ID, owner: OwnerID
    ) async throws(LibraryError) {
        try await run(database.write) { transaction in
            try transaction.execute(
                sql: """
                    INSERT INTO library_position (page, view, share, paragraph, changed_at)
                    SELECT number, ?3, ?4, ?5, ?6 FROM library_page
                    WHERE id = ?1 AND owner = ?2 AND deleted_at IS NULL
                    ON CONFLICT (page, view) DO UPDATE
                    SET share = excluded.share, paragraph = excluded.paragraph, changed_at = excluded.changed_at
                    WHERE excluded.changed_at > library_position.changed_at
                    """,
                arguments: [
                    id.description, owner, view.rawValue, position.share, position.paragraph,
                    position.changedAt.timeIntervalSinceReferenceDate,
                ])
        }
    }
}

extension SQLiteLibraryStore {
    /// Replaces the positions that say whether the owner has marked pages as read or unread, all or none.
    public func setReadingMarks(
        _ marks: [SavedPage.ID: ReadingPosition?], owner: OwnerID
    ) async throws(LibraryError) {
        try await run(database.write) { transaction in
            for (id, mark) in marks {
                guard let mark else {
                    try transaction.execute(
                        sql: """
                            DELETE FROM library_position WHERE view = ? AND page IN (
                                SELECT number FROM library_page WHERE id = ? AND owner = ? AND deleted_at IS NULL)
                            """, arguments: [ReadingView.marked.rawValue, id.description, owner])
                    continue
                }
                try transaction.execute(
                    sql: """
                        INSERT OR REPLACE INTO library_position (page, view, share, paragraph, changed_at)
                        SELECT number, ?3, ?4, NULL, ?5 FROM library_page
                        WHERE id = ?1 AND owner = ?2 AND deleted_at IS NULL
                        """,
                    arguments: [
                        id.description, owner, ReadingView.marked.rawValue, mark.share,
                        mark.changedAt.timeIntervalSinceReferenceDate,
                    ])
            }
        }
    }

    /// The condition for rows of `library_page` with a state, as ``ReadingState`` is determined from positions.
    static func condition(of state: ReadingState) -> SQL {
        """
        coalesce((
            SELECT CASE WHEN share >= \(ReadingPosition.finishedShare) THEN 'finished'
                WHEN view = 'marked' THEN NULL ELSE 'started' END
            FROM library_position WHERE page = number AND view IN ('reader', 'picture', 'marked')
            ORDER BY changed_at DESC LIMIT 1
        ), iif((
            SELECT max(changed_at) FROM library_position WHERE page = number AND view = 'opened'
        ) > coalesce((
            SELECT changed_at FROM library_position WHERE page = number AND view = 'marked'
        ), \(Date.distantPast.timeIntervalSinceReferenceDate)), 'started', 'unread')) = \(state.rawValue)
        """
    }
}

/// A row of the table `library_position`.
struct PositionRow: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "library_position"
    static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase

    let page: Int64
    let view: String
    let share: Double
    let paragraph: Int?
    let changedAt: Double

    static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase

    /// Creates the row of a position.
    init(_ position: ReadingPosition, in view: ReadingView, of page: Int64) {
        (self.page, self.view, share, paragraph) = (page, view.rawValue, position.share, position.paragraph)
        changedAt = position.changedAt.timeIntervalSinceReferenceDate
    }

    /// The positions of an owner's pages; rows of views that this version doesn't know are skipped.
    static func positions(
        ofOwner owner: OwnerID, in connection: Database
    ) throws -> [Int64: [ReadingView: ReadingPosition]] {
        let rows = try PositionRow.fetchAll(
            connection,
            sql: "SELECT library_position.* FROM library_position JOIN library_page ON number = page WHERE owner = ?",
            arguments: [owner])
        var positions: [Int64: [ReadingView: ReadingPosition]] = [:]
        for row in rows {
            guard let view = ReadingView(rawValue: row.view) else { continue }
            positions[row.page, default: [:]][view] = ReadingPosition(
                share: row.share, paragraph: row.paragraph,
                changedAt: Date(timeIntervalSinceReferenceDate: row.changedAt))
        }
        return positions
    }
}
