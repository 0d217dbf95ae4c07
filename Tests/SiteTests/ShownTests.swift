import Foundation
import Testing

@testable import Site

@Suite struct ShownTests {
    @Test(arguments: [(0, "0 pages"), (1, "1 page"), (2, "2 pages"), (1_024, "1,024 pages")])
    func countHasItsNoun(count: Int, text: String) {
        #expect(Shown.count(count, "page") == text)
    }

    @Test func timeIsThatOfTheServersZone() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .current
        let parts = DateComponents(year: 2026, month: 11, day: 22, hour: 9, minute: 5)
        let date = try #require(calendar.date(from: parts))
        #expect(Shown.day(date) == "22 Nov 2026")
        #expect(Shown.time(date).hasPrefix("22 Nov 2026") && Shown.time(date).hasSuffix("09:05"))
    }

    @Test func sizeHasDigitsAndAUnit() {
        // The unit depends on the locale.
        #expect(Shown.size(0).hasPrefix("0 ") && Shown.size(2_000_000).hasPrefix("2"))
    }
}
