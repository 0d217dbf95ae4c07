import Capture
import Foundation
import OfflineLibraryModel
import Testing

/// The times of schedules.
@Suite(.timeLimit(.minutes(1))) struct RecaptureScheduleTests {
    /// Parses a time such as `2026-03-27 02:30` in a time zone.
    private static func date(_ text: String, _ zone: String) throws -> Date {
        let style = Date.VerbatimFormatStyle(
            format:
                "\(year: .defaultDigits)-\(month: .twoDigits)-\(day: .twoDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)",
            timeZone: try #require(TimeZone(identifier: zone)), calendar: Calendar(identifier: .gregorian))
        return try Date(text, strategy: style.parseStrategy)
    }

    private static func times(
        _ interval: RecaptureSchedule.Interval, from start: String, zone: String, count: Int
    ) throws -> [Date] {
        let url = try #require(URL(string: "https://a.example/"))
        let schedule = RecaptureSchedule(
            CaptureRequest(url: url, formats: [.png]), interval, from: try date(start, zone), zone: zone)
        var times = [schedule.nextAt]
        while times.count < count { times.append(schedule.time(after: times[times.count - 1])) }
        return times
    }

    @Test func monthsEndOnTheirLastDay() throws {
        let zone = "Europe/Zurich"
        let times = try Self.times(.monthly, from: "2026-01-31 09:00", zone: zone, count: 4)
        let days = ["2026-02-28 09:00", "2026-03-31 09:00", "2026-04-30 09:00", "2026-05-31 09:00"]
        #expect(try times == days.map { try Self.date($0, zone) })
    }

    @Test func clockTimeStaysTheSameWhenSummerTimeBegins() throws {
        let zone = "Europe/Zurich"
        let times = try Self.times(.daily, from: "2026-03-27 07:30", zone: zone, count: 3)
        #expect(
            try times == ["2026-03-28 07:30", "2026-03-29 07:30", "2026-03-30 07:30"].map { try Self.date($0, zone) })
        #expect(times[1].timeIntervalSince(times[0]) == 23 * 3_600)
    }

    /// On 29 March 2026, the clock goes from 2:00 to 3:00.
    @Test func skippedClockTimeHasAReplacement() throws {
        let zone = "Europe/Zurich"
        let times = try Self.times(.daily, from: "2026-03-27 02:30", zone: zone, count: 3)
        #expect(try times[0] == Self.date("2026-03-28 02:30", zone))
        #expect(try times[1] > Self.date("2026-03-29 01:30", zone))
        #expect(try times[1] <= Self.date("2026-03-29 04:00", zone))
        #expect(try times[2] == Self.date("2026-03-30 02:30", zone))
    }

    @Test func weeksHaveSevenDays() throws {
        let times = try Self.times(.weekly, from: "2026-10-20 07:30", zone: "Europe/Zurich", count: 2)
        #expect(try times == ["2026-10-27 07:30", "2026-11-03 07:30"].map { try Self.date($0, "Europe/Zurich") })
    }

    /// While the machine was off, many times have passed: the next one is after now.
    @Test(arguments: RecaptureSchedule.Interval.allCases)
    func passedTimesAreSkipped(interval: RecaptureSchedule.Interval) throws {
        let url = try #require(URL(string: "https://a.example/"))
        let start = try Self.date("2020-02-29 23:59", "UTC")
        let schedule = RecaptureSchedule(CaptureRequest(url: url, formats: [.png]), interval, from: start, zone: "UTC")
        let now = try Self.date("2026-11-28 04:00", "UTC")
        let next = schedule.time(after: now)
        #expect(next > now && next.timeIntervalSince(now) <= 31 * 86_400)
        // The one before isn't after now.
        #expect(schedule.time(after: now - 32 * 86_400) <= now)
    }

    @Test func unknownTimeZoneIsUTC() throws {
        let url = try #require(URL(string: "https://a.example/"))
        let schedule = RecaptureSchedule(
            CaptureRequest(url: url, formats: [.png]), .daily, from: Date(timeIntervalSince1970: 0), zone: "no zone")
        #expect(schedule.nextAt == Date(timeIntervalSince1970: 86_400))
    }
}
