import Foundation
import Futures
import Testing

@testable import Persistence

/// Notifications of changes by any writer.
@Suite(.timeLimit(.minutes(20))) struct StoreChangesTests {
    @Test(arguments: StoreKind.allCases)
    func ownChangesAreReported(kind: StoreKind) async throws {
        let store = try await StoreFixture(kind).open()
        var changes = store.updates().makeAsyncIterator()
        try await store.put("a", "1")
        await changes.wait(for: ["a"])
        try await store.put("b", "1")
        try await store.put("b", "2")
        await changes.wait(for: ["b"])
        try await store.remove("a")
        await changes.wait(for: ["a"])
        let revision = try #require(try await store.read("b")?.revision)
        _ = try await store.setAside("b", revision: revision, reason: "no text")
        await changes.wait(for: ["b"])
    }

    @Test(arguments: StoreKind.allCases)
    func changesOfAnotherStoreAreReported(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        let other = try await fixture.open()
        try await other.put("gone", "1")
        var changes = store.updates().makeAsyncIterator()
        try await other.put("a", "1")
        await changes.wait(for: ["a"])
        #expect(try await store.text("a") == "1")
        _ = try await other.commit([StoreWrite("a", .text("2")), StoreWrite("b", .text("2")), StoreWrite("gone", nil)])
        await changes.wait(for: ["a", "b", "gone"])
        let revision = try #require(try await other.read("a")?.revision)
        _ = try await other.setAside("a", revision: revision, reason: "no text")
        await changes.wait(for: ["a"])
        #expect(try await store.text("a") == "1")
    }

    @Test(arguments: StoreKind.allCases)
    func changeAfterTheRemovalOfAnAbsentValueIsReported(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        let other = try await fixture.open()
        var changes = store.updates().makeAsyncIterator()
        try await store.put("a", "1")
        await changes.wait(for: ["a"])
        try await store.remove("absent")
        try await other.put("b", "1")
        try await other.put("c", "1")
        let reported = await changes.wait(for: ["c"])
        #expect(reported.contains("b"))
    }

    @Test(arguments: StoreKind.allCases)
    func unreadChangesAreCombinedWithoutLoss(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        let other = try await fixture.open()
        var changes = store.updates().makeAsyncIterator()
        let keys = try (0..<200).map { try StoreKey("key \($0)") }
        for key in keys { try await other.put(key, "1") }
        try await other.put("last", "1")
        let reported = await changes.wait(for: Set(keys + ["last"]))
        #expect(reported == Set(keys + ["last"]))
    }

    @Test(arguments: StoreKind.allCases)
    func everyListenerGetsTheChange(kind: StoreKind) async throws {
        let store = try await StoreFixture(kind).open()
        let all = (0..<3).map { _ in store.updates() }
        try await store.put("a", "1")
        for changes in all {
            var changes = changes.makeAsyncIterator()
            await changes.wait(for: ["a"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func listeningEndsWhenItsTaskIsCancelled(kind: StoreKind) async throws {
        let store = try await StoreFixture(kind).open()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let task = Task {
            var count = 0
            for await _ in store.updates() {
                count += 1
                begin.finish()
            }
            return count
        }
        // Write until a change is reported, because it is unknown when the task subscribes.
        let writing = Task {
            var number = 0
            while !Task.isCancelled {
                number += 1
                try await store.put("a", "\(number)")
                // Calling an idle actor does not suspend the task.
                await Task.yield()
            }
        }
        for await _ in begun {}
        writing.cancel()
        task.cancel()
        #expect(await task.value > 0)
        _ = try? await writing.value
    }

    @Test func droppedListenerIsRemoved() async throws {
        let listeners = ChangeListeners<StoreKey>()
        var changes: Updates<Set<StoreKey>>? = listeners.updates()
        var iterator = changes?.makeAsyncIterator()
        #expect(!listeners.isEmpty)
        listeners.report(["a"])
        #expect(await iterator?.next() == ["a"])
        changes = nil
        iterator = nil
        #expect(listeners.isEmpty)
        withExtendedLifetime(changes) {}
    }

    @Test func watchStartsWithTheFirstListenerAndEndsWithTheLast() async throws {
        let journal = Journal()
        let listeners = ChangeListeners<StoreKey> { _ in
            journal.note("begun")
            return ChangeListeners<StoreKey>.Watch { journal.note("ended") }
        }
        #expect(journal.entries == [])
        for _ in 0..<2 {
            var first: Updates<Set<StoreKey>>? = listeners.updates()
            var second: Updates<Set<StoreKey>>? = listeners.updates()
            withExtendedLifetime((first, second)) {}
            first = nil
            second = nil
        }
        #expect(journal.entries == ["begun", "ended", "begun", "ended"])
    }

    @Test(arguments: StoreKind.shared)
    func changesOfAnotherProcessAreReported(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        var changes = store.updates().makeAsyncIterator()
        await #expect(processExitsWith: .success) { [path = fixture.path as String, kind = kind as StoreKind] in
            let store = try await kind.open(at: path)
            try await store.put("a", "from another process")
            _ = try await store.commit([StoreWrite("b", .text("1")), StoreWrite("c", .text("1"))])
            try await store.remove("c")
        }
        // The watch of a folder may miss a value that was there only for a moment.
        let isFolder = kind == .folder || kind == .plainFolder
        let reported = await changes.wait(for: isFolder ? ["a", "b"] : ["a", "b", "c"])
        #expect(reported.isSubset(of: ["a", "b", "c"]))
        #expect(try await store.text("a") == "from another process")
        #expect(try await store.keys == ["a", "b"])
    }

    /// This runs in its own process: each other test ends by removing its defaults, and Foundation reports that to all
    /// stores of the process.
    @Test func changesOfDefaultsAreReportedWithoutForeignNotifications() async throws {
        await #expect(processExitsWith: .success) {
            let fixture = try StoreFixture(.defaults)
            let store = try await fixture.open()
            let other = try await fixture.open()
            var changes = store.updates().makeAsyncIterator()
            try await store.put("a", "1")
            await changes.wait(for: ["a"])
            try await other.remove("a")
            await changes.wait(for: ["a"])
            #expect(try await store.read("a") == nil)
        }
    }

    @Test func manualEditsOfPlainFilesAreReported() async throws {
        let fixture = try StoreFixture(.plainFolder)
        let store = try await fixture.open()
        let before = try await store.put("palette", "Faces")
        var changes = store.updates().makeAsyncIterator()
        // Written in place and on one line, as some editors do.
        let url = URL(filePath: fixture.path + "/palette.json")
        try Data(#"{ "version" : 1, "value" : "Animals", "note" : 1, "format" : "text" }"#.utf8).write(to: url)
        await changes.wait(for: ["palette"])
        let edited = try #require(try await store.read("palette"))
        #expect(edited.text == "Animals")
        #expect(edited.revision != before)
        let late = StoreWrite("palette", .text("Flags"), expecting: .revision(before))
        #expect(try await store.commit([late]) == .conflict(["palette": edited]))
        try FileManager.default.removeItem(at: url)
        await changes.wait(for: ["palette"])
        #expect(try await store.read("palette") == nil)
        try await store.put("palette", "Flags", expecting: .nothing)
    }

    @Test func removalAndRecreationOfAFolderAreReported() async throws {
        let fixture = try StoreFixture(.folder)
        let store = try await fixture.open()
        try await store.put("a", "1")
        var changes = store.updates().makeAsyncIterator()
        try await store.put("b", "1")
        await changes.wait(for: ["b"])
        try FileManager.default.removeItem(atPath: fixture.path)
        await changes.wait(for: ["a", "b"])
        let next = try await fixture.open()
        try await next.put("c", "1")
        await changes.wait(for: ["c"])
        #expect(try await store.text("c") == "1")
        // The store that was opened earlier can write again, under the lock of the new folder.
        try await store.put("d", "1")
        #expect(try await next.text("d") == "1")
    }
}

/// Records events in order.
private final class Journal: Sendable {
    private let lines = Lock<[String]>([])

    var entries: [String] { lines.withLock { $0 } }

    func note(_ entry: String) {
        lines.withLock { $0.append(entry) }
    }
}
