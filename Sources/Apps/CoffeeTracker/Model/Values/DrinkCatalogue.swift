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
        sample("single-espresso", "Single Espresso", "🫘", 64),
        sample("double-espresso", "Double Espresso", "💪", 128),
        sample("quad-espresso", "Quad Espresso", "🚀", 256),
        sample("black-tea", "Black Tea", "🫖", 47),
        sample("green-tea", "Green Tea", "🍵", 28),
        sample("soft-drink", "Soft Drink", "🥤", 22),
        sample("energy-drink", "Energy Drink", "⚡️", 29),
        sample("chocolate", "Chocolate", "🍫", 18),
    ]

    /// Kinds with published figures, each with its source; those that most people drink come first.
    ///
    /// The owners' favourites are stored by ``DrinkKind/id``, so an id never changes. A drink of espresso and milk or
    /// water has the source `shots(_:)`, as the latte does. The sizes are in `servings` of `DrinkSize.swift`.
    public static let sourced = [
        sourced("filter-coffee", "Filter Coffee", "☕️", 90, 200, efsa),
        sourced("espresso", "Espresso", "🫘", 80, 60, efsa),
        sourced("latte", "Latte", "🥛", 126, 355, shots(2)),
        sourced("cappuccino", "Cappuccino", "☁️", 126, 240, shots(2)),
        sourced("black-tea", "Black Tea", "🫖", 50, 220, efsa),
        sourced("cola", "Cola, 355 ml", "🥤", 40, 355, efsa),
        sourced("americano", "Americano", "💧", 126, 355, shots(2)),
        sourced("cold-brew", "Cold Brew", "🧊", 205, 473, starbucks),
        sourced("matcha", "Matcha", "🍵", 64, 240, "\(matcha), 2 g of powder"),
        sourced("hot-chocolate", "Hot Chocolate", "🍫", 20, 355, starbucks),
        sourced("double-espresso", "Double Espresso", "💪", 160, 120, "\(efsa), two espressos"),
        sourced("energy-drink", "Energy Drink, 250 ml", "⚡️", 80, 250, efsa),
        sourced("brewed-coffee", "Brewed Coffee, 8 oz", "☕️", 96, 237, mayo),
        sourced("espresso-1-oz", "Espresso, 1 oz", "🫘", 63, 30, mayo),
        sourced("instant-coffee", "Instant Coffee, 8 oz", "🥄", 62, 237, mayo),
        sourced("decaf", "Decaf Coffee, 8 oz", "🌙", 1, 237, mayo),
        sourced("green-tea", "Green Tea, 8 oz", "🌿", 29, 237, mayo),
        sourced("energy-drink-8-oz", "Energy Drink, 8 oz", "⚡️", 79, 237, mayo),
        sourced("energy-shot", "Energy Shot, 2 oz", "🔋", 200, 60, mayo),
        sourced("cola-8-oz", "Cola, 8 oz", "🥤", 33, 237, mayo),
        sourced("dark-chocolate", "Dark Chocolate, 50 g", "🍫", 25, nil, efsa),
        sourced("milk-chocolate", "Milk Chocolate, 50 g", "🍫", 10, nil, efsa),
    ]

    static let efsa = "EFSA 2015, Scientific Opinion on the safety of caffeine"
    private static let mayo = "Mayo Clinic, Caffeine content for coffee, tea, soda and more"
    /// 12, 16 and 24 oz of cold brew have 155, 205 and 310 mg; 8, 12 and 16 oz of hot chocolate have 15, 20 and 25 mg.
    private static let starbucks = "Starbucks, caffeine of its menu"
    /// The middle of 18.9 to 44.4 mg of caffeine per gram.
    ///
    /// Kochman et al. 2021, “Health Benefits and Chemical Composition of Matcha Green Tea”, Molecules 26(1):85.
    static let matcha = "Kochman et al. 2021, Molecules 26(1):85, 32 mg per gram"

    /// The source of a drink of espresso and milk or water: only its shots contain caffeine, 63 mg each.
    static func shots(_ count: Int) -> String {
        "\(mayo), \(count == 1 ? "one shot" : "\(count) shots") of espresso"
    }

    private static func sample(_ id: String, _ name: String, _ emoji: String, _ milligrams: Double) -> DrinkKind {
        DrinkKind(id: "sample/\(id)", name: name, emoji: emoji, milligrams: milligrams, origin: .sample)
    }

    private static func sourced(
        _ id: String, _ name: String, _ emoji: String, _ milligrams: Double, _ millilitres: Double?, _ source: String
    ) -> DrinkKind {
        DrinkKind(
            id: "sourced/\(id)", name: name, emoji: emoji, milligrams: milligrams, millilitres: millilitres,
            origin: .sourced(source))
    }
}

extension DrinkCatalogue {
    /// Finds the kind that a text identifies.
    ///
    /// The text is the kind's id, its name, or the last part of its id. The beginning of a name or last part is enough
    /// if only one kind has it. Case and punctuation count only in a whole id.
    public static func kind(_ text: String, in kinds: [DrinkKind]) throws(CoffeeError) -> DrinkKind {
        let wanted = folded(text)
        if let kind = kinds.first(where: { $0.id == text }) { return kind }
        if let kind = kinds.first(where: { folded($0.name) == wanted || ending(of: $0) == wanted }) { return kind }
        let beginnings = kinds.filter { folded($0.name).hasPrefix(wanted) || ending(of: $0).hasPrefix(wanted) }
        guard !wanted.isEmpty, let first = beginnings.first else {
            throw .unknownDrink(text, known: kinds.map(\.name))
        }
        guard beginnings.count == 1 else { throw .ambiguousDrink(text, matches: beginnings.map(\.name)) }
        return first
    }

    /// Normalizes a text for comparison; one without letters and digits, such as an emoji, is returned unchanged.
    private static func folded(_ text: String) -> String {
        let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
        return words.isEmpty ? text : words.joined(separator: "-")
    }

    private static func ending(of kind: DrinkKind) -> String {
        folded(kind.id.split(separator: "/").last.map(String.init) ?? kind.id)
    }
}
