public import Foundation
public import Persistence

/// A board as a list shows it.
public struct BoardSummary: Hashable, Sendable, Identifiable {
    /// What names it.
    public let id: BoardID
    /// What it is called.
    public var name: String
    /// How many emoji are on it.
    public var emojiCount: Int
    /// When it was made.
    public let created: Date
    /// When it was changed last.
    public var changed: Date
    /// Greater after each change of what is on it.
    public var revision: Int

    /// A board as a list shows it.
    public init(id: BoardID, name: String, emojiCount: Int, created: Date, changed: Date, revision: Int) {
        (self.id, self.name, self.emojiCount) = (id, name, emojiCount)
        (self.created, self.changed, self.revision) = (created, changed, revision)
    }
}

/// A board with what is on it.
public struct Board: Hashable, Sendable {
    /// Its name and revision.
    public var summary: BoardSummary
    /// What is on it at that revision.
    public var art: EmojiArt

    /// A board with what is on it.
    public init(summary: BoardSummary, art: EmojiArt) {
        (self.summary, self.art) = (summary, art)
    }
}

/// A batch that was applied.
public struct LogEntry: Hashable, Sendable {
    /// The board's revision with it: that of the one before, and 1.
    public let revision: Int
    /// What of it was applied; its operations are those that were not refused.
    public let batch: OperationBatch
    /// Who asked for it: the hash of a random cookie; empty for commands.
    public let author: String

    /// A batch that was applied.
    public init(revision: Int, batch: OperationBatch, author: String) {
        (self.revision, self.batch, self.author) = (revision, batch, author)
    }
}

/// What came of a batch.
public struct BatchOutcome: Hashable, Sendable {
    /// The revision that has it; of a batch in which nothing could be applied, the one that the board had.
    public let revision: Int
    /// What was not applied, and why; the same again when the batch is sent again.
    public let refused: [RefusedOperation]
    /// The entry that this call appended to the log; `nil` if it applied nothing, or the batch was applied before.
    public let entry: LogEntry?

    /// What came of a batch.
    public init(revision: Int, refused: [RefusedOperation], entry: LogEntry? = nil) {
        (self.revision, self.refused, self.entry) = (revision, refused, entry)
    }
}

// What is sent is the answer alone.
extension BatchOutcome: Encodable {
    private enum CodingKeys: String, CodingKey {
        case revision, refused
    }
}

/// What a store says of a board that has changed.
public enum BoardNotice: Hashable, Sendable {
    /// Batches were applied in this process, and nothing else happened: this is the last entry of the log.
    case drawn(LogEntry)
    /// Anything may have changed: its name, what is on it, or whether it is deleted.
    case changed
}

/// What happened on a board since a revision.
public enum BoardChanges: Hashable, Sendable {
    /// These, in their order, without a gap; empty where nothing did.
    case entries([LogEntry])
    /// More than is kept of the log, or the revision is not one of this board's: take the board anew.
    case whole(Board)
}

/// A picture that is kept.
public struct KeptPicture: Hashable, Sendable {
    /// Its bytes.
    public let data: Data
    /// What it is, such as `image/png`.
    public let type: String
    /// How large it is; `nil` if an earlier version stored it, or its bytes were not checked yet.
    public var size: PictureSize?

    /// A picture that is kept.
    public init(data: Data, type: String, size: PictureSize? = nil) {
        (self.data, self.type, self.size) = (data, type, size)
    }
}

/// Where boards are kept.
///
/// What a call has returned survives the end of the process. Several processes may use one store: batches are applied one after
/// another, in the order of their revisions.
public protocol BoardStoring: Sendable {
    /// The owner's boards, those changed last first.
    ///
    /// - Parameters:
    ///   - owner: Whose.
    ///   - limit: How many at most.
    ///   - offset: How many are passed over.
    /// - Returns: Those boards.
    /// - Throws: Why they cannot be read.
    func boards(of owner: OwnerID, limit: Int, offset: Int) async throws(BoardStoreError) -> [BoardSummary]

    /// How many boards the owner has.
    func count(of owner: OwnerID) async throws(BoardStoreError) -> Int

    /// Makes a board; its revision is 0.
    func create(
        _ id: BoardID, named name: String, art: EmojiArt, owner: OwnerID
    ) async throws(BoardStoreError) -> BoardSummary

    /// A board; `nil` where the owner has none of that name, or no longer.
    func board(_ id: BoardID, owner: OwnerID) async throws(BoardStoreError) -> Board?

    /// What a list shows of a board, without what is on it.
    func summary(of id: BoardID, owner: OwnerID) async throws(BoardStoreError) -> BoardSummary?

    /// Applies what can be applied of a batch, all of it at once, or nothing where a batch of that name was applied before.
    func apply(
        _ batch: OperationBatch, to id: BoardID, owner: OwnerID, author: String
    ) async throws(BoardStoreError) -> BatchOutcome

    /// What happened since a revision.
    func changes(
        of id: BoardID, since revision: Int, owner: OwnerID
    ) async throws(BoardStoreError) -> BoardChanges

    /// Gives a board another name.
    func rename(_ id: BoardID, to name: String, owner: OwnerID) async throws(BoardStoreError)

    /// Makes a board like another one, with its pictures, and without its log.
    func duplicate(
        _ id: BoardID, as copy: BoardID, named name: String, owner: OwnerID
    ) async throws(BoardStoreError) -> BoardSummary

    /// Takes a board away; for ``BoardLimits/undoDeletion`` it can be had back.
    func delete(_ id: BoardID, owner: OwnerID) async throws(BoardStoreError)

    /// Brings a deleted board back.
    func restore(_ id: BoardID, owner: OwnerID) async throws(BoardStoreError)

    /// Deleted boards that can still be had back, those deleted last first.
    func deleted(of owner: OwnerID) async throws(BoardStoreError) -> [BoardSummary]

    /// Keeps a picture for a board with the size that it says; the caller has checked its bytes.
    func keep(_ picture: KeptPicture, for id: BoardID, owner: OwnerID) async throws(BoardStoreError) -> PictureID

    /// A picture that is kept for a board.
    func picture(_ picture: PictureID, of id: BoardID, owner: OwnerID) async throws(BoardStoreError) -> KeptPicture?

    /// Keeps what was fetched from an address for a board, so that it need not be fetched again.
    func keep(
        _ picture: KeptPicture, fetchedFrom address: String, for id: BoardID, owner: OwnerID
    ) async throws(BoardStoreError) -> PictureID

    /// Finds the stored picture of a background without reading its bytes; `nil` if there is none.
    func storedPicture(
        of background: Background, on id: BoardID, owner: OwnerID
    ) async throws(BoardStoreError) -> StoredPicture?

    /// Stores the size of a picture that an earlier version stored without one; does nothing if the board has no such picture.
    func setSize(
        _ size: PictureSize, of picture: PictureID, on id: BoardID, owner: OwnerID
    ) async throws(BoardStoreError)

    /// The boards of an owner that were created or changed, in this process or in another; may name one that doesn't
    /// exist. Each element says all since the one before.
    func updates(of owner: OwnerID) -> Updates<[BoardID: BoardNotice]>

    /// Forgets what can no longer be had back, and pictures that no board shows any longer.
    func tidy() async throws(BoardStoreError)
}

/// Why boards cannot be read or kept.
public enum BoardStoreError: Error, Hashable, Codable, Sendable, CustomStringConvertible {
    /// There is no such board, or no longer.
    case noBoard(BoardID)
    /// A board of that name is there already.
    case exists(BoardID)
    /// What was to be kept is not what boards take: the words say what, and what to do now.
    case unusable(String)
    /// A limit of the owner's budget is reached: the words say which, and what to do now.
    case overBudget(OverBudget)
    /// The board was made by a newer version of the program; nothing of it was changed.
    case fromTheFuture(BoardID)
    /// The store cannot be read or written: the words say why, and what to do now.
    case failed(String)

    /// The same for a person: what happened, and what to do now.
    public var description: String {
        switch self {
        case .noBoard: "This board is not there, or no longer. Look for it in the list of boards."
        case .exists: "There is a board of that name already. Try again."
        case .unusable(let why), .failed(let why): why
        case .overBudget(let reason): reason.message
        case .fromTheFuture:
            "This board was made by a newer version of Meanwhile. Nothing of it was changed: open it with that version."
        }
    }
}
