/// A calendar day, such as 14 March 2026, independent of time zones.
public struct LocalDay: Hashable, Sendable {
    /// Days since 1 January 1970.
    public let number: Int

    /// Creates the day that is a number of days after 1 January 1970.
    public init(number: Int) {
        self.number = number
    }

    /// Creates a day from a Gregorian date; `nil` if it doesn't exist, such as 30 February.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        // `days_from_civil` of Howard Hinnant's “chrono-Compatible Low-Level Date Algorithms”: years begin in March.
        let shifted = month > 2 ? year : year - 1
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        self.init(number: era * 146_097 + dayOfEra - 719_468)
        guard date == (year, month, day) else { return nil }
    }

    /// Year, month and day.
    public var date: (year: Int, month: Int, day: Int) {
        // `civil_from_days`, from the same source.
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month >= 10 ? 1 : 0), month < 10 ? month + 3 : month - 9, day)
    }

    /// The day of the week: 1 is Monday, 7 is Sunday, as in ISO 8601.
    public var weekday: Int {
        // 1 January 1970 was a Thursday.
        let days = (number + 3) % 7
        return (days < 0 ? days + 7 : days) + 1
    }

    /// The Monday of this day's week.
    public var monday: LocalDay { self + (1 - weekday) }

    /// Returns the day that is a number of days after another.
    public static func + (day: LocalDay, days: Int) -> LocalDay { LocalDay(number: day.number + days) }
}

extension LocalDay: Comparable {
    /// Whether a day is before another.
    public static func < (first: LocalDay, second: LocalDay) -> Bool { first.number < second.number }
}
