import EmojiArtModel
import Foundation
import GRDB
import Persistence

/// Reads and writes boards, each time in one transaction.
struct BoardTransactions: Sendable {
    let database: Persistence.Database
    let blobs: BlobStore
    let cache = ArtCache()
    let watches: BoardWatches
    let policy: BoardPolicy
    let now: @Sendable () -> Date
    /// Is told how far a transaction is.
    let step: @Sendable (BoardStep) -> Void

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (BoardReader) throws -> Value
    ) async throws(BoardStoreError) -> Value {
        do throws(Persistence.PersistenceError) {
            return try await database.read { [cache] in try body(BoardReader(connection: $0, cache: cache)) }
        } catch {
            throw BoardStoreError(error)
        }
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (inout BoardWriter) throws -> Value
    ) async throws(BoardStoreError) -> Value {
        do throws(Persistence.PersistenceError) {
            return try await database.write { [self] connection in
                // Whatever became of the one before.
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
                let notices = writer.notices
                connection.afterNextTransaction { _ in
                    cache.commit()
                    for notice in notices {
                        watches[notice.owner].committed(
                            [notice.board], after: notice.sequence - 1, upTo: notice.sequence)
                    }
                } onRollback: { _ in
                    cache.rollBack()
                }
                return value
            }
        } catch {
            throw BoardStoreError(error)
        }
    }
}

extension BoardStoreError {
    /// What went wrong in the database or on the disk; an error of ours that ended a transaction is itself.
    init(_ error: Persistence.PersistenceError) {
        self =
            error.cause as? BoardStoreError ?? error.overBudget.map(BoardStoreError.overBudget)
            ?? .failed(error.message)
    }
}
