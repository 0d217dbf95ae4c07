import Foundation
import Testing

@testable import CoffeeTrackerModel

/// Tests days, weeks and months in the drinker's calendar.
@Suite struct DrinkHistoryTests {
    static let utc = DayCounting(zone: .gmt)

    @Test func historyIncludesDaysWithoutDrinks() {
        let drinks = [
            Drink.test(1, 96, at: moment("2026-03-12 08:00")), .test(2, 64, at: moment("2026-03-14 00:00")),
            .test(3, 32, at: moment("2026-03-14 23:59")), .test(4, 10, at: moment("2026-03-15 00:00")),
            .test(5, 10, at: moment("2026-03-11 23:59")),
        ]
        let history = DrinkHistory(of: drinks, days: Self.utc, by: .day, last: 3, at: moment("2026-03-14 12:00"))
        #expect(history.periods.map(\.first.description) == ["2026-03-12", "2026-03-13", "2026-03-14"])
        #expect(history.periods.map(\.count) == [1, 0, 2])
        #expect(history.periods.map(\.milligrams) == [96, 0, 96])
        #expect(history.periods.map(\.cups) == [1, 0, 1])
        #expect(history.periods.map(\.largest) == [96, 0, 64])
    }

    @Test func weeksBeginOnMondays() {
        let drinks = [Drink.test(1, 70, at: moment("2026-03-09 00:00")), .test(2, 7, at: moment("2026-03-08 23:59"))]
        let history = DrinkHistory(of: drinks, days: Self.utc, by: .week, last: 2, at: moment("2026-03-14 12:00"))
        #expect(history.periods.map(\.first.description) == ["2026-03-02", "2026-03-09"])
        #expect(history.periods.map(\.last.description) == ["2026-03-08", "2026-03-15"])
        #expect(history.periods.map(\.milligrams) == [7, 70])
        // Saturday: one day of the week is still to come.
        #expect(history.periods[1].milligramsPerDay == 70.0 / 6)
        #expect(history.periods[0].milligramsPerDay == 1)
    }

    /// The mean is 400 mg a day, even in the week of the first drink.
    @Test func meanExcludesDaysBeforeTheFirstDrinkAndAfterToday() {
        let drinks = [
            Drink.test(1, 400, at: moment("2026-03-11 08:00")), .test(2, 400, at: moment("2026-03-12 08:00")),
        ]
        let now = moment("2026-03-12 12:00")
        func perDay(_ span: DrinkHistory.Span) -> Double? {
            DrinkHistory(of: drinks, days: Self.utc, by: span, last: 3, at: now).periods.last?.milligramsPerDay
        }
        #expect(perDay(.day) == 400)
        #expect(perDay(.week) == 400)
        #expect(perDay(.month) == 400)
        // All days of a window that ended before now count.
        let past = DrinkHistory(
            of: drinks, days: Self.utc, by: .week, last: 1, at: moment("2026-03-09 00:00"),
            now: moment("2026-04-01 12:00"))
        #expect(past.periods.map(\.countedDays) == [7])
    }

    @Test func monthsHaveTheirCalendarLength() {
        let history = DrinkHistory(of: [], days: Self.utc, by: .month, last: 14, at: moment("2026-03-14 12:00"))
        #expect(history.periods.first?.first.description == "2025-02-01")
        #expect(
            history.periods.map { $0.last.number - $0.first.number + 1 } == [
                28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31, 28, 31,
            ])
    }

    @Test func eachDrinkIsCountedOnceAcrossAClockChange() throws {
        let days = DayCounting(zone: try #require(TimeZone(identifier: "America/New_York")), start: 240)
        let drinks = (0..<24 * 16 - 1).map {
            Drink.test($0, 1, at: moment("2026-03-01 09:00").addingTimeInterval(Double($0) * 3600))
        }
        let history = DrinkHistory(of: drinks, days: days, by: .day, last: 16, at: moment("2026-03-16 20:00"))
        #expect(history.periods.map(\.count).reduce(0, +) == drinks.count)
        #expect(
            history.periods.map(\.count)
                == [Int](repeating: 24, count: 6) + [23] + [Int](repeating: 24, count: 9))
    }

    @Test(arguments: DrinkHistory.Span.allCases)
    func startMatchesTheFirstPeriod(span: DrinkHistory.Span) {
        let date = moment("2026-03-14 12:00")
        let history = DrinkHistory(of: [], days: Self.utc, by: span, last: 5, at: date)
        #expect(history.periods.count == 5)
        #expect(DrinkHistory.start(days: Self.utc, by: span, last: 5, at: date) == history.periods.first?.start)
        for (first, second) in zip(history.periods, history.periods.dropFirst()) { #expect(first.end == second.start) }
    }
}
