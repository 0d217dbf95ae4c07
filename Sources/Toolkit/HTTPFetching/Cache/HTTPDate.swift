import Foundation

/// A date as HTTP writes it.
///
/// https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7: one form is written, three are read.
enum HTTPDate {
    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let longDays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Reads a date.
    ///
    /// - Parameters:
    ///   - text: The date: `Sun, 06 Nov 1994 08:49:37 GMT`, or one of the two older forms; in any case of letters.
    ///   - now: The time, by which a year of two digits is told.
    /// - Returns: The date; `nil` if the text is none.
    static func parse(_ text: String, now: Date = Date()) -> Date? {
        let text = text.lowercased()
        if text.contains(",") {
            let parts = text.split(separator: " ", omittingEmptySubsequences: false)
            return parts.count == 6 ? fixed(parts) : parts.count == 4 ? rfc850(parts, now: now) : nil
        }
        return asctime(text)
    }

    /// Writes a date.
    static func format(_ date: Date) -> String {
        let seconds = seconds(of: date)
        let (day, second) = seconds.quotientAndRemainder(dividingByFloor: 86_400)
        let (year, month, dayOfMonth) = civil(day)
        // 1970 began on a Thursday.
        let name = days[(day + 3).quotientAndRemainder(dividingByFloor: 7).remainder]
        // A year has four digits.
        return "\(name), \(two(dayOfMonth)) \(months[month - 1].capitalized) \(two(year / 100))\(two(year % 100)) "
            + "\(two(second / 3_600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
    }

    /// `sun, 06 nov 1994 08:49:37 gmt`.
    private static func fixed(_ parts: [Substring]) -> Date? {
        guard parts[0].hasSuffix(","), days.contains(where: { $0.lowercased() == parts[0].dropLast() }),
            parts[1].utf8.count == 2, parts[3].utf8.count == 4, parts[5] == "gmt",
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        return date(year: digits(parts[3]), month: month + 1, day: digits(parts[1]), time: parts[4])
    }

    /// `sunday, 06-nov-94 08:49:37 gmt`.
    private static func rfc850(_ parts: [Substring], now: Date) -> Date? {
        let day = parts[1].split(separator: "-", omittingEmptySubsequences: false)
        guard parts[0].hasSuffix(","), longDays.contains(where: { $0.lowercased() == parts[0].dropLast() }),
            day.count == 3, day[0].utf8.count == 2, day[2].utf8.count == 2, parts[3] == "gmt",
            let month = months.firstIndex(of: String(day[1])), let short = digits(day[2])
        else { return nil }
        let century = civil(seconds(of: now).quotientAndRemainder(dividingByFloor: 86_400).quotient).year / 100 * 100
        let found = date(year: century + short, month: month + 1, day: digits(day[0]), time: parts[2])
        // More than 50 years ahead is taken for the past.
        guard let found, found > now.addingTimeInterval(50 * 365.25 * 86_400) else { return found }
        return date(year: century - 100 + short, month: month + 1, day: digits(day[0]), time: parts[2])
    }

    /// `sun nov  6 08:49:37 1994`.
    private static func asctime(_ text: String) -> Date? {
        let parts = text.split(separator: " ")
        guard parts.count == 5, days.contains(where: { $0.lowercased() == parts[0] }), parts[4].utf8.count == 4,
            let month = months.firstIndex(of: String(parts[1]))
        else { return nil }
        return date(year: digits(parts[4]), month: month + 1, day: digits(parts[2]), time: parts[3])
    }

    private static func date(year: Int?, month: Int, day: Int?, time: Substring) -> Date? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, clock.allSatisfy({ $0.utf8.count == 2 }), let year, let day, (1...31).contains(day),
            let hour = digits(clock[0]), let minute = digits(clock[1]), let second = digits(clock[2]), hour < 24,
            minute < 60, second <= 60
        else { return nil }
        let seconds = days(year: year, month: month, day: day) * 86_400 + hour * 3_600 + minute * 60 + second
        return Date(timeIntervalSince1970: TimeInterval(seconds))
    }

    /// The whole seconds since 1970, kept to the years 0 to 9999: a damaged cache record can have any time, or none.
    private static func seconds(of date: Date) -> Int {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        return seconds.isNaN ? 0 : Int(min(max(seconds, -62_167_219_200), 253_402_300_799))
    }

    private static func digits(_ text: Substring) -> Int? {
        HTTPNumber.isDigits(text) ? Int(text) : nil
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The days since 1970 of a date in the Gregorian calendar.
    ///
    /// Howard Hinnant, https://howardhinnant.github.io/date_algorithms.html#days_from_civil
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = year.quotientAndRemainder(dividingByFloor: 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date of a number of days since 1970, the other way round.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(dividingByFloor: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted + (shifted < 10 ? 3 : -9)
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}

extension Int {
    fileprivate func quotientAndRemainder(dividingByFloor divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
