public import Foundation

// Adding drinks, changing them, and taking that back.

extension CoffeeData {
    /// How something is taken back.
    struct Undo: Equatable {
        /// What it was, such as “Add Espresso”.
        var name: String
        /// What undoes it, as long as nobody has changed it since.
        var changes: [DrinkChange]
        /// When it was done.
        var date: Date
    }

    /// How much can be undone.
    static let mostUndos = 50

    /// Logs a drink.
    ///
    /// - Parameters:
    ///   - kind: What it was.
    ///   - start: When the first of it was drunk; now, without it.
    ///   - sipping: For how long it was sipped, or is going to be, in seconds.
    ///   - timeZone: Where, by the zone's IANA name; the owner's, without it.
    ///   - id: The drink's number, for who may have to ask twice.
    /// - Returns: The drink, which is kept.
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

    /// Logs a drink once more, now.
    ///
    /// - Parameter drink: A drink, of whomever.
    /// - Returns: The new drink, which is kept.
    /// - Throws: ``CoffeeError``; nothing is logged then.
    @discardableResult
    public func duplicate(_ drink: Drink) async throws(CoffeeError) -> Drink {
        let now = configuration.now()
        let copy = try Drink(
            id: configuration.makeID(), name: drink.name, emoji: drink.emoji, milligrams: drink.milligrams,
            millilitres: drink.millilitres, start: now, sipping: drink.sipping, timeZone: settings.zone
        ).checked(now: now)
        try await add(copy, undoing: "Duplicate \(drink.name)")
        return copy
    }

    private func add(_ drink: Drink, undoing name: String) async throws(CoffeeError) {
        let undo = Undo(
            name: name, changes: [.delete(drink.id, over: .exactly(drink))], date: configuration.now())
        try await perform([.add(drink)], undo: undo)
    }

    /// Changes a drink.
    ///
    /// - Parameters:
    ///   - drink: What it is from now on.
    ///   - seen: What it was when somebody decided that.
    /// - Returns: The drink as it is kept.
    /// - Throws: ``CoffeeError``: among others that somebody else has changed it since it was seen.
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

    /// Deletes a drink; see ``undo()``.
    ///
    /// - Parameter drink: The drink as it was seen.
    /// - Throws: ``CoffeeError``: among others that somebody else has changed it since it was seen.
    public func delete(_ drink: Drink) async throws(CoffeeError) {
        guard drink.source == .own else { throw .notOwn(source: drink.source.name) }
        let undo = Undo(
            name: "Delete \(drink.name)", changes: [.put(drink, over: .exactly(nil))], date: configuration.now())
        try await perform([.delete(drink.id, over: .exactly(drink))], undo: undo)
    }

    /// A drink that is shown; `nil` if there is none of that number.
    public func drink(_ id: Drink.ID) -> Drink? {
        drinks.first { $0.id == id }
    }
}

// MARK: - Undoing

extension CoffeeData {
    /// What ``undo()`` would undo, such as “Add Espresso”; `nil` for nothing.
    public var undoName: String? { undos.last?.name }

    /// When that was done which ``undo()`` would undo; `nil` for nothing.
    public var undoDate: Date? { undos.last?.date }

    /// Takes back what was done last, here.
    ///
    /// - Returns: What that was.
    /// - Throws: ``CoffeeError``: among others that somebody else has changed the drink since; then it stays as they left it.
    @discardableResult
    public func undo() async throws(CoffeeError) -> String {
        guard let undo = undos.popLast() else { throw .nothingToUndo }
        do throws(CoffeeError) {
            try await perform(undo.changes, undo: nil)
        } catch {
            switch error {
            // It is not what it was; nothing could be done about that later.
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
