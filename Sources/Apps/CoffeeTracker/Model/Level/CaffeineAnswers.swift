public import Foundation

/// What somebody wants to know: estimates from averages, and no medical advice.
public struct CaffeineAnswers: Sendable {
    /// When a drink can be begun at the latest.
    public enum LatestTime: Hashable, Sendable {
        /// At any time before bed.
        case anyTime
        /// Until then.
        case until(Date)
        /// Not today: it would be too much, even now.
        case never
    }

    /// How long after bedtime it is still the night: what is asked then, is asked for going to bed now.
    static let night: TimeInterval = 6 * 3600
    /// How finely a latest time is looked for: 5 minutes, as fine as the timeline.
    ///
    /// Within, it is found to the second.
    static let step: TimeInterval = 300

    /// When it was asked.
    public let date: Date
    /// When they go to bed the next time; ``date``, if that was in the last six hours.
    public let bedtime: Date
    /// With how much caffeine they sleep well, in milligrams.
    public let threshold: Double
    /// What is in the body, in milligrams.
    public let now: Double
    /// What is in the body, as everything shows it: rounded, with its colour and word.
    public let level: LevelState
    /// What is in the body of most people at the least, in milligrams: their half-life is shorter.
    public let low: Double
    /// What is in the body of most people at the most, in milligrams: their half-life is longer.
    public let high: Double
    /// From when on it is below the threshold for good, if nothing more is drunk; ``date``, if it is now.
    public let belowThresholdAt: Date
    /// What will be in the body at bedtime, if nothing more is drunk, in milligrams.
    public let atBedtime: Double
    /// The most that can be drunk now, at once, and be below the threshold from bedtime on, in milligrams.
    ///
    /// It looks at sleep only: see ``guidance`` for what raises no concern otherwise.
    public let mostForSleep: Double
    /// What raises no concern, and what of it is left.
    public let guidance: CoffeeGuidance

    private let forecast: CaffeineForecast

    /// Works out the answers.
    ///
    /// - Parameters:
    ///   - drinks: All that may still count, in any order: see ``CoffeeSettings/memory``.
    ///   - settings: What they have chosen.
    ///   - date: When it is asked.
    public init(drinks: [Drink], settings: CoffeeSettings, at date: Date) {
        self.date = date
        self.threshold = settings.threshold
        let bedtime = Self.bedtime(settings, at: date)
        self.bedtime = bedtime
        let forecast = CaffeineForecast(settings.level, of: drinks, from: date)
        self.forecast = forecast
        self.now = forecast.milligrams(at: date)
        self.level = settings.levelState(milligrams: now)
        let band = settings.levelBand
        self.low = band.low.milligrams(at: date, of: drinks)
        self.high = band.high.milligrams(at: date, of: drinks)
        self.belowThresholdAt = forecast.isBelow(settings.threshold)
        self.atBedtime = forecast.milligrams(at: bedtime)
        self.mostForSleep = Self.most(forecast, at: date, bedtime: bedtime, threshold: settings.threshold)
        let days = settings.days
        let morning = days.beginning(of: days.day(of: date))
        let today = drinks.filter { $0.start >= morning && $0.start <= date }
        self.guidance = CoffeeGuidance(for: settings.group, today: today.map(\.milligrams))
    }

    /// The most that can be drunk now: for sleep, as a single dose, and for today; in milligrams.
    public var mostNow: Double { min(mostForSleep, guidance.mostNow) }

    /// Whether it is below the threshold already, for good.
    public var isBelowThreshold: Bool { belowThresholdAt <= date }
}

extension CaffeineAnswers {
    /// The latest time at which a drink can be begun, now or later, so that they are below the threshold from bedtime on.
    ///
    /// Every time from now until then will do too.
    ///
    /// - Parameters:
    ///   - milligrams: Its caffeine.
    ///   - sipping: For how long it is sipped, in seconds.
    /// - Returns: The time.
    public func latestTime(for milligrams: Double, sipping: TimeInterval = 0) -> LatestTime {
        func isTooMuch(_ start: Date) -> Bool {
            forecast.adding(milligrams, at: start, sipping: sipping).peak(from: bedtime) > threshold
        }
        var good: Date?
        var next = date
        while !isTooMuch(next) {
            good = next
            guard next < bedtime else { return .anyTime }
            next = min(bedtime, next.addingTimeInterval(Self.step))
        }
        guard let good else { return .never }
        let range = next.timeIntervalSince(good) / 3600
        let end = bisect(0, range) { !isTooMuch(good.addingTimeInterval($0 * 3600)) }
        // Whole seconds, and rather one too early.
        let latest = good.addingTimeInterval(max(0, (end * 3600).rounded(.down) - 1))
        return .until(latest)
    }

    /// The latest time for a kind of drink, drunk at once.
    public func latestTime(for kind: DrinkKind) -> LatestTime {
        latestTime(for: kind.milligrams)
    }

    /// What would be in the body at the most, from bedtime on, if something more were drunk.
    func peakInTheNight(with milligrams: Double, at start: Date, sipping: TimeInterval = 0) -> Double {
        forecast.adding(milligrams, at: start, sipping: sipping).peak(from: bedtime)
    }

    /// Bedtime next; now, for six hours afterwards.
    private static func bedtime(_ settings: CoffeeSettings, at date: Date) -> Date {
        let zone = settings.timeZone
        let today = LocalTime(date, in: zone).day
        for day in [today + -1, today, today + 1, today + 2] {
            let bedtime = LocalTime(day: day, minutes: settings.bedtime).resolved(in: zone).date
            if bedtime >= date { return bedtime }
            if date.timeIntervalSince(bedtime) < night { return date }
        }
        return date
    }

    /// The highest level grows with the dose, so the largest dose is found by halving; it is put back to be sure.
    private static func most(
        _ forecast: CaffeineForecast, at date: Date, bedtime: Date, threshold: Double
    ) -> Double {
        func isTooMuch(_ milligrams: Double) -> Bool {
            forecast.adding(milligrams, at: date).peak(from: bedtime) > threshold
        }
        if isTooMuch(0) { return 0 }
        if !isTooMuch(Drink.mostMilligrams) { return Drink.mostMilligrams }
        var (good, bad) = (0.0, Drink.mostMilligrams)
        while bad - good > 0.001 {
            let middle = (good + bad) / 2
            if isTooMuch(middle) { bad = middle } else { good = middle }
        }
        return good
    }
}
