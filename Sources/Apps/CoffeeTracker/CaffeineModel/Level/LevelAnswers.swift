/// Answers to the owner's questions about caffeine: estimates from averages, not medical advice.
///
/// Times are in seconds since 1970.
package struct LevelAnswers: Sendable {
    /// The latest time at which a drink may be started.
    package enum LatestTime: Hashable, Sendable {
        /// Any time before bed.
        case anyTime
        /// Until this time.
        case until(Double)
        /// Not before bed: even now, the drink would disturb sleep.
        case never
    }

    /// The highest level ahead, while the level rises.
    package struct Peak: Hashable, Sendable {
        /// The level, as displayed.
        package let level: LevelState
        /// When it is reached.
        package let time: Double
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
    private static let peakWindow = DrinkLimits.sipping
    /// The minimum difference of a peak from the level now, in milligrams.
    private static let minimumRise = 2.0
    /// The minimum width of a range that is displayed, in milligrams.
    private static let minimumRange = 5.0
    /// The step of the coarse search for a latest time: 5 minutes, as in the timeline.
    ///
    /// The result is then refined to the second.
    private static let step = 300.0

    /// The time of the question.
    package let time: Double
    /// The next bedtime, or ``time`` if the last bedtime was less than six hours ago.
    package let bedtime: Double
    /// The amount of caffeine below which the owner sleeps well, in milligrams.
    package let threshold: Double
    /// The caffeine in the body, in milligrams.
    package let currentMilligrams: Double
    /// The caffeine in the body as displayed: rounded, with its colour.
    package let level: LevelState
    /// The peak ahead, if the level rises; a drink of a minute ago isn't absorbed yet.
    package let peak: Peak?
    /// The low estimate of the caffeine in the body, for the shortest of usual half-lives, in milligrams.
    package let low: Double
    /// The high estimate of the caffeine in the body, for the longest of usual half-lives, in milligrams.
    package let high: Double
    /// When the level falls below the threshold for good if the owner drinks nothing more.
    ///
    /// It is ``time`` if the level doesn't reach the threshold from then on.
    package let belowThresholdAt: Double
    /// The caffeine in the body at bedtime if the owner drinks nothing more, in milligrams.
    package let atBedtime: Double
    /// The highest level from bedtime on if the owner drinks nothing more, in milligrams.
    ///
    /// It exceeds ``atBedtime`` if a drink isn't absorbed yet by then.
    package let highestAsleep: Double
    /// The largest drink now that keeps the level at or below the threshold from bedtime on, in milligrams.
    package let largestDoseForSleep: Double
    /// EFSA's guidance, and how much of the safe amount is left.
    package let guidance: CoffeeGuidance

    private let forecast: LevelForecast
    private let intakes: [DrinkIntake]
    private let band: (low: CaffeineLevel, high: CaffeineLevel)

    /// Computes the answers.
    ///
    /// - Parameters:
    ///   - intakes: All drinks that may still affect them, in any order; see ``CaffeineProfile/contributionTime``. The last
    ///     bits of sums depend on the order.
    ///   - profile: The owner's settings.
    ///   - time: The time of the question.
    ///   - days: The owner's days.
    ///   - minutes: The owner's bedtime, in minutes since midnight.
    package init(
        intakes: [DrinkIntake], profile: CaffeineProfile, at time: Double, days: OwnerDays<some WallClock>,
        bedtime minutes: Int
    ) {
        self.time = time
        self.intakes = intakes
        threshold = profile.threshold
        let bedtime = days.bedtime(minutes, at: time)
        self.bedtime = bedtime
        let forecast = LevelForecast(profile.level, of: intakes, from: time)
        self.forecast = forecast
        let current = forecast.milligrams(at: time)
        currentMilligrams = current
        level = profile.state(milligrams: current)
        let highest = forecast.peak(from: time, to: time + Self.peakWindow)
        peak =
            highest.milligrams < current + Self.minimumRise
            ? nil : Peak(level: profile.state(milligrams: highest.milligrams), time: highest.time)
        let band = profile.band
        self.band = band
        low = band.low.milligrams(at: time, of: intakes)
        high = band.high.milligrams(at: time, of: intakes)
        belowThresholdAt = forecast.timeBelow(profile.threshold)
        atBedtime = forecast.milligrams(at: bedtime)
        highestAsleep = forecast.peak(from: bedtime)
        largestDoseForSleep = Self.largestDose(forecast, at: time, bedtime: bedtime, threshold: profile.threshold)
        let today = Today(days: days, at: time)
        guidance = profile.guidance(today: intakes.filter { today.contains($0.start) }.map { $0.milligrams })
    }
}

extension LevelAnswers {
    /// The largest drink now that is acceptable for sleep, as a single dose and for today, in milligrams.
    package var largestDoseNow: Double { min(largestDoseForSleep, guidance.largestDoseNow) }

    /// Whether the level is already below the threshold for good.
    package var isBelowThreshold: Bool { belowThresholdAt <= time }

    /// Whether the estimates of ``low`` and ``high`` are far enough apart to be displayed.
    package var hasRange: Bool { high - low >= Self.minimumRange }

    /// When the level falls below the threshold with the shortest and with the longest half-life of most people.
    package var belowThresholdTimes: (early: Double, late: Double) {
        func time(_ level: CaffeineLevel) -> Double {
            LevelForecast(level, of: intakes, from: self.time).timeBelow(threshold)
        }
        return (time(band.low), time(band.high))
    }

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

    /// The latest start such that a drink at that time, or at any time before, doesn't disturb sleep.
    package func latestTime(for milligrams: Double, sipping: Double = 0) -> LatestTime {
        func isTooMuch(_ start: Double) -> Bool {
            peakInTheNight(with: DrinkIntake(start: start, sipping: sipping, milligrams: milligrams)) > threshold
        }
        var good: Double?
        var next = time
        while !isTooMuch(next) {
            good = next
            guard next < bedtime else { return .anyTime }
            next = min(bedtime, next + Self.step)
        }
        guard let good else { return .never }
        let range = (next - good) / 3600
        let end = bisect(0, range) { !isTooMuch(good + $0 * 3600) }
        // Rounds down to whole seconds, and errs on the early side.
        return .until(good + max(0, (end * 3600).rounded(.down) - 1))
    }

    /// The highest level from bedtime on after one more drink, in milligrams.
    package func peakInTheNight(with intake: DrinkIntake) -> Double {
        forecast.adding(intake).peak(from: bedtime)
    }

    /// The largest acceptable dose, by bisection, because the peak level increases with the dose.
    private static func largestDose(
        _ forecast: LevelForecast, at time: Double, bedtime: Double, threshold: Double
    ) -> Double {
        func isTooMuch(_ milligrams: Double) -> Bool {
            forecast.adding(DrinkIntake(start: time, milligrams: milligrams)).peak(from: bedtime) > threshold
        }
        if isTooMuch(0) { return 0 }
        if !isTooMuch(DrinkLimits.milligrams) { return DrinkLimits.milligrams }
        var (good, bad) = (0.0, DrinkLimits.milligrams)
        while bad - good > 0.001 {
            let middle = (good + bad) / 2
            if isTooMuch(middle) { bad = middle } else { good = middle }
        }
        return good
    }
}
