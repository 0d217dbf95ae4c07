import Foundation
import Futures
import Testing
import VirtualTime

@testable import Persistence

/// Stored values: loading, setting, writing, and changes by other writers.
@MainActor
@Suite(.timeLimit(.minutes(20))) struct StoredTests {
    private let store = FaultyStore()
    private let clock = ManualClock()

    private func stored(
        _ key: StoreKey = "numbers", default makeDefault: @escaping @MainActor () -> [Int] = { [0] },
        delay: Duration = .zero, group: SaveGroup? = nil,
        validating validate: @escaping @MainActor ([Int]) -> [Int]? = { $0 },
        merge: @escaping @MainActor (StoredConflict<[Int]>) -> StoredResolution<[Int]> = { _ in .local }
    ) -> Stored<[Int]> {
        Stored(
            key, in: store, format: .numbers, default: makeDefault(),
            settings: AutosaveSettings(delay: delay, clock: clock, group: group), validating: validate, merge: merge)
    }

    // MARK: - Reading

    @Test func flushedValueIsLoadedTheNextTime() async throws {
        let stored = stored()
        stored.value = [1, 2]
        try await stored.flush()
        #expect(await self.stored().load().value == [1, 2])
    }

    @Test func defaultIsShownAndNotWrittenWhenNothingIsStored() async throws {
        let stored = await stored().load()
        #expect(stored.value == [0])
        #expect(stored.status.isSaved)
        try await stored.flush()
        #expect(store.commits.isEmpty)
    }

    @Test func valueIsTheDefaultUntilLoaded() async throws {
        try await store.write([1], "numbers")
        let stored = stored()
        #expect(stored.value == [0])
        #expect(stored.status.description == "loading")
        await stored.load()
        #expect(stored.value == [1])
        #expect(stored.status.isSaved)
        // The value is read once and then cached.
        let reads = store.reads
        for _ in 0..<10 { #expect(stored.value == [1]) }
        #expect(store.reads == reads)
    }

    @Test func failedReadIsRetried() async throws {
        try await store.write([1], "numbers")
        // Two failures: a caller that waits while an attempt fails triggers another one.
        store.failReads([.temporary, .temporary])
        let stored = await stored().load()
        #expect(stored.value == [0])
        #expect(stored.status.failure?.code == .inputOutput)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        await until { stored.value == [1] }
        await until { stored.status.isSaved }
    }

    @Test func valueSetBeforeLoadingIsMergedWithTheStoredOne() async throws {
        try await store.write([1], "numbers")
        var bases: [[Int]?] = []
        let stored = stored(merge: { conflict in
            bases.append(conflict.base)
            return .merged(conflict.foreign + conflict.local)
        })
        stored.value.append(2)
        try await stored.flush()
        #expect(bases == [nil])
        #expect(stored.value == [1, 0, 2])
        #expect(try await store.numbers("numbers") == [1, 0, 2])
    }

    @Test func defaultSetBeforeLoadingIsWritten() async throws {
        try await store.write([1], "numbers")
        let stored = stored()
        stored.value = [0]
        try await stored.flush()
        #expect(stored.value == [0])
        #expect(try await store.numbers("numbers") == [0])
        #expect(stored.reports == [.foreignLost("numbers.conflict-1")])
        #expect(try await store.numbers("numbers.conflict-1") == [1])
    }

    @Test func nothingIsWrittenUntilTheFirstReadSucceeds() async throws {
        try await store.write([1], "numbers")
        store.failReads([.temporary, .temporary])
        let stored = stored(merge: { .merged($0.foreign + $0.local) })
        stored.value = [2]
        #expect(await code { try await stored.flush() } == .inputOutput)
        #expect(store.commits.isEmpty)
        store.failReads([])
        try await stored.flush()
        #expect(try await store.numbers("numbers") == [1, 2])
    }

    // MARK: - Setting

    @Test func manySetsAreCombinedIntoOneWrite() async throws {
        let stored = await stored(delay: .seconds(1)).load()
        for number in 1...1_000 { stored.value = [number] }
        #expect(stored.status.description == "saving")
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        await until { stored.status.isSaved }
        #expect(store.commits.count == 1)
        #expect(try await store.numbers("numbers") == [1_000])
    }

    @Test func valueSetBackToTheStoredOneIsNotWritten() async throws {
        try await store.write([1], "numbers")
        let stored = await stored(delay: .seconds(1)).load()
        stored.value = [2]
        stored.value = [1]
        try await stored.flush()
        #expect(store.commits.isEmpty)
        #expect(stored.status.isSaved)
    }

    @Test func validationRefusesAndCorrectsValues() async throws {
        let stored = await stored(validating: { $0.isEmpty ? nil : $0.sorted() }).load()
        stored.value = []
        #expect(stored.value == [0])
        stored.value = [3, 1]
        #expect(stored.value == [1, 3])
        try await stored.flush()
        #expect(try await store.numbers("numbers") == [1, 3])
    }

    @Test func loadedValueThatFailsValidationBecomesTheDefault() async throws {
        try await store.write([], "numbers")
        let stored = await stored(validating: { $0.isEmpty ? nil : $0 }).load()
        #expect(stored.value == [0])
        // Loading a refused value does not write the default.
        #expect(try await store.numbers("numbers") == [])
    }

    @Test func valueSetDuringAWriteIsWrittenAfterIt() async throws {
        let stored = await stored().load()
        let gate = store.hold()
        stored.value = [1]
        await gate.arrived()
        stored.value = [2]
        stored.value = [3]
        #expect(stored.status.description == "saving")
        gate.open()
        try await stored.flush()
        #expect(store.commits.count == 2)
        #expect(try await store.numbers("numbers") == [3])
    }

    @Test func failedWriteIsRetriedAndShownInTheStatus() async throws {
        let stored = await stored().load()
        store.failCommits([.temporary])
        stored.value = [1]
        await until { stored.status.failure?.code == .inputOutput }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        await until { stored.status.isSaved }
        #expect(try await store.numbers("numbers") == [1])
    }

    @Test func errorAfterACommitIsNotAConflict() async throws {
        let stored = await stored().load()
        store.failAfterCommit()
        stored.value = [1]
        try await stored.flush()
        #expect(stored.status.isSaved)
        #expect(stored.reports.isEmpty)
        #expect(store.commits.count == 1)
        #expect(try await store.keys(beginningWith: "") == ["numbers"])
    }

    @Test func setValueIsWrittenAfterItsOwnerIsReleased() async throws {
        var stored: Stored? = stored(delay: .seconds(1))
        await stored?.load()
        stored?.value = [1]
        await clock.waitForSleepers(1)
        weak let released = stored
        stored = nil
        clock.advance(by: .seconds(1))
        while released != nil, !Task.isCancelled { await Task.yield() }
        #expect(released == nil)
        #expect(try await store.numbers("numbers") == [1])
    }

    @Test func listeningDoesNotRetainTheValue() async throws {
        weak var released: Stored<[Int]>?
        do {
            let stored = await stored().load()
            released = stored
            #expect(released != nil)
        }
        while released != nil, !Task.isCancelled { await Task.yield() }
        #expect(released == nil)
    }

    @Test func groupFlushWritesTheValue() async throws {
        let group = SaveGroup()
        let stored = stored(delay: .seconds(1), group: group)
        stored.value = [1]
        #expect(await group.flush().isEmpty)
        #expect(stored.status.isSaved)
        #expect(try await store.numbers("numbers") == [1])
    }
}
