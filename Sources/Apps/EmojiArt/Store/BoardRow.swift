import EmojiArtModel
import Foundation
import GRDB

/// A board's row, and which snapshot there is of it.
struct BoardRow {
    let number: Int64
    let owner: String
    let id: BoardID
    var name: String
    let created: Moment
    var changed: Moment
    var deleted: Moment?
    let format: Int
    var revision: Int
    var emojiCount: Int
    var background: Background
    /// How many bytes of entries were ever written.
    var logged: Int
    /// The snapshot's revision and what had been logged by then; `nil` where there is none.
    var snapshot: (revision: Int, logged: Int)?

    /// What ``init(_:owner:)`` reads; `art_board` is called `board`.
    static let columns = """
        board.number, board.id, board.name, board.created, board.changed, board.deleted, board.format, board.revision,
        board.emojis, board.address, board.picture, board.logged
        """

    /// Reads ``columns``; `nil` where they make no board.
    init?(_ row: Row, owner: String) {
        guard let id = BoardID(row[1]) else { return nil }
        self.number = row[0]
        self.owner = owner
        self.id = id
        self.name = row[2]
        self.created = Moment(milliseconds: row[3])
        self.changed = Moment(milliseconds: row[4])
        self.deleted = (row[5] as Int64?).map(Moment.init(milliseconds:))
        self.format = row[6]
        self.revision = row[7]
        self.emojiCount = row[8]
        if let address: Data = row[9] {
            self.background = .address(String(decoding: address, as: UTF8.self))
        } else {
            self.background = (row[10] as String?).flatMap { PictureID($0) }.map { .picture($0) } ?? .blank
        }
        self.logged = row[11]
    }

    var summary: BoardSummary {
        BoardSummary(
            id: id, name: name, emojiCount: emojiCount, created: created.date, changed: changed.date,
            revision: revision)
    }

    /// What is told when it cannot be read.
    ///
    /// - Parameter what: What of it, as in “its log from step 3 on”.
    /// - Returns: The same as an error, with what to do now.
    func damage(_ what: String) -> BoardStoreError {
        .failed(
            "“\(name)” is damaged: \(what) is not what was written. Nothing of it was changed. Put back a backup of "
                + "the data folder, or go on on another board.")
    }

    /// Refuses a board that a newer program has written.
    func mustBeKnown() throws(BoardStoreError) {
        guard format <= ArtSnapshot.format else { throw .fromTheFuture(id) }
    }
}

extension Background {
    /// What is in the columns `address` and `picture`.
    var columns: (address: Data?, picture: String?) {
        switch self {
        case .blank: (nil, nil)
        case .address(let address): (Data(address.utf8), nil)
        case .picture(let picture): (nil, picture.rawValue)
        }
    }
}
