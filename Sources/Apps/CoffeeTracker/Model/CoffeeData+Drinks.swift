public import Foundation

// Adding drinks, changing them, and taking that back.

extension CoffeeData {
    /// An action, and how it is undone.
    struct Undo: Equatable {
        /// The action, such as “Add Espresso”.
        var name: String
        /// What undoes it, if nobody has changed the drink since.
        var changes: [DrinkChange]
        /// When it was done.
        var date: Date
    }

    /// How many actions can be undone.
    static let mostUndos = 50

    /// Logs a drink and returns it, once it is stored.
    ///
    /// - Parameters:
    ///   - kind: The kind of drink.
    ///   - start: When the first of it was drunk; now by default.
    ///   - sipping: How long it was, or is going to be, sipped, in seconds.
    ///   - timeZone: The IANA name of the drinker’s zone; the owner’s by default.
    ///   - id: The drink’s number, for a caller that may have to ask twice.
    /// - Returns: The drink.
    /// - Throws: ``CoffeeError``; nothing is logged then.
    @discardableResult
    public func add(
        _ kind: DrinkKind, at start: Date? = nil, sipping: TimeInterval = 0, timeZone: String? = nil, id: UUID? = nil
    ) async throws(CoffeeError) -> Drink {
        let now = configuration.now()
        let drink = try kind.drink(
            id: id ?? configuration.makeID(), at: start ?? now, sipping: sipping, timeZone: timeZone ?? settings.zone
        ).checked(now: now)
        try await add(drink, undoing: "Add \(drink.name)")
        return drink
    }

    /// Logs any drink once more, now, and returns the new one.
    @discardableResult
    public func duplicate(_ drink: Drink) async throws(CoffeeError) -> Drink {
        let now = configuration.now()
        let copy = try DrinkKind(like: drink).drink(
            id: configuration.makeID(), at: now, sipping: drink.sipping, timeZone: settings.zone
        ).checked(now: now)
        try await add(copy, undoing: "Duplicate \(drink.name)")
        return copy
    }

    private func add(_ drink: Drink, undoing name: String) async throws(CoffeeError) {
        let undo = Undo(
            name: name, changes: [.delete(drink.id, over: .exactly(drink))], date: configuration.now())
        try await perform([.add(drink)], undo: undo)
    }

    /// Changes a drink and returns it as it is stored.
    ///
    /// - Parameters:
    ///   - drink: The drink afterwards.
    ///   - seen: The drink that the change was decided about.
    /// - Returns: The drink.
    /// - Throws: ``CoffeeError``: `changedElsewhere` if it is no longer as it was seen.
    @discardableResult
    public func edit(_ drink: Drink, over seen: Drink) async throws(CoffeeError) -> Drink {
        guard seen.source == .own else { throw .notOwn(source: seen.source.name) }
        guard drink.id == seen.id else { throw .notFound }
        let now = configuration.now()
        var drink = try drink.checked(now: now)
        drink.source = .own
        let undo = Undo(name: "Edit \(seen.name)", changes: [.put(seen, over: .exactly(drink))], date: now)
        try await perform([.put(drink, over: .exactly(seen))], undo: undo)
        return drink
    }

    /// Deletes a drink; throws `changedElsewhere` if it is no longer as it was seen.
    public func delete(_ drink: Drink) async throws(CoffeeError) {
        guard drink.source == .own else { throw .notOwn(source: drink.source.name) }
        let undo = Undo(
            name: "Delete \(drink.name)", changes: [.put(drink, over: .exactly(nil))], date: configuration.now())
        try await perform([.delete(drink.id, over: .exactly(drink))], undo: undo)
    }

    /// The shown drink with that number.
    public func drink(_ id: Drink.ID) -> Drink? {
        drinks.first { $0.id == id }
    }
}

// MARK: - Undoing

extension CoffeeData {
    /// The action that ``undo()`` undoes, such as “Add Espresso”.
    public var undoName: String? { undos.last?.name }

    /// When the action was done that ``undo()`` undoes.
    public var undoDate: Date? { undos.last?.date }

    /// Undoes the last action of this process, and returns its name; leaves a drink alone that was changed since.
    @discardableResult
    public func undo() async throws(CoffeeError) -> String {
        guard let undo = undos.popLast() else { throw .nothingToUndo }
        do throws(CoffeeError) {
            try await perform(undo.changes, undo: nil)
        } catch {
            switch error {
            // The drink is no longer as it was, and trying again would not help.
            case .changedElsewhere, .notFound, .notOwn: break
            default: remember(undo)
            }
            throw error
        }
        return undo.name
    }

    func remember(_ undo: Undo) {
        undos = Array((undos + [undo]).suffix(Self.mostUndos))
    }
}
