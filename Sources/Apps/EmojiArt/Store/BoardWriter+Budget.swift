import EmojiArtModel
import Persistence

extension BoardWriter {
    /// The maximum bytes that a change of a board adds, without pictures: a snapshot and a log entry.
    private static let rowBytes = 4 << 20

    /// Throws if the owner has the maximum number of boards, or the disk is almost full.
    func admitBoard(of owner: OwnerID) throws {
        let boards = try OwnerUsage.amount(of: .boards, owner: owner, in: connection)
        if let refusal = blobs.budget.refusalOfBoard(at: boards) { throw BoardStoreError.overBudget(refusal) }
        try admitChange()
    }

    /// Throws if the disk is almost full.
    func admitChange() throws {
        if let refusal = blobs.refusal(adding: Self.rowBytes) { throw BoardStoreError.overBudget(refusal) }
    }

    /// Throws if the board has the maximum number of pictures, or the owner's budget is exhausted.
    func admit(_ staged: StagedBlob, for row: BoardRow) throws {
        let pictures = try connection.value(
            "SELECT count(*) FROM art_picture WHERE board = ?", [row.number], as: Int.self)
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
