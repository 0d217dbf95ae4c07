import Foundation
import Testing

@testable import CoffeeTrackerModel

/// Tests the table of drinks for spreadsheets.
@Suite struct DrinkCSVTests {
    @Test func drinkIsARowInItsOwnTimeZone() {
        var drink = Drink(
            id: .test(1), name: "Flat White, \"large\"", emoji: "☕️", milligrams: 62.5, millilitres: 240,
            start: moment("2026-03-14 08:30", "America/New_York"), sipping: 150, timeZone: "America/New_York")
        let rows = DrinkCSV.text(of: [drink]).components(separatedBy: "\r\n")
        #expect(rows.count == 3 && rows[2].isEmpty)
        #expect(rows[0].hasPrefix("\u{FEFF}Date,Time,Time zone,Drink,Caffeine (mg)"))
        #expect(
            rows[1]
                == "2026-03-14,08:30,America/New_York,\"Flat White, \"\"large\"\"\",62.5,240,2.5,2026-03-14T12:30:00Z,"
                + "Coffee Tracker")
        drink.timeZone = "Nowhere"
        (drink.name, drink.millilitres) = ("Tea", nil)
        #expect(DrinkCSV.text(of: [drink]).contains("2026-03-14,12:30,GMT,Tea,62.5,,2.5,"))
    }

    @Test(arguments: [
        ("Espresso", "Espresso"), ("", ""), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""),
        ("two\nlines", "\"two\nlines\""), ("=1+1", "'=1+1"), ("@SUM(A1,A2)", "\"'@SUM(A1,A2)\""), ("-5", "-5"),
        ("-Five", "'-Five"), ("\"\u{301}x", "\"\"\"\u{301}x\""), (",\u{301}x", "\",\u{301}x\""),
    ])
    func fieldsAreQuotedAndFormulasAreText(text: String, field: String) {
        // By scalars, since a combining mark would hide what it follows.
        #expect(Array(DrinkCSV.field(text).unicodeScalars) == Array(field.unicodeScalars))
    }
}
