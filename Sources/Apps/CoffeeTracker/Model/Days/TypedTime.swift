public import Foundation

/// Parses moments as typed by the owner: a calendar day and a wall clock time.
public enum TypedTime {
    /// The moment of a day and a time, the first one if the clock shows it twice.
    ///
    /// - Parameters:
    ///   - day: A day such as `2026-03-14`; empty for today.
    ///   - time: A time such as `08:30` or `8:30 PM`; empty for the current time.
    ///   - now: The current time.
    ///   - zone: The time zone of the clock.
    ///   - clockFormat: How an error writes times.
    /// - Returns: The moment; exactly `now` if the clock currently shows this day and time.
    /// - Throws: ``CoffeeError``: `invalidTime`; `skippedTime` for a time that the clock never showed.
    public static func moment(
        day: String, time: String, now: Date, in zone: TimeZone, clockFormat: ClockFormat = .twentyFour
    ) throws(CoffeeError) -> Date {
        let (day, time) = (day.trimmingCharacters(in: .whitespaces), time.trimmingCharacters(in: .whitespaces))
        let current = LocalTime(now, in: zone)
        var typed = current
        if !day.isEmpty {
            guard let read = LocalDay(day) else { throw .invalidTime }
            typed.day = read
        }
        if !time.isEmpty {
            guard let read = minutes(time) else { throw .invalidTime }
            typed.minutes = read
        }
        if typed == current { return now }
        switch typed.resolved(in: zone) {
        case .once(let date), .twice(first: let date, second: _): return date
        case .skipped(let date):
            throw .skippedTime(
                clockFormat.text(typed.minutes), instead: clockFormat.text(LocalTime(date, in: zone).minutes),
                zone: zone.identifier)
        }
    }

    /// The minutes since midnight of a time such as `08:30`, `08:30:15` or `8:30 PM`; `nil` for any other text.
    package static func minutes(_ time: String) -> Int? {
        // Browsers add seconds to a field whose value once had them.
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return LocalTime.minutes(time) }
        guard parts[2].allSatisfy({ ("0"..."9").contains($0) || $0 == "." }) else { return nil }
        return LocalTime.minutes(parts.prefix(2).joined(separator: ":"))
    }

    /// The moment given by a text: `08:30`, `8:30 PM`, `2026-03-14 08:30`, or with an offset
    /// `2026-03-14T08:30:00+01:00`.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - now: The current time.
    ///   - zone: The time zone of the clock, unless the text has an offset.
    ///   - clockFormat: How an error writes times.
    /// - Returns: The moment.
    /// - Throws: ``CoffeeError``, as for a separate day and time.
    public static func moment(
        _ text: String, now: Date, in zone: TimeZone, clockFormat: ClockFormat = .twentyFour
    ) throws(CoffeeError) -> Date {
        let text = text.trimmingCharacters(in: .whitespaces)
        if let date = try? Date(text, strategy: .iso8601) { return date }
        var parts = text.split { $0 == " " || $0 == "T" }.map(String.init)
        if parts.count > 1, let half = parts.last, ["am", "pm"].contains(half.lowercased()) {
            parts.removeLast()
            parts[parts.count - 1] += half
        }
        switch parts.count {
        case 1: return try moment(day: "", time: parts[0], now: now, in: zone, clockFormat: clockFormat)
        case 2: return try moment(day: parts[0], time: parts[1], now: now, in: zone, clockFormat: clockFormat)
        default: throw .invalidTime
        }
    }
}
