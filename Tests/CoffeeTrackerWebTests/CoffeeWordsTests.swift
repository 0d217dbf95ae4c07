import CoffeeTrackerModel
import Foundation
import Testing

@testable import CoffeeTrackerWeb

/// Tests how amounts and times are written.
@Suite struct CoffeeWordsTests {
    /// Sunday, 22 November 2026, 14:35 in Vienna.
    private let words: CoffeeWords

    init() throws {
        let zone = try #require(TimeZone(identifier: "Europe/Vienna"))
        words = CoffeeWords(zone: zone, now: try Self.date("2026-11-22T14:35:00+01:00"))
    }

    private static func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    @Test(arguments: [
        ("2026-11-22T23:10:00+01:00", "23:10"),
        ("2026-11-23T01:30:00+01:00", "tomorrow 01:30"),
        ("2026-11-21T08:00:00+01:00", "yesterday 08:00"),
        ("2026-11-25T08:00:00+01:00", "Wednesday 08:00"),
        ("2026-11-16T08:00:00+01:00", "Monday 08:00"),
        ("2026-11-15T08:00:00+01:00", "15 Nov 08:00"),
        ("2027-01-02T08:05:00+01:00", "2 Jan 2027 08:05"),
        // The day is that of the local clock, not of UTC.
        ("2026-11-22T23:30:00Z", "tomorrow 00:30"),
    ])
    func timesAreWrittenRelativeToNow(text: String, wanted: String) throws {
        #expect(words.when(try Self.date(text)) == wanted)
    }

    @Test(arguments: [(0.0, "0 min"), (89, "1 min"), (3600, "1 h"), (11_400, "3 h 10 min"), (3599, "1 h")])
    func durationsAreWrittenInHoursAndMinutes(seconds: Double, wanted: String) {
        #expect(CoffeeWords.duration(seconds) == wanted)
    }

    @Test(arguments: [
        (0.0, "0 mg"), (0.04, "0 mg"), (4.25, "4.3 mg"), (9.94, "9.9 mg"), (9.96, "10 mg"), (63.6, "64 mg"),
        (.nan, "– mg"), (.infinity, "– mg"), (1e20, "1e+20 mg"),
    ])
    func amountsAreRoundedAndInvalidOnesAreADash(milligrams: Double, wanted: String) {
        #expect(CoffeeWords.amount(milligrams) == wanted)
    }

    @Test(arguments: [(0.0, "0 cups"), (1.0, "1 cup"), (1.04, "1 cup"), (2.26, "2.3 cups")])
    func cupsAreRoundedAndPluralized(cups: Double, wanted: String) {
        #expect(CoffeeWords.cups(cups) == wanted)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, 1e308, -1e308, 1e19, -1])
    func impossibleNumbersAreStillWritten(value: Double) {
        #expect(!CoffeeWords.duration(value).isEmpty)
        #expect(!CoffeeWords.number(value).isEmpty)
        #expect(!CoffeeWords.cups(value).isEmpty)
        let words = CoffeeWords(zone: .gmt, now: CoffeeServer.afternoon)
        #expect(!words.when(Date(timeIntervalSince1970: value)).isEmpty)
    }
}
