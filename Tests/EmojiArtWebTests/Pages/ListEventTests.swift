import BrowserDriver
import EmojiArtModel
import EmojiArtStore
import Foundation
import MemoryStores
import Persistence
import Site
import Testing
import VirtualTime

@testable import EmojiArtWeb

/// The events of an open list.
@Suite(.timeLimit(.minutes(10))) struct ListEventTests {
    @Test func firstEventHasVersionOfPage() async throws {
        try await PagesServer.run { server in
            try await server.createBoard("b")
            let page = try await server.get("/art/").text
            let version = try await server.follow("/art/events?page=1") { try await $0.next("boards") }
            #expect(page.contains(#"data-live-version="\#(try #require(version))""#))
        }
    }

    @Test func everyChangeOfListSendsNewVersion() async throws {
        try await PagesServer.run { server in
            let board = try await server.createBoard("b")
            let versions = try await server.follow("/art/events") { events in
                var versions = [try #require(try await events.next("boards"))]
                func receiveNextVersion() async throws {
                    // The server coalesces changes during a pause; the test advances the clock past it.
                    await server.clock.waitForSleepers(1)
                    server.clock.advance(by: OpenBoardList.pause)
                    versions.append(try #require(try await events.next("boards")))
                }
                _ = try await server.post("/art/boards", ["name": "Zoo"])
                try await receiveNextVersion()
                try await server.addEmoji(to: board.id)
                try await receiveNextVersion()
                _ = try await server.post("/art/boards/b/rename", ["name": "Harbour"])
                try await receiveNextVersion()
                _ = try await server.post("/art/boards/b/delete")
                try await receiveNextVersion()
                _ = try await server.post("/art/boards/b/restore")
                try await receiveNextVersion()
                return versions
            }
            #expect(versions.count == 6)
            for (one, next) in zip(versions, versions.dropFirst()) { #expect(one != next) }
            // A restored board is listed as before.
            #expect(versions[5] == versions[3])
        }
    }

    @Test func manyChangesAreCoalescedIntoOneEvent() async throws {
        let clock = ManualClock()
        let store: any BoardStoring = MemoryBoardStore()
        let id = try #require(BoardID("b"))
        _ = try await store.create(id, named: "Beach", art: EmojiArt(), owner: .local)
        let lists = await OpenBoardList.lists(of: .local, in: store, clock: clock)
        var iterator = DocumentEvents(of: lists, key: 1).makeAsyncIterator()
        let first = await iterator.next()
        @Sendable func draw(_ number: Int) async throws {
            let emoji = Emoji(id: EmojiID(number), text: "🎈", x: 0, y: 0, size: 40, z: 0)
            let batch = OperationBatch(id: "\(number)", name: "Add 🎈", operations: [.add(emoji)])
            _ = try await store.apply(batch, to: id, owner: .local, author: "")
        }
        try await draw(0)
        async let drawn: Void = {
            await clock.waitForSleepers(1)
            for number in 1..<20 { try await draw(number) }
            clock.advance(by: OpenBoardList.pause)
        }()
        let second = await iterator.next()
        try await drawn
        #expect(second != first)
        let now = try await BoardList(of: .local, in: store, page: 1)
        #expect(second?.data == now.version)
        await lists.shutDown()
    }

    @Test func changeByAnotherProcessSendsEvent() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "list-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = try DataFolder.open(at: path)
        let database = try await AppDatabase.open(in: folder, migrations: BoardMigrations.all)
        let otherDatabase = try await AppDatabase.open(in: folder, migrations: BoardMigrations.all)
        let clock = ManualClock()
        let store = SQLiteBoardStore(database: database, blobs: BlobStore(database: database))
        let other = SQLiteBoardStore(database: otherDatabase, blobs: BlobStore(database: otherDatabase))
        let lists = await OpenBoardList.lists(of: .local, in: store, clock: clock)
        var events = DocumentEvents(of: lists, key: 1).makeAsyncIterator()
        let first = await events.next()
        let id = try #require(BoardID("b"))
        _ = try await other.create(id, named: "Beach", art: EmojiArt(), owner: .local)
        async let passed: Void = {
            await clock.waitForSleepers(1)
            clock.advance(by: OpenBoardList.pause)
        }()
        let second = await events.next()
        await passed
        #expect(second?.name == "boards")
        #expect(second != first)
        #expect(second?.data == (try await BoardList(of: .local, in: other, page: 1)).version)
        await lists.shutDown()
        database.close()
        otherDatabase.close()
    }

    @Test func changeOnOnePageDoesNotChangeVersionOfAnother() async throws {
        let store: any BoardStoring = MemoryBoardStore()
        for number in 0..<61 {
            let id = try #require(BoardID("b\(number)"))
            _ = try await store.create(id, named: "Beach", art: EmojiArt(), owner: .local)
        }
        func version(page: Int) async throws -> String {
            try await BoardList(of: .local, in: store, page: page).version
        }
        let before = (first: try await version(page: 1), second: try await version(page: 2))
        #expect(before.first != before.second)
        // The newest board is first on the first page and stays there.
        try await store.rename(try #require(BoardID("b60")), to: "Zoo", owner: .local)
        #expect(try await version(page: 1) != before.first)
        #expect(try await version(page: 2) == before.second)
    }

    @Test func tabsOfOnePageShareListUntilLastOneCloses() async throws {
        let store: any BoardStoring = MemoryBoardStore()
        let lists = await OpenBoardList.lists(of: .local, in: store, clock: ManualClock())
        let following = (0..<2).map { _ in
            Task {
                var count = 0
                for await _ in DocumentEvents(of: lists, key: 1) { count += 1 }
                return count
            }
        }
        try await eventually("both tabs listen") { await lists.documents.first?.parts.readers == 2 }
        #expect(await lists.documents.count == 1)
        for tab in following { tab.cancel() }
        for tab in following { #expect(await tab.value <= 1) }
        try await eventually("the list is dropped") {
            await lists.tidy()
            return await lists.keys.isEmpty
        }
    }
}
