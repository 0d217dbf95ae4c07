import Foundation
import Testing

@testable import HealthSamples

/// The results of queries and statistics in every store.
@Suite(.timeLimit(.minutes(20))) struct FindingTests {
    /// A sample that starts a number of minutes before noon and lasts a number of minutes.
    private func lasting(_ value: Double, _ start: Double, _ minutes: Double) -> Sample {
        var sample = Sample.caffeine(value, start)
        sample.end = sample.start.addingTimeInterval(minutes * 60)
        return sample
    }

    @Test(arguments: SampleStoreKind.allCases)
    func windowsAreHalfOpen(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        try await store.save(
            [
                lasting(1, 120, 0), lasting(2, 120, 60), lasting(3, 61, 1), lasting(4, 60, 0), lasting(5, 90, 90),
                lasting(6, 30, 0), lasting(7, 31, 5), lasting(8, 200, 190),
            ], by: .app)
        func found(_ window: SampleQuery.Window, _ match: SampleQuery.Match) async throws -> [Double] {
            try await store.samples(
                SampleQuery(types: [.dietaryCaffeine], window: window, match: match), by: .app
            ).map(\.quantity.value).sorted()
        }
        let window = SampleQuery.Window.between(.before(60), .before(30))
        #expect(try await found(window, .start) == [4, 7])
        #expect(try await found(window, .overlap) == [4, 5, 7, 8])
        #expect(try await found(.between(nil, .before(120)), .overlap) == [8])
        #expect(try await found(.between(.before(30), nil), .start) == [6])
        #expect(try await found(.last(31 * 60), .start) == [6, 7])
        #expect(try await found(.last(26 * 60), .overlap) == [5, 8])
        #expect(try await found(.between(.before(60), .before(60)), .overlap) == [5, 8])
        #expect(try await found(.always, .start).count == 8)
        for window in [SampleQuery.Window.between(.before(1), .before(2)), .last(-1), .last(.nan)] {
            #expect(await code { _ = try await found(window, .start) } == .invalidQuery)
        }
    }

    @Test(arguments: SampleStoreKind.allCases)
    func samplesAreOrderedAndLimited(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        var all = (0..<20).map { Sample.caffeine(Double($0), Double($0 / 3)) }
        all.append(
            Sample(type: .dietaryWater, quantity: Quantity(1, .litre), start: .before(2.5), source: .app))
        try await store.save(all.shuffled(), by: .app)
        let query = SampleQuery(types: [.dietaryCaffeine, .dietaryWater])
        let oldest = try await store.samples(query, by: .app)
        #expect(oldest == all.sorted(by: SampleOrder.oldestFirst.areInOrder))
        let newest = try await store.samples(query, by: .app, limit: nil, order: .newestFirst)
        #expect(newest == oldest.reversed())
        for limit in [0, 1, 2, 7, 8, 21, 100] {
            #expect(
                try await store.samples(query, by: .app, limit: limit, order: .oldestFirst)
                    == Array(oldest.prefix(limit)))
            #expect(
                try await store.samples(query, by: .app, limit: limit, order: .newestFirst)
                    == Array(newest.prefix(limit)))
        }
    }

    /// PostgreSQL reads 1,000 rows at once, and so continues within samples that start at the same time.
    @Test(arguments: SampleStoreKind.allCases)
    func thousandsOfSamplesAreReadInOrder(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        let all = (0..<2_300).map { Sample.caffeine(Double($0), Double($0 / 700)) }
        try await store.save(all, by: .app)
        let oldest = all.sorted(by: SampleOrder.oldestFirst.areInOrder)
        for limit in [999, 1_000, 1_001, 2_000, 3_000] {
            #expect(
                try await store.samples(.caffeine, by: .app, limit: limit, order: .oldestFirst)
                    == Array(oldest.prefix(limit)))
            #expect(
                try await store.samples(.caffeine, by: .app, limit: limit, order: .newestFirst)
                    == Array(oldest.reversed().prefix(limit)))
            #expect(try await store.allChanges(limit: limit).added.map(\.id) == all.map(\.id))
        }
    }

    @Test(arguments: SampleStoreKind.allCases)
    func queriesFilterBySourceAndAmount(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        try await store.save([.caffeine(95), .caffeine(200)], by: .app)
        var grams = Sample.caffeine(0.095, by: .watch)
        grams.quantity.unit = .gram
        try await store.save([grams, .caffeine(20, by: .watch)], by: .watch)
        func found(_ change: (inout SampleQuery) -> Void) async throws -> [Double] {
            var query = SampleQuery.caffeine
            change(&query)
            return try await store.samples(query, by: .app).map(\.quantity.value).sorted()
        }
        #expect(try await found { $0.sources = .only(["watch"]) } == [0.095, 20])
        #expect(try await found { $0.sources = .allExcept(["watch"]) } == [95, 200])
        #expect(try await found { $0.sources = .only([]) } == [])
        #expect(try await found { $0.minimum = Quantity(95, .milligram) } == [0.095, 95, 200])
        #expect(try await found { $0.maximum = Quantity(0.095, .gram) } == [0.095, 20, 95])
        #expect(try await found { $0.minimum = Quantity(1, .litre) } == [])
        #expect(try await found { $0.types = [] } == [])
        #expect(await code { _ = try await found { $0.maximum = Quantity(.nan, .gram) } } == .invalidQuery)
    }

    @Test(arguments: SampleStoreKind.allCases)
    func daysFollowTheTimeZoneWhenTheClocksChange(kind: SampleStoreKind) async throws {
        let fixture = try SampleStoreFixture(kind)
        let store = try await fixture.openForAll()
        fixture.advance(by: 365 * 86_400)
        // Berlin: 2026-03-29 has 23 hours, 2026-10-25 has 25.
        func at(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }
        let times = [
            "2026-03-28T22:59:59Z", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59Z", "2026-03-29T22:00:00Z",
            "2026-10-24T22:00:00Z", "2026-10-25T22:59:59Z", "2026-10-25T23:00:00Z",
        ]
        let samples = try times.enumerated().map { number, time in
            Sample(
                type: .dietaryCaffeine, quantity: Quantity(Double(number + 1), .milligram), start: try at(time),
                source: .app)
        }
        try await store.save(samples, by: .app)
        let days = try await store.statistics(
            .caffeine, perDay: SampleDays(timeZone: "Europe/Berlin"), in: .milligram, by: .app)
        #expect(days.map(\.day) == ["2026-03-28", "2026-03-29", "2026-03-30", "2026-10-25", "2026-10-26"])
        #expect(days.map { $0.interval.duration / 3_600 } == [24, 23, 24, 25, 24])
        #expect(days.map(\.sum) == [1, 5, 4, 11, 7])
        #expect(days.map(\.average) == [1, 2.5, 4, 5.5, 7])
        #expect(days.map(\.minimum) == [1, 2, 4, 5, 7])
        #expect(days.map(\.maximum) == [1, 3, 4, 6, 7])
        #expect(days.map(\.count) == [1, 2, 1, 2, 1])
        // Days begin at 04:00, so a drink at night counts for the day before.
        let nights = try await store.statistics(
            .caffeine, perDay: SampleDays(timeZone: "Europe/Berlin", startMinutes: 240), in: .gram, by: .app)
        #expect(nights.map(\.day) == ["2026-03-28", "2026-03-29", "2026-10-24", "2026-10-25"])
        #expect(nights.map(\.interval.duration) == [82_800, 86_400, 90_000, 86_400])
        #expect(nights.map(\.count) == [2, 2, 1, 2])
        #expect(try await store.statistics(.caffeine, perDay: makeDays(), in: .litre, by: .app) == [])
        #expect(throws: SampleStoreError.self) { try makeDays("Nowhere/At") }
        #expect(throws: SampleStoreError.self) { try makeDays("UTC", 1_440) }
    }

    private func makeDays(_ zone: String = "UTC", _ start: Int = 0) throws(SampleStoreError) -> SampleDays {
        try SampleDays(timeZone: zone, startMinutes: start)
    }

    @Test(arguments: SampleStoreKind.allCases)
    func statisticsAddSeveralTypesPerDay(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        let mass = try #require(SampleType(rawValue: "theine", dimension: .mass))
        try await store.grant(.share, to: [mass], source: .app)
        var tea = Sample.caffeine(5, 60 * 24)
        tea.type = mass
        try await store.save([.caffeine(1, 60 * 24), .caffeine(2, 10), tea], by: .app)
        let days = try await store.statistics(
            SampleQuery(types: [.dietaryCaffeine, mass, .dietaryWater]), perDay: makeDays(), in: .milligram, by: .app)
        #expect(days.map(\.sum) == [6, 2])
    }
}

/// Days in time zones whose clocks change.
@Suite struct SampleDaysTests {
    @Test(arguments: [
        // If the clocks skip a day's start, the day begins at the change.
        ("Europe/Berlin", 150, "2026-03-29T02:00:00Z", "2026-03-29", "2026-03-29T01:00:00Z", 23.5),
        // If the clocks show it twice, the day begins at the first time.
        ("Europe/Berlin", 150, "2026-10-25T01:10:00Z", "2026-10-25", "2026-10-25T00:30:00Z", 25),
        // Midnight does not exist in Cairo on 2026-04-24.
        ("Africa/Cairo", 0, "2026-04-23T22:30:00Z", "2026-04-24", "2026-04-23T22:00:00Z", 23),
        ("Asia/Kathmandu", 0, "2026-01-01T00:00:00Z", "2026-01-01", "2025-12-31T18:15:00Z", 24),
        ("Pacific/Kiritimati", 1_439, "2026-01-01T00:00:00Z", "2025-12-31", "2025-12-31T09:59:00Z", 24),
        // Samoa had no 2011-12-30.
        ("Pacific/Apia", 0, "2011-12-30T10:00:00Z", "2011-12-31", "2011-12-30T10:00:00Z", 24),
        ("Pacific/Apia", 0, "2011-12-30T09:59:59Z", "2011-12-29", "2011-12-29T10:00:00Z", 24),
    ])
    func dayBeginsAtTheRightInstantWhenTheClocksChange(
        zone: String, start: Int, time: String, day: String, begin: String, hours: Double
    ) throws {
        let found = try SampleDays(timeZone: zone, startMinutes: start).day(of: Date(time, strategy: .iso8601))
        #expect(found.day == day)
        #expect(found.interval.start == (try Date(begin, strategy: .iso8601)))
        #expect(found.interval.duration == hours * 3_600)
    }

    @Test(arguments: [
        "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "America/Havana", "Africa/Casablanca",
    ])
    func everyInstantIsOnOneDay(zone: String) throws {
        for start in [0, 90, 150, 240, 1_400] {
            let days = try SampleDays(timeZone: zone, startMinutes: start)
            var last = days.day(of: Date(timeIntervalSince1970: 1_767_225_600))
            for hour in 1..<24 * 380 {
                let date = Date(timeIntervalSince1970: 1_767_225_600 + Double(hour) * 3_600 - 1)
                if date < last.interval.end { continue }
                let next = days.day(of: date)
                #expect(next.interval.start == last.interval.end, "\(zone) \(start) \(date)")
                #expect(next.day > last.day)
                last = next
            }
        }
    }
}
