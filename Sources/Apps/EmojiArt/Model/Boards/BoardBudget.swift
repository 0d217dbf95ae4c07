import Foundation
public import Persistence

extension OwnerBudget.Item {
    /// An owner's boards, including deleted ones until they can no longer be restored.
    ///
    /// A board's drawing and log take at most about 18 MB of the database.
    public static let boards = OwnerBudget.Item("art.boards", defaultLimit: 1_000)
    /// The pictures of one board: those that it shows, and those that it has received or shown in the last day.
    ///
    /// Each background that is tried counts as one; a picture takes up to 20 MB.
    public static let boardPictures = OwnerBudget.Item("art.boardPictures", defaultLimit: 100)
}

extension OwnerBudget {
    /// The refusal of another board when the owner has `count` boards; `nil` if there is room.
    package func refusalOfBoard(at count: Int) -> OverBudget? {
        guard count >= self[.boards] else { return nil }
        return OverBudget(.count, ArtWords.tooManyBoards(count, suggestedLimit: self[.boards].doubled))
    }

    /// The refusal of another picture when the board has `count` pictures; `nil` if there is room.
    package func refusalOfPicture(at count: Int) -> OverBudget? {
        guard count >= self[.boardPictures] else { return nil }
        return OverBudget(.count, ArtWords.tooManyPictures(count))
    }
}
