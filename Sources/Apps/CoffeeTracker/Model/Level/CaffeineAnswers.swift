public import Foundation

/// Answers to the owner's questions about caffeine: estimates from averages, not medical advice.
public struct CaffeineAnswers: Sendable {
    /// The latest time at which a drink may be started.
    public enum LatestTime: Hashable, Sendable {
        /// Any time before bed.
        case anyTime
        /// Until this time.
        case until(Date)
        /// Not before bed: even now, the drink would disturb sleep.
        case never
    }

    /// The highest level ahead, while the level rises.
    package struct Peak: Hashable, Sendable {
        /// The level, as displayed.
        package let level: LevelState
        /// When it is reached.
        package let date: Date
    }

    /// How much the owner can drink now.
    package enum Allowance: Hashable, Sendable {
        /// Up to this many whole milligrams.
        case upTo(Double)
        /// Nothing: the level would be too high from bedtime on.
        case tooLate
        /// Nothing: the daily limit is reached.
        case limitReached
    }

    /// A reason against a kind of drink for the rest of the day.
    package enum Objection: Hashable, Sendable {
        /// The level would be too high from bedtime on.
        case tooLate
        /// The day's total would exceed the daily limit.
        case overLimit
    }

    /// How far ahead a rising level is searched for its peak, in seconds: the longest time to finish a drink.
    private static let peakWindow = Drink.longestSipping
    /// The minimum difference of a peak from the level now, in milligrams.
    private static let minimumRise = 2.0
    /// The minimum width of a range that is displayed, in milligrams.
    private static let minimumRange = 5.0

    /// For this long after bedtime, in seconds, the answers assume that the owner goes to bed now.
    static let night: TimeInterval = 6 * 3600
    /// The step of the coarse search for a latest time, 5 minutes as in the timeline; the result is then refined to the second.
    static let step: TimeInterval = 300

    /// The time of the question.
    public let date: Date
    /// The next bedtime, or ``date`` if the last bedtime was less than six hours ago.
    public let bedtime: Date
    /// The amount of caffeine below which the owner sleeps well, in milligrams.
    public let threshold: Double
    /// The caffeine in the body, in milligrams.
    public let currentMilligrams: Double
    /// The caffeine in the body as displayed: rounded, with its colour and word.
    public let level: LevelState
    /// The peak ahead, if the level rises; a drink of a minute ago isn't absorbed yet.
    package let peak: Peak?
    /// The low estimate of the caffeine in the body, for the shortest of usual half-lives, in milligrams.
    public let low: Double
    /// The high estimate of the caffeine in the body, for the longest of usual half-lives, in milligrams.
    public let high: Double
    /// When the level falls below the threshold for good if the owner drinks nothing more.
    ///
    /// It is ``date`` if the level doesn't reach the threshold from then on.
    public let belowThresholdAt: Date
    /// The caffeine in the body at bedtime if the owner drinks nothing more, in milligrams.
    public let atBedtime: Double
    /// The highest level from bedtime on if the owner drinks nothing more, in milligrams.
    ///
    /// It exceeds ``atBedtime`` if a drink isn't absorbed yet by then.
    public let highestAsleep: Double
    /// The largest drink now that keeps the level at or below the threshold from bedtime on, in milligrams.
    public let largestDoseForSleep: Double
    /// EFSA's guidance, and how much of the safe amount is left.
    public let guidance: CoffeeGuidance

    private let forecast: CaffeineForecast

    /// Computes the answers from all drinks that may still affect them, in any order; see ``CoffeeSettings/memory``.
    public init(drinks: [Drink], settings: CoffeeSettings, at date: Date) {
        self.date = date
        self.threshold = settings.threshold
        let bedtime = Self.bedtime(settings, at: date)
        self.bedtime = bedtime
        let forecast = CaffeineForecast(settings.level, of: drinks, from: date)
        self.forecast = forecast
        self.currentMilligrams = forecast.milligrams(at: date)
        self.level = settings.levelState(milligrams: currentMilligrams)
        let highest = forecast.peak(from: date, to: date.addingTimeInterval(Self.peakWindow))
        self.peak =
            highest.milligrams < currentMilligrams + Self.minimumRise
            ? nil : Peak(level: settings.levelState(milligrams: highest.milligrams), date: highest.date)
        let band = settings.levelBand
        self.low = band.low.milligrams(at: date, of: drinks)
        self.high = band.high.milligrams(at: date, of: drinks)
        self.belowThresholdAt = forecast.timeBelow(settings.threshold)
        self.atBedtime = forecast.milligrams(at: bedtime)
        self.highestAsleep = forecast.peak(from: bedtime)
        self.largestDoseForSleep = Self.largestDose(forecast, at: date, bedtime: bedtime, threshold: settings.threshold)
        self.guidance = settings.guidance(today: settings.today(drinks, at: date))
    }

    /// The largest drink now that is acceptable for sleep, as a single dose and for today, in milligrams.
    public var largestDoseNow: Double { min(largestDoseForSleep, guidance.largestDoseNow) }

    /// Whether the level is already below the threshold for good.
    public var isBelowThreshold: Bool { belowThresholdAt <= date }

    /// Whether the estimates of ``low`` and ``high`` are far enough apart to be displayed.
    package var hasRange: Bool { high - low >= Self.minimumRange }

    /// How much the owner can drink now; every page derives its answer and its reason from this value.
    package var allowance: Allowance {
        if largestDoseForSleep < 1 { return .tooLate }
        return guidance.left < 1 ? .limitReached : .upTo(largestDoseNow.rounded(.down))
    }

    /// Why a drink with this amount is advised against for the rest of the day; `nil` if it isn't.
    ///
    /// - Parameters:
    ///   - milligrams: The amount of caffeine.
    ///   - latest: The result of ``latestTime(for:sipping:)`` for the drink.
    /// - Returns: The reason.
    package func objection(to milligrams: Double, latest: LatestTime) -> Objection? {
        switch allowance {
        case .tooLate: .tooLate
        case .limitReached: .overLimit
        case .upTo: latest == .never ? .tooLate : milligrams > guidance.left ? .overLimit : nil
        }
    }
}

extension CaffeineAnswers {
    /// The latest start such that a drink at that time, or at any time before, doesn't disturb sleep.
    public func latestTime(for milligrams: Double, sipping: TimeInterval = 0) -> LatestTime {
        func isTooMuch(_ start: Date) -> Bool {
            peakInTheNight(with: milligrams, at: start, sipping: sipping) > threshold
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
        // Rounds down to whole seconds, and errs on the early side.
        let latest = good.addingTimeInterval(max(0, (end * 3600).rounded(.down) - 1))
        return .until(latest)
    }

    /// The highest level from bedtime on after one more drink.
    func peakInTheNight(with milligrams: Double, at start: Date, sipping: TimeInterval = 0) -> Double {
        forecast.adding(milligrams, at: start, sipping: sipping).peak(from: bedtime)
    }

    /// The next bedtime, or `date` itself within six hours after one.
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

    /// The largest acceptable dose, by bisection, because the peak level increases with the dose.
    private static func largestDose(
        _ forecast: CaffeineForecast, at date: Date, bedtime: Date, threshold: Double
    ) -> Double {
        func isTooMuch(_ milligrams: Double) -> Bool {
            forecast.adding(milligrams, at: date).peak(from: bedtime) > threshold
        }
        if isTooMuch(0) { return 0 }
        if !isTooMuch(Drink.maximumMilligrams) { return Drink.maximumMilligrams }
        var (good, bad) = (0.0, Drink.maximumMilligrams)
        while bad - good > 0.001 {
            let middle = (good + bad) / 2
            if isTooMuch(middle) { bad = middle } else { good = middle }
        }
        return good
    }
}
