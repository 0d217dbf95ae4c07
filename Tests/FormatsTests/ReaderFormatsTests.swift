import Foundation
import Testing

@testable import Formats

/// Tests how dates, times and numbers look to readers of several countries.
@Suite(.timeLimit(.minutes(10))) struct ReaderFormatsTests {
    /// 26 November 2026, 13:05 in UTC.
    private static let date = Date(timeIntervalSince1970: 1_795_698_300)

    @Test(arguments: [
        ("de-DE,de;q=0.9,en;q=0.8", "Europe/Vienna", "26.11.2026, 14:05", "1.234,5"),
        ("en-US,en;q=0.9", "America/New_York", "Nov 26, 2026, 8:05 AM", "1,234.5"),
        ("en-GB", "Asia/Kolkata", "26 Nov 2026, 18:35", "1,234.5"),
        // English without a region isn't taken for American.
        ("en", "UTC", "26 Nov 2026, 13:05", "1,234.5"),
        ("*", "UTC", "26 Nov 2026, 13:05", "1,234.5"),
        ("tlh, de", "Asia/Tokyo", "26.11.2026, 22:05", "1.234,5"),
        // A quality of 0 excludes a language.
        ("de;q=0, en-US", "UTC", "Nov 26, 2026, 1:05 PM", "1,234.5"),
        ("de; Q=0.000 ,en-US;q=0.1", "UTC", "Nov 26, 2026, 1:05 PM", "1,234.5"),
        ("de;q=0.001", "UTC", "26.11.2026, 13:05", "1.234,5"),
        // A region that has no formats of its own has those of the language.
        ("de-XX", "UTC", "26.11.2026, 13:05", "1.234,5"),
    ])
    func formatsFollowTheLanguageAndTheZone(languages: String, zone: String, time: String, number: String) {
        let formats = ReaderFormats(languages: languages, zone: zone)
        #expect(formats.dateAndTime(Self.date) == time)
        #expect(formats.number(1_234.5) == number)
    }

    @Test(arguments: [
        "", ",", ";;;", "-", "en_", "../../etc/passwd", "x-y-z", "\u{0}", "de\u{301}",
        "de;q=0", "de;q=0.0", "UTC\u{0}", "GMT\u{0}",
        String(repeating: "x-DE-", count: 1_000), String(repeating: ",", count: 10_000),
    ])
    func invalidLanguagesAndZonesGetStandardFormats(text: String) {
        let formats = ReaderFormats(languages: text, zone: text)
        #expect(formats == .standard)
    }

    @Test(arguments: [
        ("2026-10-25T00:30:00Z", "25.10.2026, 02:30"), ("2026-10-25T01:30:00Z", "25.10.2026, 02:30"),
        ("2026-03-29T00:59:00Z", "29.3.2026, 01:59"), ("2026-03-29T01:00:00Z", "29.3.2026, 03:00"),
        ("2026-12-31T23:00:00Z", "1.1.2027, 00:00"), ("1969-12-31T22:59:00Z", "31.12.1969, 23:59"),
    ])
    func midnightAndChangesOfTheClockCountInTheReadersZone(moment: String, wanted: String) throws {
        let formats = ReaderFormats(languages: "de-AT", zone: "Europe/Vienna")
        #expect(formats.dateAndTime(try Date(moment, strategy: .iso8601)) == wanted)
    }

    @Test func digitsAreLatinAndMonthsAreEnglishOrDigits() {
        for languages in ["ar-EG", "fa-IR", "hi-IN", "th-TH", "ja-JP", "fr-FR", "ko-KR", "sv-SE"] {
            let formats = ReaderFormats(languages: languages, zone: "UTC")
            let text = formats.dateAndTime(Self.date) + formats.number(1_234.5)
            let words = text.filter(\.isLetter)
            #expect(["", "AM", "PM"].contains(words), "\(languages): \(text)")
            #expect(text.contains("2026") && text.contains("11") && text.contains("26"), "\(languages): \(text)")
        }
    }

    @Test func numbersAreRoundedAndExtremeOnesStayShort() {
        let formats = ReaderFormats.standard
        #expect(formats.number(0.126) == "0.13")
        #expect(formats.number(-0.0) == "0")
        #expect(formats.number(1e20) == "1e+20")
        #expect(formats.number(1_234_567) == "1,234,567")
        #expect(ReaderFormats(languages: "de-DE").size(1_500_000).hasPrefix("1,5"))
        #expect(formats.size(0).hasPrefix("0"))
    }

    @Test func timesHaveTheChosenClock() {
        let american = ReaderFormats(languages: "en-US")
        #expect(american.time(minutes: 0) == "12:00 AM" && american.time(minutes: 12 * 60) == "12:00 PM")
        #expect(american.time(minutes: 545, usesTwelveHours: false) == "09:05")
        #expect(ReaderFormats.standard.time(minutes: 545, usesTwelveHours: true) == "9:05 AM")
    }

    @Test func aTaskInheritsTheFormatsOfItsReader() async {
        let german = ReaderFormats(languages: "de-DE", zone: "UTC")
        let seen = await ReaderFormats.local.withValue(german) {
            await Task { ReaderFormats.current }.value
        }
        #expect(seen == german)
        #expect(ReaderFormats.current == .standard)
    }
}
