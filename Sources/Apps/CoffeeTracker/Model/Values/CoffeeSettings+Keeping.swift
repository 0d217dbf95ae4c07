public import Persistence

extension CoffeeSettings {
    /// The settings that are kept in an owner's store.
    ///
    /// - Parameters:
    ///   - store: The owner's.
    ///   - zone: The zone of somebody who has chosen nothing.
    ///   - group: With whom they are written when the program ends.
    /// - Returns: The settings. What makes no sense is refused; of what two have chosen at once, neither is lost.
    @MainActor
    public static func kept(
        in store: any Store, zone: String = "UTC", group: SaveGroup? = nil
    ) -> Stored<CoffeeSettings> {
        Stored(
            "coffee/settings", in: store, format: StoredFormat("coffee.settings"),
            default: CoffeeSettings(zone: zone), settings: AutosaveSettings(group: group),
            rule: { try? $0.checked() },
            merge: { conflict in
                .merged(
                    conflict.local.merged(
                        with: conflict.foreign, from: conflict.base ?? CoffeeSettings(zone: zone)))
            })
    }

    /// What two have chosen at once: of each setting what was changed here, or else there.
    func merged(with foreign: CoffeeSettings, from base: CoffeeSettings) -> CoffeeSettings {
        func pick<Value: Equatable>(_ setting: (CoffeeSettings) -> Value) -> Value {
            setting(self) == setting(base) ? setting(foreign) : setting(self)
        }
        var merged = foreign
        merged.zone = pick(\.zone)
        merged.dayStart = pick(\.dayStart)
        merged.bedtime = pick(\.bedtime)
        merged.threshold = pick(\.threshold)
        merged.halfLife = pick(\.halfLife)
        merged.usesSimpleDecay = pick(\.usesSimpleDecay)
        merged.group = pick(\.group)
        merged.catalogue = pick(\.catalogue)
        merged.favourites = Self.merged(favourites, foreign.favourites, from: base.favourites) { $0 }
        merged.kinds = Self.merged(kinds, foreign.kinds, from: base.kinds, by: \.id)
        return merged
    }

    /// What both have added is there, what either has removed is not; what both have changed is as it is here.
    private static func merged<Item: Equatable>(
        _ local: [Item], _ foreign: [Item], from base: [Item], by name: (Item) -> String
    ) -> [Item] {
        func named(_ items: [Item]) -> [String: Item] {
            Dictionary(items.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
        }
        let (locals, bases) = (named(local), named(base))
        var merged = foreign.compactMap { item in
            guard let old = bases[name(item)] else { return locals[name(item)] ?? item }
            guard let mine = locals[name(item)] else { return nil }
            return mine == old ? item : mine
        }
        let there = Set(foreign.map(name))
        // Here only: new, or changed here while it was removed there.
        merged += local.filter { item in !there.contains(name(item)) && bases[name(item)] != item }
        return merged
    }
}
