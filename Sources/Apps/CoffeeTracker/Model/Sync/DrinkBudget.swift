import Foundation
public import Persistence

extension OwnerBudget.Item {
    /// The drinks of an owner that are remembered: also deleted ones, whose numbers stay so that what other programs say
    /// of them later is understood.
    ///
    /// 27 a day for ten years.
    public static let drinks = OwnerBudget.Item("coffee.drinks", usualLimit: 100_000)
    /// The drinks of one day, by the clock where they were drunk.
    public static let drinksOfDay = OwnerBudget.Item("coffee.drinksOfDay", usualLimit: 200)
}

extension DrinkRows {
    /// Changes drinks, unless drinks are added that exceed the budget.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - budget: The owner's.
    /// - Returns: Whether anything is different.
    /// - Throws: ``CoffeeError``, and the transaction must not be committed; or an error of the store's.
    public mutating func apply(_ changes: [DrinkChange], within budget: OwnerBudget) throws -> Bool {
        let added = try changes.filter { try $0.drink != nil && record($0.id) == nil }.compactMap(\.drink)
        let isChanged = try apply(changes)
        guard !added.isEmpty else { return isChanged }
        let limit = budget[.drinks]
        if try recordCount() > limit {
            throw CoffeeError.overBudget(
                OverBudget(
                    .count,
                    "\(limit.formatted()) drinks are logged, the most there can be. Start Meanwhile with "
                        + "--max-drinks \(limit.doubled) to log more."))
        }
        for day in Set(added.map(\.day)) where try drinkCount(from: day.start, to: day.end) > budget[.drinksOfDay] {
            throw CoffeeError.overBudget(
                OverBudget(
                    .rate,
                    "\(budget[.drinksOfDay].formatted()) drinks are logged on that day, the most there can be. Delete some "
                        + "of them, or log this one on another day."))
        }
        return isChanged
    }
}

extension Drink {
    /// The day on which it begins, by the clock where it was drunk.
    fileprivate var day: DateInterval {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: timeZone) ?? .gmt
        return calendar.dateInterval(of: .day, for: start) ?? DateInterval(start: start, duration: 86_400)
    }
}
