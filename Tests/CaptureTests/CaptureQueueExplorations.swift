import Foundation
import Futures
import Interleaving
import StoreTesting
import Testing

@testable import Capture

/// Explores the queue under many schedules: its limit holds, and a cancelled capture doesn't block the others.
@Suite(.timeLimit(.minutes(20))) struct CaptureQueueExplorations {
    private static let schedules = isSoak ? 20_000 : 1_000

    private actor Running {
        private(set) var count = 0
        private(set) var maximum = 0

        func begin() {
            count += 1
            maximum = max(maximum, count)
        }

        func end() { count -= 1 }
    }

    private static func turn(_ queue: CaptureQueue, _ running: Running) -> Task<Bool, Never> {
        Task {
            do throws(CaptureError) {
                return try await queue.run { () async throws(CaptureError) in
                    await running.begin()
                    await Task.yield()
                    await running.end()
                    return true
                }
            } catch {
                return false
            }
        }
    }

    @Test(arguments: 1...2) func everyCaptureRunsAndTheLimitHolds(_ limit: Int) {
        explore(schedules: Self.schedules) {
            let queue = CaptureQueue(limit: limit)
            let running = Running()
            let turns = (0..<4).map { _ in Self.turn(queue, running) }
            for turn in turns { check(await turn.value, "a capture did not run") }
            let maximum = await running.maximum
            check(maximum <= limit, "\(maximum) at a time")
        }
    }

    @Test func cancelledCaptureDoesNotBlockTheOthers() {
        explore(schedules: Self.schedules) {
            let queue = CaptureQueue(limit: 1)
            let running = Running()
            let first = Self.turn(queue, running)
            let cancelled = Self.turn(queue, running)
            let cancelling = Task { cancelled.cancel() }
            let last = Self.turn(queue, running)
            await cancelling.value
            check(await first.value, "the first capture did not run")
            check(await last.value, "the last capture did not run")
            _ = await cancelled.value
            check(await running.maximum == 1, "two at a time")
            // A later capture also gets a turn.
            check(await Self.turn(queue, running).value, "a later capture did not run")
        }
    }
}
