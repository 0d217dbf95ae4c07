public import Foundation

// Adding, editing and deleting drinks, and undo.

extension CoffeeData {
    /// An action and the changes that undo it.
    public struct Undo: Hashable, Sendable {
        /// The action, such as “Added Espresso”.
        public let name: String
        /// The drink that the action added, if it added one.
        public let added: Drink?
        /// The changes that undo it, which fail if the drink has been changed since.
        let changes: [DrinkChange]
        /// The kind that the action deleted, if it deleted one.
        let deletedKind: DeletedKind?
        /// When the action was performed.
        public let date: Date
        /// The number of the action in this process, from 1; 0 until it is remembered.
        var number = 0

        init(
            name: String, added: Drink? = nil, changes: [DrinkChange] = [], deletedKind: DeletedKind? = nil, date: Date
        ) {
            (self.name, self.added, self.changes, self.date) = (name, added, changes, date)
            self.deletedKind = deletedKind
        }

        /// Whether the action concerns a kind, not a drink.
        package var isOfKind: Bool { deletedKind != nil }

        /// Identifies the action; unique even among those of an earlier process, whose numbers began at 1, too.
        public var id: String { "\(number)-\(date.timeIntervalSince1970)" }
    }

    /// The maximum number of undo steps.
    static let maximumUndos = 50

    /// Logs a drink, and returns it once it is stored.
    ///
    /// - Parameters:
    ///   - kind: The kind of drink.
    ///   - start: When drinking began; now by default.
    ///   - sipping: The total drinking time, in seconds, including any that is still ahead.
    ///   - timeZone: The IANA name of the drinker’s time zone; the owner’s by default.
    ///   - id: The drink’s identifier, for a caller that may have to retry.
    ///   - isUndoable: Whether ``undo(_:)`` can revert it.
    /// - Returns: The drink.
    /// - Throws: ``CoffeeError``; nothing is logged then.
    @discardableResult
    public func add(
        _ kind: DrinkKind, at start: Date? = nil, sipping: TimeInterval = 0, timeZone: String? = nil, id: UUID? = nil,
        isUndoable: Bool = true
    ) async throws(CoffeeError) -> Drink {
        let now = configuration.now()
        let drink = try kind.drink(
            id: id ?? configuration.makeID(), at: start ?? now, sipping: sipping, timeZone: timeZone ?? settings.zone
        ).checked(now: now)
        try await add(drink, undoing: isUndoable ? CoffeeWords.added(drink.name) : nil)
        return drink
    }

    /// Logs a copy of any drink at the current time, and returns the copy.
    @discardableResult
    public func duplicate(_ drink: Drink) async throws(CoffeeError) -> Drink {
        let now = configuration.now()
        let copy = try DrinkKind(like: drink).drink(
            id: configuration.makeID(), at: now, sipping: drink.sipping, timeZone: settings.zone
        ).checked(now: now)
        try await add(copy, undoing: CoffeeWords.addedAgain(drink.name))
        return copy
    }

    /// Adds a drink; the action can be undone if it has a name.
    private func add(_ drink: Drink, undoing name: String?) async throws(CoffeeError) {
        let undo = name.map { name in
            Undo(
                name: name, added: drink, changes: [.delete(drink.id, over: .exactly(drink))],
                date: configuration.now())
        }
        try await perform([.add(drink)], undo: undo)
    }

    /// Edits a drink, and returns it as stored.
    ///
    /// - Parameters:
    ///   - drink: The drink after the edit.
    ///   - seen: The drink on which the edit is based.
    /// - Returns: The drink.
    /// - Throws: ``CoffeeError``: `changedElsewhere` if the stored drink no longer equals `seen`.
    @discardableResult
    public func edit(_ drink: Drink, over seen: Drink) async throws(CoffeeError) -> Drink {
        guard seen.source == .own else { throw .notOwn(source: seen.source.name) }
        guard drink.id == seen.id else { throw .notFound }
        let now = configuration.now()
        var drink = try drink.checked(now: now)
        drink.source = .own
        let undo = Undo(name: CoffeeWords.edited(seen.name), changes: [.put(seen, over: .exactly(drink))], date: now)
        try await perform([.put(drink, over: .exactly(seen))], undo: undo)
        return drink
    }

    /// Deletes a drink.
    ///
    /// - Parameters:
    ///   - drink: The drink.
    ///   - isUndoable: Whether ``undo(_:)`` can revert it.
    /// - Throws: ``CoffeeError``: `changedElsewhere` if the stored drink no longer equals it.
    public func delete(_ drink: Drink, isUndoable: Bool = true) async throws(CoffeeError) {
        guard drink.source == .own else { throw .notOwn(source: drink.source.name) }
        let undo = Undo(
            name: CoffeeWords.deleted(drink.name), changes: [.put(drink, over: .exactly(nil))],
            date: configuration.now())
        try await perform([.delete(drink.id, over: .exactly(drink))], undo: isUndoable ? undo : nil)
    }

    /// The shown drink with an identifier.
    public func drink(_ id: Drink.ID) -> Drink? {
        drinks.first { $0.id == id }
    }
}

// MARK: - Undoing

extension CoffeeData {
    /// The action that ``undo(_:)`` reverts.
    public var lastUndo: Undo? { undos.last }

    /// The name of the action that ``undo(_:)`` reverts, such as “Added Espresso”.
    public var undoName: String? { undos.last?.name }

    /// When the action that ``undo(_:)`` reverts was performed.
    public var undoDate: Date? { undos.last?.date }

    /// Undoes an action of this process, and returns its name.
    ///
    /// - Parameter id: The action's ``Undo/id``; the last action by default.
    /// - Returns: The action's name.
    /// - Throws: ``CoffeeError``: `nothingToUndo` if there is no such action, or it has been undone; `changedElsewhere` if the
    ///   drink has been changed since.
    @discardableResult
    public func undo(_ id: String? = nil) async throws(CoffeeError) -> String {
        let index: Int? = if let id { undos.lastIndex { $0.id == id } } else { undos.indices.last }
        guard let index else { throw .nothingToUndo }
        let undo = undos.remove(at: index)
        do throws(CoffeeError) {
            if let kind = undo.deletedKind {
                try await restore(kind)
            } else {
                try await perform(undo.changes, undo: nil)
            }
        } catch {
            switch error {
            // The drink has changed, so a retry wouldn't help.
            case .changedElsewhere, .notFound, .notOwn: break
            default: remember(undo)
            }
            throw error
        }
        return undo.name
    }

    /// Offers to undo an action, and returns it with its number.
    @discardableResult
    func remember(_ undo: Undo) -> Undo {
        var undo = undo
        if undo.number == 0 {
            lastUndoNumber += 1
            undo.number = lastUndoNumber
        }
        // An action whose undo failed returns to its place.
        let index = undos.lastIndex { $0.number < undo.number }.map { $0 + 1 } ?? 0
        undos.insert(undo, at: index)
        undos = Array(undos.suffix(Self.maximumUndos))
        return undo
    }

    /// Ends the offer to undo an action, because it has failed.
    func forget(_ undo: Undo) {
        undos.removeAll { $0.id == undo.id }
    }
}
