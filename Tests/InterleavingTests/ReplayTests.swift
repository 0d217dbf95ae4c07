import Foundation
import Interleaving
import Testing

@Suite(.timeLimit(.minutes(5))) struct ReplayTests {
    @Test func reportNamesTheCommandThatReplaysItsSchedule() throws {
        let line = #line + 1
        let found = exploration(schedules: 500, for: minimising, seed: 7) { try await loseAnUpdate() }
        let code = try #require(found.replayCode)
        let value = "\(code),7@InterleavingTests/ReplayTests.swift:\(line)"
        let command = "INTERLEAVING_REPLAY=\(value) swift test --filter reportNamesTheCommandThatReplaysItsSchedule"
        #expect(found.replayCommand == command)
        #expect(found.report.contains(command))
        #expect(exploration(schedules: 2) {}.replayCommand == nil)
    }

    @Test func variableReplaysOnlyAtItsPlace() async {
        await #expect(processExitsWith: .success) {
            setenv("INTERLEAVING_REPLAY", "x1:@InterleavingTests/Place.swift:3", 1)
            precondition(schedules(atLine: 3) == 1)
            precondition(schedules(atLine: 4) == 30)
            setenv("INTERLEAVING_REPLAY", "x1:", 1)
            precondition(schedules(atLine: 4) == 1)
        }
    }

    @Test func variableReproducesTheFailure() async {
        await #expect(processExitsWith: .success) {
            func explored() -> Exploration {
                exploration(schedules: 500, for: minimising, seed: 3) { try await loseAnUpdate() }
            }
            let found = explored()
            guard let command = found.replayCommand, let start = command.firstIndex(of: "="),
                let end = command.firstIndex(of: " ")
            else {
                preconditionFailure("no command: \(found.report)")
            }
            setenv("INTERLEAVING_REPLAY", String(command[command.index(after: start)..<end]), 1)
            let again = explored()
            precondition(again.schedules == 1 && again.outcome == found.outcome && again.trace == found.trace)
        }
    }

    @Test func passingReplayIsAnnounced() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv("INTERLEAVING_REPLAY", "x1:01", 1)
            explore(schedules: 10) { await Task.yield() }
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("Interleaving: the replayed schedule passes at InterleavingTests/ReplayTests.swift:"))
    }

    /// Explorations on several threads, of which half fail, find the same as each alone.
    @Test func parallelExplorationsDoNotDisturbEachOther() async {
        let alone = (0..<8).map(explored)
        let threads = await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask { (number, await onThread { explored(number) }) }
            }
            var explorations: [Int: Exploration] = [:]
            for await (number, exploration) in group { explorations[number] = exploration }
            return explorations
        }
        for (number, expected) in alone.enumerated() {
            let found = threads[number]
            #expect(found?.outcome == expected.outcome && found?.hash == expected.hash, "\(number)")
            #expect(found?.trace == expected.trace && found?.replayCode == expected.replayCode)
            #expect((expected.outcome == .passed) == number.isMultiple(of: 2))
        }
    }

    @Test(.timeLimit(.minutes(10))) func parallelExplorationsShareAGlobalActor() async {
        let outcomes = await withTaskGroup { group in
            for number in 0..<4 {
                let seed = UInt64(number)
                group.addTask {
                    await onThread { exploration(schedules: 500, for: minimising, seed: seed) { try await useStage() } }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { $0.outcome == .passed && $0.schedules == 500 }, "\(outcomes.map(\.report))")
    }
}

/// An actor of the whole process, which explorations on several threads use.
@globalActor private actor SharedStage {
    static let shared = SharedStage()
}

@SharedStage private var appearances = 0

@SharedStage private func appear(on thread: pthread_t) {
    SharedStage.assertIsolated()
    check(pthread_self() == thread, "it runs on the thread of another exploration")
    appearances += 1
}

/// Uses the shared actor by hops, by tasks that begin on it, and by tasks that resume on it.
private func useStage() async throws {
    let thread = pthread_self()
    async let first: Void = appear(on: thread)
    let second = Task { @SharedStage in
        appear(on: thread)
        await Task.yield()
        appear(on: thread)
    }
    let third = await withTaskGroup { group in
        group.addTask { @SharedStage in appear(on: thread) }
        return await group.next() != nil
    }
    await first
    await second.value
    check(third, "a child task is missing")
}

/// Explores at most 30 schedules, and returns how many ran.
private func schedules(atLine line: Int) -> Int {
    let runs = Shared(0)
    _ = exploration(.random, schedules: 30, fileID: "InterleavingTests/Place.swift", line: line) {
        runs.withLock { $0 += 1 }
        await Task.yield()
    }
    return runs.withLock { $0 }
}

/// Enough time for a busy machine to minimise a failing schedule; without a limit of time, it has two seconds.
let minimising = Duration.seconds(600)

private func explored(_ number: Int) -> Exploration {
    exploration(schedules: 300, for: minimising, seed: UInt64(number)) {
        let ledger = ReplayedLedger()
        async let first: Void = ledger.add(1, isAtomic: number.isMultiple(of: 2))
        async let second: Void = ledger.add(1, isAtomic: number.isMultiple(of: 2))
        _ = await (first, second)
        let sum = await ledger.sum
        check(sum == 2, "lost update")
        try await Task.sleep(for: .seconds(number))
    }
}

/// Runs a function on a thread of its own.
private func onThread(_ work: @escaping @Sendable () -> Exploration) async -> Exploration {
    await withCheckedContinuation { continuation in
        Thread { continuation.resume(returning: work()) }.start()
    }
}

private func loseAnUpdate() async throws {
    let ledger = ReplayedLedger()
    async let first: Void = ledger.add(1, isAtomic: false)
    async let second: Void = ledger.add(1, isAtomic: false)
    _ = await (first, second)
    let sum = await ledger.sum
    check(sum == 2, "lost update")
}

private actor ReplayedLedger {
    private(set) var sum = 0

    func add(_ amount: Int, isAtomic: Bool) async {
        if isAtomic {
            sum += amount
            return
        }
        let before = sum
        await Task.yield()
        sum = before + amount
    }
}
