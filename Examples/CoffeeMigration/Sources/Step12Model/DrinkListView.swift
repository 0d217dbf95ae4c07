import Drinks
import Foundation

/// The list of drinks and its buttons.
///
/// SwiftUI runs a view's body on the main actor. The talk's compiler infers that from `@EnvironmentObject`; today's
/// compiler infers it from `View`. Linux has no SwiftUI, so this view has no body and declares the isolation itself. It
/// shares the model's actor, so it reads the model without `await`.
@MainActor
struct DrinkListView {
    let model: CoffeeData

    /// One row per drink.
    var rows: [String] {
        model.currentDrinks.map { "\(Int($0.milligrams)) mg" }
    }

    /// Adds a drink when a button is tapped; the task inherits the main actor.
    @discardableResult
    func addDrink(milligrams: Double, at date: Date) -> Task<Void, Never> {
        Task { await model.addDrink(Drink(milligrams: milligrams, date: date)) }
    }
}
