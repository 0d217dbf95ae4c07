import Foundation
import Futures
import HealthSamples
import MemoryStores
import Testing
import VirtualTime

@testable import CoffeeTrackerModel

/// Tests refreshing from the health store and from other processes.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct RefreshTests {
    @Test func refreshRepeatsEveryFifteenMinutesAfterFailures() async {
        // In the sample application a refresh that fails is the last one.
        let clock = ManualClock()
        let count = Counter()
        let refresh = BackgroundRefresh(clock: clock)
        let task = Task {
            await refresh.run { () async throws(CoffeeError) in
                if count.add() % 2 == 1 { throw .diskFull }
            } done: { result in
                count.note((try? result.get()) != nil)
            }
        }
        for number in 0..<6 {
            await clock.waitForSleepers(1)
            #expect(count.value == number)
            clock.advance(by: .seconds(15 * 60 - 1))
            #expect(clock.sleeperCount == 1)
            clock.advance(by: .seconds(1))
        }
        await clock.waitForSleepers(1)
        task.cancel()
        // The last outcome is delivered before the task ends.
        await task.value
        #expect(count.value == 6 && count.outcomes == [false, true, false, true, false, true])
    }

    @Test func nextRefreshIsScheduledWhileTheHandlerRuns() async {
        let (clock, never) = (ManualClock(), ManualClock())
        let count = Counter()
        let task = Task {
            await BackgroundRefresh(clock: clock).run { () async throws(CoffeeError) in
                _ = count.add()
            } done: { _ in
                // The handler runs until the task is cancelled.
                try? await never.sleep(for: .seconds(1))
            }
        }
        await clock.waitForSleepers(1)
        clock.advance(by: BackgroundRefresh.interval)
        await never.waitForSleepers(1)
        await clock.waitForSleepers(1)
        #expect(count.value == 1)
        task.cancel()
        await task.value
        #expect(clock.sleeperCount == 0 && never.sleeperCount == 0)
    }

    @Test func slowHandlerDoesNotDelayTheNextRefresh() async {
        let (clock, handlerClock) = (ManualClock(), ManualClock())
        let count = Counter()
        let task = Task {
            await BackgroundRefresh(clock: clock).run { () async throws(CoffeeError) in
                _ = count.add()
            } done: { _ in
                try? await handlerClock.sleep(for: .seconds(1))
            }
        }
        await clock.waitForSleepers(1)
        clock.advance(by: BackgroundRefresh.interval)
        for number in 1...3 {
            await handlerClock.waitForSleepers(1)
            #expect(count.value == number)
            // The pause elapses while the handler runs; the next refresh begins at once.
            await clock.waitForSleepers(1)
            clock.advance(by: BackgroundRefresh.interval)
            handlerClock.advance(by: .seconds(1))
        }
        await handlerClock.waitForSleepers(1)
        #expect(count.value == 4)
        task.cancel()
        await task.value
    }

    @Test func handlerIsCalledAfterTheDrinksAreStored() async throws {
        // The refresh awaits the save, so when the handler is called, the drinks are stored.
        let fixture = try await CoffeeFixture(health: true)
        let clock = ManualClock()
        try await fixture.samples.save([.scale(5)], by: .scale)
        let areStored = Counter()
        let refresh = BackgroundRefresh(clock: clock)
        let task = Task {
            await refresh.run { () async throws(CoffeeError) in
                try await fixture.data.refresh()
            } done: { _ in
                areStored.note(await fixture.store.wrapped.snapshot(since: .distantPast).drinks.count == 1)
            }
        }
        await clock.waitForSleepers(1)
        clock.advance(by: BackgroundRefresh.interval)
        await clock.waitForSleepers(1)
        task.cancel()
        await task.value
        #expect(areStored.outcomes == [true])
    }

    @Test func cancellationEndsTheRefresh() async {
        let clock = ManualClock()
        let task = Task { await BackgroundRefresh(clock: clock).run { () async throws(CoffeeError) in } }
        await clock.waitForSleepers(1)
        task.cancel()
        await task.value
        #expect(clock.sleeperCount == 0)
    }

    @Test func addedDrinkIsSavedToTheHealthStore() async throws {
        let fixture = try await CoffeeFixture(health: true)
        let drink = try await fixture.data.add(.sample("black-tea"))
        await wait { fixture.data.unsyncedCount == 0 && fixture.data.refreshed != nil }
        let samples = try await fixture.samples.samples(
            SampleQuery(types: [.dietaryCaffeine]), by: .coffeeTracker)
        #expect(samples.map { $0.sync?.identifier } == [drink.id.uuidString])
        await fixture.data.close()
    }

    @Test func drinkStillBeingSippedIsSavedImmediately() async throws {
        // The drink begins now, and its sample ends in half an hour.
        let fixture = try await CoffeeFixture()
        let drink = try await fixture.data.add(.sample("black-tea"), sipping: 1_800)
        let report = try await fixture.health.sync()
        #expect(report.refused.isEmpty && report.sentCount == 1)
        #expect(await fixture.store.wrapped.snapshot(since: .distantPast).unsyncedCount == 0)
        let samples = try await fixture.samples.samples(SampleQuery(types: [.dietaryCaffeine]), by: .coffeeTracker)
        #expect(samples.map(\.end) == [drink.end])
    }

    @Test func changesByOtherProgramsAreShownWithoutAReload() async throws {
        let fixture = try await CoffeeFixture(health: true)
        let clock = ManualClock()
        let running = Task { await fixture.data.run(clock: clock) }
        await clock.waitForSleepers(1)
        // Another program, then another process, and a second change by each.
        try await fixture.samples.save([.scale(5)], by: .scale)
        await wait { fixture.data.drinks.contains { $0.milligrams == 50 } }
        let other = try await fixture.another()
        let drink = try await other.add(.sample("black-tea"))
        await wait { fixture.data.drinks.contains(drink) }
        try await other.delete(drink)
        await wait { !fixture.data.drinks.contains { $0.id == drink.id } }
        try await fixture.samples.delete(.ids([.test(5)]), by: .scale)
        await wait { fixture.data.drinks.isEmpty }
        running.cancel()
        await running.value
        await fixture.data.close()
    }

    @Test func changesBeforeTheStartAreShownImmediately() async throws {
        let fixture = try await CoffeeFixture(health: true)
        try await fixture.samples.save([.scale(5)], by: .scale)
        let clock = ManualClock()
        let running = Task { await fixture.data.run(clock: clock) }
        await wait { fixture.data.drinks.contains { $0.milligrams == 50 } }
        running.cancel()
        await running.value
    }

    @Test func refreshShowsOlderDrinksAfterAnotherProcessLengthenedTheHalfLife() async throws {
        let fixture = try await CoffeeFixture(health: true)
        try await fixture.data.add(.sample("black-tea"))
        await wait { fixture.data.unsyncedCount == 0 && fixture.data.refreshed != nil }
        fixture.time.advance(hours: 24 * 8)
        try await fixture.data.refresh()
        #expect(fixture.data.drinks.isEmpty)
        let other = try await fixture.another()
        try await other.choose { $0.halfLife = 24 }
        await wait { fixture.data.settings.halfLife == 24 }
        try await fixture.data.refresh()
        #expect(fixture.data.drinks.count == 1)
        await fixture.data.close()
    }

    @Test func failedRefreshIsReportedAndTheNextSucceeds() async throws {
        let fixture = try await CoffeeFixture(health: true)
        let clock = ManualClock()
        let running = Task { await fixture.data.run(clock: clock) }
        await clock.waitForSleepers(1)
        // The first refresh starts at once.
        await wait { fixture.data.refreshed != nil }
        fixture.store.failOperations()
        clock.advance(by: BackgroundRefresh.interval)
        await wait { if case .failure(.diskFull) = fixture.data.refreshed { true } else { false } }
        await clock.waitForSleepers(1)
        fixture.store.failOperations(false)
        clock.advance(by: BackgroundRefresh.interval)
        await wait { if case .success = fixture.data.refreshed { true } else { false } }
        running.cancel()
        await running.value
    }
}

/// Counts calls, and records outcomes.
private final class Counter: Sendable {
    private let state = Lock((count: 0, outcomes: [Bool]()))

    var value: Int { state.withLock { $0.count } }
    var outcomes: [Bool] { state.withLock { $0.outcomes } }

    func add() -> Int {
        state.withLock { state in
            state.count += 1
            return state.count
        }
    }

    func note(_ outcome: Bool) {
        state.withLock { $0.outcomes.append(outcome) }
    }
}
