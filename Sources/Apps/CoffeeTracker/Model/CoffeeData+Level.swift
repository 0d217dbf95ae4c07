public import Foundation

// The level, worked out from the drinks that are shown.

extension CoffeeData {
    /// The current time.
    public var now: Date { configuration.now() }

    /// The answers, now.
    public var answers: CaffeineAnswers { CaffeineAnswers(drinks: drinks, settings: settings, at: now) }

    /// Cups of 96 mg since the owner’s day began.
    public var totalCupsToday: Double {
        settings.cupsToday(drinks, at: now)
    }

    /// The level from a first entry on, now by default; length and step are seconds.
    public func timeline(
        from start: Date? = nil, length: TimeInterval = Timeline.length, step: TimeInterval = Timeline.step
    ) -> Timeline {
        Timeline(drinks: drinks, settings: settings, from: start ?? now, length: length, step: step)
    }
}
