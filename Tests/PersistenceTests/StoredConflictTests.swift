import Foundation
import Testing
import VirtualTime

@testable import Persistence

/// A stored value with other writers: loaded changes, conflicts, and values that can't be read.
@MainActor
@Suite(.timeLimit(.minutes(20))) struct StoredConflictTests {
    private let store = FaultyStore()

    private func kept(
        format: StoredFormat<[Int]> = .numbers, delay: Duration = .zero,
        validating validate: @escaping @MainActor ([Int]) -> [Int]? = { $0 },
        merge: @escaping @MainActor (StoredConflict<[Int]>) -> StoredResolution<[Int]> = { _ in .local }
    ) -> Stored<[Int]> {
        Stored(
            "numbers", in: store, format: format, default: [0],
            settings: AutosaveSettings(delay: delay, clock: ManualClock()), validating: validate, merge: merge)
    }

    /// A stored value that was loaded as 1, then set to 2 here, and then changed by another writer.
    private func contested(
        by others: [Int] = [3], validating validate: @escaping @MainActor ([Int]) -> [Int]? = { $0 },
        merge: @escaping @MainActor (StoredConflict<[Int]>) -> StoredResolution<[Int]> = { _ in .local }
    ) async throws -> Stored<[Int]> {
        try await store.write([1], "numbers")
        let kept = await kept(delay: .seconds(1_000), validating: validate, merge: merge).load()
        kept.value = [2]
        try await store.memory.write(others, "numbers")
        return kept
    }

    // MARK: - Other writers

    @Test func whatOthersWriteIsTakenOver() async throws {
        let kept = await kept().load()
        try await store.write([1], "numbers")
        await until { kept.value == [1] }
        try await store.write([2], "numbers")
        await until { kept.value == [2] }
        #expect(kept.status.isSaved)
        #expect(kept.reports.isEmpty)
    }

    @Test func whatOthersRemoveIsTheDefault() async throws {
        try await store.write([1], "numbers")
        let kept = await kept().load()
        _ = try await store.commit([StoreWrite("numbers", nil)])
        await until { kept.value == [0] }
        kept.value = [2]
        try await kept.flush()
        #expect(try await store.numbers("numbers") == [2])
    }

    @Test func withoutAMergeTheLastWinsAndTheOtherIsKept() async throws {
        let kept = try await contested()
        try await kept.flush()
        #expect(kept.value == [2])
        #expect(try await store.numbers("numbers") == [2])
        #expect(try await store.numbers("numbers.conflict-1") == [3])
        #expect(kept.reports == [.foreignLost("numbers.conflict-1")])
        kept.dismissReports()
        #expect(kept.reports.isEmpty)
    }

    @Test func whereTheOtherWinsWhatWasSetIsKept() async throws {
        let kept = try await contested(merge: { _ in .foreign })
        try await kept.flush()
        #expect(kept.value == [3])
        #expect(kept.status.isSaved)
        #expect(try await store.numbers("numbers") == [3])
        #expect(try await store.numbers("numbers.conflict-1") == [2])
        #expect(kept.reports == [.localLost("numbers.conflict-1")])
    }

    @Test func aMergeKnowsWhatBothBeganWith() async throws {
        let kept = try await contested(merge: { conflict in
            .merged((conflict.base ?? []) + conflict.local + conflict.foreign)
        })
        try await kept.flush()
        #expect(kept.value == [1, 2, 3])
        #expect(try await store.numbers("numbers") == [1, 2, 3])
        #expect(kept.reports.isEmpty)
        #expect(try await store.keys(beginningWith: "") == ["numbers"])
    }

    @Test func aMergeThatTheRuleRefusesIsNone() async throws {
        let kept = try await contested(validating: { $0.isEmpty ? nil : $0 }, merge: { _ in .merged([]) })
        try await kept.flush()
        #expect(kept.value == [2])
        #expect(try await store.allNumbers() == [2, 3])
    }

    @Test func theSameFromBothIsNoConflict() async throws {
        let kept = try await contested(
            by: [2],
            merge: { _ in
                Issue.record("there is nothing to merge")
                return .local
            })
        try await kept.flush()
        #expect(kept.status.isSaved)
        #expect(kept.reports.isEmpty)
    }

    @Test func losersHaveNamesOfTheirOwn() async throws {
        for number in 1...3 {
            try await store.write([10 * number], "numbers")
            let kept = kept()
            kept.value = [10 * number + 1]
            try await kept.flush()
        }
        let names = try await store.keys(beginningWith: "numbers.conflict-").map(\.name)
        #expect(names == ["numbers.conflict-1", "numbers.conflict-2", "numbers.conflict-3"])
        #expect(try await store.allNumbers() == [10, 20, 30, 31])
    }

    @Test func aLongNameHasLosersToo() async throws {
        let key = try StoreKey(String(repeating: "ä", count: 40))
        try await store.write([1], key)
        let kept = Stored(key, in: store, format: .numbers, default: [0])
        kept.value = [2]
        try await kept.flush()
        #expect(try await store.allNumbers() == [1, 2])
    }

    // MARK: - Unreadable values

    @Test func whatMakesNoValueIsSetAside() async throws {
        let content = StoredContent(format: "numbers", version: 1, payload: Data("nonsense".utf8))
        _ = try await store.commit([StoreWrite("numbers", content)])
        let kept = await kept().load()
        #expect(kept.value == [0])
        #expect(kept.status.isSaved)
        let records = try await store.setAsideRecords()
        #expect(kept.reports == records.map { .setAside($0) })
        #expect(records.count == 1)
        #expect(try await store.memory.setAsideContent(of: records[0])?.content.get() == content)
        kept.value = [1]
        try await kept.flush()
        #expect(try await store.numbers("numbers") == [1])
    }

    @Test func anOlderCopyTakesThePlaceOfWhatMakesNoValue() async throws {
        try await store.write([1], "numbers")
        let content = StoredContent(format: "words", version: 1, payload: Data("[]".utf8))
        _ = try await store.commit([StoreWrite("numbers", content)])
        let kept = await kept().load()
        #expect(kept.value == [1])
        #expect(kept.reports.count == 1)
    }

    @Test func whatIsInMemoryTakesThePlaceOfWhatMakesNoValue() async throws {
        let kept = await kept().load()
        kept.value = [1]
        try await kept.flush()
        let content = StoredContent(format: "numbers", version: 1, payload: Data("nonsense".utf8))
        _ = try await store.commit([StoreWrite("numbers", content)])
        await until { !kept.reports.isEmpty }
        try await kept.flush()
        #expect(kept.value == [1])
        #expect(try await store.numbers("numbers") == [1])
    }

    @Test func damageThatTheStoreFindsIsReported() async throws {
        store.failReads([StoreError(.corrupt, "It is damaged.")])
        let kept = await kept().load()
        #expect(kept.value == [0])
        #expect(kept.status.isSaved)
        kept.value = [1]
        try await kept.flush()
        #expect(try await store.numbers("numbers") == [1])
    }

    @Test func aNewerVersionIsLeftAsItIs() async throws {
        let content = StoredContent(format: "numbers", version: 2, payload: Data("{}".utf8))
        _ = try await store.commit([StoreWrite("numbers", content)])
        let commits = store.commits.count
        let kept = await kept().load()
        #expect(kept.value == [0])
        #expect(kept.status.failure?.code == .newerVersion)
        kept.value = [1]
        #expect(kept.value == [0])
        try await kept.flush()
        #expect(store.commits.count == commits)
        #expect(try await store.read("numbers")?.content == content)
        // After another writer has stored a version that this program can read, it is loaded.
        try await store.write([3], "numbers", replacing: true)
        await until { kept.value == [3] }
        #expect(kept.status.isSaved)
    }

    @Test func whatWasSetBeforeANewerVersionWasFoundIsNotWritten() async throws {
        let content = StoredContent(format: "numbers", version: 2, payload: Data("{}".utf8))
        _ = try await store.commit([StoreWrite("numbers", content)])
        let kept = kept()
        kept.value = [1]
        #expect(await code { try await kept.flush() } == .newerVersion)
        #expect(kept.value == [1])
        #expect(kept.status.failure?.code == .newerVersion)
        #expect(try await store.read("numbers")?.content == content)
    }

    @Test func aNewerVersionThatComesMeanwhileIsLeftAsItIs() async throws {
        let kept = await kept(delay: .seconds(1_000)).load()
        kept.value = [1]
        let content = StoredContent(format: "numbers", version: 2, payload: Data("{}".utf8))
        _ = try await store.memory.commit([StoreWrite("numbers", content)])
        #expect(await code { try await kept.flush() } == .newerVersion)
        #expect(try await store.read("numbers")?.content == content)
    }

    @Test func anOlderVersionIsMigrated() async throws {
        _ = try await store.commit([
            StoreWrite("numbers", StoredFormat<Int>("numbers").content(of: 7))
        ])
        let format = StoredFormat<[Int]>("numbers", version: 2).migrating(from: 1) { (number: Int) in [number] }
        let kept = await kept(format: format).load()
        #expect(kept.value == [7])
        kept.value = [7, 8]
        try await kept.flush()
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
