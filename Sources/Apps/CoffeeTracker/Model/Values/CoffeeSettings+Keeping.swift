import Foundation
public import Persistence

extension CoffeeSettings {
    private static let key: StoreKey = "coffee/settings"
    private static let format = StoredFormat<CoffeeSettings>("coffee.settings")

    /// Keeps the zone of somebody who has chosen nothing yet: the same from now on, in whichever zone the next process runs.
    ///
    /// - Parameters:
    ///   - zone: The zone, by its IANA name.
    ///   - store: The owner's.
    /// - Throws: What kept it from being kept. That something is kept already is no error.
    public static func settle(zone: String, in store: any Store) async throws {
        if try await store.read(key) != nil { return }
        let content = StoredContent(
            format: format.name, version: format.version, payload: try JSONEncoder().encode(CoffeeSettings(zone: zone)))
        // Another process may have been first: then it is that one's.
        _ = try await store.commit([StoreWrite(key, content, expecting: .nothing)])
    }

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
            key, in: store, format: format,
            default: CoffeeSettings(zone: zone), settings: AutosaveSettings(group: group),
            validating: { $0.tolerated },
            merge: { conflict in
                .merged(
                    conflict.local.merged(
                        with: conflict.foreign, from: conflict.base ?? CoffeeSettings(zone: zone)))
            })
    }

    /// These settings, as they may have been written by another version of the program, or on another machine.
    ///
    /// What cannot be reckoned with is as if it had not been chosen. A zone or an emoji that is not known here stays: where
    /// it was written it is.
    var tolerated: CoffeeSettings {
        let usual = CoffeeSettings()
        var settings = self
        if !(0..<1440).contains(dayStart) { settings.dayStart = usual.dayStart }
        if !(0..<1440).contains(bedtime) { settings.bedtime = usual.bedtime }
        if !Self.thresholds.contains(threshold) { settings.threshold = usual.threshold }
        if !Self.halfLives.contains(halfLife) { settings.halfLife = usual.halfLife }
        if case .child(let kilograms) = group, !Self.weights.contains(kilograms) { settings.group = usual.group }
        var seen: Set<DrinkKind.ID> = []
        settings.kinds = kinds.filter { kind in
            (try? Drink.check(milligrams: kind.milligrams, millilitres: kind.millilitres)) != nil
                && seen.insert(kind.id).inserted
        }
        return settings
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
