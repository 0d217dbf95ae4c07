public import Foundation

/// The level at regular times, computed only from the drinks, the settings and the date.
public struct Timeline: Hashable, Sendable, Codable {
    /// The interval between entries, in seconds: 5 minutes, as in the sample application.
    public static let step: TimeInterval = 300
    /// The duration, in seconds: 24 hours, as in the sample application.
    public static let length: TimeInterval = 24 * 3600

    /// The maximum number of entries after the first.
    static let maximumSteps = 100_000.0

    /// The entries, the earliest first.
    public let entries: [TimelineEntry]
}

/// One moment of a timeline.
public struct TimelineEntry: Hashable, Sendable, Codable {
    /// The remaining amount of one drink in the body.
    public struct Share: Hashable, Sendable, Codable {
        /// The drink.
        public let drink: Drink.ID
        /// The remaining amount in the body, in milligrams.
        public let milligrams: Double
    }

    /// The smallest share that is included, in milligrams.
    static let minimumShare = 0.05

    /// The moment.
    public let date: Date
    /// The total in the body, in milligrams.
    public let milligrams: Double
    /// The total if the half-life is at the short end of the usual range, in milligrams.
    public let low: Double
    /// The total if the half-life is at the long end of the usual range, in milligrams.
    public let high: Double
    /// Cups of 96 mg since the day began.
    public let cups: Double
    /// The remaining amount of each drink, the oldest first, without negligible ones.
    public let shares: [Share]
}

extension Timeline {
    /// Computes the entries.
    ///
    /// - Parameters:
    ///   - drinks: All drinks that may still count, in any order; see ``CoffeeSettings/contributionTime``.
    ///   - settings: The owner's settings.
    ///   - start: The time of the first entry.
    ///   - length: The maximum time from the first to the last entry, in seconds.
    ///   - step: The seconds between entries; if it isn't positive, there is only the first entry.
    /// - Complexity: O(*n*·*m*) for *n* drinks and *m* entries.
    public init(
        drinks: [Drink], settings: CoffeeSettings, from start: Date, length: TimeInterval = length,
        step: TimeInterval = step
    ) {
        let drinks = Array(drinks.sorted(by: Drink.isNewer).reversed())
        let steps = (max(0, length) / step).rounded(.down)
        let count = steps.isFinite && step > 0 ? Int(min(steps, Self.maximumSteps)) + 1 : 1
        let times = LevelTimes(start: start.timeIntervalSince1970, step: step, count: count)
        let intakes = drinks.map(\.intake)
        let band = settings.levelBand
        let shares = intakes.map { settings.level.curve(of: $0, at: times) }
        let low = band.low.sum(of: intakes, at: times)
        let high = band.high.sum(of: intakes, at: times)
        let beginnings = settings.days.ownerDays.beginnings(from: times[0], through: times[count - 1])
        let cups = Cups.perDay(intakes, beginnings: beginnings, at: times)
        entries = (0..<count).map { index in
            var milligrams = 0.0
            var parts: [TimelineEntry.Share] = []
            for (drink, curve) in zip(drinks, shares) {
                let share = curve[index]
                milligrams += share
                if share >= TimelineEntry.minimumShare {
                    parts.append(TimelineEntry.Share(drink: drink.id, milligrams: share))
                }
            }
            return TimelineEntry(
                date: start.addingTimeInterval(Double(index) * step), milligrams: milligrams, low: low[index],
                high: high[index], cups: cups[index], shares: parts)
        }
    }

    /// Computes the entries to serve: one at a date, then one at each multiple of ``step`` since 1970.
    public init(drinks: [Drink], settings: CoffeeSettings, alignedToStepFrom date: Date) {
        let next = Self.nextEntry(after: date)
        let now = Timeline(drinks: drinks, settings: settings, from: date, length: 0)
        let later = Timeline(
            drinks: drinks, settings: settings, from: next, length: Self.length - next.timeIntervalSince(date))
        entries = now.entries + later.entries
    }

    /// The first multiple of ``step`` since 1970 after a date, where the served timeline has its next entry.
    public static func nextEntry(after date: Date) -> Date {
        Date(timeIntervalSince1970: ((date.timeIntervalSince1970 / step).rounded(.down) + 1) * step)
    }
}
