#if canImport(ModelJSON)
    import ModelJSON
#endif

/// Coffee Tracker on one page: the owner's settings, the drinks that the server has, and what it has yet to confirm.
package struct CaffeineSession: Sendable {
    /// The owner's settings.
    package var settings: CaffeineSettings
    /// What the server has yet to confirm.
    package private(set) var outbox = DrinkOutbox()
    /// The drinks as the server sent them last.
    private var known: [LoggedDrink]
    /// The revision of the server's store that ``known`` comes from.
    private var revision: Int
    /// Confirmed changes that ``known`` may lack.
    private var confirmed: [DrinkOutbox.Confirmation] = []

    /// A page with the drinks of a revision of the server's store.
    package init(settings: CaffeineSettings, drinks: [LoggedDrink] = [], revision: Int = -1) {
        (self.settings, known, self.revision) = (settings, drinks, revision)
    }
}

/// The settings of an owner that a page needs, without the names and kinds that only the pages' texts need.
package struct CaffeineSettings: Sendable {
    /// What determines the level and the answers.
    package var profile: CaffeineProfile
    /// The start of the owner's days, and the clock that they follow.
    package var days: OwnerDays<ClockTable>
    /// The owner's bedtime, in minutes since midnight.
    package var bedtime: Int

    package init(profile: CaffeineProfile, days: OwnerDays<ClockTable>, bedtime: Int) {
        (self.profile, self.days, self.bedtime) = (profile, days, bedtime)
    }
}

// MARK: - What is shown

extension CaffeineSession {
    /// All drinks with the changes of this page, the newest first.
    package var drinks: [LoggedDrink] {
        var drinks = known
        func replace(_ drink: LoggedDrink, _ isDeleted: Bool) {
            drinks.removeAll { compareBytes($0.id, drink.id) == 0 }
            if !isDeleted { drinks.append(drink) }
        }
        for change in confirmed { replace(change.drink, change.isDeleted) }
        for entry in outbox.entries { replace(entry.drink, entry.isDeleted) }
        return sortedIndices(drinks.count) { LoggedDrink.isNewer(drinks[$0], drinks[$1]) }.map { drinks[$0] }
    }

    /// The drink of that identifier; `nil` if there is none.
    package func drink(_ id: String) -> LoggedDrink? { drinks.first { compareBytes($0.id, id) == 0 } }

    /// The answers at a time, in seconds since 1970.
    package func answers(at time: Double) -> LevelAnswers {
        LevelAnswers(
            intakes: drinks.reversed().map { $0.intake }, profile: settings.profile, at: time, days: settings.days,
            bedtime: settings.bedtime)
    }

    /// Cups of 96 mg since the start of the owner's day at a time, in seconds since 1970.
    package func cupsToday(at time: Double) -> Double {
        Cups.today(drinks.map { $0.intake }, days: settings.days, at: time)
    }
}

// MARK: - What the person does

/// Why a page couldn't store a change of a drink, although the drink itself is valid.
package enum OutboxFault: String, Hashable, Sendable {
    /// The outbox has the maximum number of entries.
    case full
    /// There is no such drink, or it was deleted.
    case gone
}

extension CaffeineSession {
    /// Logs a drink; throws ``DrinkFault`` if it is invalid, and returns a fault if the outbox can't take it.
    package mutating func log(_ drink: LoggedDrink, now: Double) throws(DrinkFault) -> OutboxFault? {
        outbox.add(try drink.checked(now: now)) ? nil : .full
    }

    /// Edits a drink; throws ``DrinkFault`` if it is invalid, and returns a fault if the outbox can't take the change.
    package mutating func edit(_ drink: LoggedDrink, now: Double) throws(DrinkFault) -> OutboxFault? {
        let drink = try drink.checked(now: now)
        guard let seen = serverDrink(drink.id) ?? self.drink(drink.id) else { return .gone }
        return outbox.edit(drink, over: seen) ? nil : .full
    }

    /// Deletes a drink; returns a fault if the outbox can't take the deletion.
    package mutating func delete(_ id: String) -> OutboxFault? {
        // It may have been deleted already.
        guard let seen = serverDrink(id) ?? drink(id) else { return nil }
        return outbox.delete(seen) ? nil : .full
    }

    /// The drink as stored on the server; `nil` if the server isn't known to have it.
    private func serverDrink(_ id: String) -> LoggedDrink? {
        if let change = confirmed.last(where: { compareBytes($0.drink.id, id) == 0 }) {
            return change.isDeleted ? nil : change.drink
        }
        return known.first { compareBytes($0.id, id) == 0 }
    }
}

// MARK: - What the browser and the server report

extension CaffeineSession {
    /// Takes the drinks of a revision of the server's store, unless they are older than those that the page has.
    package mutating func receive(_ drinks: [LoggedDrink], revision: Int) {
        guard revision >= self.revision else { return }
        (known, self.revision) = (drinks, revision)
        confirmed.removeAll { $0.revision <= revision }
    }

    /// Restores the entries of the browser's storage, in their order.
    package mutating func restore(_ entries: [DrinkOutbox.Entry]) { outbox.restore(entries) }

    /// A version of an entry was written to the browser's storage, or couldn't be.
    package mutating func receiveStored(_ id: String, version: Int, isStored: Bool) {
        outbox.receiveStored(id, version: version, isStored: isStored)
    }

    /// The outcome of an attempt to send.
    package mutating func receive(
        _ outcome: DrinkOutbox.Outcome, of number: Int, using generator: inout some RandomNumberGenerator
    ) {
        outbox.receive(outcome, of: number, using: &generator)
    }

    /// The timer has ended.
    package mutating func timerEnded() { outbox.timerEnded() }

    /// Sends at once what waits for the timer.
    package mutating func retry() { outbox.retry() }

    /// Returns the effects that have arisen since the last call, which the page must carry out.
    package mutating func takeEffects() -> DrinkOutbox.Effects {
        let effects = outbox.takeEffects()
        confirmed += effects.confirmed.filter { $0.revision > revision }
        return effects
    }
}
