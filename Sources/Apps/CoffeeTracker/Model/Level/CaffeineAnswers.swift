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
    package typealias Allowance = LevelAnswers.Allowance
    /// A reason against a kind of drink for the rest of the day.
    package typealias Objection = LevelAnswers.Objection

    /// The time of the question.
    public let date: Date
    private let answers: LevelAnswers

    /// Computes the answers from all drinks that may still affect them, in any order.
    ///
    /// See ``CoffeeSettings/contributionTime``.
    public init(drinks: [Drink], settings: CoffeeSettings, at date: Date) {
        self.date = date
        // The oldest first: a page computes the same numbers to the last bit.
        let intakes = drinks.sorted(by: Drink.isNewer).reversed().map(\.intake)
        answers = LevelAnswers(
            intakes: intakes, profile: settings.profile, at: date.timeIntervalSince1970, days: settings.days.ownerDays,
            bedtime: settings.bedtime)
    }

    /// Converts seconds since 1970; the time of the question gives ``date`` itself, which has more digits.
    private func moment(_ seconds: Double) -> Date {
        seconds == answers.time ? date : Date(timeIntervalSince1970: seconds)
    }
}

extension CaffeineAnswers {
    /// The next bedtime, or ``date`` if the last bedtime was less than six hours ago.
    public var bedtime: Date { moment(answers.bedtime) }
    /// The amount of caffeine below which the owner sleeps well, in milligrams.
    public var threshold: Double { answers.threshold }
    /// The caffeine in the body, in milligrams.
    public var currentMilligrams: Double { answers.currentMilligrams }
    /// The caffeine in the body as displayed: rounded, with its colour and word.
    public var level: LevelState { answers.level }
    /// The peak ahead, if the level rises; a drink of a minute ago isn't absorbed yet.
    package var peak: Peak? { answers.peak.map { Peak(level: $0.level, date: moment($0.time)) } }
    /// The low estimate of the caffeine in the body, for the shortest of usual half-lives, in milligrams.
    public var low: Double { answers.low }
    /// The high estimate of the caffeine in the body, for the longest of usual half-lives, in milligrams.
    public var high: Double { answers.high }
    /// When the level falls below the threshold for good if the owner drinks nothing more.
    ///
    /// It is ``date`` if the level doesn't reach the threshold from then on.
    public var belowThresholdAt: Date { moment(answers.belowThresholdAt) }
    /// When the level falls below the threshold for the shortest and for the longest of usual half-lives.
    package var belowThresholdTimes: (early: Date, late: Date) {
        let times = answers.belowThresholdTimes
        return (moment(times.early), moment(times.late))
    }
    /// The caffeine in the body at bedtime if the owner drinks nothing more, in milligrams.
    public var atBedtime: Double { answers.atBedtime }
    /// The highest level from bedtime on if the owner drinks nothing more, in milligrams.
    ///
    /// It exceeds ``atBedtime`` if a drink isn't absorbed yet by then.
    public var highestAsleep: Double { answers.highestAsleep }
    /// The largest drink now that keeps the level at or below the threshold from bedtime on, in milligrams.
    public var largestDoseForSleep: Double { answers.largestDoseForSleep }
    /// EFSA's guidance, and how much of the safe amount is left.
    public var guidance: CoffeeGuidance { answers.guidance }

    /// The largest drink now that is acceptable for sleep, as a single dose and for today, in milligrams.
    public var largestDoseNow: Double { answers.largestDoseNow }

    /// Whether the level is already below the threshold for good.
    public var isBelowThreshold: Bool { answers.isBelowThreshold }

    /// Whether the estimates of ``low`` and ``high`` are far enough apart to be displayed.
    package var hasRange: Bool { answers.hasRange }

    /// How much the owner can drink now; every page derives its answer and its reason from this value.
    package var allowance: Allowance { answers.allowance }

    /// Why a drink with this amount is advised against for the rest of the day; `nil` if it isn't.
    ///
    /// - Parameters:
    ///   - milligrams: The amount of caffeine.
    ///   - latest: The result of ``latestTime(for:sipping:)`` for the drink.
    /// - Returns: The reason.
    package func objection(to milligrams: Double, latest: LatestTime) -> Objection? {
        let time: LevelAnswers.LatestTime =
            switch latest {
            case .anyTime: .anyTime
            case .until(let date): .until(date.timeIntervalSince1970)
            case .never: .never
            }
        return answers.objection(to: milligrams, latest: time)
    }

    /// The latest start such that a drink at that time, or at any time before, doesn't disturb sleep.
    public func latestTime(for milligrams: Double, sipping: TimeInterval = 0) -> LatestTime {
        switch answers.latestTime(for: milligrams, sipping: sipping) {
        case .anyTime: .anyTime
        case .until(let seconds): .until(moment(seconds))
        case .never: .never
        }
    }

    /// The highest level from bedtime on after one more drink.
    func peakInTheNight(with milligrams: Double, at start: Date, sipping: TimeInterval = 0) -> Double {
        answers.peakInTheNight(
            with: DrinkIntake(start: start.timeIntervalSince1970, sipping: sipping, milligrams: milligrams))
    }
}
