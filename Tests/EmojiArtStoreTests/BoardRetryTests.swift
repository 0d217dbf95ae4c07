import Dispatch
import EmojiArtModel
import Foundation
import Futures
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import EmojiArtStore

/// Transactions that run again in PostgreSQL, because their connection was lost.
@Suite(.timeLimit(.minutes(10))) struct BoardRetryTests {
    @Test func batchWhoseConnectionIsLostIsAppliedOnce() async throws {
        let fixture = try await SQLiteFixture(.postgreSQL)
        let (_, database) = try await fixture.openAnother()
        defer { database.close() }
        let attempts = Lock(0)
        let store = try fixture.store { step in
            guard step == .answer else { return }
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            if attempt == 2 { Self.endTransactions(of: "ann", in: database) }
        }
        try await store.create("board", art: try .test(1))
        #expect(try await store.apply("b1", .move("e0", x: 1, y: 0)).revision == 1)
        // The first attempt has changed the board's contents in memory.
        #expect(try await store.apply("b2", .add("x")).revision == 2)
        #expect(attempts.withLock { $0 } == 3)
        #expect(try await store.apply("b3", .move("e0", x: 3, y: 0)).revision == 3)
        let art = try await store.art()
        #expect(art.emojis.map(\.id) == ["e0", "x"] && art.emoji("e0")?.x == 3)
        #expect(try await fixture.store.art() == art)
        #expect(try await fixture.store.changes(since: 0).entries?.map(\.revision) == [1, 2, 3])
    }

    /// Ends the connection that holds the lock of an owner's boards, and waits for that.
    private static func endTransactions(of owner: OwnerID, in database: any SQLDatabase) {
        let isDone = DispatchSemaphore(value: 0)
        Task {
            defer { isDone.signal() }
            let ended = try await database.writeRows(locking: []) { connection in
                try connection.values(
                    """
                    SELECT pg_terminate_backend(pid, 600000) FROM pg_locks
                    WHERE locktype = 'advisory' AND granted
                        AND ((CAST(classid AS BIGINT) << 32) | CAST(objid AS BIGINT))
                            = hashtextextended(current_schema() || '/' || CAST(? AS TEXT), 0)
                    """, [SQLLock.boards(of: owner).name], as: Bool.self)
            }
            #expect(ended == [true])
        }
        isDone.wait()
    }
}
