public import Foundation

/// The caffeine drunk by day, week or month, computed only from the drinks and the settings for days.
public struct DrinkHistory: Hashable, Sendable {
    /// The length of a period.
    public enum Span: String, CaseIterable, Hashable, Sendable, Codable {
        /// Each day.
        case day
        /// Each week, starting on Monday.
        case week
        /// Each month.
        case month
    }

    /// A day, a week or a month.
    public struct Period: Hashable, Sendable, Codable {
        /// Its first day.
        public let first: LocalDay
        /// Its last day.
        public let last: LocalDay
        /// When it begins.
        public let start: Date
        /// When the next one begins.
        public let end: Date
        /// The number of drinks.
        public var count = 0
        /// Their caffeine, in milligrams.
        public var milligrams = 0.0
        /// The largest of them, in milligrams.
        public var largest = 0.0

        /// Cups of 96 mg.
        public var cups: Double { milligrams / Cups.milligrams }
        /// The number of days to average over: those that have begun, without the days before the owner's first drink.
        public var countedDays: Int
        /// Its mean caffeine per counted day, in milligrams.
        public var milligramsPerDay: Double { milligrams / Double(max(1, countedDays)) }
    }

    /// From the oldest to the newest, including periods without drinks.
    public let periods: [Period]
}

extension DrinkHistory {
    /// Adds up drinks by period.
    ///
    /// - Parameters:
    ///   - drinks: Drinks in any order; those outside the periods are ignored.
    ///   - days: The time zone and the start of days.
    ///   - span: The length of a period.
    ///   - count: The number of periods, including the last one.
    ///   - date: A time in the last period.
    ///   - now: The current time, `date` by default; later days aren't counted for a mean.
    /// - Complexity: O(*n*·*m*) for *n* drinks and *m* periods.
    public init(
        of drinks: some Sequence<Drink>, days: DayCounting, by span: Span, last count: Int, at date: Date,
        now: Date? = nil
    ) {
        var periods = Self.periods(days: days, by: span, last: count, at: date, today: days.day(of: now ?? date))
        var first: Date?
        for drink in drinks {
            guard let index = periods.firstIndex(where: { $0.start <= drink.start && drink.start < $0.end }) else {
                continue
            }
            first = min(first ?? drink.start, drink.start)
            periods[index].count += 1
            periods[index].milligrams += drink.milligrams
            periods[index].largest = max(periods[index].largest, drink.milligrams)
        }
        // If the first periods are empty, the owner hadn't begun to log: the days before the first drink don't count.
        if let first, let index = periods.firstIndex(where: { $0.end > first }), index > 0 {
            periods[index].countedDays -= days.day(of: first).number - periods[index].first.number
        }
        self.periods = periods
    }

    /// The start of the first of `count` periods, the last of which contains a date.
    public static func start(days: DayCounting, by span: Span, last count: Int, at date: Date) -> Date {
        let today = days.day(of: date)
        return days.beginning(of: span.first(of: today, back: max(0, count - 1)))
    }

    private static func periods(
        days: DayCounting, by span: Span, last count: Int, at date: Date, today: LocalDay
    ) -> [Period] {
        let day = days.day(of: date)
        let firsts = (-1..<max(1, count)).reversed().map { span.first(of: day, back: $0) }
        let starts = firsts.map(days.beginning(of:))
        return (0..<firsts.count - 1).map { index in
            let (first, last) = (firsts[index], firsts[index + 1] + -1)
            return Period(
                first: first, last: last, start: starts[index], end: starts[index + 1],
                countedDays: max(0, min(last, today).number - first.number + 1))
        }
    }
}

extension DrinkHistory.Span {
    /// The first day of the period that is `count` periods before the one that contains a day; later, if `count` is
    /// negative.
    fileprivate func first(of day: LocalDay, back count: Int) -> LocalDay {
        switch self {
        case .day: return day + -count
        case .week: return day.monday + -7 * count
        case .month:
            let date = day.date
            let months = date.year * 12 + date.month - 1 - count
            return LocalDay(year: months / 12, month: months % 12 + 1, day: 1) ?? day
        }
    }
}
