import EmojiArtModel
import Foundation
import Futures
import GRDB
import Persistence

/// Runs reads and writes of boards, each in one transaction.
struct BoardTransactions: Sendable {
    let database: AppDatabase
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
            try await database.read { [cache] in try body(BoardReader(connection: $0, cache: cache)) }
        }
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (inout BoardWriter) throws -> Value
    ) async throws(BoardStoreError) -> Value {
        try await rethrowing(BoardStoreError.init) { () async throws(StoreError) in
            try await database.write { [self] connection in
                // Discards what a previous transaction may have left.
                cache.rollBack()
                var writer = BoardWriter(
                    connection, cache: cache, blobs: blobs, policy: policy, now: Moment(now()), step: step)
                let value: Value
                do {
                    value = try body(&writer)
                } catch {
                    cache.rollBack()
                    throw error
                }
                let changes = writer.changes
                connection.afterNextTransaction { _ in
                    cache.commit()
                    for change in changes { watches.committed(change) }
                } onRollback: { _ in
                    cache.rollBack()
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

extension Database {
    /// Executes a statement that is compiled once per connection.
    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    func row(_ sql: String, _ arguments: StatementArguments) throws -> Row? {
        try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }

    func rows(_ sql: String, _ arguments: StatementArguments) throws -> [Row] {
        try Row.fetchAll(cachedStatement(sql: sql), arguments: arguments)
    }
}
