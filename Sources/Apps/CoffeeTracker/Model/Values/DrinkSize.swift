/// A size in which shops sell a drink.
public enum DrinkSize: String, CaseIterable, Hashable, Sendable, Codable {
    /// The smallest one.
    case small
    /// The usual one, which the catalogue lists.
    case medium
    /// The largest one.
    case large

    /// `Small`, `Medium` or `Large`.
    public var name: String {
        switch self {
        case .small: CoffeeWords.small
        case .medium: CoffeeWords.medium
        case .large: CoffeeWords.large
        }
    }
}

extension DrinkKind {
    /// Whether the kind comes in several sizes; if so, the kind itself is the medium one.
    public var hasSizes: Bool { DrinkCatalogue.sizes[id] != nil }

    /// The kind in a size, with an id of its own; the kind itself if it comes in only one.
    public func sized(_ size: DrinkSize) -> DrinkKind {
        guard let sizes = DrinkCatalogue.sizes[id] else { return self }
        return switch size {
        case .small: sizes.small
        case .medium: self
        case .large: sizes.large
        }
    }
}

extension DrinkCatalogue {
    /// The small and the large size of a kind.
    struct Sizes: Sendable {
        let small, large: DrinkKind
    }

    private struct Serving: Sendable {
        let milligrams, millilitres: Double
        /// Its source, if it isn't that of the medium size.
        var source: String?
    }

    /// The small and large sizes of the catalogue's kinds.
    package static let sized: [DrinkKind] = sizes.values.flatMap { [$0.small, $0.large] }

    /// The sizes of the kinds that come in more than one.
    static let sizes: [DrinkKind.ID: Sizes] = servings.reduce(into: [:]) { sizes, entry in
        guard let kind = sourced.first(where: { $0.id == "sourced/\(entry.id)" }) else { return }
        sizes[kind.id] = Sizes(
            small: Self.kind(kind, .small, entry.small), large: Self.kind(kind, .large, entry.large))
    }

    /// The small and the large serving of each kind that comes in several sizes.
    ///
    /// A brewed drink has the same strength in each size. An espresso drink has one more shot in each larger size.
    private static let servings: [(id: String, small: Serving, large: Serving)] = [
        (
            "filter-coffee", Serving(milligrams: 68, millilitres: 150, source: "\(efsa), by volume"),
            Serving(milligrams: 135, millilitres: 300, source: "\(efsa), by volume")
        ),
        (
            "black-tea", Serving(milligrams: 34, millilitres: 150, source: "\(efsa), by volume"),
            Serving(milligrams: 75, millilitres: 330, source: "\(efsa), by volume")
        ),
        (
            "latte", Serving(milligrams: 63, millilitres: 240, source: shots(1)),
            Serving(milligrams: 189, millilitres: 473, source: shots(3))
        ),
        (
            "cappuccino", Serving(milligrams: 63, millilitres: 150, source: shots(1)),
            Serving(milligrams: 189, millilitres: 355, source: shots(3))
        ),
        (
            "americano", Serving(milligrams: 63, millilitres: 240, source: shots(1)),
            Serving(milligrams: 189, millilitres: 473, source: shots(3))
        ),
        ("cold-brew", Serving(milligrams: 155, millilitres: 355), Serving(milligrams: 310, millilitres: 710)),
        (
            "matcha", Serving(milligrams: 32, millilitres: 120, source: "\(matcha), 1 g of powder"),
            Serving(milligrams: 96, millilitres: 355, source: "\(matcha), 3 g of powder")
        ),
        ("hot-chocolate", Serving(milligrams: 15, millilitres: 237), Serving(milligrams: 25, millilitres: 473)),
    ]

    private static func kind(_ kind: DrinkKind, _ size: DrinkSize, _ serving: Serving) -> DrinkKind {
        DrinkKind(
            id: "\(kind.id)/\(size.rawValue)", name: "\(size.name) \(kind.name)", emoji: kind.emoji,
            milligrams: serving.milligrams, millilitres: serving.millilitres,
            origin: serving.source.map(DrinkKind.Origin.sourced) ?? kind.origin)
    }
}
