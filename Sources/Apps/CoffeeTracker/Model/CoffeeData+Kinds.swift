import Foundation
import Futures
public import Persistence

// The settings, and the kinds of drinks.

extension CoffeeData {
    /// The maximum number of kinds in ``recents``.
    static let maximumRecents = 8
    /// How long a change of settings may take to be stored before it fails.
    static let flushTimeout = Duration.seconds(30)

    /// The owner’s settings.
    public var settings: CoffeeSettings { storedSettings.value }

    /// Whether the settings are stored.
    public var settingsStatus: SaveStatus { storedSettings.status }

    /// Changes the settings, and returns when they are stored.
    ///
    /// - Parameter change: Changes the settings, which are then validated.
    /// - Throws: ``CoffeeError``: for an invalid setting, nothing is changed; after ``CoffeeError/storage(_:)``,
    ///   storing is retried.
    public func choose(_ change: (inout CoffeeSettings) throws(CoffeeError) -> Void) async throws(CoffeeError) {
        let before = storedSettings.value
        var settings = before
        try change(&settings)
        let chosen = try settings.checked(changedFrom: before)
        storedSettings.value = chosen
        // Settings written by a newer version of the program can't be changed.
        if storedSettings.value != chosen, let failure = storedSettings.status.failure { throw CoffeeError(failure) }
        // Older drinks may count now, even if the settings can't be stored yet.
        if chosen.contributionTime > before.contributionTime { try await reload() }
        try await rethrowing(CoffeeError.init) { () async throws(StoreError) in
            try await storedSettings.flush(within: Self.flushTimeout)
        }
    }
}

extension CoffeeData {
    /// All available kinds, the owner’s own first.
    public var kinds: [DrinkKind] { settings.offered }

    /// The owner's favourite kinds, in order.
    public var favourites: [DrinkKind] {
        let settings = settings
        return settings.favourites.compactMap { kind($0, in: settings) }
    }

    /// The kinds that the owner logged last, the latest first, without duplicates.
    public var recents: [DrinkKind] {
        var seen: Set<[String]> = []
        let different = drinks.filter { drink in
            drink.source == .own
                && seen.insert([drink.name, drink.emoji, "\(drink.milligrams)", "\(drink.millilitres ?? 0)"]).inserted
        }
        return different.prefix(Self.maximumRecents).map(DrinkKind.init(like:))
    }

    /// A kind by its id, including sizes, kinds of the other catalogue and kinds based on a shown drink.
    public func kind(_ id: DrinkKind.ID) throws(CoffeeError) -> DrinkKind {
        if let kind = kind(id, in: settings) { return kind }
        // A page may still show a drink that is no longer among the recent ones.
        if let drink = drinks.first(where: { DrinkKind.id(like: $0) == id }) { return DrinkKind(like: drink) }
        throw .unknownDrink(id, known: kinds.map(\.name))
    }

    private func kind(_ id: DrinkKind.ID, in settings: CoffeeSettings) -> DrinkKind? {
        (settings.kinds + DrinkCatalogue.sourced + DrinkCatalogue.sample + DrinkCatalogue.sized).first { $0.id == id }
    }

    /// Adds a kind of the owner’s own, or updates the one with an id, and returns it once it is stored.
    @discardableResult
    public func keepKind(
        _ id: DrinkKind.ID? = nil, name: String, emoji: String, milligrams: Double, millilitres: Double? = nil
    ) async throws(CoffeeError) -> DrinkKind {
        let kind = try DrinkKind(
            id: id ?? "own/\(configuration.makeID().uuidString)", name: name, emoji: emoji, milligrams: milligrams,
            millilitres: millilitres
        ).checked()
        try await choose { settings throws(CoffeeError) in
            if let index = settings.kinds.firstIndex(where: { $0.id == kind.id }) {
                settings.kinds[index] = kind
            } else if id == nil {
                settings.kinds.append(kind)
            } else {
                throw .unknownDrink(kind.id, known: settings.kinds.map(\.name))
            }
        }
        return kind
    }

    /// Removes a kind of the owner’s own; drinks of that kind remain.
    ///
    /// ``undo(_:)`` restores it.
    public func removeKind(_ id: DrinkKind.ID) async throws(CoffeeError) {
        guard let index = settings.kinds.firstIndex(where: { $0.id == id }) else { return }
        let deleted = DeletedKind(
            kind: settings.kinds[index], index: index, favouriteIndex: settings.favourites.firstIndex(of: id))
        let undo = remember(
            Undo(name: CoffeeWords.deleted(deleted.kind.name), deletedKind: deleted, date: configuration.now()))
        do throws(CoffeeError) {
            try await choose { settings throws(CoffeeError) in
                settings.kinds.removeAll { $0.id == id }
                settings.favourites.removeAll { $0 == id }
            }
        } catch {
            // If only storing failed, the kind is deleted, and storing is retried.
            if settings.kinds.contains(where: { $0.id == id }) { forget(undo) }
            throw error
        }
    }

    /// Restores a deleted kind at its place, unless it exists again.
    func restore(_ deleted: DeletedKind) async throws(CoffeeError) {
        let id = deleted.kind.id
        guard !settings.kinds.contains(where: { $0.id == id }) else { return }
        try await choose { settings throws(CoffeeError) in
            settings.kinds.insert(deleted.kind, at: min(deleted.index, settings.kinds.count))
            if let index = deleted.favouriteIndex {
                settings.favourites.insert(id, at: min(index, settings.favourites.count))
            }
        }
    }

    /// Adds a kind to the favourites, or removes it; a kind based on a drink can't be a favourite.
    public func setFavourite(_ id: DrinkKind.ID, _ isFavourite: Bool) async throws(CoffeeError) {
        try await changeFavourites(adding: isFavourite ? [id] : [], removing: isFavourite ? [] : [id])
    }

    /// Adds kinds to the end of the favourites, and removes others; a kind based on a drink can't be a favourite.
    ///
    /// - Parameters:
    ///   - added: The identifiers of the kinds to add.
    ///   - removed: The identifiers of the kinds to remove.
    /// - Throws: ``CoffeeError/unknownDrink(_:known:)`` if a kind is unknown, and as ``choose(_:)`` does. Nothing was changed
    ///   then.
    public func changeFavourites(
        adding added: [DrinkKind.ID], removing removed: [DrinkKind.ID]
    ) async throws(CoffeeError) {
        for id in added + removed where kind(id, in: settings) == nil {
            throw .unknownDrink(id, known: kinds.map(\.name))
        }
        try await choose { settings throws(CoffeeError) in
            settings.favourites.removeAll { added.contains($0) || removed.contains($0) }
            settings.favourites += added
        }
    }
}

/// A kind that the owner has deleted, with its places in the lists.
struct DeletedKind: Hashable, Sendable {
    let kind: DrinkKind
    let index: Int
    /// `nil` if it wasn't a favourite.
    let favouriteIndex: Int?
}

extension DrinkKind {
    fileprivate static func id(like drink: Drink) -> ID { "drink/\(drink.id.uuidString)" }

    init(like drink: Drink) {
        self.init(
            id: Self.id(like: drink), name: drink.name, emoji: drink.emoji, milligrams: drink.milligrams,
            millilitres: drink.millilitres)
    }
}
