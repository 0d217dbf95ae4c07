package import Foundation

/// Amounts and times in words: times as the clock in the reader's zone shows them, days as seen from now.
package struct CoffeeWords: Sendable {
    package let zone: TimeZone
    package let now: Date

    package init(zone: TimeZone, now: Date) {
        self.zone = zone
        self.now = now
    }
}

// MARK: - Times

extension CoffeeWords {
    /// The time: `23:10`.
    package func clock(_ date: Date) -> String {
        LocalTime.text(LocalTime(date, in: zone).minutes)
    }

    /// The time, and the day unless it is today: `23:10`, `tomorrow 01:30`, `Sunday 08:00`, `12 Mar 08:00`.
    package func when(_ date: Date) -> String {
        let days = days(to: date)
        return days == 0 ? clock(date) : "\(day(date)) \(clock(date))"
    }

    /// The day as seen from now, within a sentence: `today`, `tomorrow`, `Sunday`, `12 Mar`.
    package func day(_ date: Date) -> String {
        switch days(to: date) {
        case 0: "today"
        case 1: "tomorrow"
        case -1: "yesterday"
        case -6 ... -2, 2...6: Self.weekdays[LocalTime(date, in: zone).day.weekday - 1]
        default: Self.name(of: LocalTime(date, in: zone).day, comparedTo: LocalTime(now, in: zone).day)
        }
    }

    /// The time from now: `in 3 h 10 min`.
    package func wait(until date: Date) -> String {
        "in \(Self.duration(date.timeIntervalSince(now)))"
    }

    private func days(to date: Date) -> Int {
        LocalTime(date, in: zone).day.number - LocalTime(now, in: zone).day.number
    }

    /// A length of time: `3 h 10 min`.
    package static func duration(_ seconds: TimeInterval) -> String {
        let whole = (seconds / 60).rounded()
        guard abs(whole) < 1e15 else { return "–" }
        let minutes = Int(whole)
        let (hours, rest) = (minutes / 60, minutes % 60)
        if hours == 0 { return "\(rest) min" }
        return rest == 0 ? "\(hours) h" : "\(hours) h \(rest) min"
    }

    /// A date: `14 Mar`, with its year if that is another one.
    package static func name(of day: LocalDay, comparedTo today: LocalDay) -> String {
        let date = day.date
        let text = "\(date.day) \(months[date.month - 1])"
        return date.year == today.date.year ? text : "\(text) \(date.year)"
    }

    package static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    package static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}

// MARK: - Amounts

extension CoffeeWords {
    /// Caffeine: `64 mg`; below ten with one digit more, so that little is not nothing.
    package static func amount(_ milligrams: Double) -> String {
        "\(number(milligrams)) mg"
    }

    /// A number as pages show it: see ``rounded(_:)``.
    package static func number(_ value: Double) -> String {
        value.isFinite ? trimmed(rounded(value)) : "–"
    }

    /// An amount with the precision that is shown: whole from ten on, below that with one digit after the point.
    package static func rounded(_ value: Double) -> Double {
        abs(value) < 9.95 ? (value * 10).rounded() / 10 : value.rounded()
    }

    /// Cups: with one digit after the point, `1 cup`, `2.3 cups`.
    package static func cups(_ cups: Double) -> String {
        let text = trimmed((cups * 10).rounded() / 10)
        return text == "1" ? "1 cup" : "\(text) cups"
    }

    /// A number with no more digits than it has, as a field of a form holds it.
    package static func trimmed(_ value: Double) -> String {
        guard value.isFinite else { return "" }
        return value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
    }
}
