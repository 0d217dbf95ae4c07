public import Foundation

extension Drink {
    /// The properties of the drink that determine its caffeine in the body.
    package var intake: DrinkIntake {
        DrinkIntake(start: start.timeIntervalSince1970, sipping: sipping, milligrams: milligrams)
    }
}

extension CaffeineLevel {
    /// The caffeine in the body, in milligrams, from all drinks that have been started.
    public func milligrams(at date: Date, of drinks: some Sequence<Drink>) -> Double {
        drinks.reduce(0) { sum, drink in sum + milligrams(at: date, of: drink) }
    }

    /// The remaining caffeine of a drink in the body, in milligrams.
    public func milligrams(at date: Date, of drink: Drink) -> Double {
        milligrams(at: date.timeIntervalSince1970, of: drink.intake)
    }
}

extension CoffeeSettings {
    /// The thresholds of the selected caffeine model.
    public var levelScale: LevelScale { profile.scale }

    /// The level at a time, from all drinks that may still count, in any order; see ``contributionTime``.
    public func levelState(of drinks: some Sequence<Drink>, at date: Date) -> LevelState {
        levelState(milligrams: level.milligrams(at: date, of: drinks))
    }

    /// The displayed state of a level in milligrams.
    public func levelState(milligrams: Double) -> LevelState { profile.state(milligrams: milligrams) }
}
