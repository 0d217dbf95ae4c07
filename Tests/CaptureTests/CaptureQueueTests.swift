import Futures
import Testing
import VirtualTime

@testable import Capture

/// Counts the operations that run at the same time.
private actor Running {
    private(set) var now = 0
    private(set) var maximum = 0

    func begin() {
        now += 1
        maximum = max(maximum, now)
    }

    func end() {
        now -= 1
    }
}

@Suite(.timeLimit(.minutes(10))) struct CaptureQueueTests {
    @Test func queueLimitsConcurrencyAndRunsEverything() async throws {
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
        #expect(await running.maximum <= 2)
        #expect(await running.now == 0)
    }

    @Test func cancelledWaiterReleasesItsPlace() async throws {
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
        let waiting = Task {
            try await queue.run { () async throws(CaptureError) in Issue.record("a cancelled capture ran") }
        }
        waiting.cancel()
        await #expect(throws: CaptureError.self) { try await waiting.value }
        let last = Task { try await queue.run { () async throws(CaptureError) in 3 } }
        hold.resolve(())
        try await first.value
        #expect(try await last.value == 3)
    }

    @Test func failureReleasesItsPlace() async throws {
        let queue = CaptureQueue(limit: 1)
        await #expect(throws: CaptureError.self) {
            try await queue.run { () async throws(CaptureError) in throw CaptureError(.closed, "") }
        }
        #expect(try await queue.run { () async throws(CaptureError) in 1 } == 1)
    }
}
