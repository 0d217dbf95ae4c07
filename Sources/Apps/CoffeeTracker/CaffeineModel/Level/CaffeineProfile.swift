/// The owner's settings that determine the level and the answers.
package struct CaffeineProfile: Hashable, Sendable {
    /// The half-life of the owner's caffeine, in hours.
    package var halfLife: Double
    /// Whether caffeine is absorbed immediately, as in the sample application.
    package var usesSimpleDecay: Bool
    /// The amount of caffeine below which the owner sleeps well, in milligrams.
    package var threshold: Double
    /// The owner's group in EFSA's guidance.
    package var group: CoffeeGroup
    /// The owner's own daily limit, in milligrams; `nil` for the group's limit.
    package var dailyLimit: Double?

    package init(
        halfLife: Double, usesSimpleDecay: Bool, threshold: Double, group: CoffeeGroup, dailyLimit: Double? = nil
    ) {
        (self.halfLife, self.usesSimpleDecay, self.threshold) = (halfLife, usesSimpleDecay, threshold)
        (self.group, self.dailyLimit) = (group, dailyLimit)
    }

    /// The shortest and longest half-life of most people, relative to the mean: 3 h and 8 h, with a mean of 5 h (IOM 2001).
    private static let shortHalfLifeFactor = 3.0 / 5
    private static let longHalfLifeFactor = 8.0 / 5
}

extension CaffeineProfile {
    /// The model of caffeine in the owner's body.
    package var level: CaffeineLevel {
        CaffeineLevel(halfLife: halfLife, absorption: usesSimpleDecay ? nil : CaffeineLevel.usualAbsorption)
    }

    /// The models with the shortest and the longest half-life of most people.
    package var band: (low: CaffeineLevel, high: CaffeineLevel) {
        var (low, high) = (level, level)
        low.halfLife *= Self.shortHalfLifeFactor
        high.halfLife *= Self.longHalfLifeFactor
        return (low, high)
    }

    /// The thresholds of the selected caffeine model.
    package var scale: LevelScale { usesSimpleDecay ? .simple : .absorption }

    /// How long a drink contributes to the level, in seconds.
    package var contributionTime: Double { band.high.hoursUntilNegligible * 3600 + DrinkLimits.sipping }

    /// The displayed state of a level in milligrams.
    package func state(milligrams: Double) -> LevelState { LevelState(milligrams: milligrams, scale: scale) }

    /// The guidance for the owner, compared with today's drinks, in milligrams each.
    package func guidance(today: [Double]) -> CoffeeGuidance {
        CoffeeGuidance(for: group, today: today, limit: dailyLimit)
    }
}
