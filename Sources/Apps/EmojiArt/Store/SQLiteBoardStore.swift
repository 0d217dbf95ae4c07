public import EmojiArtModel
public import Foundation
import GRDB
public import Persistence

/// Boards in the database, and their pictures in its blobs; any number of processes may share it.
///
/// Each board is a snapshot and a log of what was applied since. What is on the boards that were used last is in
/// memory, too.
public struct SQLiteBoardStore: Sendable {
    let transactions: BoardTransactions
    private let queue: BatchQueue

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - database: Opened with ``BoardMigrations``.
    ///   - blobs: The database's blobs.
    ///   - now: The time.
    public init(
        database: Persistence.Database, blobs: BlobStore, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(database: database, blobs: blobs, now: now, policy: BoardPolicy())
    }

    /// - Parameters:
    ///   - database: Opened with ``BoardMigrations``.
    ///   - blobs: The database's blobs.
    ///   - now: The time.
    ///   - policy: How much is kept of what was.
    ///   - step: Is told how far a transaction is.
    init(
        database: Persistence.Database, blobs: BlobStore, now: @escaping @Sendable () -> Date,
        policy: BoardPolicy,
        step: @escaping @Sendable (BoardStep) -> Void = { _ in }
    ) {
        let transactions = BoardTransactions(
            database: database, blobs: blobs, watches: BoardWatches(database: database), policy: policy,
            now: now, step: step)
        self.transactions = transactions
        self.queue = BatchQueue { requests throws(BoardStoreError) in
            try await transactions.write { writer in
                try requests.map { request in
                    do {
                        return .success(try writer.apply(request))
                    } catch let error as BoardStoreError {
                        // Thrown before anything of the batch is written: the others go on.
                        return .failure(error)
                    }
                }
            }
        }
    }

    private var blobs: BlobStore { transactions.blobs }
    private var deletion: TimeInterval { transactions.policy.deletion }
}

// MARK: - Reading

extension SQLiteBoardStore: BoardStoring {
    /// The owner's boards, those changed last first.
    public func boards(of owner: String, limit: Int, offset: Int) async throws(BoardStoreError) -> [BoardSummary] {
        try await transactions.read { reader in
            try reader.rows(
                "owner = ? AND deleted IS NULL ORDER BY position DESC LIMIT ? OFFSET ?", of: owner,
                [max(limit, 0), max(offset, 0)]
            ).map(\.summary)
        }
    }

    /// How many boards the owner has.
    public func count(of owner: String) async throws(BoardStoreError) -> Int {
        try await transactions.read { try $0.count(of: owner) }
    }

    /// A board; `nil` where the owner has none of that name, or no longer.
    public func board(_ id: BoardID, owner: String) async throws(BoardStoreError) -> Board? {
        try await transactions.read { reader in try reader.living(id, owner: owner).map(reader.board) }
    }

    /// What a list shows of a board, without what is on it.
    public func summary(of id: BoardID, owner: String) async throws(BoardStoreError) -> BoardSummary? {
        try await transactions.read { try $0.living(id, owner: owner)?.summary }
    }

    /// Deleted boards that can still be had back, those deleted last first.
    public func deleted(of owner: String) async throws(BoardStoreError) -> [BoardSummary] {
        let limit = Moment(transactions.now()) - deletion
        return try await transactions.read { reader in
            try reader.rows(
                "owner = ? AND deleted > ? ORDER BY deleted DESC, sequence DESC", of: owner, [limit.milliseconds]
            ).map(\.summary)
        }
    }

    /// What happened since a revision.
    public func changes(
        of id: BoardID, since revision: Int, owner: String
    ) async throws(BoardStoreError) -> BoardChanges {
        try await transactions.read { reader in
            guard let row = try reader.living(id, owner: owner) else { throw BoardStoreError.noBoard(id) }
            try row.mustBeKnown()
            return try reader.changes(of: row, since: revision)
        }
    }

    /// The boards of an owner that were changed, also by other processes.
    ///
    /// In a store that has not been used yet, the first who listens is told of all boards.
    public func updates(of owner: String) -> Updates<Set<BoardID>> {
        transactions.watches[owner].updates()
    }
}

// MARK: - Changing

extension SQLiteBoardStore {
    /// Makes a board; its revision is 0.
    ///
    /// A picture that it is drawn on can be kept afterwards.
    public func create(
        _ id: BoardID, named name: String, art: EmojiArt, owner: String
    ) async throws(BoardStoreError) -> BoardSummary {
        try BoardChecks.check(name: name)
        return try await transactions.write { try $0.insert(id, named: name, art: art, owner: owner).summary }
    }

    /// Applies what can be applied of a batch, all of it at once, or nothing where a batch of that name was applied
    /// before.
    ///
    /// Batches that come while others are being written are written together.
    public func apply(
        _ batch: OperationBatch, to id: BoardID, owner: String, author: String
    ) async throws(BoardStoreError) -> BatchOutcome {
        try BoardChecks.check(batch, author: author)
        return try await queue.apply(BatchRequest(batch: batch, board: id, owner: owner, author: author))
    }

    /// Gives a board another name.
    public func rename(_ id: BoardID, to name: String, owner: String) async throws(BoardStoreError) {
        try BoardChecks.check(name: name)
        try await transactions.write { try $0.rename($0.living(id, owner: owner), to: name) }
    }

    /// Makes a board like another one, with its pictures, and without its log.
    public func duplicate(
        _ id: BoardID, as copy: BoardID, named name: String, owner: String
    ) async throws(BoardStoreError) -> BoardSummary {
        try BoardChecks.check(name: name)
        return try await transactions.write { writer in
            let row = try writer.living(id, owner: owner)
            let art = try writer.reader.board(row).art
            let new = try writer.insert(copy, named: name, art: art, owner: owner)
            try writer.copyPictures(of: row, to: new)
            return new.summary
        }
    }

    /// Takes a board away; for ``BoardLimits/undoDeletion`` it can be had back.
    public func delete(_ id: BoardID, owner: String) async throws(BoardStoreError) {
        try await transactions.write { writer in
            try writer.set(deleted: writer.now, of: writer.living(id, owner: owner))
        }
    }

    /// Brings a deleted board back; where it was not deleted, nothing happens.
    public func restore(_ id: BoardID, owner: String) async throws(BoardStoreError) {
        try await transactions.write { [deletion] writer in
            guard let row = try writer.reader.row(id, owner: owner) else { throw BoardStoreError.noBoard(id) }
            try row.mustBeKnown()
            guard let deleted = row.deleted else { return }
            guard deleted > writer.now - deletion else { throw BoardStoreError.noBoard(id) }
            try writer.set(deleted: nil, of: row)
        }
    }
}

// MARK: - Pictures

extension SQLiteBoardStore {
    /// Keeps a picture for a board with the size that it says; the caller has checked its bytes.
    public func keep(
        _ picture: KeptPicture, for id: BoardID, owner: String
    ) async throws(BoardStoreError) -> PictureID {
        try await keep(picture, address: nil, for: id, owner: owner)
    }

    /// Keeps what was fetched from an address for a board, so that it need not be fetched again.
    public func keep(
        _ picture: KeptPicture, fetchedFrom address: String, for id: BoardID, owner: String
    ) async throws(BoardStoreError) -> PictureID {
        try BoardChecks.check(address: address)
        return try await keep(picture, address: address, for: id, owner: owner)
    }

    private func keep(
        _ picture: KeptPicture, address: String?, for id: BoardID, owner: String
    ) async throws(BoardStoreError) -> PictureID {
        try BoardChecks.check(picture)
        // Before anything large is written for nobody.
        try await transactions.write { _ = try $0.living(id, owner: owner) }
        let staged: StagedBlob
        do throws(Persistence.PersistenceError) {
            staged = try await blobs.stage(picture.data)
        } catch {
            throw BoardStoreError(error)
        }
        do throws(BoardStoreError) {
            return try await transactions.write { writer in
                let row = try writer.living(id, owner: owner)
                try writer.keep(staged, picture, address: address, for: row)
                guard let kept = PictureID(staged.id.description) else {
                    throw BoardStoreError.failed("The picture has no name. Try again.")
                }
                return kept
            }
        } catch {
            await blobs.discard(staged)
            throw error
        }
    }

    /// A picture that is kept for a board.
    public func picture(
        _ picture: PictureID, of id: BoardID, owner: String
    ) async throws(BoardStoreError) -> KeptPicture? {
        let row = try await transactions.read { reader in
            try reader.living(id, owner: owner).flatMap { try reader.picture(picture, $0) }
        }
        guard let row else { return nil }
        return KeptPicture(data: try await data(of: picture), type: row.type, size: row.size)
    }

    /// What was fetched from an address for a board.
    public func fetched(
        from address: String, for id: BoardID, owner: String
    ) async throws(BoardStoreError) -> (id: PictureID, picture: KeptPicture)? {
        let found = try await transactions.read { reader in
            try reader.living(id, owner: owner).flatMap { try reader.picture(from: address, $0) }
        }
        guard let found else { return nil }
        return (found.id, KeptPicture(data: try await data(of: found.id), type: found.type, size: found.size))
    }

    /// Finds the stored picture of a background without reading its bytes.
    public func storedPicture(
        of background: Background, on id: BoardID, owner: String
    ) async throws(BoardStoreError) -> StoredPicture? {
        try await transactions.read { reader in
            guard let board = try reader.living(id, owner: owner) else { return nil }
            let found =
                switch background {
                case .blank: PictureRow?.none
                case .picture(let picture): try reader.picture(picture, board)
                case .address(let address): try reader.picture(from: address, board)
                }
            return found.map { StoredPicture(id: $0.id, size: $0.size) }
        }
    }

    /// Stores the size of a picture that was stored without one.
    public func setSize(
        _ size: PictureSize, of picture: PictureID, on id: BoardID, owner: String
    ) async throws(BoardStoreError) {
        try await transactions.write { try $0.set(size, of: picture, $0.living(id, owner: owner)) }
    }

    /// The pictures that an earlier version stored without their sizes, of all owners' boards that are not deleted.
    ///
    /// - Parameter limit: How many at most.
    /// - Returns: Their boards' owners and identifiers, and their own.
    /// - Throws: Why they can't be read.
    public func picturesWithoutSize(
        limit: Int
    ) async throws(BoardStoreError) -> [(owner: String, board: BoardID, picture: PictureID)] {
        try await transactions.read { try $0.picturesWithoutSize(limit: limit) }
    }

    private func data(of picture: PictureID) async throws(BoardStoreError) -> Data {
        guard let blob = BlobStore.ID(picture.rawValue) else { throw .failed("There is no picture of that name.") }
        do throws(Persistence.PersistenceError) {
            return try await blobs.read(blob)
        } catch {
            throw BoardStoreError(error)
        }
    }

    /// Forgets what can no longer be had back, and pictures that no board shows any longer.
    ///
    /// In many small transactions, so that others get their turn between.
    public func tidy() async throws(BoardStoreError) {
        while try await transactions.write({ try $0.forgetBoard() }) {}
        while try await transactions.write({ try $0.forgetPictures() }) {}
        while try await transactions.write({ try $0.forgetAnswers() }) {}
        let limit = Moment(transactions.now()) - transactions.policy.blobs
        do throws(Persistence.PersistenceError) {
            _ = try await blobs.sweep(releasedBefore: limit.date)
        } catch {
            throw BoardStoreError(error)
        }
    }
}
