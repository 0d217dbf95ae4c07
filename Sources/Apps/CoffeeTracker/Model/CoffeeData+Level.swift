public import Foundation

// The level, computed from the shown drinks.

extension CoffeeData {
    /// The current time.
    public var now: Date { configuration.now() }

    /// The answers at the current time.
    public var answers: CaffeineAnswers { CaffeineAnswers(drinks: drinks, settings: settings, at: now) }

    /// Cups of 96 mg since the owner’s day began.
    public var totalCupsToday: Double { settings.cupsToday(drinks, at: now) }
}
