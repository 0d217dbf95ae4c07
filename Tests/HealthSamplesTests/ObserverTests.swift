import Foundation
import Futures
import Testing
import VirtualTime

@testable import HealthSamples

/// Observers are told at least once, and not too often.
@Suite(.timeLimit(.minutes(20))) struct ObserverTests {
    /// A clock and the time that it shows.
    private struct Time {
        let clock = ManualClock()
        var now: @Sendable () -> Date { { [clock] in .noon + clock.now.offset / .seconds(1) } }

        func observe(
            _ store: any SampleStore, every interval: TimeInterval = 0, _ query: SampleQuery = .caffeine
        ) async throws -> SampleDeliveries {
            let observer = SampleObserver(name: "drinks", query: query, minimumInterval: interval)
            return try await store.observe(observer, by: .app, redelivery: 60, now: now, clock: clock)
        }
    }

    @Test(arguments: SampleStoreKind.allCases)
    func whatIsAcknowledgedIsNotToldAgain(kind: SampleStoreKind) async throws {
        let place = try SamplePlace(kind)
        let store = try await place.openForAll()
        let time = Time()
        try await store.save(.caffeine(1), by: .app)
        var deliveries = try await time.observe(store).makeAsyncIterator()
        let first = try #require(await deliveries.next())
        #expect(first.observer.name == "drinks")
        try await first.acknowledge()
        try await store.save(.caffeine(2), by: .app)
        let second = try #require(await deliveries.next())
        // An older one, late, takes nothing back.
        try await second.acknowledge()
        try await first.acknowledge()
        let record = try #require(try await store.observer("drinks", by: .app))
        #expect(try await store.changes(.caffeine, since: record.acknowledged, limit: 1, by: .app).added == [])
        #expect(time.clock.sleeperCount == 0)
    }

    @Test(arguments: SampleStoreKind.allCases)
    func whatIsNotAcknowledgedIsToldAgain(kind: SampleStoreKind) async throws {
        let place = try SamplePlace(kind)
        let store = try await place.openForAll()
        let time = Time()
        try await store.save(.caffeine(1), by: .app)
        let deliveries = try await time.observe(store)
        let task = Task {
            var iterator = deliveries.makeAsyncIterator()
            let first = await iterator.next()
            let second = await iterator.next()
            return (first, second)
        }
        await time.clock.waitForSleepers(1)
        time.clock.advance(by: .seconds(60))
        let (first, second) = await task.value
        #expect(first != nil && second != nil)
        // After a restart at once.
        var again = try await time.observe(try await place.open()).makeAsyncIterator()
        let third = try #require(await again.next())
        try await third.acknowledge()
        let record = try #require(try await store.observer("drinks", by: .app))
        #expect(record.acknowledged != nil && record.delivered == .noon.addingTimeInterval(60))
    }

    @Test(arguments: SampleStoreKind.allCases)
    func betweenTwoDeliveriesIsTheIntervalAlsoAfterARestart(kind: SampleStoreKind) async throws {
        let place = try SamplePlace(kind)
        let store = try await place.openForAll()
        let time = Time()
        try await store.save(.caffeine(1), by: .app)
        var deliveries = try await time.observe(store, every: 900).makeAsyncIterator()
        try await #require(await deliveries.next()).acknowledge()
        time.clock.advance(by: .seconds(100))
        try await store.save(.caffeine(2), by: .app)
        let restarted = try await time.observe(try await place.open(), every: 900)
        let task = Task {
            var iterator = restarted.makeAsyncIterator()
            return await iterator.next() != nil
        }
        await time.clock.waitForSleepers(1)
        time.clock.advance(by: .seconds(799))
        #expect(time.clock.sleeperCount == 1)
        time.clock.advance(by: .seconds(1))
        #expect(await task.value)
    }

    @Test(arguments: SampleStoreKind.allCases)
    func anExpiredAcknowledgementIsNews(kind: SampleStoreKind) async throws {
        let place = try SamplePlace(kind, tombstoneAge: 10)
        let store = try await place.openForAll()
        let time = Time()
        try await store.save(.caffeine(1, sync: "a"), by: .app)
        var deliveries = try await time.observe(store).makeAsyncIterator()
        try await #require(await deliveries.next()).acknowledge()
        try await store.delete(.syncIdentifiers(["a"]), by: .app)
        place.advance(by: 11)
        try await store.purge()
        try await #require(await deliveries.next()).acknowledge()
        // Another query under the same name begins anew.
        try await store.save(.caffeine(2), by: .app)
        var other = SampleQuery.caffeine
        other.window = .last(86_400)
        var again = try await time.observe(store, other).makeAsyncIterator()
        #expect(await again.next() != nil)
    }

    /// Who acknowledges, who is told and who observes anew each write their own part: none takes back another's.
    @Test(arguments: SampleStoreKind.allCases)
    func eachPartOfAnObserverIsWrittenByItself(kind: SampleStoreKind) async throws {
        let place = try SamplePlace(kind)
        let store = try await place.openForAll()
        func kept() async throws -> ObserverRecord? { try await store.observer("drinks", by: .app) }
        let first = SampleObserver(name: "drinks", query: .caffeine)
        let slower = SampleObserver(name: "drinks", query: .caffeine, minimumInterval: 900)
        let old = try await store.latestAnchor(.caffeine, by: .app)
        try await store.save(.caffeine(1), by: .app)
        let new = try await store.latestAnchor(.caffeine, by: .app)
        try await store.keep(first, by: .app)
        try await store.keep(slower, by: .app)
        // What was told before the interval was another is acknowledged all the same; an older one takes nothing back.
        try await store.acknowledge(new, by: first, by: .app)
        try await store.acknowledge(old, by: slower, by: .app)
        #expect(try await kept() == ObserverRecord(observer: slower, acknowledged: new))
        let told = ObserverRecord(observer: slower, acknowledged: new, delivered: .noon)
        #expect(try await store.noteDelivery(at: .noon, to: slower, by: .app) == told)
        #expect(try await store.noteDelivery(at: .before(1), to: first, by: .app) == nil)
        #expect(try await kept() == told)
        try await store.keep(first, by: .app)
        #expect(try await kept() == ObserverRecord(observer: first, acknowledged: new, delivered: .noon))
        // Of another query nothing was acknowledged.
        var other = first
        other.query.window = .last(86_400)
        try await store.keep(other, by: .app)
        try await store.acknowledge(new, by: first, by: .app)
        #expect(try await kept() == ObserverRecord(observer: other, delivered: .noon))
        // What is gone stays so.
        try await store.removeObserver("drinks", by: .app)
        try await store.acknowledge(new, by: other, by: .app)
        #expect(try await store.noteDelivery(at: .noon, to: other, by: .app) == nil)
        #expect(try await kept() == nil)
    }

    @Test(arguments: SampleStoreKind.allCases)
    func anAcknowledgementAndANewIntervalAtTheSameTimeBothStay(kind: SampleStoreKind) async throws {
        let place = try SamplePlace(kind)
        let store = try await place.openForAll()
        let other = try await place.open()
        var last = SampleObserver(name: "drinks", query: .caffeine)
        try await store.keep(last, by: .app)
        for round in 1...(isSoak ? 1_000 : 50) {
            try await store.save(.caffeine(Double(round)), by: .app)
            let anchor = try await store.latestAnchor(.caffeine, by: .app)
            let old = last
            let new = SampleObserver(name: "drinks", query: .caffeine, minimumInterval: Double(round))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await store.acknowledge(anchor, by: old, by: .app) }
                group.addTask { _ = try await other.observe(new, by: .app) }
                try await group.waitForAll()
            }
            let record = try #require(try await store.observer("drinks", by: .app))
            #expect(record.observer == new && record.acknowledged == anchor)
            last = new
        }
    }

    /// Two of one name are not told in turns, without a pause, because each takes the other's record for none.
    @Test(arguments: SampleStoreKind.allCases)
    func whoObservesAnewUnderANameEndsWhoDidBefore(kind: SampleStoreKind) async throws {
        let place = try SamplePlace(kind)
        let store = try await place.openForAll()
        let time = Time()
        try await store.save(.caffeine(1), by: .app)
        var first = try await time.observe(store).makeAsyncIterator()
        #expect(await first.next() != nil)
        var second = try await time.observe(try await place.open(), every: 900).makeAsyncIterator()
        #expect(await first.next() == nil)
        time.clock.advance(by: .seconds(900))
        #expect(await second.next() != nil)
        // Another query, as another interval.
        var other = SampleQuery.caffeine
        other.match = .start
        _ = try await time.observe(store, every: 900, other)
        #expect(await second.next() == nil)
        let record = try #require(try await store.observer("drinks", by: .app))
        #expect(record.observer.query == other && record.delivered == .noon.addingTimeInterval(900))
        #expect(time.clock.sleeperCount == 0)
    }

    @Test(arguments: SampleStoreKind.allCases)
    func aRemovedObserverIsToldNothingMore(kind: SampleStoreKind) async throws {
        let store = try await SamplePlace(kind).openForAll()
        let time = Time()
        try await store.save(.caffeine(1), by: .app)
        let deliveries = try await time.observe(store)
        let task = Task {
            var iterator = deliveries.makeAsyncIterator()
            let first = await iterator.next()
            let second = await iterator.next()
            return first != nil && second == nil
        }
        await time.clock.waitForSleepers(1)
        try await store.removeObserver("drinks", by: .app)
        time.clock.advance(by: .seconds(60))
        #expect(await task.value)
        #expect(try await store.observer("drinks", by: .app) == nil)
    }

    @Test(arguments: SampleStoreKind.allCases)
    func intervalsThatCannotBeWaitedForAreRefused(kind: SampleStoreKind) async throws {
        let store = try await SamplePlace(kind).openForAll()
        let time = Time()
        let year: TimeInterval = 366 * 86_400
        for interval: TimeInterval in [-1, .nan, .infinity, -.infinity, year + 1, 1e300] {
            #expect(await code { _ = try await time.observe(store, every: interval) } == .invalidQuery)
        }
        let observer = SampleObserver(name: "drinks", query: .caffeine)
        for redelivery: TimeInterval in [-1, .nan, -.infinity] {
            #expect(
                await code { _ = try await store.observe(observer, by: .app, redelivery: redelivery) } == .invalidQuery)
        }
        #expect(try await store.observer("drinks", by: .app) == nil)
        // A year may be waited for, and who never wants to be told again waits for one.
        try await store.save(.caffeine(1), by: .app)
        _ = try await time.observe(store, every: year)
        let deliveries = try await store.observe(
            observer, by: .app, redelivery: .infinity, now: time.now, clock: time.clock)
        let task = Task {
            var iterator = deliveries.makeAsyncIterator()
            let first = await iterator.next()
            let second = await iterator.next()
            return first != nil && second != nil
        }
        await time.clock.waitForSleepers(1)
        time.clock.advance(by: .seconds(year - 1))
        #expect(time.clock.sleeperCount == 1)
        time.clock.advance(by: .seconds(1))
        #expect(await task.value)
    }

    @Test(arguments: SampleStoreKind.allCases)
    func observingEndsWithItsTaskWhereverItWaits(kind: SampleStoreKind) async throws {
        let store = try await SamplePlace(kind).openForAll()
        let time = Time()
        let deliveries = try await time.observe(store, every: 900)
        // In the wait for a change, or before it.
        let waiting = Task {
            var iterator = deliveries.makeAsyncIterator()
            return await iterator.next() == nil
        }
        waiting.cancel()
        #expect(await waiting.value)
        // In the pause.
        try await store.save(.caffeine(1), by: .app)
        let pausing = Task {
            var iterator = deliveries.makeAsyncIterator()
            let first = await iterator.next()
            let second = await iterator.next()
            return first != nil && second == nil
        }
        await time.clock.waitForSleepers(1)
        pausing.cancel()
        #expect(await pausing.value)
        try await store.removeObserver("drinks", by: .app)
        #expect(try await store.observer("drinks", by: .app) == nil)
        let nameless = SampleObserver(name: "", query: .caffeine)
        #expect(await code { _ = try await store.observe(nameless, by: .app) } == .invalidSample)
    }
}

/// When an observer is told, without any store.
@Suite struct SampleObservationStateMachineTests {
    private let observer = SampleObserver(name: "a", query: .caffeine, minimumInterval: 100)

    @Test func withoutNewsItWaitsForThem() {
        let machine = SampleObservationStateMachine(redelivery: 60)
        for delivered in [nil, Date.noon] {
            let record = ObserverRecord(observer: observer, delivered: delivered)
            #expect(machine.next(record, hasNews: false, now: .noon) == .waitForChange)
        }
    }

    @Test func theFirstComesAtOnceAndTheNextAfterTheInterval() {
        var machine = SampleObservationStateMachine(redelivery: 60)
        var record = ObserverRecord(observer: observer)
        #expect(machine.next(record, hasNews: true, now: .noon) == .deliver)
        record.delivered = .noon
        machine.told(record)
        #expect(machine.next(record, hasNews: true, now: .noon + 40) == .sleep(60))
        #expect(machine.next(record, hasNews: true, now: .noon + 100) == .deliver)
        // A clock that was put back a year makes nobody wait a year.
        #expect(machine.next(record, hasNews: true, now: .noon - 31_536_000) == .sleep(100))
    }

    @Test func whatIsNotAcknowledgedWaitsForTheLongerOfBoth() throws {
        var machine = SampleObservationStateMachine(redelivery: 600)
        var record = ObserverRecord(observer: observer, delivered: .noon)
        // Before the start: only the interval.
        #expect(machine.next(record, hasNews: true, now: .noon + 100) == .deliver)
        machine.told(record)
        #expect(machine.next(record, hasNews: true, now: .noon + 100) == .sleep(500))
        record.acknowledged = Anchor(store: UUID(), epoch: UUID(), sequence: 1, floor: 0, query: 1)
        #expect(machine.next(record, hasNews: true, now: .noon + 100) == .deliver)
    }
}
