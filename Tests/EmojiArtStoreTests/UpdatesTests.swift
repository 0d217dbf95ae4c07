import EmojiArtModel
import Futures
import Persistence
import StoreTesting
import Testing

@testable import EmojiArtStore

/// Who is told of changes, in this process and in others.
@Suite(.timeLimit(.minutes(10))) struct UpdatesTests {
    @Test(arguments: StoreKind.allCases)
    func eachChangeIsTold(kind: StoreKind) async throws {
        let store = try await kind.place().store
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
        // What changes nothing is not told, and what nobody has taken comes together.
        try await store.apply("b1", .add("a"))
        try await store.apply("b2", .move("nobody", x: 1, y: 1))
        try await store.apply("b3", .add("b"))
        try await store.create("third")
        var told: Set<BoardID> = []
        while !told.isSuperset(of: ["board", "third"]), !Task.isCancelled {
            told.formUnion(await updates.boards() ?? [])
        }
        #expect(told == ["board", "third"])
        // Bob has heard nothing of it.
        try await store.create("bobs", owner: "bob")
        #expect(await others.boards() == ["bobs"])
    }

    @Test(arguments: StoreKind.allCases)
    func aNoticeOfBatchesHasTheLastEntry(kind: StoreKind) async throws {
        let store = try await kind.place().store
        try await store.create("board")
        var updates = store.updates(of: "ann").makeAsyncIterator()
        // A store that is new to its database first tells of everything.
        try await store.rename("board", to: "New", owner: "ann")
        #expect(await updates.next() == ["board": .changed])
        let first = try #require(try await store.apply("b1", .add("a")).entry)
        #expect(await updates.next() == ["board": .drawn(first)])
        try await store.apply("b2", .add("b"))
        let third = try #require(try await store.apply("b3", .add("c")).entry)
        #expect(await updates.next() == ["board": .drawn(third)])
        try await store.rename("board", to: "Newer", owner: "ann")
        try await store.apply("b4", .add("d"))
        #expect(await updates.next() == ["board": .changed])
    }

    @Test(arguments: StoreKind.allCases)
    func severalListenersAreToldTheSame(kind: StoreKind) async throws {
        let store = try await kind.place().store
        try await store.create("before")
        var first = store.updates(of: "ann").makeAsyncIterator()
        var second = store.updates(of: "ann").makeAsyncIterator()
        try await store.create("board")
        #expect(await first.boards() == ["board"])
        #expect(await second.boards() == ["board"])
    }

    @Test(arguments: StoreKind.allCases)
    func aCancelledListenerIsDone(kind: StoreKind) async throws {
        let store = try await kind.place().store
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

    @Test func changesOfAnotherProcessAreTold() async throws {
        let place = try await SQLitePlace()
        try await place.store.create("old")
        let (store, database) = try await place.another()
        defer { database.close() }
        // It knows where it is from a change of its own.
        try await store.create("own")
        var updates = store.updates(of: "ann").makeAsyncIterator()
        try await place.store.create("board")
        try await place.store.apply("b1", .add("a"), to: "old")
        var told: Set<BoardID> = []
        while !told.isSuperset(of: ["board", "old"]), !Task.isCancelled { told.formUnion(await updates.boards() ?? []) }
        #expect(told == ["board", "old"])
        // A change of one's own, after one of another that was not looked at yet, tells both.
        try await place.store.rename("board", to: "New", owner: "ann")
        try await store.rename("old", to: "Newer", owner: "ann")
        told = []
        while !told.isSuperset(of: ["board", "old"]), !Task.isCancelled { told.formUnion(await updates.boards() ?? []) }
        #expect(told == ["board", "old"])
    }

    @Test func aStoreThatIsNewToItsDatabaseTellsOfAllThatMayHaveHappened() async throws {
        let place = try await SQLitePlace()
        try await place.store.create("board")
        let (store, database) = try await place.another()
        defer { database.close() }
        var updates = store.updates(of: "ann").makeAsyncIterator()
        #expect(await updates.boards() == ["board"])
    }

    @Test func changesAreNumberedOnAfterTheLastBoardHasGone() async throws {
        let place = try await SQLitePlace()
        try await place.store.create("board")
        try await place.store.delete("board", owner: "ann")
        var updates = place.store.updates(of: "ann").makeAsyncIterator()
        place.time.advance(by: 601)
        try await place.store.tidy()
        try await place.store.create("new")
        #expect(await updates.boards() == ["new"])
    }
}
