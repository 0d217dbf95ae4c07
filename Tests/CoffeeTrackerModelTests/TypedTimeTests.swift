import CoffeeTrackerModel
import Foundation
import Testing

/// Tests parsing times as people type them.
@Suite struct TypedTimeTests {
    private let vienna: TimeZone

    init() throws {
        vienna = try #require(TimeZone(identifier: "Europe/Vienna"))
    }

    private static func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    @Test(arguments: [
        ("08:30", "2026-11-22T08:30:00+01:00"),
        ("8:30", "2026-11-22T08:30:00+01:00"),
        (" 2026-03-14 08:30 ", "2026-03-14T08:30:00+01:00"),
        ("2026-03-14T08:30", "2026-03-14T08:30:00+01:00"),
        ("2026-03-14T08:30:00Z", "2026-03-14T09:30:00+01:00"),
        ("2026-03-14T08:30:00-05:00", "2026-03-14T14:30:00+01:00"),
        // The clock shows this time twice: the first one is taken.
        ("2026-10-25 02:30", "2026-10-25T02:30:00+02:00"),
    ])
    func typedTimeIsParsed(text: String, wanted: String) throws {
        let now = try Self.date("2026-11-22T14:35:20+01:00")
        #expect(try TypedTime.moment(text, now: now, in: vienna) == Self.date(wanted))
    }

    @Test func currentMinuteAndEmptyFieldsMeanNow() throws {
        let now = try Self.date("2026-11-22T14:35:20+01:00")
        #expect(try TypedTime.moment("14:35", now: now, in: vienna) == now)
        #expect(try TypedTime.moment(day: "", time: "", now: now, in: vienna) == now)
        #expect(try TypedTime.moment(day: "2026-11-22", time: "14:35:00", now: now, in: vienna) == now)
        // Only a day: the time of day is the current one.
        #expect(
            try TypedTime.moment(day: "2026-11-21", time: "", now: now, in: vienna)
                == Self.date("2026-11-21T14:35:00+01:00"))
    }

    @Test(arguments: [
        "", "noon", "25:00", "8:3", "08:30:15:20", "2026-02-30 08:30", "2026-03-14 08:30 pm", "٠٨:٣٠", "-1:00", "08:60",
    ])
    func invalidTimeIsRefused(text: String) throws {
        let now = try Self.date("2026-11-22T14:35:20+01:00")
        #expect(throws: CoffeeError.invalidTime) { try TypedTime.moment(text, now: now, in: vienna) }
    }

    @Test func skippedTimeIsRefusedWithASuggestion() throws {
        let now = try Self.date("2026-11-22T14:35:20+01:00")
        #expect(throws: CoffeeError.skippedTime("02:30", instead: "03:30", zone: "Europe/Vienna")) {
            try TypedTime.moment("2026-03-29 02:30", now: now, in: vienna)
        }
    }
}
