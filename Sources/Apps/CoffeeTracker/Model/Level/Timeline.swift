public import Foundation

/// How it was and how it will be, every few minutes: a pure function of the drinks, the settings and the date.
public struct Timeline: Hashable, Sendable, Codable {
    /// How far apart entries are, in seconds: 5 minutes, as in the sample application.
    public static let step: TimeInterval = 300
    /// How far it goes, in seconds: 24 hours, as in the sample application.
    public static let length: TimeInterval = 24 * 3600

    /// How many entries there are at the most, after the first.
    static let mostSteps = 100_000.0

    /// From the first to the last.
    public let entries: [TimelineEntry]
}

/// A moment of a timeline.
public struct TimelineEntry: Hashable, Sendable, Codable {
    /// What one drink has left in the body.
    public struct Share: Hashable, Sendable, Codable {
        /// The drink.
        public let drink: Drink.ID
        /// What is left of it in the body, in milligrams.
        public let milligrams: Double
    }

    /// What is not worth showing, in milligrams.
    static let leastShare = 0.05

    /// When.
    public let date: Date
    /// What is in the body, in milligrams.
    public let milligrams: Double
    /// What it is if caffeine goes as fast as it does in some, in milligrams.
    public let low: Double
    /// What it is if caffeine goes as slowly as it does in some, in milligrams.
    public let high: Double
    /// Cups since the day began, of 96 mg.
    public let cups: Double
    /// What each drink has left, the oldest first; those without anything to speak of are left out.
    public let shares: [Share]
}

extension Timeline {
    /// Works it out.
    ///
    /// - Parameters:
    ///   - drinks: All that may still count, in any order: see ``CoffeeSettings/memory``. What begins after an entry, does not
    ///     count for it.
    ///   - settings: What they have chosen.
    ///   - start: The first entry: now, or earlier for what was.
    ///   - length: How long after the first the last entry may be, in seconds.
    ///   - step: How far apart entries are, in seconds; if it is not more than zero, there is only the first.
    /// - Complexity: O(*n*·*m*) for *n* drinks and *m* entries.
    public init(
        drinks: [Drink], settings: CoffeeSettings, from start: Date, length: TimeInterval = length,
        step: TimeInterval = step
    ) {
        let drinks = Array(drinks.sorted(by: Drink.isNewer).reversed())
        let steps = (max(0, length) / step).rounded(.down)
        let count = steps.isFinite && step > 0 ? Int(min(steps, Self.mostSteps)) + 1 : 1
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
                if share >= TimelineEntry.leastShare {
                    parts.append(TimelineEntry.Share(drink: drink.id, milligrams: share))
                }
            }
            return TimelineEntry(
                date: times[index], milligrams: milligrams, low: low[index], high: high[index], cups: cups[index],
                shares: parts)
        }
    }

    /// Works out the entries that are served: one for now, then one at each whole multiple of ``step`` since 1970.
    ///
    /// Two requests between the same two multiples agree about all entries but the first.
    ///
    /// - Parameters:
    ///   - drinks: All that may still count, in any order: see ``CoffeeSettings/memory``.
    ///   - settings: The owner's settings.
    ///   - date: The first entry.
    public init(drinks: [Drink], settings: CoffeeSettings, onTheClockFrom date: Date) {
        let next = Self.nextEntry(after: date)
        let now = Timeline(drinks: drinks, settings: settings, from: date, length: 0)
        let later = Timeline(
            drinks: drinks, settings: settings, from: next, length: Self.length - next.timeIntervalSince(date))
        entries = now.entries + later.entries
    }

    /// When the next entry of the served timeline begins: at a whole multiple of ``step`` since 1970.
    ///
    /// - Parameter date: A moment.
    /// - Returns: The first such multiple after the moment.
    public static func nextEntry(after date: Date) -> Date {
        Date(timeIntervalSince1970: ((date.timeIntervalSince1970 / step).rounded(.down) + 1) * step)
    }

    /// Cups since the beginning of each moment's own day.
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
    /// What is in a cup, in milligrams: a small coffee of the sample application.
    public static let milligrams = 96.0
}

/// Moments that are equally far apart.
struct TimelineTimes {
    let start: Date
    let step: TimeInterval
    let count: Int

    subscript(index: Int) -> Date { start.addingTimeInterval(Double(index) * step) }
}

extension CaffeineLevel {
    /// What a drink has left in the body at each moment.
    ///
    /// Once it is drunk, each value follows from the one before by three multiplications.
    func curve(of drink: Drink, at times: TimelineTimes) -> [Double] {
        var curve = [Double](repeating: 0, count: times.count)
        add(drink, at: times, to: &curve)
        return curve
    }

    /// What all drinks have left in the body at each moment.
    func sum(of drinks: [Drink], at times: TimelineTimes) -> [Double] {
        drinks.reduce(into: [Double](repeating: 0, count: times.count)) { add($1, at: times, to: &$0) }
    }

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
