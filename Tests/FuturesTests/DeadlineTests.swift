import Futures
import Testing
import VirtualTime

@Suite(.timeLimit(.minutes(10))) struct DeadlineTests {
    private let clock = ManualClock()

    private func withinASecond<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws(Fault) -> Value
    ) async throws(Fault) -> Value {
        try await withDeadline(.seconds(1), clock: clock, late: { .late }, operation: operation)
    }

    /// Suspends until the task is cancelled.
    private static func waitForCancellation() async {
        let cancelled = Promise<Void, Never>()
        await withTaskCancellationHandler {
            await cancelled.future.value
        } onCancel: {
            cancelled.resolve(())
        }
    }

    @Test func aValueInTimeIsReturned() async throws {
        #expect(try await withinASecond { () async throws(Fault) in 7 } == 7)
        #expect(clock.sleeperCount == 0)
    }

    @Test func anErrorInTimeIsThrown() async {
        await #expect(throws: Fault.broken) {
            try await withinASecond { () async throws(Fault) -> Int in throw .broken }
        }
    }

    @Test func lateOperationIsCancelledAndEndsBeforeTheErrorIsThrown() async {
        let end = Lock(false)
        let task = Task {
            try await withinASecond { () async throws(Fault) -> Int in
                await Self.waitForCancellation()
                end.withLock { $0 = true }
                throw .broken
            }
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        await #expect(throws: Fault.late) { try await task.value }
        let hasEnded = end.withLock(\.self)
        #expect(hasEnded)
    }

    @Test func valueReturnedAfterTheDeadlineIsDelivered() async throws {
        let task = Task {
            try await withinASecond { () async throws(Fault) -> Int in
                await Self.waitForCancellation()
                return 7
            }
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        #expect(try await task.value == 7)
    }

    @Test func aCancelledTaskCancelsTheOperation() async {
        let task = Task {
            try await withinASecond { () async throws(Fault) -> Int in
                await Self.waitForCancellation()
                throw .broken
            }
        }
        await clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: Fault.broken) { try await task.value }
    }
}
