import EmojiArtModel
import GRDB
import Persistence

extension BoardWriter {
    /// What a change of a board takes at most, beside its pictures: a snapshot, and a step.
    private static let rowBytes = 4 << 20

    /// Refuses another board where the owner has as many as may be, or the disk is almost full.
    func admitBoard(of owner: OwnerID) throws {
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
