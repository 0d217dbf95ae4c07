public import Foundation

/// How to divide time into days: the time zone, and when a day begins.
public struct SampleDays: Hashable, Sendable {
    /// The time zone's identifier.
    public let timeZone: String
    /// When a day begins, in minutes after midnight: with 240, an espresso at 02:00 counts for the day before.
    public let startMinutes: Int

    /// Creates days that begin 0 to 1439 minutes after midnight; throws `invalidQuery` for an invalid value or zone.
    public init(timeZone: String, startMinutes: Int = 0) throws(SampleStoreError) {
        guard KnownZones.shared.contains(timeZone) else {
            throw .invalidQuery("“\(timeZone.prefix(64))” isn't a time zone. Use one such as Europe/Berlin.")
        }
        guard (0..<1_440).contains(startMinutes) else {
            throw .invalidQuery("A day can't begin \(startMinutes) minutes after midnight.")
        }
        self.timeZone = timeZone
        self.startMinutes = startMinutes
    }
}

/// The totals of one day's samples.
public struct DayStatistics: Hashable, Sendable {
    /// The day's date, such as `2026-03-29`.
    public var day: String
    /// From the beginning to the end of the day: 23 or 25 hours when the clocks change.
    public var interval: DateInterval
    /// The number of samples.
    public var count: Int
    /// The sum of their values.
    public var sum: Double
    /// The least value.
    public var minimum: Double
    /// The greatest value.
    public var maximum: Double
    /// The unit of the sum, the least and the greatest value.
    public var unit: SampleUnit

    /// The mean value.
    public var average: Double { sum / Double(count) }

    /// Creates a day's totals.
    public init(
        day: String, interval: DateInterval, count: Int, sum: Double, minimum: Double, maximum: Double, unit: SampleUnit
    ) {
        self.day = day
        self.interval = interval
        self.count = count
        self.sum = sum
        self.minimum = minimum
        self.maximum = maximum
        self.unit = unit
    }
}

/// Adds up samples by day, fastest when samples of the same day are adjacent.
struct StatisticsCollector {
    private let days: SampleDays
    private let unit: SampleUnit
    private var all: [DayStatistics] = []
    /// The index of the day of the last sample.
    private var index = 0
    private var indexes: [String: Int] = [:]

    init(days: SampleDays, unit: SampleUnit) {
        self.days = days
        self.unit = unit
    }

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
            DayStatistics(
                day: day, interval: interval, count: 1, sum: value, minimum: value, maximum: value, unit: unit))
    }

    /// The days that have samples, in order.
    func finish() -> [DayStatistics] { all.sorted { $0.interval.start < $1.interval.start } }
}

extension DayStatistics {
    fileprivate mutating func add(_ value: Double) {
        count += 1
        sum += value
        minimum = min(minimum, value)
        maximum = max(maximum, value)
    }
}

extension SampleDays {
    /// The day that contains a time: its date, such as `2026-03-29`, and the interval until the next day begins.
    ///
    /// A day begins at the first instant when the clocks show its start, or a later time if they skip it.
    ///
    /// - Parameter date: A time; one outside the years 1 to 9999 counts as the nearest time inside.
    /// - Returns: The date and the interval.
    public func day(of date: Date) -> (day: String, interval: DateInterval) {
        let date = Self.clamped(date)
        let zone = TimeZone(identifier: timeZone) ?? .gmt
        let local = date.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: date))
        var number = Int((local / 86_400).rounded(.down))
        while beginning(of: number, in: zone) > date { number -= 1 }
        while beginning(of: number + 1, in: zone) <= date { number += 1 }
        let name = Date(timeIntervalSince1970: Double(number) * 86_400).formatted(.iso8601.year().month().day())
        return (name, DateInterval(start: beginning(of: number, in: zone), end: beginning(of: number + 1, in: zone)))
    }

    /// Clamps a time to the years 1 to 9999; outside, the integer arithmetic could overflow.
    private static func clamped(_ date: Date) -> Date {
        let seconds = date.timeIntervalSince1970
        guard !seconds.isNaN else { return Date(timeIntervalSince1970: 0) }
        return Date(timeIntervalSince1970: min(max(seconds, -62_135_596_800), 253_402_300_799))
    }

    /// The first instant of the day that is `number` days after 1970-01-01.
    private func beginning(of number: Int, in zone: TimeZone) -> Date {
        func offset(_ seconds: Int) -> Int { zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))) }
        let localSeconds = number * 86_400 + startMinutes * 60
        // Local time is at most 14 hours ahead of UTC and 12 hours behind it; the range has an hour more on each side.
        var (low, high) = (localSeconds - 54_000, localSeconds + 46_800)
        let (before, after) = (offset(low), offset(high))
        guard before != after else { return Date(timeIntervalSince1970: Double(localSeconds - before)) }
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(middle) == before { low = middle } else { high = middle }
        }
        // The clocks change at `high`.
        let begin = localSeconds - before < high ? localSeconds - before : max(high, localSeconds - after)
        return Date(timeIntervalSince1970: Double(begin))
    }
}
