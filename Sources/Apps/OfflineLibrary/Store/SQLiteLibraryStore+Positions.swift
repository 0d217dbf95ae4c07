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

/// A row of the table `library_position`.
struct PositionRow: Decodable, FetchableRecord {
    let page: Int64
    let view: String
    let share: Double
    let paragraph: Int?
    let changedAt: Double

    static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase

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
