import Futures
import Testing

@Suite(.timeLimit(.minutes(10))) struct SingleFlightTests {
    private typealias Flights = SingleFlight<String, Int, Never, Fault>

    private let flights = SingleFlight<String, Int, Never, Fault>(onCancel: .late)
    private let gate = Promise<Int, Fault>()
    private let journal = Journal<String>()

    /// Runs an operation that ends when the gate opens.
    private func waiter(_ key: String = "a") -> Task<Result<(Int, Bool), Fault>, Never> {
        Task {
            await result { () throws(Fault) in
                let response = try await flights.run(key) { [gate, journal] () throws(Fault) in
                    journal.add(key)
                    return try await gate.future.value(onCancel: .abandoned)
                }
                return (response.value, response.isShared)
            }
        }
    }

    private func waitForWaiters(_ count: Int, _ key: String = "a") async {
        while flights.waiterCount(key) < count, !Task.isCancelled { await Task.yield() }
    }

    @Test func concurrentCallersShareOneRun() async throws {
        let waiters = (0..<100).map { _ in waiter() }
        await waitForWaiters(100)
        gate.resolve(5)
        for waiter in waiters {
            let (value, isShared) = try await waiter.value.get()
            #expect(value == 5 && isShared)
        }
        #expect(journal.entries == ["a"])
        #expect(flights.keys.isEmpty)
    }

    @Test func sequentialCallsRunAnewAndAreNotShared() async throws {
        for number in 1...2 {
            let response = try await flights.run("a") { number }
            #expect(response.value == number && !response.isShared)
        }
    }

    @Test func callsWithDifferentKeysRunSeparately() async throws {
        let waiters = [waiter("a"), waiter("b")]
        await waitForWaiters(1, "a")
        await waitForWaiters(1, "b")
        #expect(flights.keys == ["a", "b"])
        gate.resolve(1)
        for waiter in waiters { #expect(try await waiter.value.get().1 == false) }
        #expect(journal.entries.sorted() == ["a", "b"])
    }

    @Test func errorReachesEveryCaller() async {
        let waiters = (0..<3).map { _ in waiter() }
        await waitForWaiters(3)
        gate.reject(.broken)
        for waiter in waiters { #expect(await waiter.value.error == .broken) }
    }

    @Test func cancelledFirstCallerDoesNotCancelOthers() async throws {
        let leader = waiter()
        await waitForWaiters(1)
        let follower = waiter()
        await waitForWaiters(2)
        leader.cancel()
        #expect(await leader.value.error == .late)
        gate.resolve(3)
        let (value, isShared) = try await follower.value.get()
        #expect(value == 3 && isShared)
        #expect(journal.entries == ["a"])
    }

    @Test func runIsCancelledWhenItsLastCallerIsCancelled() async {
        let cancelled = Promise<Void, Never>()
        let waiters = (0..<2).map { _ in
            Task {
                await result { () throws(Fault) in
                    try await flights.run("a") { () throws(Fault) in
                        await waitForCancellation()
                        cancelled.resolve(())
                        throw .abandoned
                    }.value
                }
            }
        }
        await waitForWaiters(2)
        waiters[0].cancel()
        #expect(await waiters[0].value == .failure(.late))
        #expect(!cancelled.future.isComplete)
        waiters[1].cancel()
        #expect(await waiters[1].value == .failure(.late))
        await cancelled.future.value
        #expect(flights.keys.isEmpty)
    }

    @Test func callerAfterAnAbandonedRunStartsANewOne() async throws {
        let first = waiter()
        await waitForWaiters(1)
        first.cancel()
        #expect(await first.value.error == .late)
        let response = try await flights.run("a") { 9 }
        #expect(response.value == 9 && !response.isShared)
    }

    @Test func forgottenRunContinuesForItsCallers() async throws {
        let old = waiter()
        await waitForWaiters(1)
        flights.forget("a")
        #expect(flights.keys.isEmpty)
        let new = try await flights.run("a") { 2 }
        #expect(new.value == 2)
        gate.resolve(1)
        #expect(try await old.value.get().0 == 1)
    }

    @Test func alreadyCancelledCallerStartsNoRun() async {
        let start = Promise<Void, Never>()
        let waiting = Task {
            await start.future.value
            return await result { () throws(Fault) in try await flights.run("a") { 1 }.value }
        }
        waiting.cancel()
        start.resolve(())
        #expect(await waiting.value == .failure(.late))
    }

    @Test func cancelledCallerOfAnyErrorGetsACancellationError() async {
        let flights = SingleFlight<Int, Int, Never, any Error>()
        let waiting = Task {
            try await flights.run(1) {
                await waitForCancellation()
                return 1
            }.value
        }
        while flights.keys.isEmpty, !Task.isCancelled { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func progressIsReportedToAllCallers() async throws {
        let flights = SingleFlight<String, Int, Int, Fault>(onCancel: .late)
        let seen = (0..<2).map { _ in Journal<Int>() }
        let callers = seen.map { seen in
            Task {
                try await flights.run("a", progress: { part in seen.add(part) }) {
                    [gate] report throws(Fault) in
                    report(1)
                    let value = try await gate.future.value(onCancel: .abandoned)
                    report(2)
                    return value
                }
            }
        }
        while flights.waiterCount("a") < 2, !Task.isCancelled { await Task.yield() }
        gate.resolve(5)
        for caller in callers { #expect(try await caller.value.value == 5) }
        for seen in seen { #expect(seen.entries == [1, 2]) }
    }

    @Test func theMostUrgentCallerRaisesThePriorityOfTheRun() async throws {
        let priorities = Journal<TaskPriority>()
        @Sendable func run(_ priority: TaskPriority) -> Task<Int, any Error> {
            Task(priority: priority) {
                try await flights.run("a") { [gate] () throws(Fault) in
                    priorities.add(Task.currentPriority)
                    let value = try await gate.future.value(onCancel: .abandoned)
                    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
                        // The urgent caller is counted a moment before it raises the priority.
                        while Task.currentPriority < .high, !Task.isCancelled { await Task.yield() }
                    }
                    priorities.add(Task.currentPriority)
                    return value
                }.value
            }
        }
        let slow = run(.background)
        while priorities.entries.isEmpty, !Task.isCancelled { await Task.yield() }
        let fast = run(.high)
        await waitForWaiters(2)
        gate.resolve(1)
        #expect(try await fast.value == 1)
        // Awaiting a task raises its priority, and that of the run that it waits for.
        #expect(try await slow.value == 1)
        let found = priorities.entries
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            #expect(try #require(found.first) < .high && #require(found.last) >= .high)
        }
    }
}
