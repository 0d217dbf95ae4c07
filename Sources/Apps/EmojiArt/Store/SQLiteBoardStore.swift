package import EmojiArtModel
package import Foundation
import Futures
package import Persistence

/// A store of boards in the database, with their pictures in its blob store; several processes may share it.
///
/// Each board is a snapshot and a log of the batches applied since. The contents of recently used boards are also
/// cached in memory.
package struct SQLiteBoardStore: Sendable {
    let transactions: BoardTransactions
    private let queue: BatchQueue

    /// Creates a store; the database must have been opened with ``BoardMigrations``.
    package init(
        database: AppDatabase, blobs: BlobStore, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(in: database, blobs: blobs, now: now)
    }

    /// Creates a store in a database of any kind, which must have been opened with the migrations for it.
    package init(
        in database: any SQLDatabase, blobs: BlobStore, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(in: database, blobs: blobs, now: now, policy: BoardPolicy())
    }

    /// Creates a store with a policy; it calls `step` at each step of a transaction.
    init(
        in database: any SQLDatabase, blobs: BlobStore, now: @escaping @Sendable () -> Date,
        policy: BoardPolicy,
        step: @escaping @Sendable (BoardStep) -> Void = { _ in }
    ) {
        let transactions = BoardTransactions(
            database: database, blobs: blobs, watches: BoardWatches(database: database), policy: policy,
            now: now, step: step)
        self.transactions = transactions
        self.queue = BatchQueue { requests throws(BoardStoreError) in
            try await transactions.write(of: Set(requests.map(\.owner))) { writer in
                try requests.map { request in
                    do {
                        return .success(try writer.apply(request))
                    } catch let error as BoardStoreError {
                        // Thrown before anything of this batch is written, so the others can continue.
                        return .failure(error)
                    }
                }
            }
        }
    }

    private var blobs: BlobStore { transactions.blobs }

    /// How often the cache of boards had a board that was asked for, and how often not.
    package var cacheLookups: (hits: Int, misses: Int) { transactions.cache.lookups }
}

// MARK: - Reading

extension SQLiteBoardStore: BoardStoring {
    package func boards(of owner: OwnerID, limit: Int, offset: Int) async throws(BoardStoreError) -> [BoardSummary] {
        try await transactions.read { reader in
            try reader.rows(
                "owner = ? AND deleted IS NULL ORDER BY position DESC LIMIT ? OFFSET ?", of: owner,
                [max(limit, 0), max(offset, 0)]
            ).map(\.summary)
        }
    }

    package func count(of owner: OwnerID) async throws(BoardStoreError) -> Int {
        try await transactions.read { try $0.count(of: owner) }
    }

    package func board(_ id: BoardID, owner: OwnerID) async throws(BoardStoreError) -> Board? {
        try await transactions.read { reader in try reader.activeRow(id, owner: owner).map(reader.board) }
    }

    package func summary(of id: BoardID, owner: OwnerID) async throws(BoardStoreError) -> BoardSummary? {
        try await transactions.read { try $0.activeRow(id, owner: owner)?.summary }
    }

    package func deleted(of owner: OwnerID) async throws(BoardStoreError) -> [BoardSummary] {
        let limit = Moment(transactions.now()) - transactions.policy.deletion
        return try await transactions.read { reader in
            try reader.rows(
                "owner = ? AND deleted > ? ORDER BY deleted DESC, sequence DESC", of: owner, [limit.milliseconds]
            ).map(\.summary)
        }
    }

    package func changes(
        of id: BoardID, since revision: Int, owner: OwnerID
    ) async throws(BoardStoreError) -> BoardChanges {
        try await transactions.read { reader in
            guard let row = try reader.activeRow(id, owner: owner) else { throw BoardStoreError.notFound(id) }
            try row.checkFormat()
            return try reader.changes(of: row, since: revision)
        }
    }

    /// If the store hasn't been used before, its first listener is notified of all boards.
    package func updates(of owner: OwnerID) -> Updates<[BoardID: BoardNotice]> {
        transactions.watches.updates(of: owner)
    }
}

// MARK: - Changing

extension SQLiteBoardStore {
    /// The picture of the background can be stored afterwards.
    package func create(
        _ id: BoardID, named name: String, art: EmojiArt, owner: OwnerID
    ) async throws(BoardStoreError) -> BoardSummary {
        try BoardChecks.check(name: name)
        return try await transactions.write(of: [owner]) {
            try $0.insert(id, named: name, art: art, owner: owner).summary
        }
    }

    /// Batches that arrive during a transaction share the next one.
    package func apply(
        _ batch: OperationBatch, to id: BoardID, owner: OwnerID, author: String
    ) async throws(BoardStoreError) -> BatchOutcome {
        try BoardChecks.check(batch, author: author)
        return try await queue.apply(BatchRequest(batch: batch, board: id, owner: owner, author: author))
    }

    package func rename(_ id: BoardID, to name: String, owner: OwnerID) async throws(BoardStoreError) {
        try BoardChecks.check(name: name)
        try await transactions.write(of: [owner]) { try $0.rename($0.activeRow(id, owner: owner), to: name) }
    }

    package func rename(
        _ id: BoardID, from old: String, to name: String, owner: OwnerID
    ) async throws(BoardStoreError) -> Bool {
        try BoardChecks.check(name: name)
        return try await transactions.write(of: [owner]) { writer in
            let row = try writer.activeRow(id, owner: owner)
            guard row.name == old else { return false }
            try writer.rename(row, to: name)
            return true
        }
    }

    package func duplicate(
        _ id: BoardID, as copy: BoardID, named name: String, owner: OwnerID
    ) async throws(BoardStoreError) -> BoardSummary {
        try BoardChecks.check(name: name)
        return try await transactions.write(of: [owner]) { writer in
            let row = try writer.activeRow(id, owner: owner)
            let art = try writer.reader.board(row).art
            let new = try writer.insert(copy, named: name, art: art, owner: owner)
            try writer.copyPictures(of: row, to: new)
            return new.summary
        }
    }

    package func delete(_ id: BoardID, owner: OwnerID) async throws(BoardStoreError) {
        try await transactions.write(of: [owner]) { writer in
            try writer.set(deleted: writer.now, of: writer.activeRow(id, owner: owner))
        }
    }

    /// The next ``tidy()`` removes the board, like one that was deleted too long ago to be restored.
    package func discard(_ id: BoardID, owner: OwnerID) async throws(BoardStoreError) {
        try await transactions.write(of: [owner]) { writer in
            try writer.set(deleted: writer.now - writer.policy.deletion, of: writer.activeRow(id, owner: owner))
        }
    }

    /// Does nothing if the board isn't deleted.
    package func restore(_ id: BoardID, owner: OwnerID) async throws(BoardStoreError) {
        let deletion = transactions.policy.deletion
        try await transactions.write(of: [owner]) { writer in
            guard let row = try writer.reader.row(id, owner: owner) else { throw BoardStoreError.notFound(id) }
            try row.checkFormat()
            guard let deleted = row.deleted else { return }
            guard deleted > writer.now - deletion else { throw BoardStoreError.notFound(id) }
            try writer.set(deleted: nil, of: row)
        }
    }
}

// MARK: - Pictures

extension SQLiteBoardStore {
    package func add(
        _ picture: PictureContent, for id: BoardID, owner: OwnerID
    ) async throws(BoardStoreError) -> PictureID {
        try await add(picture, address: nil, for: id, owner: owner)
    }

    package func add(
        _ picture: PictureContent, fetchedFrom address: String, for id: BoardID, owner: OwnerID
    ) async throws(BoardStoreError) -> PictureID {
        try BoardChecks.check(address: address)
        return try await add(picture, address: address, for: id, owner: owner)
    }

    private func add(
        _ picture: PictureContent, address: String?, for id: BoardID, owner: OwnerID
    ) async throws(BoardStoreError) -> PictureID {
        try BoardChecks.check(picture)
        // Checked first, so that nothing large is written for a board that doesn't exist.
        try await transactions.write(of: [owner]) { _ = try $0.activeRow(id, owner: owner) }
        let staged = try await rethrowing(BoardStoreError.init) { () async throws(StoreError) in
            try await blobs.stage(picture.data)
        }
        do throws(BoardStoreError) {
            return try await transactions.write(of: [owner]) { writer in
                let row = try writer.activeRow(id, owner: owner)
                try writer.add(staged, picture, address: address, for: row)
                guard let pictureID = PictureID(staged.id.description) else {
                    throw BoardStoreError.failed(ArtWords.pictureNotSaved)
                }
                return pictureID
            }
        } catch {
            await blobs.discard(staged)
            throw error
        }
    }

    package func picture(
        _ picture: PictureID, of id: BoardID, owner: OwnerID
    ) async throws(BoardStoreError) -> PictureContent? {
        let row = try await transactions.read { reader in
            try reader.activeRow(id, owner: owner).flatMap { try reader.picture(picture, $0) }
        }
        guard let row else { return nil }
        guard let blob = BlobStore.ID(picture.rawValue) else { throw .failed(ArtWords.noPictureWithID) }
        let data = try await rethrowing(BoardStoreError.init) { () async throws(StoreError) in
            try await blobs.read(blob)
        }
        return PictureContent(data: data, type: row.type, size: row.size)
    }

    package func storedPicture(
        of background: Background, on id: BoardID, owner: OwnerID
    ) async throws(BoardStoreError) -> StoredPicture? {
        try await transactions.read { reader in
            guard let board = try reader.activeRow(id, owner: owner) else { return nil }
            switch background {
            case .blank: return nil
            case .picture(let picture): return try reader.picture(picture, board)
            case .address(let address): return try reader.picture(from: address, board)
            }
        }
    }

    package func setSize(
        _ size: PictureSize, of picture: PictureID, on id: BoardID, owner: OwnerID
    ) async throws(BoardStoreError) {
        try await transactions.write(of: [owner]) { try $0.set(size, of: picture, $0.activeRow(id, owner: owner)) }
    }

    /// The pictures that an earlier version stored without a size, of all owners' boards that aren't deleted.
    package func picturesWithoutSize(
        limit: Int
    ) async throws(BoardStoreError) -> [(owner: OwnerID, board: BoardID, picture: PictureID)] {
        try await transactions.read { try $0.picturesWithoutSize(limit: limit) }
    }

    /// Uses many small transactions, so that other writers aren't blocked for long.
    package func tidy() async throws(BoardStoreError) {
        while try await transactions.write(of: [], { try $0.purgeBoard() }) {}
        while try await transactions.write(of: [], { try $0.purgePictures() }) {}
        while try await transactions.write(of: [], { try $0.purgeOutcomes() }) {}
        let limit = Moment(transactions.now()) - transactions.policy.blobs
        _ = try await rethrowing(BoardStoreError.init) { () async throws(StoreError) in
            try await blobs.sweep(releasedBefore: limit.date)
        }
    }
}
