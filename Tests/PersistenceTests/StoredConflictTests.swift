import Foundation
import Testing
import VirtualTime

@testable import Persistence

/// A stored value with other writers: loaded changes, conflicts, and values that can't be read.
@MainActor
@Suite(.timeLimit(.minutes(20))) struct StoredConflictTests {
    private let store = FaultyStore()

    private func stored(
        format: StoredFormat<[Int]> = .numbers, delay: Duration = .zero,
        validating validate: @escaping @MainActor ([Int]) -> [Int]? = { $0 },
        merge: @escaping @MainActor (StoredConflict<[Int]>) -> StoredResolution<[Int]> = { _ in .local }
    ) -> Stored<[Int]> {
        Stored(
            "numbers", in: store, format: format, default: [0],
            settings: AutosaveSettings(delay: delay, clock: ManualClock()), validating: validate, merge: merge)
    }

    /// A stored value that was loaded as 1, then set to 2 here, and then changed by another writer.
    private func conflicting(
        with others: [Int] = [3], validating validate: @escaping @MainActor ([Int]) -> [Int]? = { $0 },
        merge: @escaping @MainActor (StoredConflict<[Int]>) -> StoredResolution<[Int]> = { _ in .local }
    ) async throws -> Stored<[Int]> {
        try await store.write([1], "numbers")
        let stored = await stored(delay: .seconds(1_000), validating: validate, merge: merge).load()
        stored.value = [2]
        try await store.memory.write(others, "numbers")
        return stored
    }

    // MARK: - Other writers

    @Test func valueOfAnotherWriterIsLoaded() async throws {
        let stored = await stored().load()
        try await store.write([1], "numbers")
        await until { stored.value == [1] }
        try await store.write([2], "numbers")
        await until { stored.value == [2] }
        #expect(stored.status.isSaved)
        #expect(stored.reports.isEmpty)
    }

    @Test func valueRemovedByAnotherWriterBecomesTheDefault() async throws {
        try await store.write([1], "numbers")
        let stored = await stored().load()
        _ = try await store.commit([StoreWrite("numbers", nil)])
        await until { stored.value == [0] }
        stored.value = [2]
        try await stored.flush()
        #expect(try await store.numbers("numbers") == [2])
    }

    @Test func localValueWinsByDefaultAndTheForeignOneIsCopied() async throws {
        let stored = try await conflicting()
        try await stored.flush()
        #expect(stored.value == [2])
        #expect(try await store.numbers("numbers") == [2])
        #expect(try await store.numbers("numbers.conflict-1") == [3])
        #expect(stored.reports == [.foreignLost("numbers.conflict-1")])
        stored.dismissReports()
        #expect(stored.reports.isEmpty)
    }

    @Test func localValueIsCopiedWhenTheForeignOneWins() async throws {
        let stored = try await conflicting(merge: { _ in .foreign })
        try await stored.flush()
        #expect(stored.value == [3])
        #expect(stored.status.isSaved)
        #expect(try await store.numbers("numbers") == [3])
        #expect(try await store.numbers("numbers.conflict-1") == [2])
        #expect(stored.reports == [.localLost("numbers.conflict-1")])
    }

    @Test func mergeGetsTheCommonBase() async throws {
        let stored = try await conflicting(merge: { conflict in
            .merged((conflict.base ?? []) + conflict.local + conflict.foreign)
        })
        try await stored.flush()
        #expect(stored.value == [1, 2, 3])
        #expect(try await store.numbers("numbers") == [1, 2, 3])
        #expect(stored.reports.isEmpty)
        #expect(try await store.keys(beginningWith: "") == ["numbers"])
    }

    @Test func mergeResultThatFailsValidationIsIgnored() async throws {
        let stored = try await conflicting(validating: { $0.isEmpty ? nil : $0 }, merge: { _ in .merged([]) })
        try await stored.flush()
        #expect(stored.value == [2])
        #expect(try await store.allNumbers() == [2, 3])
    }

    @Test func equalValuesAreNotAConflict() async throws {
        let stored = try await conflicting(
            with: [2],
            merge: { _ in
                Issue.record("equal values were merged")
                return .local
            })
        try await stored.flush()
        #expect(stored.status.isSaved)
        #expect(stored.reports.isEmpty)
    }

    @Test func conflictCopiesGetSeparateKeys() async throws {
        for number in 1...3 {
            try await store.write([10 * number], "numbers")
            let stored = stored()
            stored.value = [10 * number + 1]
            try await stored.flush()
        }
        let names = try await store.keys(beginningWith: "numbers.conflict-").map(\.name)
        #expect(names == ["numbers.conflict-1", "numbers.conflict-2", "numbers.conflict-3"])
        #expect(try await store.allNumbers() == [10, 20, 30, 31])
    }

    @Test func longKeyGetsAConflictCopyToo() async throws {
        let key = try StoreKey(String(repeating: "ä", count: 40))
        try await store.write([1], key)
        let stored = Stored(key, in: store, format: .numbers, default: [0])
        stored.value = [2]
        try await stored.flush()
        #expect(try await store.allNumbers() == [1, 2])
    }

    // MARK: - Unreadable values

    @Test func undecodableValueIsSetAside() async throws {
        let content = StoredContent(format: "numbers", version: 1, payload: Data("nonsense".utf8))
        _ = try await store.commit([StoreWrite("numbers", content)])
        let stored = await stored().load()
        #expect(stored.value == [0])
        #expect(stored.status.isSaved)
        let records = try await store.setAsideRecords()
        #expect(stored.reports == records.map { .setAside($0) })
        #expect(records.count == 1)
        #expect(try await store.memory.setAsideContent(of: records[0])?.content.get() == content)
        stored.value = [1]
        try await stored.flush()
        #expect(try await store.numbers("numbers") == [1])
    }

    @Test func olderCopyReplacesAnUndecodableValue() async throws {
        try await store.write([1], "numbers")
        let content = StoredContent(format: "words", version: 1, payload: Data("[]".utf8))
        _ = try await store.commit([StoreWrite("numbers", content)])
        let stored = await stored().load()
        #expect(stored.value == [1])
        #expect(stored.reports.count == 1)
    }

    @Test func valueInMemoryReplacesAnUndecodableOne() async throws {
        let stored = await stored().load()
        stored.value = [1]
        try await stored.flush()
        let content = StoredContent(format: "numbers", version: 1, payload: Data("nonsense".utf8))
        _ = try await store.commit([StoreWrite("numbers", content)])
        await until { !stored.reports.isEmpty }
        try await stored.flush()
        #expect(stored.value == [1])
        #expect(try await store.numbers("numbers") == [1])
    }

    @Test func corruptRecordFallsBackToTheDefault() async throws {
        store.failReads([StoreError(.corrupt, "It is damaged.")])
        let stored = await stored().load()
        #expect(stored.value == [0])
        #expect(stored.status.isSaved)
        stored.value = [1]
        try await stored.flush()
        #expect(try await store.numbers("numbers") == [1])
    }

    @Test func newerVersionIsNotOverwritten() async throws {
        let content = StoredContent(format: "numbers", version: 2, payload: Data("{}".utf8))
        _ = try await store.commit([StoreWrite("numbers", content)])
        let commits = store.commits.count
        let stored = await stored().load()
        #expect(stored.value == [0])
        #expect(stored.status.failure?.code == .newerVersion)
        stored.value = [1]
        #expect(stored.value == [0])
        try await stored.flush()
        #expect(store.commits.count == commits)
        #expect(try await store.read("numbers")?.content == content)
        // After another writer has stored a version that this program can read, it is loaded.
        try await store.write([3], "numbers", replacing: true)
        await until { stored.value == [3] }
        #expect(stored.status.isSaved)
    }

    @Test func valueSetBeforeANewerVersionIsFoundIsNotWritten() async throws {
        let content = StoredContent(format: "numbers", version: 2, payload: Data("{}".utf8))
        _ = try await store.commit([StoreWrite("numbers", content)])
        let stored = stored()
        stored.value = [1]
        #expect(await code { try await stored.flush() } == .newerVersion)
        #expect(stored.value == [1])
        #expect(stored.status.failure?.code == .newerVersion)
        #expect(try await store.read("numbers")?.content == content)
    }

    @Test func newerVersionWrittenMeanwhileIsNotOverwritten() async throws {
        let stored = await stored(delay: .seconds(1_000)).load()
        stored.value = [1]
        let content = StoredContent(format: "numbers", version: 2, payload: Data("{}".utf8))
        _ = try await store.memory.commit([StoreWrite("numbers", content)])
        #expect(await code { try await stored.flush() } == .newerVersion)
        #expect(try await store.read("numbers")?.content == content)
    }

    @Test func anOlderVersionIsMigrated() async throws {
        _ = try await store.commit([
            StoreWrite("numbers", StoredFormat<Int>("numbers").content(of: 7))
        ])
        let format = StoredFormat<[Int]>("numbers", version: 2).migrating(from: 1) { (number: Int) in [number] }
        let stored = await stored(format: format).load()
        #expect(stored.value == [7])
        stored.value = [7, 8]
        try await stored.flush()
        #expect(try await store.read("numbers")?.content.version == 2)
    }
}

extension FaultyStore {
    /// Writes numbers, after removing a newer version if requested.
    fileprivate func write(_ numbers: [Int], _ key: StoreKey, replacing: Bool) async throws {
        if replacing { _ = try await commit([StoreWrite(key, nil)]) }
        try await write(numbers, key)
    }
}
