import Foundation
public import OfflineLibraryModel
public import Persistence

// How far pages have been read.

extension SQLiteLibraryStore {
    /// Records how far a page has been read, unless a later position is stored.
    public func setPosition(
        _ position: ReadingPosition, in view: ReadingView, of id: SavedPage.ID, owner: OwnerID
    ) async throws(LibraryError) {
        try await write(of: owner) { transaction in
            try transaction.execute(
                """
                INSERT INTO library_position (page, view, share, paragraph, changed_at)
                SELECT number, ?3, CAST(?4 AS DOUBLE PRECISION), CAST(?5 AS BIGINT), CAST(?6 AS DOUBLE PRECISION)
                FROM library_page WHERE id = ?1 AND owner = ?2 AND deleted_at IS NULL
                ON CONFLICT (page, view) DO UPDATE
                SET share = excluded.share, paragraph = excluded.paragraph, changed_at = excluded.changed_at
                WHERE excluded.changed_at > library_position.changed_at
                """,
                [
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
        try await write(of: owner) { transaction in
            for (id, mark) in marks {
                guard let mark else {
                    try transaction.execute(
                        """
                        DELETE FROM library_position WHERE view = ? AND page IN (
                            SELECT number FROM library_page WHERE id = ? AND owner = ? AND deleted_at IS NULL)
                        """, [ReadingView.marked.rawValue, id.description, owner])
                    continue
                }
                try transaction.execute(
                    """
                    INSERT INTO library_position (page, view, share, paragraph, changed_at)
                    SELECT number, ?3, CAST(?4 AS DOUBLE PRECISION), NULL, CAST(?5 AS DOUBLE PRECISION)
                    FROM library_page WHERE id = ?1 AND owner = ?2 AND deleted_at IS NULL
                    ON CONFLICT (page, view) DO UPDATE
                    SET share = excluded.share, paragraph = NULL, changed_at = excluded.changed_at
                    """,
                    [
                        id.description, owner, ReadingView.marked.rawValue, mark.share,
                        mark.changedAt.timeIntervalSinceReferenceDate,
                    ])
            }
        }
    }

    /// The condition for rows of `library_page` with a state, as ``ReadingState`` is determined from positions.
    static func condition(of state: ReadingState) -> SQLFragment {
        SQLFragment(
            """
            coalesce((
                SELECT CASE WHEN share >= ? THEN 'finished' WHEN view = 'marked' THEN NULL ELSE 'started' END
                FROM library_position WHERE page = number AND view IN ('reader', 'picture', 'marked')
                ORDER BY changed_at DESC LIMIT 1
            ), CASE WHEN (
                SELECT max(changed_at) FROM library_position WHERE page = number AND view = 'opened'
            ) > coalesce((
                SELECT changed_at FROM library_position WHERE page = number AND view = 'marked'
            ), ?) THEN 'started' ELSE 'unread' END) = ?
            """,
            [
                ReadingPosition.finishedShare, Date.distantPast.timeIntervalSinceReferenceDate, state.rawValue,
            ])
    }
}

extension ReadingPosition {
    /// Inserts the position as a row of the table `library_position`.
    func insert(in view: ReadingView, of page: Int64, _ transaction: any SQLConnection) throws {
        try transaction.execute(
            "INSERT INTO library_position (page, view, share, paragraph, changed_at) VALUES (?, ?, ?, ?, ?)",
            [page, view.rawValue, share, paragraph, changedAt.timeIntervalSinceReferenceDate])
    }

    /// The positions of an owner's pages; rows of views that this version doesn't know are skipped.
    static func positions(
        ofOwner owner: OwnerID, in connection: any SQLConnection
    ) throws -> [Int64: [ReadingView: ReadingPosition]] {
        var positions: [Int64: [ReadingView: ReadingPosition]] = [:]
        try connection.forEachRow(
            """
            SELECT page, view, share, paragraph, changed_at FROM library_position
            JOIN library_page ON number = page WHERE owner = ?
            """, [owner]
        ) { row in
            guard let view = ReadingView(rawValue: try row.decode(atIndex: 1)) else { return true }
            positions[try row.decode(atIndex: 0), default: [:]][view] = ReadingPosition(
                share: try row.decode(atIndex: 2), paragraph: try row.decode(atIndex: 3),
                changedAt: Date(timeIntervalSinceReferenceDate: try row.decode(atIndex: 4)))
            return true
        }
        return positions
    }
}
