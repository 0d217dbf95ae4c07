import Futures
import HuntSupport
import Interleaving
import Testing

@Suite struct SingleFlightHunts {
    @Test func everyCallerGetsAnOutcome() {
        hunt("Futures: SingleFlight", "every caller gets an outcome, and no run remains, if the first is cancelled") {
            let flights = SingleFlight<Int, Int, Never, any Error>()
            let running = Log<Int>()
            let callers = (0..<2).map { _ in
                Task {
                    try await flights.run(1) {
                        running.append(1)
                        await Task.yield()
                        try Task.checkCancellation()
                        return 1
                    }.value
                }
            }
            let canceller = Task { callers[0].cancel() }
            let first = await callers[0].result
            let second = await callers[1].result
            await canceller.value
            check((try? second.get()) == 1, "the caller that was not cancelled has \(second)")
            if case .failure(let error) = first { check(error is CancellationError, "\(error)") }
            await waitForOtherTasks()
            check(flights.keys.isEmpty, "a run remains")
            check(running.count <= 2, "\(running.count) runs")
        }
    }

    @Test func forgottenRunContinuesForItsCallers() {
        hunt("Futures: SingleFlight", "forgetting a run starts a new one, and each caller gets its own run's value") {
            let flights = SingleFlight<Int, Int, Never, any Error>()
            let runs = Log<Int>()
            @Sendable func call() async throws -> Int {
                try await flights.run(1) {
                    runs.append(1)
                    let number = runs.count
                    await Task.yield()
                    return number
                }.value
            }
            async let first = call()
            async let forgetting: Void = flights.forget(1)
            async let second = call()
            let values = try await (first, second, forgetting)
            check((1...2).contains(values.0) && (1...2).contains(values.1), "\(values)")
            check(flights.keys.isEmpty, "a run remains")
        }
    }
}
