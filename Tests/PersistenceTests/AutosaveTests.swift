import DurableFiles
import Futures
import Testing
import VirtualTime

@testable import Persistence

/// Autosaves in virtual time.
@Suite(.timeLimit(.minutes(20))) struct AutosaveTests {
    private let clock = ManualClock()
    private let disk = Disk()

    /// The target of the writes, which blocks and fails when a test requests it.
    private final class Disk: Sendable {
        private struct State: Sendable {
            var written: [Int] = []
            var failures: [StoreError] = []
            var gates: [Promise<Void, Never>] = []
            var runningWrites = 0
            var maximumRunningWrites = 0
        }

        private let state = Lock(State())
        private let (arrivals, arrival) = AsyncStream.makeStream(of: Int.self)

        var written: [Int] { state.withLock { $0.written } }
        var maximumRunningWrites: Int { state.withLock { $0.maximumRunningWrites } }

        func fail(_ errors: [StoreError]) { state.withLock { $0.failures = errors } }

        func hold() -> Promise<Void, Never> {
            let gate = Promise<Void, Never>()
            state.withLock { $0.gates.append(gate) }
            return gate
        }

        /// Waits for the next write to begin, and returns its value.
        func nextWrite() async -> Int? { await arrivals.first { _ in true } }

        func write(_ value: Int) async throws(StoreError) {
            let gate = state.withLock { state -> Promise<Void, Never>? in
                state.runningWrites += 1
                state.maximumRunningWrites = max(state.maximumRunningWrites, state.runningWrites)
                return state.gates.isEmpty ? nil : state.gates.removeFirst()
            }
            arrival.yield(value)
            await gate?.future.value
            let failure = state.withLock { state -> StoreError? in
                state.runningWrites -= 1
                guard state.failures.isEmpty else { return state.failures.removeFirst() }
                state.written.append(value)
                return nil
            }
            if let failure { throw failure }
        }
    }

    private func saving(
        delay: Duration = .seconds(1), longest: Duration = .seconds(10), group: SaveGroup? = nil
    ) -> Autosave<Int> {
        var backoff = AutosaveSettings.backoff
        backoff.random = { 0 }
        return Autosave(
            "number",
            settings: AutosaveSettings(
                delay: delay, longestDelay: longest, backoff: backoff, clock: clock, group: group)
        ) { [disk] (value: Int) throws(StoreError) in
            try await disk.write(value)
        }
    }

    @Test func onlyTheLatestOfManyValuesIsWritten() async {
        let saving = saving()
        #expect(saving.status.isSaved)
        for number in 1...1_000 { saving.save(number) }
        await clock.waitForSleepers(1)
        #expect(disk.written == [])
        #expect(saving.status.description == "saving")
        clock.advance(by: .seconds(1))
        #expect(await disk.nextWrite() == 1_000)
        try? await saving.flush()
        #expect(disk.written == [1_000])
        #expect(saving.status.isSaved)
        #expect(clock.sleeperCount == 0)
    }

    @Test func continuousSavesAreWrittenAfterTheLongestDelay() async {
        let saving = saving(delay: .seconds(1), longest: .seconds(2))
        saving.save(1)
        await clock.waitForSleepers(1)
        for number in 2...4 {
            clock.advance(by: .milliseconds(600))
            saving.save(number)
        }
        clock.advance(by: .milliseconds(200))
        #expect(await disk.nextWrite() == 4)
    }

    @Test func writesDoNotOverlap() async throws {
        let saving = saving()
        let gate = disk.hold()
        saving.save(1)
        let first = Task { try await saving.flush() }
        #expect(await disk.nextWrite() == 1)
        saving.save(2)
        saving.save(3)
        let second = Task { try await saving.flush() }
        gate.resolve(())
        try await first.value
        try await second.value
        #expect(disk.written == [1, 3])
        #expect(disk.maximumRunningWrites == 1)
    }

    @Test func flushingNothingReturnsAtOnce() async throws {
        try await saving().flush()
        #expect(disk.written == [])
    }

    @Test func flushThrowsTheErrorOfAFailedWrite() async throws {
        let saving = saving()
        disk.fail([.temporary])
        saving.save(1)
        #expect(await code { try await saving.flush() } == .inputOutput)
        #expect(saving.status.failure?.code == .inputOutput)
        // A second flush retries at once, without a pause.
        try await saving.flush()
        #expect(disk.written == [1])
        #expect(saving.status.isSaved)
    }

    @Test func flushDuringAFailingWriteTriggersARetry() async throws {
        let saving = saving()
        let gate = disk.hold()
        disk.fail([.temporary])
        saving.save(1)
        let early = Task { await code { try await saving.flush() } }
        #expect(await disk.nextWrite() == 1)
        // Whether this flush begins before or after the attempt has failed, that failure must not end it.
        let late = Task { await code { try await saving.flush() } }
        gate.resolve(())
        #expect(await early.value == .inputOutput)
        #expect(await late.value == nil)
        #expect(disk.written == [1])
    }

    @Test func failedWriteIsRetriedWithGrowingPauses() async {
        let saving = saving(delay: .zero)
        disk.fail([.temporary, .temporary, .temporary])
        saving.save(1)
        for pause in [1, 2, 4] {
            await clock.waitForSleepers(1)
            #expect(saving.status.failure?.code == .inputOutput)
            clock.advance(by: .seconds(pause) - .nanoseconds(1))
            #expect(clock.sleeperCount == 1)
            clock.advance(by: .nanoseconds(1))
        }
        try? await saving.flush()
        #expect(disk.written == [1])
        #expect(saving.status.isSaved)
    }

    @Test func newerValueReplacesOneWhoseWriteFailed() async {
        let saving = saving(delay: .zero)
        disk.fail([.temporary])
        saving.save(1)
        await clock.waitForSleepers(1)
        saving.save(2)
        #expect(disk.written == [])
        clock.advance(by: .seconds(1))
        try? await saving.flush()
        #expect(disk.written == [2])
    }

    @Test func unencodableValueIsNotRetriedUntilAnotherIsSaved() async throws {
        let saving = saving()
        disk.fail([.permanent])
        saving.save(1)
        await clock.waitForSleepers(1)
        #expect(await code { try await saving.flush() } == .notEncodable)
        #expect(saving.status.failure?.code == .notEncodable)
        #expect(clock.sleeperCount == 0, "a retry can't succeed")
        saving.save(2)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        try await saving.flush()
        #expect(disk.written == [2])
        #expect(saving.status.isSaved)
    }

    @Test func deadlineEndsTheFlushButNotTheWrite() async throws {
        let saving = saving()
        let gate = disk.hold()
        saving.save(1)
        let flush = Task { await code { try await saving.flush(within: .seconds(5)) } }
        #expect(await disk.nextWrite() == 1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        #expect(await flush.value == .timedOut)
        gate.resolve(())
        try await saving.flush()
        #expect(disk.written == [1])
    }

    @Test func cancellationEndsTheFlushButNotTheWrite() async throws {
        let saving = saving()
        let gate = disk.hold()
        saving.save(1)
        let flush = Task { await code { try await saving.flush() } }
        #expect(await disk.nextWrite() == 1)
        flush.cancel()
        #expect(await flush.value == .cancelled)
        gate.resolve(())
        try await saving.flush()
        #expect(disk.written == [1])
    }

    @Test func savedValueIsWrittenAfterTheAutosaveIsReleased() async {
        var saving: Autosave<Int>? = saving()
        saving?.save(1)
        await clock.waitForSleepers(1)
        saving = nil
        clock.advance(by: .seconds(1))
        #expect(await disk.nextWrite() == 1)
    }

    @Test func groupFlushWritesAllAndReportsFailures() async {
        let group = SaveGroup()
        let saving = saving(group: group)
        let other = Autosave("other", settings: AutosaveSettings(clock: clock, group: group)) {
            (_: Int) throws(StoreError) in throw .permanent
        }
        // Nothing but its pending write retains this autosave.
        self.saving(group: group).save(2)
        saving.save(1)
        #expect(await group.flush().isEmpty)
        #expect(disk.written.sorted() == [1, 2])
        other.save(1)
        #expect(await group.flush(within: .seconds(1)).map(\.code) == [.notEncodable])
    }

    @Test func groupForgetsReleasedAutosaves() async {
        let group = SaveGroup()
        do {
            let saving = saving(group: group)
            saving.save(1)
            #expect(group.count == 1)
            try? await saving.flush()
        }
        while group.count > 0, !Task.isCancelled { await Task.yield() }
        #expect(group.count == 0)
        #expect(await group.flush().isEmpty)
    }

    @Test func valueIsWrittenWhenTheClockCannotSleep() async throws {
        let saving = Autosave("number", settings: AutosaveSettings(clock: BrokenClock())) {
            [disk] (value: Int) throws(StoreError) in try await disk.write(value)
        }
        saving.save(1)
        #expect(await disk.nextWrite() == 1)
    }
}

/// A clock that throws instead of sleeping.
private struct BrokenClock: Clock {
    struct Refusal: Error {}

    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws { throw Refusal() }
}
