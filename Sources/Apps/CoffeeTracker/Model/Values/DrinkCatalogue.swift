/// The predefined kinds of drinks.
public enum DrinkCatalogue {
    /// A catalogue that an owner can select.
    public enum Choice: String, CaseIterable, Hashable, Sendable, Codable {
        /// Kinds with published figures.
        case sourced
        /// The sample application's kinds.
        case sample
    }

    /// The sample application's eleven kinds, some with figures that are too low; see ``sourced``.
    ///
    /// They stay as they are in the original: new kinds belong to ``sourced``.
    public static let sample = [
        sample("small-coffee", "Small Coffee", "☕️", 96),
        sample("medium-coffee", "Medium Coffee", "☕️", 144),
        sample("large-coffee", "Large Coffee", "☕️", 192),
        sample("single-espresso", "Single Espresso", "☕️", 64),
        sample("double-espresso", "Double Espresso", "☕️", 128),
        sample("quad-espresso", "Quad Espresso", "☕️", 256),
        sample("black-tea", "Black Tea", "🫖", 47),
        sample("green-tea", "Green Tea", "🍵", 28),
        sample("soft-drink", "Soft Drink", "🥤", 22),
        sample("energy-drink", "Energy Drink", "⚡️", 29),
        sample("chocolate", "Chocolate", "🍫", 18),
    ]

    /// Kinds with published figures, each with its source.
    ///
    /// The owners' favourites are stored by ``DrinkKind/id``, so an id never changes.
    public static let sourced = [
        sourced("filter-coffee", "Filter Coffee", "☕️", 90, 200, efsa),
        sourced("espresso", "Espresso", "☕️", 80, 60, efsa),
        sourced("double-espresso", "Double Espresso", "☕️", 160, 120, "\(efsa), twice"),
        sourced("brewed-coffee", "Brewed Coffee, 8 oz", "☕️", 96, 237, mayo),
        sourced("espresso-1-oz", "Espresso, 1 oz", "☕️", 63, 30, mayo),
        sourced("instant-coffee", "Instant Coffee, 8 oz", "☕️", 62, 237, mayo),
        sourced("decaf", "Decaf Coffee, 8 oz", "☕️", 1, 237, mayo),
        sourced("black-tea", "Black Tea", "🫖", 50, 220, efsa),
        sourced("green-tea", "Green Tea, 8 oz", "🍵", 29, 237, mayo),
        sourced("energy-drink", "Energy Drink, 250 ml", "⚡️", 80, 250, efsa),
        sourced("energy-drink-8-oz", "Energy Drink, 8 oz", "⚡️", 79, 237, mayo),
        sourced("energy-shot", "Energy Shot, 2 oz", "⚡️", 200, 60, mayo),
        sourced("cola", "Cola, 355 ml", "🥤", 40, 355, efsa),
        sourced("cola-8-oz", "Cola, 8 oz", "🥤", 33, 237, mayo),
    ]

    private static let efsa = "EFSA 2015, Scientific Opinion on the safety of caffeine"
    private static let mayo = "Mayo Clinic, Caffeine content for coffee, tea, soda and more"

    private static func sample(_ id: String, _ name: String, _ emoji: String, _ milligrams: Double) -> DrinkKind {
        DrinkKind(id: "sample/\(id)", name: name, emoji: emoji, milligrams: milligrams, origin: .sample)
    }

    private static func sourced(
        _ id: String, _ name: String, _ emoji: String, _ milligrams: Double, _ millilitres: Double, _ source: String
    ) -> DrinkKind {
        DrinkKind(
            id: "sourced/\(id)", name: name, emoji: emoji, milligrams: milligrams, millilitres: millilitres,
            origin: .sourced(source))
    }
}

extension DrinkCatalogue {
    /// The kind matching an id, the last part of one, or a name, ignoring case, or the only one with that prefix.
    public static func kind(_ text: String, in kinds: [DrinkKind]) throws(CoffeeError) -> DrinkKind {
        let wanted = folded(text)
        if let kind = kinds.first(where: { $0.id == text }) { return kind }
        if let kind = kinds.first(where: { folded($0.name) == wanted || ending(of: $0) == wanted }) { return kind }
        let beginnings = kinds.filter { folded($0.name).hasPrefix(wanted) || ending(of: $0).hasPrefix(wanted) }
        if !wanted.isEmpty, beginnings.count == 1 { return beginnings[0] }
        throw .unknownDrink(text, known: kinds.map(\.name))
    }

    /// Normalizes a text for comparison.
    private static func folded(_ text: String) -> String {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    }

    private static func ending(of kind: DrinkKind) -> String {
        folded(kind.id.split(separator: "/").last.map(String.init) ?? kind.id)
    }
}
