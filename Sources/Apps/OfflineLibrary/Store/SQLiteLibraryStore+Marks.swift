import Foundation
public import OfflineLibraryModel
public import Persistence

// Favourites, tags and notes.

extension SQLiteLibraryStore {
    /// Replaces the marks of pages, all or none.
    public func setMarks(_ marks: [SavedPage.ID: PageMarks], owner: OwnerID) async throws(LibraryError) {
        let pages = marks.map { (id: $0, marks: $1, text: Self.searchedText(of: $1)) }
        let bytes = pages.reduce(0) { $0 + $1.text.utf8.count }
        try await write(of: owner) { [blobs] transaction in
            if let refusal = blobs.refusal(adding: 2 * Self.indexedBytes(of: bytes)) {
                throw LibraryError.overBudget(refusal)
            }
            for (id, marks, text) in pages {
                try Self.setMarks(marks, text: text, of: id, owner: owner, in: transaction)
            }
        }
    }

    private static func setMarks(
        _ marks: PageMarks, text: String, of id: SavedPage.ID, owner: OwnerID, in transaction: any SQLConnection
    ) throws {
        let number = try transaction.value(
            """
            UPDATE library_page SET is_favourite = ?, note = ? WHERE id = ? AND owner = ? AND deleted_at IS NULL
            RETURNING number
            """, [marks.isFavourite, marks.note, id.description, owner], as: Int64.self)
        if let number { try storeTags(of: marks, text: text, page: number, in: transaction) }
    }

    /// The text of marks that is searched, in the form of the index.
    static func searchedText(of marks: PageMarks) -> String {
        SearchIndex.form(of: (marks.tags.map(\.name) + [marks.note]).joined(separator: "\n"))
    }

    /// Stores the tags of marks, and their searched text, in place of previous ones.
    static func storeTags(of marks: PageMarks, text: String, page number: Int64, in transaction: any SQLConnection)
        throws
    {
        try transaction.execute("DELETE FROM library_tag WHERE page = ?", [number])
        for (position, tag) in marks.tags.enumerated() {
            try transaction.execute(
                "INSERT INTO library_tag (page, key, name, position) VALUES (?, ?, ?, ?)",
                [number, tag.key, tag.name, position])
        }
        // The index is changed only with its texts.
        let changed = try transaction.execute(
            "UPDATE library_text SET note = ?1 WHERE page = ?2 AND note != ?1", [text, number])
        if changed > 0 { try SearchedTexts.updateIndex(of: number, in: transaction) }
    }
}
