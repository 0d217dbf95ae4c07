import Foundation
import Testing

@testable import CoffeeTrackerModel

/// Tests wall clock times, including those that the clock skips or shows twice.
@Suite struct LocalTimeTests {
    static let newYork = TimeZone(identifier: "America/New_York") ?? .gmt

    private func day(_ text: String) throws -> LocalDay { try #require(LocalDay(text)) }

    @Test(arguments: [
        ("1970-01-01", 0, 4), ("2000-02-29", 11_016, 2), ("2026-03-14", 20_526, 6), ("1969-12-31", -1, 3),
        ("2100-03-01", 47_541, 1),
    ])
    func dayNumberAndWeekdayMatchTheDate(text: String, number: Int, weekday: Int) throws {
        #expect(try day(text).number == number)
        #expect(LocalDay(number: number).description == text)
        #expect(LocalDay(number: number).weekday == weekday)
    }

    @Test func dayNumbersRoundTripForEightCenturies() {
        for number in stride(from: -150_000, through: 150_000, by: 1) {
            let date = LocalDay(number: number).date
            guard LocalDay(year: date.year, month: date.month, day: date.day)?.number == number else {
                Issue.record("\(date) is not day \(number)")
                return
            }
        }
    }

    @Test(arguments: [
        "2026-02-29", "2026-13-01", "2026-00-10", "26-1-1", "2026-04-31", "", "2026-01-01x", "２０２６-01-01",
    ])
    func invalidDateIsRefused(text: String) {
        #expect(LocalDay(text) == nil)
    }

    @Test func skippedTimeIsShiftedByTheLengthOfTheGap() throws {
        // On 8 March 2026 clocks went from 02:00 to 03:00 in New York.
        let time = LocalTime(day: try day("2026-03-08"), minutes: 150)
        let expected = moment("2026-03-08 07:30")
        #expect(time.resolved(in: Self.newYork) == .skipped(expected))
        #expect(LocalTime(expected, in: Self.newYork).minutes == 210)
    }

    @Test func repeatedTimeResolvesToTheFirst() throws {
        // On 1 November 2026 clocks go from 02:00 back to 01:00 in New York.
        let time = LocalTime(day: try day("2026-11-01"), minutes: 90)
        let (first, second) = (moment("2026-11-01 05:30"), moment("2026-11-01 06:30"))
        #expect(time.resolved(in: Self.newYork) == .twice(first: first, second: second))
        #expect(time.resolved(in: Self.newYork).date == first)
    }

    @Test(arguments: [
        // A gap of half an hour; a skipped day; a gap at midnight.
        ("Australia/Lord_Howe", "2026-10-04 02:15", "2026-10-03 15:45"),
        ("Pacific/Apia", "2011-12-30 12:00", "2011-12-30 22:00"),
        ("America/Sao_Paulo", "2018-11-04 00:30", "2018-11-04 03:30"),
    ])
    func timesInUnusualGapsAreSkipped(zone: String, wall: String, expected: String) throws {
        let zone = try #require(TimeZone(identifier: zone))
        let parts = wall.split(separator: " ")
        let time = LocalTime(day: try day(String(parts[0])), minutes: try #require(LocalTime.minutes(String(parts[1]))))
        #expect(time.resolved(in: zone) == .skipped(moment(expected)))
    }

    @Test(arguments: ["America/New_York", "Europe/Vienna", "Asia/Kolkata", "Pacific/Apia", "Africa/Casablanca", "UTC"])
    func localTimeRoundTripsToItsDate(zone: String) throws {
        let zone = try #require(TimeZone(identifier: zone))
        for hour in 0..<9000 {
            let date = moment("2026-01-01 00:00").addingTimeInterval(Double(hour) * 3600)
            let time = LocalTime(date, in: zone)
            switch time.resolved(in: zone) {
            case .once(let resolved): #expect(resolved == date)
            case .twice(let first, let second): #expect([first, second].contains(date))
            case .skipped: Issue.record("the shown time of \(date) counts as skipped")
            }
        }
    }

    @Test(arguments: ["America/New_York", "America/Sao_Paulo", "Asia/Beirut"], [0, 150, 240, 1439])
    func everyDateFallsWithinItsDay(zone: String, start: Int) throws {
        let days = DayCounting(zone: try #require(TimeZone(identifier: zone)), start: start)
        for half in 0..<1500 {
            let date = moment("2018-10-20 00:00").addingTimeInterval(Double(half) * 1800)
            let day = days.day(of: date)
            #expect(days.beginning(of: day) <= date && date < days.beginning(of: day + 1))
        }
    }

    @Test func dayHasTwentyThreeOrTwentyFiveHoursAtAClockChange() throws {
        let days = DayCounting(zone: Self.newYork, start: 240)
        func length(_ text: String) throws -> Double {
            let day = try day(text)
            return days.beginning(of: day + 1).timeIntervalSince(days.beginning(of: day)) / 3600
        }
        #expect(try length("2026-03-07") == 23)
        #expect(try length("2026-10-31") == 25)
        #expect(try length("2026-03-08") == 24)
    }

    @Test(arguments: [("22:30", 1350), ("0:05", 5), ("00:00", 0), ("23:59", 1439)])
    func validTimesAreParsed(text: String, minutes: Int) {
        #expect(LocalTime.minutes(text) == minutes)
    }

    @Test(arguments: ["24:00", "12:60", "7", "7:5", ":30", "-1:30", "+1:30", "1 :30", "٧:٣٠"])
    func invalidTimeIsRefused(text: String) {
        #expect(LocalTime.minutes(text) == nil)
    }

    @Test func timesAreWrittenWithTwoDigits() {
        #expect(LocalTime.text(5) == "00:05" && LocalTime.text(1350) == "22:30")
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, -1e300, -1e13, 1e13])
    func extremeDatesHaveADay(seconds: Double) {
        let days = DayCounting(zone: .gmt, start: 300)
        let date = Date(timeIntervalSince1970: seconds)
        let day = days.day(of: date)
        #expect(LocalDay(number: day.number).date.day == day.date.day)
        #expect(days.beginnings(from: date, through: date).count < 10)
    }
}
