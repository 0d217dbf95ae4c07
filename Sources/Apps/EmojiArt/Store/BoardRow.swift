import EmojiArtModel
import Foundation
import Persistence

/// The row of a board, with the position of its snapshot.
struct BoardRow {
    let number: Int64
    let owner: OwnerID
    let id: BoardID
    var name: String
    let created: Moment
    var changed: Moment
    var deleted: Moment?
    let format: Int
    var revision: Int
    var emojiCount: Int
    var background: Background
    /// The total bytes of entries ever written to the log.
    var logged: Int
    /// The snapshot's revision and the value of ``logged`` at that time; `nil` if there is none.
    var snapshot: (revision: Int, logged: Int)?

    /// The columns that ``init(_:owner:)`` reads; the query must alias `art_board` as `board`.
    static let columns = """
        board.number, board.id, board.name, board.created, board.changed, board.deleted, board.format, board.revision,
        board.emojis, board.address, board.picture, board.logged
        """

    /// Decodes ``columns``; `nil` if the id is invalid.
    init?(_ row: SQLRow, owner: OwnerID) throws {
        guard let id = BoardID(try row.decode(String.self, atIndex: 1)) else { return nil }
        self.number = try row.decode(atIndex: 0)
        self.owner = owner
        self.id = id
        self.name = try row.decode(atIndex: 2)
        self.created = Moment(milliseconds: try row.decode(atIndex: 3))
        self.changed = Moment(milliseconds: try row.decode(atIndex: 4))
        self.deleted = try row.decode(Int64?.self, atIndex: 5).map(Moment.init(milliseconds:))
        self.format = try row.decode(atIndex: 6)
        self.revision = try row.decode(atIndex: 7)
        self.emojiCount = try row.decode(atIndex: 8)
        if let address: Data = try row.decode(atIndex: 9) {
            self.background = .address(String(decoding: address, as: UTF8.self))
        } else {
            let picture: String? = try row.decode(atIndex: 10)
            self.background = picture.flatMap { PictureID($0) }.map { .picture($0) } ?? .blank
        }
        self.logged = try row.decode(atIndex: 11)
    }

    var summary: BoardSummary {
        BoardSummary(
            id: id, name: name, emojiCount: emojiCount, created: created.date, changed: changed.date,
            revision: revision)
    }

    /// The error for a damaged part of the board, such as “its log from step 3 on”.
    func damage(_ what: String) -> BoardStoreError {
        .failed(ArtWords.damagedBoard(name, what))
    }

    /// Throws if a counter is negative, or larger than any program can have reached.
    ///
    /// Arithmetic with the remaining values can't overflow.
    func checkCounters() throws(BoardStoreError) {
        let counts = 0..<(1 << 53)
        guard counts.contains(revision), counts.contains(logged), counts.contains(snapshot?.revision ?? 0),
            counts.contains(snapshot?.logged ?? 0)
        else {
            throw damage(ArtWords.counter)
        }
    }

    /// Throws if a newer program has written the board.
    func checkFormat() throws(BoardStoreError) {
        guard format <= ArtSnapshot.format else { throw .newerVersion(id) }
    }
}

extension Background {
    /// The values of the columns `address` and `picture`.
    var columns: (address: Data?, picture: String?) {
        switch self {
        case .blank: (nil, nil)
        case .address(let address): (Data(address.utf8), nil)
        case .picture(let picture): (nil, picture.rawValue)
        }
    }
}
