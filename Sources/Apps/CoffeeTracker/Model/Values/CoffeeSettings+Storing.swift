import Foundation
public import Persistence

extension CoffeeSettings {
    private static let key: StoreKey = "coffee/settings"
    private static let format = StoredFormat<CoffeeSettings>("coffee.settings")

    /// Stores a time zone if no settings are stored yet, so that it doesn't depend on where the next process runs.
    public static func storeInitial(zone: String, in store: any Store) async throws {
        if try await store.read(key) != nil { return }
        let content = StoredContent(
            format: format.name, version: format.version, payload: try JSONEncoder().encode(CoffeeSettings(zone: zone)))
        // If another process has stored one first, that zone stays.
        _ = try await store.commit([StoreWrite(key, content, expecting: .nothing)])
    }

    /// The settings in an owner's store, with a default time zone; concurrent changes are merged.
    @MainActor
    public static func stored(in store: any Store, zone: String = "UTC") -> Stored<CoffeeSettings> {
        Stored(
            key, in: store, format: format, default: CoffeeSettings(zone: zone),
            validating: { $0.sanitized },
            merge: { conflict in
                .merged(
                    conflict.local.merged(
                        with: conflict.foreign, from: conflict.base ?? CoffeeSettings(zone: zone)))
            })
    }

    /// The settings, with invalid values replaced by defaults, and invalid and duplicate kinds removed.
    ///
    /// Another version or machine may have written them. A time zone or emoji that is unknown here stays, because it is
    /// known where it was written.
    var sanitized: CoffeeSettings {
        let defaults = CoffeeSettings()
        var settings = self
        if !(0..<1440).contains(dayStart) { settings.dayStart = defaults.dayStart }
        if !(0..<1440).contains(bedtime) { settings.bedtime = defaults.bedtime }
        if !Self.thresholds.contains(threshold) { settings.threshold = defaults.threshold }
        if !Self.halfLives.contains(halfLife) { settings.halfLife = defaults.halfLife }
        if case .child(let kilograms) = group, !Self.weights.contains(kilograms) { settings.group = defaults.group }
        if let dailyLimit, !Self.dailyLimits.contains(dailyLimit) { settings.dailyLimit = nil }
        var seen: Set<DrinkKind.ID> = []
        settings.kinds = kinds.filter { kind in
            (try? Drink.check(milligrams: kind.milligrams, millilitres: kind.millilitres)) != nil
                && seen.insert(kind.id).inserted
        }
        return settings
    }

    /// Merges the settings of two processes: each value is the local one if it was changed here, else the foreign one.
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
        merged.dailyLimit = pick(\.dailyLimit)
        merged.catalogue = pick(\.catalogue)
        merged.clockFormat = pick(\.clockFormat)
        merged.volumeUnit = pick(\.volumeUnit)
        merged.knowsSharing = pick(\.knowsSharing)
        merged.favourites = Self.merged(favourites, foreign.favourites, from: base.favourites) { $0 }
        merged.kinds = Self.merged(kinds, foreign.kinds, from: base.kinds, by: \.id)
        return merged
    }

    /// Merges lists, applying the additions and removals of both sides; if both changed an item, the local one wins.
    private static func merged<Item: Equatable>(
        _ local: [Item], _ foreign: [Item], from base: [Item], by name: (Item) -> String
    ) -> [Item] {
        func named(_ items: [Item]) -> [String: Item] {
            Dictionary(items.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
        }
        let (locals, bases) = (named(local), named(base))
        var merged = foreign.compactMap { item in
            guard let old = bases[name(item)] else { return locals[name(item)] ?? item }
            guard let localItem = locals[name(item)] else { return nil }
            return localItem == old ? item : localItem
        }
        let foreignNames = Set(foreign.map(name))
        // Of the items only in the local list, add those that are new or were changed here. The others were removed
        // from the foreign list.
        merged += local.filter { item in !foreignNames.contains(name(item)) && bases[name(item)] != item }
        return merged
    }
}
