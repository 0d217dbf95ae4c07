import Drinks
import Foundation

/// The list of drinks and its buttons.
///
/// SwiftUI runs a view's body on the main actor: the talk's compiler infers it from `@EnvironmentObject`, today's from
/// `View`. Linux has no SwiftUI, so this is the view without its body, and says it itself. On the same actor as the model, it
/// reads the model without `await`.
@MainActor
struct DrinkListView {
    let model: CoffeeData

    /// One row a drink.
    var rows: [String] {
        model.currentDrinks.map { "\(Int($0.milligrams)) mg" }
    }

    /// A button was tapped; the task runs on the main actor too, as the function that creates it does.
    @discardableResult
    func addDrink(milligrams: Double, at date: Date) -> Task<Void, Never> {
        Task { await model.addDrink(Drink(milligrams: milligrams, date: date)) }
    }
}
