import Foundation

// Drinks that a page has logged, edited or deleted without a connection; see `DrinkOutbox`.

extension CoffeeData {
    /// Applies a change of a page's outbox once, however often and however late it is sent.
    ///
    /// - Parameter change: The change.
    /// - Throws: ``CoffeeError``: `changedElsewhere` if the stored drink isn't one that the page may have seen.
    package func receive(_ change: DrinkOutbox.Request) async throws(CoffeeError) {
        do throws(CoffeeError) {
            try await apply(change)
        } catch {
            // Two tabs may send the same change at the same time: then the drink already is as the change leaves it.
            guard error == .changedElsewhere || error == .notFound else { throw error }
            try await apply(change)
        }
    }

    private func apply(_ change: DrinkOutbox.Request) async throws(CoffeeError) {
        let drink = try Drink(change.drink)
        guard let stored = try await drinks(withIDPrefix: drink.id.uuidString).first else {
            if change.isDeleted { return try await forget(drink) }
            // Has no effect if the drink was deleted since: the store has a record of each deleted drink.
            return try await perform([.add(try drink.checked(now: now))], undo: nil)
        }
        guard stored.source == .own else { throw .notOwn(source: stored.source.name) }
        var known = [drink]
        for seen in change.replaced { known.append(try Drink(seen)) }
        guard known.contains(where: { stored.isEqualAfterRounding(to: $0) }) else { throw .changedElsewhere }
        if change.isDeleted {
            try await perform([.delete(drink.id, over: .exactly(stored))], undo: nil)
        } else {
            try await perform([.put(try drink.checked(now: now), over: .exactly(stored))], undo: nil)
        }
    }

    /// Records that a drink was deleted, so that an earlier request that arrives later doesn't add it.
    private func forget(_ drink: Drink) async throws(CoffeeError) {
        // The server never adds an invalid drink.
        guard let valid = try? drink.checked(now: .distantFuture) else { return }
        do throws(CoffeeError) {
            try await perform([.add(valid), .delete(drink.id)], undo: nil)
        } catch {
            // It was deleted before: that is no failure.
            guard error == .notFound else { throw error }
            dismissFailure()
        }
    }
}

extension Drink {
    /// The owner's drink that a page has logged.
    init(_ logged: LoggedDrink) throws(CoffeeError) {
        guard let id = UUID(uuidString: logged.id) else { throw .notFound }
        self.init(
            id: id, name: logged.name, emoji: logged.emoji, milligrams: logged.milligrams,
            millilitres: logged.millilitres, start: Date(timeIntervalSince1970: logged.start), sipping: logged.sipping,
            timeZone: logged.timeZone)
    }
}
