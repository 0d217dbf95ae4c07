public import Foundation

// What is in the body: worked out from the drinks that are shown.

extension CoffeeData {
    /// What time it is, where this gets it.
    public var now: Date { configuration.now() }

    /// What the owner wants to know, now.
    public var answers: CaffeineAnswers { CaffeineAnswers(drinks: drinks, settings: settings, at: now) }

    /// What is in the body now, in milligrams.
    public var currentMGCaffeine: Double { mgCaffeine(atDate: now) }

    /// Cups since the day began, of 96 mg.
    public var totalCupsToday: Double {
        let (now, days) = (now, settings.days)
        let morning = days.beginning(of: days.day(of: now))
        let milligrams = drinks.reduce(0) { sum, drink in
            drink.start >= morning && drink.start <= now ? sum + drink.milligrams : sum
        }
        return milligrams / Cups.milligrams
    }

    /// What is in the body, in milligrams.
    ///
    /// - Parameter date: When.
    /// - Returns: Milligrams.
    public func mgCaffeine(atDate date: Date) -> Double {
        settings.level.milligrams(at: date, of: drinks)
    }

    /// How it was and how it will be.
    ///
    /// - Parameters:
    ///   - start: The first entry; now, without it.
    ///   - length: How long after the first the last entry may be, in seconds.
    ///   - step: How far apart entries are, in seconds.
    /// - Returns: The timeline.
    public func timeline(
        from start: Date? = nil, length: TimeInterval = Timeline.length, step: TimeInterval = Timeline.step
    ) -> Timeline {
        Timeline(drinks: drinks, settings: settings, from: start ?? now, length: length, step: step)
    }
}
