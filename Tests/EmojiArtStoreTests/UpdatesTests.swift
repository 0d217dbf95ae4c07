import EmojiArtModel
import Futures
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import EmojiArtStore

/// Tests of change notifications, in the same process and across processes.
@Suite(.timeLimit(.minutes(10))) struct UpdatesTests {
    @Test(arguments: StoreKind.allCases)
    func everyChangeNotifiesItsOwner(kind: StoreKind) async throws {
        let store = try await kind.fixture().store
        var updates = store.updates(of: "ann").makeAsyncIterator()
        var others = store.updates(of: "bob").makeAsyncIterator()
        try await store.create("board")
        #expect(await updates.boards() == ["board"])
        try await store.apply("b1", .add("a"))
        #expect(await updates.boards() == ["board"])
        try await store.rename("board", to: "New", owner: "ann")
        #expect(await updates.boards() == ["board"])
        _ = try await store.duplicate("board", as: "copy", named: "Copy", owner: "ann")
        #expect(await updates.boards() == ["copy"])
        try await store.delete("board", owner: "ann")
        #expect(await updates.boards() == ["board"])
        try await store.restore("board", owner: "ann")
        #expect(await updates.boards() == ["board"])
        // Batches without effect aren't announced, and unread notices are combined.
        try await store.apply("b1", .add("a"))
        try await store.apply("b2", .move("nobody", x: 1, y: 1))
        try await store.apply("b3", .add("b"))
        try await store.create("third")
        var notified: Set<BoardID> = []
        while !notified.isSuperset(of: ["board", "third"]), !Task.isCancelled {
            notified.formUnion(await updates.boards() ?? [])
        }
        #expect(notified == ["board", "third"])
        // Bob has received none of Ann's notices.
        try await store.create("bobs", owner: "bob")
        #expect(await others.boards() == ["bobs"])
    }

    @Test(arguments: StoreKind.allCases)
    func batchNoticeContainsLastEntry(kind: StoreKind) async throws {
        let store = try await kind.fixture().store
        try await store.create("board")
        var updates = store.updates(of: "ann").makeAsyncIterator()
        // The first notice of a newly opened store covers all earlier changes too.
        try await store.rename("board", to: "New", owner: "ann")
        #expect(await updates.next() == ["board": .changed])
        var number = 0
        for count in 1...2 {
            var notice: BoardNotice?
            var last: LogEntry?
            // A store may read a change from the database before its commit is reported, without its entry.
            for _ in 0..<10 where notice == nil || notice == .changed {
                for _ in 0..<count {
                    number += 1
                    last = try await store.apply("b\(number)", .add(EmojiID(stringLiteral: "e\(number)"))).entry
                }
                notice = await updates.next()?["board"]
            }
            #expect(notice == .drawn(try #require(last)))
        }
        try await store.rename("board", to: "Newer", owner: "ann")
        try await store.apply("last", .add("last"))
        #expect(await updates.next() == ["board": .changed])
    }

    @Test(arguments: StoreKind.allCases)
    func everyListenerReceivesTheChange(kind: StoreKind) async throws {
        let store = try await kind.fixture().store
        try await store.create("before")
        var first = store.updates(of: "ann").makeAsyncIterator()
        var second = store.updates(of: "ann").makeAsyncIterator()
        try await store.create("board")
        #expect(await first.boards() == ["board"])
        #expect(await second.boards() == ["board"])
    }

    @Test(arguments: StoreKind.allCases)
    func cancelledListenerEnds(kind: StoreKind) async throws {
        let store = try await kind.fixture().store
        let updates = store.updates(of: "ann")
        let (signals, signal) = AsyncStream.makeStream(of: Void.self)
        let listening = Task {
            var count = 0
            for await _ in updates {
                count += 1
                signal.yield()
            }
            return count
        }
        try await store.create("board")
        _ = await signals.first { true }
        listening.cancel()
        #expect(await listening.value == 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func changesOfAnotherProcessAreDelivered(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        try await fixture.store.create("old")
        let (store, database) = try await fixture.openAnother()
        defer { database.close() }
        // A change of its own establishes the store's position in the sequence.
        try await store.create("own")
        var updates = store.updates(of: "ann").makeAsyncIterator()
        try await fixture.store.create("board")
        try await fixture.store.apply("b1", .add("a"), to: "old")
        var notified: Set<BoardID> = []
        while !notified.isSuperset(of: ["board", "old"]), !Task.isCancelled {
            notified.formUnion(await updates.boards() ?? [])
        }
        #expect(notified == ["board", "old"])
        // If the store hasn't read another process's change yet, its own next change announces both.
        try await fixture.store.rename("board", to: "New", owner: "ann")
        try await store.rename("old", to: "Newer", owner: "ann")
        notified = []
        while !notified.isSuperset(of: ["board", "old"]), !Task.isCancelled {
            notified.formUnion(await updates.boards() ?? [])
        }
        #expect(notified == ["board", "old"])
    }

    @Test(arguments: DatabaseKind.allCases)
    func newlyOpenedStoreReportsBoardsAsChanged(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        try await fixture.store.create("board")
        let (store, database) = try await fixture.openAnother()
        defer { database.close() }
        var updates = store.updates(of: "ann").makeAsyncIterator()
        #expect(await updates.boards() == ["board"])
    }

    @Test(arguments: DatabaseKind.allCases)
    func changesAreDeliveredAfterLastBoardExpired(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        try await fixture.store.create("board")
        try await fixture.store.delete("board", owner: "ann")
        var updates = fixture.store.updates(of: "ann").makeAsyncIterator()
        fixture.time.advance(by: 601)
        try await fixture.store.tidy()
        try await fixture.store.create("new")
        #expect(await updates.boards() == ["new"])
    }
}
