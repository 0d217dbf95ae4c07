import CoffeeTrackerModel
import Foundation

/// The moment at which the owner's clock shows a time.
func moment(_ day: LocalDay, _ hours: Int, _ minutes: Int, for settings: CoffeeSettings) -> Date {
    LocalTime(day: day, minutes: 60 * hours + minutes).resolved(in: settings.timeZone).date
}

/// The time that the owner's clock shows at a moment.
func clockText(_ date: Date, for settings: CoffeeSettings) -> String {
    LocalTime.text(LocalTime(date, in: settings.timeZone).minutes)
}

/// An amount as a page shows it: rounded, with its unit.
func amount(_ milligrams: Double, for settings: CoffeeSettings) -> String {
    settings.levelState(milligrams: milligrams).amount
}

/// The latest time for another drink.
func latest(_ kind: DrinkKind, by answers: CaffeineAnswers, for settings: CoffeeSettings) -> String {
    switch answers.latestTime(for: kind.milligrams) {
    case .anyTime: "\(kind.name): at any time before bed"
    case .until(let date): "\(kind.name): until \(clockText(date, for: settings))"
    case .never: "\(kind.name): not today"
    }
}

func estimateCaffeine() throws {
    var settings = CoffeeSettings(zone: "Europe/Vienna")
    settings.bedtime = 22 * 60 + 30
    settings = try settings.checked()

    guard let day = LocalDay(year: 2026, month: 3, day: 14) else { return }
    let now = moment(day, 11, 0, for: settings)
    let kind = try DrinkCatalogue.kind("double espresso", in: settings.offered)
    let drink = try kind.drink(id: UUID(), at: moment(day, 8, 30, for: settings), timeZone: settings.zone)
        .checked(now: now)

    let answers = CaffeineAnswers(drinks: [drink], settings: settings, at: now)
    print("\(drink.name), \(amount(drink.milligrams, for: settings))")
    print("now:", amount(answers.currentMilligrams, for: settings))
    print("at bedtime:", amount(answers.atBedtime, for: settings))
    print("below \(amount(answers.threshold, for: settings)) at", clockText(answers.belowThresholdAt, for: settings))
    print("largest dose now:", amount(answers.largestDoseNow, for: settings))
    for name in ["black tea", "espresso"] {
        print(latest(try DrinkCatalogue.kind(name, in: settings.offered), by: answers, for: settings))
    }
    let history = DrinkHistory(of: [drink], days: settings.days, by: .day, last: 7, at: now)
    for period in history.periods.suffix(1) { print("\(period.first): \(amount(period.milligrams, for: settings))") }

    do {
        let barrel = DrinkKind(id: "own/barrel", name: "Barrel", emoji: "🛢️", milligrams: 5_000)
        print(try barrel.checked().name)
    } catch {
        print(error.description)
    }
}
