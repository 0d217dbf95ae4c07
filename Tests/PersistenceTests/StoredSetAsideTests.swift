import Foundation
import Futures
import Testing

@testable import Persistence

/// A stored value with earlier values that were set aside.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct StoredSetAsideTests {
    private let store = FaultyStore()

    private func numbers() async -> Stored<[Int]> {
        await Stored("a", in: store, format: .numbers, default: [0], settings: AutosaveSettings(delay: .zero)).load()
    }

    /// Stores a text instead of numbers.
    private func damage() async throws {
        _ = try await store.memory.commit([StoreWrite("a", .text("no numbers", format: "numbers"))])
    }

    @Test func earlierSetAsideValueIsListedAfterAStart() async throws {
        try await damage()
        #expect(await numbers().reports.count == 1)
        let next = await numbers()
        #expect(next.reports == [])
        let record = try #require(try await next.setAsideRecords().first)
        #expect(record.reason == "Version 1 of numbers can't be decoded: the type is wrong")
        #expect(try await next.setAsideContent(of: record)?.bytes == Data(#""no numbers""#.utf8))
    }

    @Test func undecodableValueIsNotRestored() async throws {
        try await damage()
        let stored = await numbers()
        stored.value = [1]
        try await stored.flush()
        let record = try #require(try await stored.setAsideRecords().first)
        #expect(await code { try await stored.restore(record, reason: "replaced") } == .notDecodable)
        #expect(stored.value == [1])
        #expect(try await store.numbers("a") == [1])
        #expect(try await stored.setAsideRecords() == [record])
    }

    @Test func restoredValueIsShownAndTheCurrentOneSetAside() async throws {
        try await store.write([7], "a")
        let revision = try #require(try await store.read("a")?.revision)
        _ = try await store.setAside("a", revision: revision, reason: "a test")
        let stored = await numbers()
        stored.value = [1]
        let record = try #require(try await stored.setAsideRecords().first)
        #expect(try await stored.setAsideValue(of: record) == [7])
        let restored = try await stored.restore(record, reason: "replaced")
        #expect(stored.value == [7] && stored.status.isSaved)
        let replaced = try #require(restored.replaced)
        #expect(try await stored.setAsideRecords() == [replaced])
        #expect(try await stored.setAsideValue(of: replaced) == [1])
        #expect(await code { try await stored.restore(record, reason: "again") } == .missing)
        #expect(try await stored.removeSetAside(replaced))
        #expect(try await !stored.removeSetAside(replaced))
        #expect(stored.value == [7])
    }

    @Test func recordOfAnotherKeyIsMissing() async throws {
        try await store.write([7], "b")
        let revision = try #require(try await store.read("b")?.revision)
        let record = try #require(try await store.setAside("b", revision: revision, reason: "a test"))
        let stored = await numbers()
        #expect(try await stored.setAsideRecords() == [])
        #expect(await code { try await stored.restore(record, reason: "replaced") } == .missing)
        #expect(try await !stored.removeSetAside(record))
        #expect(try await store.setAsideRecords() == [record])
    }

    @Test func restoreFailsWhenTheCurrentValueCannotBeWritten() async throws {
        try await store.write([7], "a")
        let revision = try #require(try await store.read("a")?.revision)
        _ = try await store.setAside("a", revision: revision, reason: "a test")
        let stored = await numbers()
        let record = try #require(try await stored.setAsideRecords().first)
        store.failCommits([.unfit, .unfit, .unfit])
        stored.value = [1]
        #expect(await code { try await stored.restore(record, reason: "replaced") } == .notEncodable)
        #expect(stored.value == [1])
        #expect(try await stored.setAsideRecords() == [record])
    }
}
