import EmojiArtModel
import GRDB
import Persistence

extension BoardWriter {
    /// What a change of a board takes at most, beside its pictures: a snapshot, and a step.
    private static let rowBytes = 4 << 20

    /// Refuses another board where the owner has as many as may be, or the disk is almost full.
    func admitBoard(of owner: String) throws {
        let boards = try OwnerUsage.amount(of: .boards, owner: owner, in: connection)
        if let refusal = blobs.budget.refusalOfBoard(at: boards) { throw BoardStoreError.overBudget(refusal) }
        try admitChange()
    }

    /// Refuses a change of what is on a board where the disk is almost full.
    func admitChange() throws {
        if let refusal = blobs.refusal(adding: Self.rowBytes) { throw BoardStoreError.overBudget(refusal) }
    }

    /// Refuses another picture where the board or the owner has as much as may be.
    func admit(_ staged: StagedBlob, for row: BoardRow) throws {
        let pictures = try Int.fetchOne(
            connection.cachedStatement(sql: "SELECT count(*) FROM art_picture WHERE board = ?"),
            arguments: [row.number])
        if let refusal = blobs.budget.refusalOfPicture(at: pictures ?? 0) {
            throw BoardStoreError.overBudget(refusal)
        }
        do {
            try OwnerUsage.admit([staged], owner: row.owner, budget: blobs.budget, in: connection)
        } catch let refusal as OverBudget {
            throw BoardStoreError.overBudget(refusal)
        }
    }
}

enum BoardUsage {
    /// Begins to count, with the boards and pictures that are there.
    static func introduce(in connection: GRDB.Database) throws {
        let boards = OwnerBudget.Item.boards.name
        try OwnerUsage.count(boards, adding: "1", for: "NEW.owner", after: "INSERT", on: "art_board", in: connection)
        try OwnerUsage.count(boards, adding: "-1", for: "OLD.owner", after: "DELETE", on: "art_board", in: connection)
        try OwnerUsage.countRows(boards, of: "art_board", in: connection)
        // A picture is removed before its board, so the board says whose it was.
        try connection.execute(
            sql: """
                CREATE TRIGGER art_picture_is_used AFTER INSERT ON art_picture
                BEGIN
                    INSERT INTO owner_blob (owner, blob, uses, bytes)
                        SELECT owner, NEW.blob, 0, bytes FROM art_board JOIN blob ON blob.id = NEW.blob
                        WHERE number = NEW.board AND NOT EXISTS (
                            SELECT 1 FROM owner_blob
                            WHERE owner_blob.owner = art_board.owner AND owner_blob.blob = NEW.blob);
                    UPDATE owner_blob SET uses = uses + 1
                        WHERE owner = (SELECT owner FROM art_board WHERE number = NEW.board) AND blob = NEW.blob;
                END;
                CREATE TRIGGER art_picture_was_used AFTER DELETE ON art_picture
                BEGIN
                    UPDATE owner_blob SET uses = uses - 1
                        WHERE owner = (SELECT owner FROM art_board WHERE number = OLD.board) AND blob = OLD.blob;
                    DELETE FROM owner_blob
                        WHERE owner = (SELECT owner FROM art_board WHERE number = OLD.board) AND blob = OLD.blob
                            AND uses <= 0;
                END;
                INSERT INTO owner_blob (owner, blob, uses, bytes)
                    SELECT art_board.owner, blob.id, count(*), blob.bytes FROM art_picture
                    JOIN art_board ON number = board JOIN blob ON blob.id = art_picture.blob
                    WHERE true GROUP BY art_board.owner, blob.id
                    ON CONFLICT (owner, blob) DO UPDATE SET uses = uses + excluded.uses;
                """)
    }
}
