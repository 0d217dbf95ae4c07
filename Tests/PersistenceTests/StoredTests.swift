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

    private func kept(
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

    @Test func whatWasSetIsThereTheNextTime() async throws {
        let kept = kept()
        kept.value = [1, 2]
        try await kept.flush()
        #expect(await self.kept().load().value == [1, 2])
    }

    @Test func whereNothingIsKeptItIsTheDefaultAndNothingIsWritten() async throws {
        let kept = await kept().load()
        #expect(kept.value == [0])
        #expect(kept.status.isSaved)
        try await kept.flush()
        #expect(store.commits.isEmpty)
    }

    @Test func untilItIsReadItIsTheDefault() async throws {
        try await store.write([1], "numbers")
        let kept = kept()
        #expect(kept.value == [0])
        #expect(kept.status.description == "loading")
        await kept.load()
        #expect(kept.value == [1])
        #expect(kept.status.isSaved)
        // The value is read once and then cached.
        let reads = store.reads
        for _ in 0..<10 { #expect(kept.value == [1]) }
        #expect(store.reads == reads)
    }

    @Test func whatCannotBeReadNowIsReadLater() async throws {
        try await store.write([1], "numbers")
        // Two failures: a caller that waits while an attempt fails triggers another one.
        store.failReads([.broken, .broken])
        let kept = await kept().load()
        #expect(kept.value == [0])
        #expect(kept.status.failure?.code == .inputOutput)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        await until { kept.value == [1] }
        await until { kept.status.isSaved }
    }

    @Test func whatIsSetBeforeItIsReadMeetsWhatIsKept() async throws {
        try await store.write([1], "numbers")
        var bases: [[Int]?] = []
        let kept = kept(merge: { conflict in
            bases.append(conflict.base)
            return .merged(conflict.foreign + conflict.local)
        })
        kept.value.append(2)
        try await kept.flush()
        #expect(bases == [nil])
        #expect(kept.value == [1, 0, 2])
        #expect(try await store.numbers("numbers") == [1, 0, 2])
    }

    @Test func theDefaultThatIsSetBeforeItIsReadIsWritten() async throws {
        try await store.write([1], "numbers")
        let kept = kept()
        kept.value = [0]
        try await kept.flush()
        #expect(kept.value == [0])
        #expect(try await store.numbers("numbers") == [0])
        #expect(kept.reports == [.foreignLost("numbers.conflict-1")])
        #expect(try await store.numbers("numbers.conflict-1") == [1])
    }

    @Test func nothingIsWrittenBeforeItCouldBeRead() async throws {
        try await store.write([1], "numbers")
        store.failReads([.broken, .broken])
        let kept = kept(merge: { .merged($0.foreign + $0.local) })
        kept.value = [2]
        #expect(await code { try await kept.flush() } == .inputOutput)
        #expect(store.commits.isEmpty)
        store.failReads([])
        try await kept.flush()
        #expect(try await store.numbers("numbers") == [1, 2])
    }

    // MARK: - Setting

    @Test func manySetsAreOneWrite() async throws {
        let kept = await kept(delay: .seconds(1)).load()
        for number in 1...1_000 { kept.value = [number] }
        #expect(kept.status.description == "saving")
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        await until { kept.status.isSaved }
        #expect(store.commits.count == 1)
        #expect(try await store.numbers("numbers") == [1_000])
    }

    @Test func whatComesBackToWhatIsKeptIsNotWritten() async throws {
        try await store.write([1], "numbers")
        let kept = await kept(delay: .seconds(1)).load()
        kept.value = [2]
        kept.value = [1]
        try await kept.flush()
        #expect(store.commits.isEmpty)
        #expect(kept.status.isSaved)
    }

    @Test func aRuleRefusesAndCorrects() async throws {
        let kept = await kept(validating: { $0.isEmpty ? nil : $0.sorted() }).load()
        kept.value = []
        #expect(kept.value == [0])
        kept.value = [3, 1]
        #expect(kept.value == [1, 3])
        try await kept.flush()
        #expect(try await store.numbers("numbers") == [1, 3])
    }

    @Test func whatIsReadAndRefusedIsTheDefault() async throws {
        try await store.write([], "numbers")
        let kept = await kept(validating: { $0.isEmpty ? nil : $0 }).load()
        #expect(kept.value == [0])
        // Loading a refused value does not write the default.
        #expect(try await store.numbers("numbers") == [])
    }

    @Test func aSetDuringAWriteIsWrittenAfterIt() async throws {
        let kept = await kept().load()
        let gate = store.hold()
        kept.value = [1]
        await gate.arrived()
        kept.value = [2]
        kept.value = [3]
        #expect(kept.status.description == "saving")
        gate.open()
        try await kept.flush()
        #expect(store.commits.count == 2)
        #expect(try await store.numbers("numbers") == [3])
    }

    @Test func aWriteThatFailsIsTriedAgainAndSeen() async throws {
        let kept = await kept().load()
        store.failCommits([.broken])
        kept.value = [1]
        await until { kept.status.failure?.code == .inputOutput }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        await until { kept.status.isSaved }
        #expect(try await store.numbers("numbers") == [1])
    }

    @Test func aWriteThatFailsAfterItWasMadeIsNoConflict() async throws {
        let kept = await kept().load()
        store.failAfterCommit()
        kept.value = [1]
        try await kept.flush()
        #expect(kept.status.isSaved)
        #expect(kept.reports.isEmpty)
        #expect(store.commits.count == 1)
        #expect(try await store.keys(beginningWith: "") == ["numbers"])
    }

    @Test func whatWasSetIsWrittenWhenItsOwnerIsGone() async throws {
        var kept: Stored? = kept(delay: .seconds(1))
        await kept?.load()
        kept?.value = [1]
        await clock.waitForSleepers(1)
        weak let released = kept
        kept = nil
        clock.advance(by: .seconds(1))
        while released != nil, !Task.isCancelled { await Task.yield() }
        #expect(released == nil)
        #expect(try await store.numbers("numbers") == [1])
    }

    @Test func itListensUntilItIsReleased() async throws {
        weak var released: Stored<[Int]>?
        do {
            let kept = await kept().load()
            released = kept
            #expect(released != nil)
        }
        while released != nil, !Task.isCancelled { await Task.yield() }
        #expect(released == nil)
    }

    @Test func aGroupFlushesIt() async throws {
        let group = SaveGroup()
        let kept = kept(delay: .seconds(1), group: group)
        kept.value = [1]
        #expect(await group.flush().isEmpty)
        #expect(kept.status.isSaved)
        #expect(try await store.numbers("numbers") == [1])
    }
}
