import EmojiArtModel
import Foundation
import Futures
import Persistence

/// Runs reads and writes of boards, each in one transaction.
struct BoardTransactions: Sendable {
    let database: any SQLDatabase
    let blobs: BlobStore
    let cache = ArtCache()
    let watches: BoardWatches
    let policy: BoardPolicy
    let now: @Sendable () -> Date
    /// Called with each step of a transaction.
    let step: @Sendable (BoardStep) -> Void

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (BoardReader) throws -> Value
    ) async throws(BoardStoreError) -> Value {
        try await rethrowing(BoardStoreError.init) { () async throws(StoreError) in
            try await database.readRows { [cache] in try body(BoardReader(connection: $0, cache: cache)) }
        }
    }

    /// Writes boards of some owners.
    func write<Value: Sendable>(
        of owners: Set<OwnerID>, _ body: @escaping @Sendable (inout BoardWriter) throws -> Value
    ) async throws(BoardStoreError) -> Value {
        try await rethrowing(BoardStoreError.init) { () async throws(StoreError) in
            try await database.writeRows(locking: owners.map(SQLLock.boards(of:))) { [self] connection in
                var writer = BoardWriter(
                    connection, cache: cache, blobs: blobs, policy: policy, now: Moment(now()), step: step)
                let value = try body(&writer)
                let (changes, staged) = (writer.changes, writer.staged)
                connection.afterCommit {
                    cache.commit(staged)
                    for change in changes { watches.committed(change) }
                }
                return value
            }
        }
    }
}

extension BoardStoreError {
    /// Converts an error of the database or the disk; if a `BoardStoreError` ended the transaction, returns that one.
    init(_ error: StoreError) {
        self =
            error.cause as? BoardStoreError ?? error.overBudget.map(BoardStoreError.overBudget)
            ?? .failed(error.message)
    }
}

extension SQLLock {
    /// The lock of an owner's boards: the numbers of their changes become visible in order.
    static func boards(of owner: OwnerID) -> SQLLock { SQLLock(part: "boards", owner: owner) }
}
