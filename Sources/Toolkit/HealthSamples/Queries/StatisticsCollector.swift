public import Foundation

/// Adds up samples by day; quickest if many of one day come after each other.
struct StatisticsCollector {
    private let days: SampleDays
    private let unit: SampleUnit
    private var all: [DayStatistics] = []
    /// The day of the last one.
    private var index = 0
    private var indexes: [String: Int] = [:]

    init(days: SampleDays, unit: SampleUnit) {
        self.days = days
        self.unit = unit
    }

    /// Adds a sample.
    mutating func add(_ quantity: Quantity, at start: Date) {
        guard let value = try? quantity.converted(to: unit).value else { return }
        if index < all.count, all[index].interval.start <= start, start < all[index].interval.end {
            all[index].add(value)
            return
        }
        let (day, interval) = days.day(of: start)
        if let known = indexes[day] {
            index = known
            all[index].add(value)
            return
        }
        index = all.count
        indexes[day] = index
        all.append(
            DayStatistics(day: day, interval: interval, count: 1, sum: value, least: value, most: value, unit: unit))
    }

    /// The days that have any, in order.
    func finish() -> [DayStatistics] { all.sorted { $0.interval.start < $1.interval.start } }
}

extension DayStatistics {
    fileprivate mutating func add(_ value: Double) {
        count += 1
        sum += value
        least = min(least, value)
        most = max(most, value)
    }
}

extension SampleDays {
    /// The day that a time is on.
    ///
    /// It begins with the first instant at which the clocks show its beginning, or a later time where they leap over it; and
    /// ends where the next one begins.
    ///
    /// - Parameter date: The time. One outside of the years 1 to 9999 counts as the nearest in them.
    /// - Returns: The day's number in the calendar, such as `2026-03-29`, and from when to when it is.
    public func day(of date: Date) -> (day: String, interval: DateInterval) {
        let date = Self.nearestKnown(date)
        let zone = TimeZone(identifier: timeZone) ?? .gmt
        let local = date.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: date))
        var number = Int((local / 86_400).rounded(.down))
        while begin(of: number, in: zone) > date { number -= 1 }
        while begin(of: number + 1, in: zone) <= date { number += 1 }
        let name = Date(timeIntervalSince1970: Double(number) * 86_400).formatted(.iso8601.year().month().day())
        return (name, DateInterval(start: begin(of: number, in: zone), end: begin(of: number + 1, in: zone)))
    }

    /// The nearest time in the years 1 to 9999: outside of them the arithmetic with whole seconds could overflow.
    private static func nearestKnown(_ date: Date) -> Date {
        let seconds = date.timeIntervalSince1970
        guard !seconds.isNaN else { return Date(timeIntervalSince1970: 0) }
        return Date(timeIntervalSince1970: min(max(seconds, -62_135_596_800), 253_402_300_799))
    }

    /// The first instant of the day so many days after 1970-01-01.
    private func begin(of number: Int, in zone: TimeZone) -> Date {
        func offset(_ seconds: Int) -> Int { zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))) }
        let shown = number * 86_400 + startMinutes * 60
        // Clocks are up to 14 hours before and 12 behind UTC.
        var (low, high) = (shown - 54_000, shown + 46_800)
        let (before, after) = (offset(low), offset(high))
        guard before != after else { return Date(timeIntervalSince1970: Double(shown - before)) }
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(middle) == before { low = middle } else { high = middle }
        }
        // The clocks are changed at `high`.
        let begin = shown - before < high ? shown - before : max(high, shown - after)
        return Date(timeIntervalSince1970: Double(begin))
    }
}
