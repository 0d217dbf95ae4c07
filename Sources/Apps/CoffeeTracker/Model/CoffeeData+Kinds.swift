import Foundation
public import Persistence

// What somebody has chosen, and the kinds of drinks that they are offered.

extension CoffeeData {
    /// How many kinds ``recents`` are.
    static let mostRecents = 8
    /// How long somebody waits until what they have chosen is kept.
    static let patience = Duration.seconds(5)

    /// What the owner has chosen.
    public var settings: CoffeeSettings { stored.value }

    /// How far what was chosen has come, and what happened to it.
    public var settingsStatus: SaveStatus { stored.status }

    /// Changes what the owner has chosen, and returns when that is kept.
    ///
    /// - Parameter change: Changes it; what it makes of it is checked.
    /// - Throws: ``CoffeeError``: what makes no sense, and nothing was changed; or ``CoffeeError/storage(_:)``, and it is
    ///   tried again.
    public func choose(_ change: (inout CoffeeSettings) throws(CoffeeError) -> Void) async throws(CoffeeError) {
        let before = stored.value
        var settings = before
        try change(&settings)
        let chosen = try settings.checked(changedFrom: before)
        stored.value = chosen
        // Nothing is set over what a newer program has written.
        if stored.value != chosen, let failure = stored.status.failure { throw CoffeeError(failure) }
        do throws(PersistenceError) {
            try await stored.flush(within: Self.patience)
        } catch {
            throw CoffeeError(error)
        }
        // Older drinks count now.
        if chosen.memory > before.memory { try await reload() }
    }
}

extension CoffeeData {
    /// All kinds that are offered: the owner's own first.
    public var kinds: [DrinkKind] { settings.offered }

    /// The kinds that the owner wants to see first.
    public var favourites: [DrinkKind] {
        let settings = settings
        return settings.favourites.compactMap { kind($0, in: settings) }
    }

    /// What the owner drank lately, the latest first, each once.
    public var recents: [DrinkKind] {
        var seen: Set<[String]> = []
        let different = drinks.filter { drink in
            drink.source == .own
                && seen.insert([drink.name, drink.emoji, "\(drink.milligrams)", "\(drink.millilitres ?? 0)"]).inserted
        }
        return different.prefix(Self.mostRecents).map(DrinkKind.init(like:))
    }

    /// A kind by its id: of those that are offered, of all that there are, or like a drink that is shown.
    ///
    /// - Parameter id: The id.
    /// - Returns: The kind.
    /// - Throws: ``CoffeeError/unknownDrink(_:known:)``.
    public func kind(_ id: DrinkKind.ID) throws(CoffeeError) -> DrinkKind {
        if let kind = kind(id, in: settings) { return kind }
        // Also one that a page offered before another took its place among the latest.
        if let drink = drinks.first(where: { DrinkKind.id(like: $0) == id }) { return DrinkKind(like: drink) }
        throw .unknownDrink(id, known: kinds.map(\.name))
    }

    private func kind(_ id: DrinkKind.ID, in settings: CoffeeSettings) -> DrinkKind? {
        (settings.kinds + DrinkCatalogue.sourced + DrinkCatalogue.sample).first { $0.id == id }
    }

    /// Adds a kind of the owner's own, or changes it.
    ///
    /// - Parameters:
    ///   - id: The kind that is changed; a new one, without it.
    ///   - name: What it is called.
    ///   - emoji: One emoji.
    ///   - milligrams: Its caffeine, in milligrams.
    ///   - millilitres: Its volume, in millilitres.
    /// - Returns: The kind, which is kept.
    /// - Throws: ``CoffeeError``.
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
                throw .unknownDrink(kind.name, known: settings.kinds.map(\.name))
            }
        }
        return kind
    }

    /// Removes a kind of the owner's own; what they drank of it stays.
    ///
    /// - Parameter id: The kind.
    /// - Throws: ``CoffeeError``.
    public func removeKind(_ id: DrinkKind.ID) async throws(CoffeeError) {
        try await choose { settings throws(CoffeeError) in
            settings.kinds.removeAll { $0.id == id }
            settings.favourites.removeAll { $0 == id }
        }
    }

    /// Puts a kind among the favourites, or takes it out.
    ///
    /// - Parameters:
    ///   - id: The kind.
    ///   - isFavourite: Whether it is one from now on.
    /// - Throws: ``CoffeeError``.
    public func setFavourite(_ id: DrinkKind.ID, _ isFavourite: Bool) async throws(CoffeeError) {
        let kind = try kind(id)
        try await choose { settings throws(CoffeeError) in
            settings.favourites.removeAll { $0 == kind.id }
            if isFavourite { settings.favourites.append(kind.id) }
        }
    }
}

extension DrinkKind {
    /// What a kind like a drink is called by.
    fileprivate static func id(like drink: Drink) -> ID { "drink/\(drink.id.uuidString)" }

    /// A kind like a drink.
    fileprivate init(like drink: Drink) {
        self.init(
            id: Self.id(like: drink), name: drink.name, emoji: drink.emoji, milligrams: drink.milligrams,
            millilitres: drink.millilitres)
    }
}
