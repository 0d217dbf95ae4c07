import CoffeeTrackerModel
public import Foundation
import Persistence
public import Site

// What the home page shows of the app, and the app's sample data.

extension CoffeePages {
    /// The level now and the drinks of today, for the home page.
    ///
    /// - Returns: The overview.
    /// - Throws: An error if the drinks can't be read.
    public func overview() async throws -> AppOverview {
        let view = try await view()
        let start = view.now - Self.recentAge
        let isDone = try await documents.use(owner) { document in
            try await document.data.drinks(from: start, to: view.now).isEmpty == false
        }
        let today = view.today
        var status: String?
        if let level = Self.level(view) {
            status = today.isEmpty ? level : CoffeeWords.level(level, drinksToday: today.count)
        } else if !today.isEmpty {
            status = CoffeeWords.drinksToday(today.count)
        }
        return AppOverview(
            status: status,
            step: AppOverview.Step(CoffeeWords.addDrink, at: "\(Self.app.path)#quick-form", isDone: isDone))
    }

    /// The maximum age of a drink for which the first step counts as done, in seconds.
    private static let recentAge: TimeInterval = 30 * 24 * 3_600

    /// The level as a sentence; `nil` if there is none.
    private static func level(_ view: CoffeeView) -> String? {
        let answers = CaffeineAnswers(drinks: view.drinks, settings: view.settings, at: view.now)
        let rise = view.formatter.rise(answers)
        guard answers.level.milligrams > 0 || rise != nil else { return nil }
        return CoffeeWords.levelNow(answers.level.amount, rise: rise)
    }
}

// MARK: - Sample data

extension CoffeePages {
    /// The sample drinks: a kind's id, and how long ago each was, in hours.
    private static let sampleDrinks: [(kind: String, hours: Double)] = [
        ("sourced/espresso", 1.5), ("sourced/filter-coffee", 5), ("sourced/black-tea", 26),
    ]

    /// The number of sample drinks.
    public static var sampleCount: Int { sampleDrinks.count }

    /// Logs the sample drinks; the home page can remove them all, but no page offers to undo a single one.
    ///
    /// - Parameter ids: The identifier of each drink.
    /// - Throws: ``CoffeeError``; some of the drinks may be logged then.
    public func addSamples(_ ids: [UUID]) async throws {
        try await documents.use(owner) { document in
            let data = document.data
            for (sample, id) in zip(Self.sampleDrinks, ids) {
                let kind = try DrinkCatalogue.kind(sample.kind, in: DrinkCatalogue.sourced)
                try await data.add(kind, at: data.now - sample.hours * 3_600, id: id, isUndoable: false)
            }
        }
    }

    /// Deletes the sample drinks that still exist; no page offers to undo it.
    ///
    /// - Parameter ids: The identifiers of the drinks.
    /// - Throws: ``CoffeeError``; some of the drinks may be deleted then.
    public func removeSamples(_ ids: [UUID]) async throws {
        try await documents.use(owner) { document in
            for id in ids {
                for drink in try await document.data.drinks(withIDPrefix: id.uuidString) {
                    try await document.data.delete(drink, isUndoable: false)
                }
            }
        }
    }
}
