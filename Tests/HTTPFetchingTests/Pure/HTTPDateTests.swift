import Foundation
import Testing

@testable import HTTPFetching

@Suite struct HTTPDateTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "sun, 06 nov 1994 08:49:37 gmt", "SUN, 06 NOV 1994 08:49:37 GMT", "Sun Nov 06 08:49:37 1994",
    ])
    func threeFormsAreRead(text: String) {
        #expect(HTTPDate.parse(text) == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test(arguments: [
        "", "0", "-1", "tomorrow", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0100",
        "Sun, 06 Nov 94 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
        "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:61:37 GMT",
        "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 -8:49:37 GMT",
        "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37", "Day, 06 Nov 1994 08:49:37 GMT",
    ])
    func whatIsNoDateIsNone(text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test func whatIsWrittenIsRead() {
        for seconds in stride(from: -2_000_000_000.0, through: 8_000_000_000, by: 9_876_543) {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(HTTPDate.parse(HTTPDate.format(date)) == date)
        }
        #expect(HTTPDate.format(Date(timeIntervalSince1970: 784_111_777)) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.format(Date(timeIntervalSince1970: 951_782_400)) == "Tue, 29 Feb 2000 00:00:00 GMT")
    }

    /// Found by the fuzzer: `0443` was written as `443`, which is no date.
    @Test(arguments: ["Tue, 14 Nov 0443 22:13:20 GMT", "Sat, 01 Jan 0000 00:00:00 GMT"])
    func yearBefore1000IsWrittenWithFourDigits(text: String) throws {
        let date = try #require(HTTPDate.parse(text))
        let written = HTTPDate.format(date)
        #expect(written.dropFirst(5) == text.dropFirst(5))
        #expect(HTTPDate.parse(written) == date)
    }

    @Test func aYearOfTwoDigitsIsNotFarAhead() {
        let now = Date(timeIntervalSince1970: 1_795_000_000)  // 2026
        let soon = HTTPDate.parse("Sunday, 06-Nov-30 08:49:37 GMT", now: now)
        let past = HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: now)
        #expect(soon.map(HTTPDate.format)?.contains("2030") == true)
        #expect(past.map(HTTPDate.format)?.contains("1994") == true)
    }

    /// A record on a disk may say that it came at any time.
    @Test(arguments: [
        0, -1, 1e17, -1e17, 9.3e18, 1e308, -1e308, .infinity, -.infinity, .nan, .greatestFiniteMagnitude,
    ])
    func anyTimeIsReadAndWritten(seconds: TimeInterval) {
        let now = Date(timeIntervalSince1970: seconds)
        _ = HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: now)
        #expect(HTTPDate.parse("Sun, 06 Nov 1994 08:49:37 GMT", now: now) == Date(timeIntervalSince1970: 784_111_777))
        #expect(HTTPDate.format(now).hasSuffix(" GMT"))
    }

    @Test(arguments: [
        "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov +994 08:49:37 GMT", "Sun, ٠٦ Nov 1994 08:49:37 GMT",
        "Sun Nov 99999999999999999999999 08:49:37 1994", "Sun Nov -6 08:49:37 1994", "Sun Nov 6 08:+9:37 1994",
        "Sunday, 06-Nov-٣ 08:49:37 GMT", "Sunday, 06-Nov-+4 08:49:37 GMT",
    ])
    func numberThatIsNotOfDigitsIsNone(text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }
}
