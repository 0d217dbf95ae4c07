public import Foundation
public import Persistence

/// A board's entry in a list.
public struct BoardSummary: Hashable, Sendable, Identifiable {
    /// The board's identifier.
    public let id: BoardID
    /// The board's name.
    public var name: String
    /// The number of emoji on the board.
    public var emojiCount: Int
    /// When the board was created.
    public let created: Date
    /// When the board was last changed.
    public var changed: Date
    /// The revision, which grows with each change of the contents.
    public var revision: Int

    /// Creates a board's entry in a list.
    public init(id: BoardID, name: String, emojiCount: Int, created: Date, changed: Date, revision: Int) {
        (self.id, self.name, self.emojiCount) = (id, name, emojiCount)
        (self.created, self.changed, self.revision) = (created, changed, revision)
    }
}

/// A board with its contents.
public struct Board: Hashable, Sendable {
    /// The board's name, revision and other list properties.
    public var summary: BoardSummary
    /// The contents at that revision.
    public var art: EmojiArt

    /// Creates a board with its contents.
    public init(summary: BoardSummary, art: EmojiArt) {
        (self.summary, self.art) = (summary, art)
    }
}

/// An applied batch, as recorded in a board's log.
public struct LogEntry: Hashable, Sendable {
    /// The board's revision after the batch: the one before, plus 1.
    public let revision: Int
    /// The batch, reduced to the operations that were applied.
    public let batch: OperationBatch
    /// The author: the hash of a random cookie; empty for commands.
    public let author: String

    /// Creates a log entry.
    public init(revision: Int, batch: OperationBatch, author: String) {
        (self.revision, self.batch, self.author) = (revision, batch, author)
    }
}

/// The outcome of applying a batch.
public struct BatchOutcome: Hashable, Sendable {
    /// The revision that includes the batch; if no operation could be applied, the revision at that time.
    public let revision: Int
    /// The operations that weren't applied, and why; the same if the batch is sent again.
    public let refused: [RefusedOperation]
    /// The entry that this call appended to the log; `nil` if no operation was applied, or the batch had been applied
    /// before.
    public let entry: LogEntry?

    /// Creates an outcome.
    public init(revision: Int, refused: [RefusedOperation], entry: LogEntry? = nil) {
        // A repeated batch has the same outcome, which is stored in words.
        (self.revision, self.refused, self.entry) = (revision, refused.inWords, entry)
    }
}

// Encodes only what the client needs, not the entry.
extension BatchOutcome: Encodable {
    private enum CodingKeys: String, CodingKey {
        case revision, refused
    }
}

/// A store's notification that a board has changed.
public enum BoardNotice: Hashable, Sendable {
    /// Batches were applied in this process, and nothing else changed: this is the last log entry.
    case drawn(LogEntry)
    /// Anything may have changed: the name, the contents, or whether the board is deleted.
    case changed
}

/// The changes of a board since a revision.
public enum BoardChanges: Hashable, Sendable {
    /// The log entries since then, in order and without a gap; empty if there are none.
    case entries([LogEntry])
    /// The whole board, because the log no longer reaches back that far, or the revision isn't one of this board's.
    case whole(Board)
}

/// A picture's bytes with its type and size.
public struct PictureContent: Hashable, Sendable {
    /// The bytes.
    public let data: Data
    /// The media type, such as `image/png`.
    public let type: String
    /// The size; `nil` if an earlier version stored the picture, or its bytes aren't validated yet.
    public var size: PictureSize?

    /// Creates a picture.
    public init(data: Data, type: String, size: PictureSize? = nil) {
        (self.data, self.type, self.size) = (data, type, size)
    }
}

/// A store of boards.
///
/// When a call has returned, its changes survive the end of the process. Several processes may use one store: batches
/// are applied one after another, in the order of their revisions.
public protocol BoardStoring: Sendable {
    /// Lists the owner's boards, the last changed first.
    ///
    /// - Parameters:
    ///   - owner: The owner.
    ///   - limit: The maximum number of boards.
    ///   - offset: The number of boards to skip.
    /// - Returns: The boards.
    /// - Throws: ``BoardStoreError`` if they can't be read.
    func boards(of owner: OwnerID, limit: Int, offset: Int) async throws(BoardStoreError) -> [BoardSummary]

    /// The number of the owner's boards.
    func count(of owner: OwnerID) async throws(BoardStoreError) -> Int

    /// Creates a board at revision 0.
    func create(
        _ id: BoardID, named name: String, art: EmojiArt, owner: OwnerID
    ) async throws(BoardStoreError) -> BoardSummary

    /// Reads a board; `nil` if the owner has no board with this id, or it is deleted.
    func board(_ id: BoardID, owner: OwnerID) async throws(BoardStoreError) -> Board?

    /// Reads a board's list entry without its contents; `nil` if the owner has no board with this id, or it is deleted.
    func summary(of id: BoardID, owner: OwnerID) async throws(BoardStoreError) -> BoardSummary?

    /// Applies the applicable operations of a batch in one transaction; does nothing if the batch was applied before.
    func apply(
        _ batch: OperationBatch, to id: BoardID, owner: OwnerID, author: String
    ) async throws(BoardStoreError) -> BatchOutcome

    /// Reads the changes since a revision.
    func changes(
        of id: BoardID, since revision: Int, owner: OwnerID
    ) async throws(BoardStoreError) -> BoardChanges

    /// Renames a board.
    func rename(_ id: BoardID, to name: String, owner: OwnerID) async throws(BoardStoreError)

    /// Renames a board if its name is still `old`; returns whether it was.
    func rename(
        _ id: BoardID, from old: String, to name: String, owner: OwnerID
    ) async throws(BoardStoreError) -> Bool

    /// Copies a board with its pictures, but without its log.
    func duplicate(
        _ id: BoardID, as copy: BoardID, named name: String, owner: OwnerID
    ) async throws(BoardStoreError) -> BoardSummary

    /// Deletes a board; it can be restored for ``BoardLimits/undoDeletion``.
    func delete(_ id: BoardID, owner: OwnerID) async throws(BoardStoreError)

    /// Deletes a board for good: it can't be restored.
    func discard(_ id: BoardID, owner: OwnerID) async throws(BoardStoreError)

    /// Restores a deleted board.
    func restore(_ id: BoardID, owner: OwnerID) async throws(BoardStoreError)

    /// Lists the deleted boards that can still be restored, the last deleted first.
    func deleted(of owner: OwnerID) async throws(BoardStoreError) -> [BoardSummary]

    /// Stores a picture and its size for a board; the caller has validated the picture's bytes.
    func add(_ picture: PictureContent, for id: BoardID, owner: OwnerID) async throws(BoardStoreError) -> PictureID

    /// Reads a board's stored picture; `nil` if there is none, or the board is deleted.
    func picture(_ picture: PictureID, of id: BoardID, owner: OwnerID) async throws(BoardStoreError) -> PictureContent?

    /// Stores a picture that was fetched from an address for a board, so that it isn't fetched again.
    func add(
        _ picture: PictureContent, fetchedFrom address: String, for id: BoardID, owner: OwnerID
    ) async throws(BoardStoreError) -> PictureID

    /// Finds the stored picture of a background without reading its bytes; `nil` if there is none.
    func storedPicture(
        of background: Background, on id: BoardID, owner: OwnerID
    ) async throws(BoardStoreError) -> StoredPicture?

    /// Stores the size of a picture that an earlier version stored without one; does nothing if the board has no such picture.
    func setSize(
        _ size: PictureSize, of picture: PictureID, on id: BoardID, owner: OwnerID
    ) async throws(BoardStoreError)

    /// Notifications of the owner's boards that were created or changed, in this process or another; may name a board
    /// that doesn't exist.
    ///
    /// Each element covers everything since the previous one.
    func updates(of owner: OwnerID) -> Updates<[BoardID: BoardNotice]>

    /// Removes boards that can no longer be restored, and pictures that no board shows any more.
    func tidy() async throws(BoardStoreError)
}

/// Why boards can't be read or stored.
public enum BoardStoreError: Error, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The board doesn't exist, or was deleted.
    case notFound(BoardID)
    /// A board with this id already exists.
    case exists(BoardID)
    /// The value can't be stored in a board; the text says why, and what to do now.
    case invalid(String)
    /// A limit of the owner's budget is reached; the text says which, and what to do now.
    case overBudget(OverBudget)
    /// A newer version of the program wrote the board; nothing was changed.
    case newerVersion(BoardID)
    /// The store can't be read or written; the text says why, and what to do now.
    case failed(String)

    // Results of jobs are stored with these keys, which are older than the names of the cases.
    private enum CodingKeys: String, CodingKey {
        case exists, overBudget, failed
        case notFound = "noBoard"
        case invalid = "unusable"
        case newerVersion = "fromTheFuture"
    }

    /// A message for the user: what happened, and what to do now.
    public var description: String {
        switch self {
        case .notFound: ArtWords.noBoard
        case .exists: ArtWords.sameID
        case .invalid(let why), .failed(let why): why
        case .overBudget(let reason): reason.message
        case .newerVersion: ArtWords.boardFromNewerVersion
        }
    }
}
