public import EmojiArtModel
import Foundation
import Persistence
import Testing

// Identifiers as literals: an invalid one ends the test program, as any invalid literal does.

extension BoardID: ExpressibleByStringLiteral {
    /// Creates an identifier from a literal in a test.
    public init(stringLiteral value: String) {
        guard let id = BoardID(value) else { preconditionFailure("“\(value)” isn't the ID of a board.") }
        self = id
    }
}

extension EmojiID: ExpressibleByStringLiteral {
    /// Creates an identifier from a literal in a test.
    public init(stringLiteral value: String) {
        guard let id = EmojiID(value) else { preconditionFailure("“\(value)” isn't the ID of an emoji.") }
        self = id
    }
}

extension Emoji {
    static func test(_ id: EmojiID, _ text: String = "🐶", x: Double = 0, z: Double = 0) -> Emoji {
        Emoji(id: id, text: text, x: x, y: -2.5, size: 40, z: z)
    }
}

extension EmojiArt {
    /// A board with `count` emoji, whose IDs are `e0`, `e1` and so on.
    static func test(_ count: Int, background: Background = .blank) throws -> EmojiArt {
        try EmojiArt(
            background: background,
            emojis: (0..<count).map { number in Emoji.test(EmojiID("e\(number)") ?? "none", x: Double(number)) })
    }
}

extension ArtOperation {
    static func add(_ id: EmojiID, x: Double = 0) -> ArtOperation { .add(.test(id, x: x)) }
}

extension PictureContent {
    static func test(
        _ text: String = "picture", type: String = "image/png", size: PictureSize? = nil
    ) -> PictureContent {
        PictureContent(data: Data(text.utf8), type: type, size: size)
    }
}

/// Calls with default arguments; the default owner is Ann.
extension BoardStoring {
    @discardableResult
    func create(
        _ id: BoardID, named name: String = "A board", art: EmojiArt = EmojiArt(), owner: OwnerID = "ann"
    ) async throws(BoardStoreError) -> BoardSummary {
        try await create(id, named: name, art: art, owner: owner)
    }

    @discardableResult
    func apply(
        _ batch: String, _ operations: ArtOperation..., to board: BoardID = "board", owner: OwnerID = "ann",
        author: String = "author"
    ) async throws(BoardStoreError) -> BatchOutcome {
        try await apply(
            OperationBatch(id: batch, name: "Step \(batch)", operations: operations), to: board, owner: owner,
            author: author)
    }

    func board(_ id: BoardID = "board") async throws(BoardStoreError) -> Board? { try await board(id, owner: "ann") }

    /// The contents of a board.
    func art(_ id: BoardID = "board") async throws -> EmojiArt {
        try #require(try await board(id, owner: "ann")).art
    }

    func changes(since revision: Int, of id: BoardID = "board") async throws(BoardStoreError) -> BoardChanges {
        try await changes(of: id, since: revision, owner: "ann")
    }

    /// The picture that was fetched from an address.
    func fetched(
        _ address: String, for board: BoardID = "board"
    ) async throws(BoardStoreError) -> StoredPicture? {
        try await storedPicture(of: .address(address), on: board, owner: "ann")
    }

    /// The names of the boards in a list, in order.
    func names(_ limit: Int = 100, offset: Int = 0) async throws -> [String] {
        try await boards(of: "ann", limit: limit, offset: offset).map(\.name)
    }
}

extension BatchOutcome {
    /// The outcome when the batch is sent again.
    var withoutEntry: BatchOutcome { BatchOutcome(revision: revision, refused: refused) }
}

extension [RefusedOperation] {
    /// The refusals as they are shown: the store stores the words of a message, and the model only names them.
    var shown: [String] { map { "\($0.index) \($0.reason) \($0.message)" } }
}

extension Updates<[BoardID: BoardNotice]>.Iterator {
    /// The boards in the next notices.
    mutating func boards() async -> Set<BoardID>? {
        await next().map { Set($0.keys) }
    }
}

extension BoardChanges {
    /// The entries; `nil` if the whole board is returned instead.
    var entries: [LogEntry]? {
        if case .entries(let entries) = self { entries } else { nil }
    }

    /// The whole board; `nil` if entries are returned instead.
    var whole: Board? {
        if case .whole(let board) = self { board } else { nil }
    }
}
