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

    @Test func numbersHaveTwoDecimals() {
        let drink = Drink(
            id: .test(1), name: "Soda", emoji: "🥤", milligrams: 34, millilitres: 12 * VolumeUnit.ounces.volume,
            start: moment("2026-03-14 08:30"), sipping: 100, timeZone: "UTC")
        #expect(DrinkCSV.text(of: [drink]).contains(",34,354.88,1.67,"))
    }

    @Test func everyScalarInANameStaysInItsField() {
        // A parser as in RFC 4180, by bytes.
        func fields(of text: String) -> [[String]] {
            var (rows, row, field, isQuoted): ([[String]], [String], [UInt8], Bool) = ([], [], [], false)
            var bytes = Array(text.utf8)[...]
            while let byte = bytes.popFirst() {
                switch byte {
                case UInt8(ascii: "\"") where isQuoted && bytes.first == byte: field.append(bytes.removeFirst())
                case UInt8(ascii: "\""): isQuoted.toggle()
                case UInt8(ascii: ",") where !isQuoted, UInt8(ascii: "\n") where !isQuoted:
                    row.append(String(decoding: field, as: UTF8.self))
                    field = []
                    if byte == UInt8(ascii: "\n") {
                        rows.append(row)
                        row = []
                    }
                case UInt8(ascii: "\r") where !isQuoted: break
                default: field.append(byte)
                }
            }
            return rows
        }
        let scalars = (UInt32(0)...0x10FFFF).compactMap { Unicode.Scalar($0) }
        let drinks = stride(from: 0, to: scalars.count, by: 50_000).map { start in
            var name = String.UnicodeScalarView()
            for scalar in scalars[start..<min(start + 50_000, scalars.count)] { name.append(scalar) }
            return Drink.test(1, 80, at: moment("2026-03-14 08:30"), name: "x" + String(name))
        }
        let rows = fields(of: DrinkCSV.text(of: drinks))
        #expect(rows.count == drinks.count + 1 && rows.allSatisfy { $0.count == 9 })
        for (row, drink) in zip(rows.dropFirst(), drinks) {
            #expect(Array(row[3].unicodeScalars) == Array(drink.name.unicodeScalars))
        }
    }

    @Test(arguments: [
        ("Espresso", "Espresso"), ("", ""), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""),
        ("two\nlines", "\"two\nlines\""), ("=1+1", "'=1+1"), ("@SUM(A1,A2)", "\"'@SUM(A1,A2)\""), ("-5", "'-5"),
        ("+1", "'+1"), (" =1", "' =1"), ("\u{200B}=1", "'\u{200B}=1"), ("\u{FF1D}1", "'\u{FF1D}1"),
        ("\t=1", "\"'\t=1\""), ("a;=1", "a;'=1"), ("a; @x;b=1", "a;' @x;b=1"), ("a\n=1", "\"a\n'=1\""),
        (";\t-1,", "\";'\t-1,\""), ("a;b", "a;b"), ("a =1", "a =1"),
        ("=\u{301}1", "'=\u{301}1"), ("2028\u{2028}x", "\"2028\u{2028}x\""), ("a\u{0}b", "\"a\u{0}b\""), ("a=b", "a=b"),
        ("-Five", "'-Five"), ("\"\u{301}x", "\"\"\"\u{301}x\""), (",\u{301}x", "\",\u{301}x\""),
    ])
    func fieldsAreQuotedAndFormulasAreText(text: String, field: String) {
        // Compares scalars: a combining mark and the scalar before it are a single character.
        #expect(Array(DrinkCSV.field(text).unicodeScalars) == Array(field.unicodeScalars))
    }
}
