import Foundation
import Testing

@testable import CoffeeTrackerModel

/// Tests that the timeline is a function of the drinks, the settings and the date.
@Suite struct TimelineTests {
    static let now = moment("2026-03-14 20:02")

    @Test func timelineHasAnEntryEveryFiveMinutesForADay() {
        let entries = Timeline(drinks: [], settings: .sample, from: Self.now).entries
        #expect(entries.count == 289)
        #expect(entries.first?.date == Self.now)
        #expect(entries.last?.date == Self.now.addingTimeInterval(24 * 3600))
        for (first, second) in zip(entries, entries.dropFirst()) {
            #expect(second.date.timeIntervalSince(first.date) == 300)
        }
    }

    @Test func sampleSettingReproducesTheSampleApplicationsTimeline() {
        // Σ mg · 0.5^(Δt / 5 h).
        let drinks = [Drink.test(1, 96, at: moment("2026-03-14 08:00")), .test(2, 128, at: moment("2026-03-14 15:30"))]
        for entry in Timeline(drinks: drinks, settings: .sample, from: Self.now).entries {
            let expected = drinks.reduce(0) { sum, drink in
                sum + drink.milligrams * pow(0.5, entry.date.timeIntervalSince(drink.start) / (5 * 3600))
            }
            #expect(abs(entry.milligrams - expected) < 1e-9)
        }
    }

    @Test func cupsAreResetAtTheDaysStart() {
        // The sample application counts all entries from the beginning of the day on which the timeline was created.
        let drinks = [Drink.test(1, 192, at: moment("2026-03-14 08:00"))]
        let entries = Timeline(drinks: drinks, settings: .sample, from: Self.now).entries
        let before = entries.last { $0.date < moment("2026-03-15 00:00") }
        let after = entries.first { $0.date >= moment("2026-03-15 00:00") }
        #expect(before?.cups == 2 && after?.cups == 0)
    }

    @Test func dayStartUsesTheOwnersZoneAndSetting() {
        var settings = CoffeeSettings.sample
        settings.zone = "America/New_York"
        settings.dayStart = 240
        // The night in which clocks go forward: the day of the 7th ends at 04:00, which is 08:00 UTC.
        let drinks = [Drink.test(1, 96, at: moment("2026-03-08 01:30", "America/New_York"))]
        let entries = Timeline(
            drinks: drinks, settings: settings, from: moment("2026-03-08 01:00", "America/New_York")
        ).entries
        for entry in entries {
            let isCounted = entry.date >= drinks[0].start && entry.date < moment("2026-03-08 08:00")
            #expect(entry.cups == (isCounted ? 1 : 0))
        }
    }

    @Test func drinkCountsFromItsStart() {
        let drinks = [Drink.test(1, 96, at: moment("2026-03-14 21:02"))]
        let entries = Timeline(drinks: drinks, settings: .sample, from: Self.now).entries
        #expect(entries[11].cups == 0 && entries[11].milligrams == 0)
        #expect(entries[12].cups == 1 && entries[12].milligrams == 96)
    }

    @Test(arguments: [false, true])
    func everyEntryMatchesTheFormulas(isSimple: Bool) {
        var settings = CoffeeSettings()
        settings.usesSimpleDecay = isSimple
        let drinks = (0..<40).map { (number: Int) -> Drink in
            let start = Self.now.addingTimeInterval(Double(number - 35) * 7321)
            let sipping = number % 3 == 0 ? 0 : Double(number * 11 % 240)
            return Drink.test(number, Double(20 + 7 * number % 90), at: start, sipping: sipping)
        }
        let band = settings.levelBand
        for entry in Timeline(drinks: drinks.shuffled(), settings: settings, from: Self.now).entries {
            #expect(abs(entry.milligrams - settings.level.milligrams(at: entry.date, of: drinks)) < 1e-8)
            #expect(abs(entry.low - band.low.milligrams(at: entry.date, of: drinks)) < 1e-8)
            #expect(abs(entry.high - band.high.milligrams(at: entry.date, of: drinks)) < 1e-8)
            #expect(entry.low <= entry.milligrams + 1e-9 && entry.milligrams <= entry.high + 1e-9)
            let shares = entry.shares.reduce(0) { $0 + $1.milligrams }
            #expect(shares <= entry.milligrams + 1e-9)
            #expect(entry.milligrams - shares < TimelineEntry.leastShare * Double(drinks.count))
        }
    }

    @Test func sharesMatchTheirDrinksOldestFirst() {
        let drinks = [Drink.test(2, 96, at: moment("2026-03-14 19:00")), .test(1, 64, at: moment("2026-03-14 18:00"))]
        let entry = Timeline(drinks: drinks, settings: .sample, from: Self.now).entries[0]
        #expect(entry.shares.map(\.drink) == [.test(1), .test(2)])
        let expected = CoffeeSettings.sample.level.milligrams(at: Self.now, of: drinks[1])
        #expect(abs((entry.shares.first?.milligrams ?? 0) - expected) < 1e-9)
    }

    @Test func timelineDoesNotDependOnTheOrderOfDrinks() {
        let drinks = (0..<9).map { Drink.test($0, 50, at: Self.now.addingTimeInterval(Double($0) * -4000)) }
        let settings = CoffeeSettings()
        #expect(
            Timeline(drinks: drinks, settings: settings, from: Self.now)
                == Timeline(drinks: drinks.reversed(), settings: settings, from: Self.now))
    }

    @Test func timelineRoundTripsThroughJSON() throws {
        let drinks = [Drink.test(1, 64, at: moment("2026-03-14 18:00"))]
        let timeline = Timeline(drinks: drinks, settings: CoffeeSettings(), from: Self.now)
        let data = try JSONEncoder().encode(timeline)
        #expect(try JSONDecoder().decode(Timeline.self, from: data) == timeline)
    }

    @Test(arguments: ["20:00:00", "20:00:01", "20:02:00", "20:04:59"])
    func servedEntriesAreAlignedToTheClockAfterTheFirst(time: String) throws {
        let now = try Date("2026-03-14T\(time)Z", strategy: .iso8601)
        let drinks = [Drink.test(1, 96, at: moment("2026-03-14 08:00"))]
        let entries = Timeline(drinks: drinks, settings: .sample, onTheClockFrom: now).entries
        #expect(entries.first?.date == now)
        #expect(entries[1].date == moment("2026-03-14 20:05"))
        #expect(entries[1].date == Timeline.nextEntry(after: now))
        for (first, second) in zip(entries.dropFirst(), entries.dropFirst(2)) {
            #expect(second.date.timeIntervalSince(first.date) == 300)
        }
        let last = try #require(entries.last?.date)
        #expect(last <= now + 24 * 3600 && last > now + 24 * 3600 - 300)
        for entry in entries {
            let expected = CoffeeSettings.sample.level.milligrams(at: entry.date, of: drinks)
            #expect(abs(entry.milligrams - expected) < 1e-9)
        }
    }

    @Test func nextEntryIsLaterThanTheGivenDate() {
        #expect(Timeline.nextEntry(after: moment("2026-03-14 20:05")) == moment("2026-03-14 20:10"))
        #expect(Timeline.nextEntry(after: Date(timeIntervalSince1970: -1)) == Date(timeIntervalSince1970: 0))
    }
}
