import Futures
import Testing
import VirtualTime

@testable import Capture

/// Counts what is going on at the same time.
private actor Running {
    private(set) var now = 0
    private(set) var most = 0

    func begin() {
        now += 1
        most = max(most, now)
    }

    func end() {
        now -= 1
    }
}

@Suite(.timeLimit(.minutes(10))) struct CaptureQueueTests {
    @Test func letsSoManyRunAtATimeAndAllInTheEnd() async throws {
        let queue = CaptureQueue(limit: 2)
        let running = Running()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await queue.run { () async throws(CaptureError) in
                        await running.begin()
                        await Task.yield()
                        await running.end()
                        return number
                    }
                }
            }
            let sum = try await group.reduce(0, +)
            #expect(sum == 190)
        }
        #expect(await running.most <= 2)
        #expect(await running.now == 0)
    }

    @Test func oneThatIsCancelledWhileItWaitsDoesNotKeepItsPlace() async throws {
        let queue = CaptureQueue(limit: 1)
        let hold = Promise<Void, Never>()
        let isHeld = Promise<Void, Never>()
        let first = Task {
            try await queue.run { () async throws(CaptureError) in
                isHeld.resolve(())
                await hold.future.value
            }
        }
        await isHeld.future.value
        let waiting = Task { try await queue.run { () async throws(CaptureError) in Issue.record("was cancelled") } }
        waiting.cancel()
        await #expect(throws: CaptureError.self) { try await waiting.value }
        let last = Task { try await queue.run { () async throws(CaptureError) in 3 } }
        hold.resolve(())
        try await first.value
        #expect(try await last.value == 3)
    }

    @Test func aFailureGivesItsPlaceBack() async throws {
        let queue = CaptureQueue(limit: 1)
        await #expect(throws: CaptureError.self) {
            try await queue.run { () async throws(CaptureError) in throw CaptureError(.closed, "") }
        }
        #expect(try await queue.run { () async throws(CaptureError) in 1 } == 1)
    }
}

@Suite(.timeLimit(.minutes(10))) struct DeadlineTests {
    private func withinASecond<Value: Sendable>(
        of clock: ManualClock = ManualClock(), _ operation: @escaping @Sendable () async throws(CaptureError) -> Value
    ) async throws(CaptureError) -> Value {
        try await withDeadline(
            .seconds(1), clock: clock, expired: { CaptureError(.timedOut, "too late") }, operation: operation)
    }

    @Test func whatIsDoneInTimeIsReturned() async throws {
        let value = try await withinASecond { () async throws(CaptureError) in 7 }
        #expect(value == 7)
    }

    @Test func whatFailsInTimeFailsAsItDid() async {
        await #expect {
            try await withinASecond { () async throws(CaptureError) in throw CaptureError(.hostNotFound, "") }
        } throws: {
            ($0 as? CaptureError)?.code == .hostNotFound
        }
    }

    @Test func whatIsTooLateIsCancelledAndHasEndedWhenTheErrorComes() async {
        let clock = ManualClock()
        let ended = Running()
        let task = Task {
            try await withinASecond(of: clock) { () async throws(CaptureError) in
                let never = Promise<Void, Never>()
                await withTaskCancellationHandler {
                    await never.future.value
                } onCancel: {
                    never.resolve(())
                }
                await ended.begin()
                throw CaptureError(.cancelled, "")
            }
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        await #expect {
            try await task.value
        } throws: {
            ($0 as? CaptureError)?.code == .timedOut
        }
        #expect(await ended.now == 1)
    }
}
