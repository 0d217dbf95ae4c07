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
    ///   - drinks: All drinks that may still count, in any order; see ``CoffeeSettings/memory``.
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
        let times = TimelineTimes(start: start, step: step, count: count)
        let band = settings.levelBand
        let shares = drinks.map { settings.level.curve(of: $0, at: times) }
        let low = band.low.sum(of: drinks, at: times)
        let high = band.high.sum(of: drinks, at: times)
        let cups = Self.cups(of: drinks, days: settings.days, at: times)
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
                date: times[index], milligrams: milligrams, low: low[index], high: high[index], cups: cups[index],
                shares: parts)
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

    /// For each time, the cups since its day began.
    private static func cups(of drinks: [Drink], days: DayCounting, at times: TimelineTimes) -> [Double] {
        let beginnings = days.beginnings(from: times[0], through: times[times.count - 1])
        var day = 0
        return (0..<times.count).map { index in
            let date = times[index]
            while day + 2 < beginnings.count, beginnings[day + 1] <= date { day += 1 }
            let milligrams = drinks.reduce(0) { sum, drink in
                drink.start >= beginnings[day] && drink.start <= date ? sum + drink.milligrams : sum
            }
            return milligrams / Cups.milligrams
        }
    }
}

/// Cups of coffee, as the sample application counts them.
public enum Cups {
    /// The caffeine of a cup, in milligrams: the sample application's small coffee.
    public static let milligrams = 96.0
}

struct TimelineTimes {
    let start: Date
    let step: TimeInterval
    let count: Int

    subscript(index: Int) -> Date { start.addingTimeInterval(Double(index) * step) }
}

extension CaffeineLevel {
    /// The remaining amount of a drink in the body at each time.
    func curve(of drink: Drink, at times: TimelineTimes) -> [Double] {
        var curve = [Double](repeating: 0, count: times.count)
        add(drink, at: times, to: &curve)
        return curve
    }

    /// The remaining amount of all drinks in the body at each time.
    func sum(of drinks: [Drink], at times: TimelineTimes) -> [Double] {
        drinks.reduce(into: [Double](repeating: 0, count: times.count)) { add($1, at: times, to: &$0) }
    }

    /// Adds a drink to a curve; once it is finished, each value follows from the previous one by three multiplications.
    private func add(_ drink: Drink, at times: TimelineTimes, to curve: inout [Double]) {
        let hours = times.step / 3600
        let gutStaying = absorption.map { exp(-$0 * hours) } ?? 0
        let bodyStaying = exp(-elimination * hours)
        let passing = advance(Compartments(gut: 1), by: hours).body
        var state: Compartments?
        for index in 0..<times.count {
            if let before = state {
                state = Compartments(
                    gut: before.gut * gutStaying, body: before.body * bodyStaying + before.gut * passing)
            } else if times[index] >= drink.start {
                let now = compartments(of: drink, at: times[index])
                curve[index] += now.body
                if times[index] >= drink.end { state = now }
                continue
            }
            if let state { curve[index] += state.body }
        }
    }
}
