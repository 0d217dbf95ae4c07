import Foundation
import Testing

@testable import HTTPFetching

/// The value of `Retry-After`.
@Suite struct RetryAfterTests {
    /// One hour before the dates in the tests.
    private static let now = Date(timeIntervalSince1970: 784_111_777 - 3_600)

    private func delay(_ text: String, now: Date = now) -> Duration? { FetchError.delay(text, now: now) }

    @Test func secondsAreParsed() {
        #expect(delay("120") == .seconds(120) && delay("0") == .zero && delay("007") == .seconds(7))
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun Nov 06 08:49:37 1994",
    ])
    func threeDateFormatsAreParsed(text: String) {
        #expect(delay(text) == .seconds(3_600))
    }

    @Test func dateInThePastMeansNoDelay() {
        #expect(delay("Sun, 06 Nov 1994 08:49:37 GMT", now: Date(timeIntervalSince1970: 1_795_000_000)) == .zero)
    }

    @Test(arguments: [
        "", "-1", "+1", "1.5", "soon", "tomorrow", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0100",
        "Sun, 06 Foo 1994 08:49:37 GMT", "Day, 06 Nov 1994 08:49:37 GMT",
        "Sun, ٠٦ Nov 1994 08:49:37 GMT", String(repeating: "Sun, 06 Nov 1994 ", count: 1_000),
    ])
    func otherTextIsNotADelay(text: String) {
        #expect(delay(text) == nil)
    }

    @Test(arguments: hostileNumbers)
    func hostileNumberGivesNoDelayOrTheLongest(number: String) {
        #expect(delay(number) == (HTTPNumber.isDigits(number) ? .seconds(2_147_483_648) : nil))
        #expect(delay("Sun, 06 Nov 9999 08:49:37 GMT") == .seconds(2_147_483_648))
        // Parsing terminates, with an acceptable delay or none.
        for text in ["Sun Nov \(number) 08:49:37 1994", "Sun, 06 Nov \(number) 08:49:37 GMT"] {
            if let delay = delay(text) { #expect(delay >= .zero && delay <= .seconds(2_147_483_648)) }
        }
    }
}
