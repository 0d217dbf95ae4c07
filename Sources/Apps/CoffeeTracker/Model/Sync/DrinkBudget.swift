import Foundation
public import Persistence

extension OwnerBudget.Item {
    /// An owner's drinks, 27 a day for ten years; deleted ones count, because other programs may still report them.
    public static let drinks = OwnerBudget.Item("coffee.drinks", defaultLimit: 100_000)
    /// The drinks of one day, in the time zone of the drink.
    public static let drinksOfDay = OwnerBudget.Item("coffee.drinksOfDay", defaultLimit: 200)
}

extension DrinkEdit {
    /// Applies changes, and throws ``CoffeeError/overBudget(_:)`` if new drinks exceed the owner's budget.
    public mutating func apply(_ changes: [DrinkChange], within budget: OwnerBudget) throws {
        let added = try changes.filter { try $0.drink != nil && rows.record($0.id) == nil }.compactMap(\.drink)
        try apply(changes)
        if added.isEmpty { return }
        let limit = budget[.drinks]
        if try rows.recordCount() > limit {
            throw CoffeeError.overBudget(
                OverBudget(.count, CoffeeWords.tooManyDrinks(limit: limit, suggestedLimit: limit.doubled)))
        }
        for day in Set(added.map(\.day)) where try rows.drinkCount(from: day.start, to: day.end) > budget[.drinksOfDay]
        {
            throw CoffeeError.overBudget(
                OverBudget(.rate, CoffeeWords.tooManyDrinksOfDay(limit: budget[.drinksOfDay])))
        }
    }
}

extension Drink {
    /// The day on which it starts, in its own time zone.
    fileprivate var day: DateInterval {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: timeZone) ?? .gmt
        return calendar.dateInterval(of: .day, for: start) ?? DateInterval(start: start, duration: 86_400)
    }
}
