import Foundation
import Futures
import Interleaving
import StoreTesting
import Testing

/// Explores shared runs under many schedules: every caller gets an outcome, and no run is left over.
@Suite(.timeLimit(.minutes(20))) struct SingleFlightExplorations {
    private static let schedules = isSoak ? 50_000 : 1_000
    private typealias Flights = SingleFlight<String, Int, Int, Fault>

    private final class Runs: Sendable {
        private let state = Lock((begun: 0, running: 0, maximum: 0))

        var begun: Int { state.withLock { $0.begun } }
        var maximum: Int { state.withLock { $0.maximum } }

        func work(_ flight: Flights.Flight) async throws(Fault) -> Int {
            let number = state.withLock { state in
                state.begun += 1
                state.running += 1
                state.maximum = max(state.maximum, state.running)
                return state.begun
            }
            defer { state.withLock { $0.running -= 1 } }
            for part in 1...3 {
                await Task.yield()
                flight.report(part)
                if Task.isCancelled { throw .abandoned }
            }
            return number
        }
    }

    @Test func everyCallerGetsAnOutcomeWhileOthersAreCancelled() {
        explore(schedules: Self.schedules) {
            let flights = Flights(onCancel: .late, onClose: .broken)
            let runs = Runs()
            let tasks = (0..<3).map { _ in
                Task { () async -> Result<Int, Fault> in
                    do throws(Fault) {
                        return .success(
                            try await flights.runFlight("a", progress: nil) { flight throws(Fault) in
                                try await runs.work(flight)
                            }.value)
                    } catch {
                        return .failure(error)
                    }
                }
            }
            tasks[0].cancel()
            await Task.yield()
            tasks[1].cancel()
            for (index, task) in tasks.enumerated() {
                switch await task.value {
                case .success(let number): check(number <= runs.begun, "the outcome of a run that never began")
                case .failure(let error):
                    check(error == .late, "\(error)")
                    check(index < 2, "a caller failed that was not cancelled")
                }
            }
            await waitForOtherTasks()
            check(flights.isIdle, "a run or a caller remains")
        }
    }

    @Test func progressNeverDecreases() {
        explore(schedules: Self.schedules) {
            let flights = Flights(onCancel: .late, onClose: .broken)
            let runs = Runs()
            let seen = (0..<3).map { _ in Journal<Int>() }
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<3 {
                    group.addTask {
                        _ = try? await flights.runFlight(
                            "a", progress: { part in seen[index].add(part) }
                        ) {
                            flight throws(Fault) in
                            try await runs.work(flight)
                        }
                    }
                }
            }
            // Callers that join after the end of the first run share another.
            for waiter in seen {
                let elements = waiter.entries
                check(zip(elements, elements.dropFirst()).allSatisfy { $0 < $1 }, "\(elements)")
            }
            check(flights.isIdle, "a run or a caller remains")
        }
    }

    @Test func closingAtAnyMomentEndsAllRuns() {
        explore(schedules: Self.schedules) {
            let flights = Flights(onCancel: .late, onClose: .broken)
            let runs = Runs()
            let waiter = Task {
                try? await flights.runFlight("a", progress: nil) { flight throws(Fault) in try await runs.work(flight) }
            }
            let other = Task {
                try? await flights.runFlight("b", progress: nil) { flight throws(Fault) in try await runs.work(flight) }
            }
            flights.close()
            _ = await (waiter.value, other.value)
            await waitForOtherTasks()
            check(flights.isIdle, "a run or a caller remains")
            check(runs.maximum <= 2, "\(runs.maximum) at a time")
        }
    }
}
