public import CoffeeTrackerModel
public import Foundation
public import HealthSamples
public import Persistence

/// One owner's drinks in memory: for tests, previews, and trying things out.
public actor MemoryCoffeeStore {
    private var rows = MemoryRows()
    private var revision = 0
    private var heard: Anchor?
    private nonisolated let listeners = ChangeListeners<UnspecifiedChange>()

    private nonisolated let budget: OwnerBudget

    /// Creates an empty store.
    ///
    /// - Parameter budget: What its owner may store in it.
    public init(budget: OwnerBudget = OwnerBudget()) {
        self.budget = budget
    }
}

extension MemoryCoffeeStore: CoffeeStoring {
    /// What is kept.
    public func snapshot(since start: Date) -> CoffeeSnapshot {
        CoffeeSnapshot(revision: revision, drinks: rows.drinks { $0.start >= start }, untold: rows.untold.count)
    }

    /// The drinks that begin within a time, the newest first.
    public func drinks(from start: Date, to end: Date) -> [Drink] {
        rows.drinks { $0.start >= start && $0.start < end }
    }

    /// The drinks whose numbers begin so, the newest first.
    public func drinks(numbered prefix: String) -> [Drink] {
        rows.drinks { $0.id.uuidString.hasPrefix(prefix) }
    }

    /// Changes drinks, all or none.
    public func apply(_ changes: [DrinkChange], since start: Date) throws(CoffeeError) -> CoffeeSnapshot {
        try change { [budget] rows in try rows.apply(changes, within: budget) }
        return snapshot(since: start)
    }

    /// What the health store is still to be told, the oldest first.
    public func outbox() -> [DrinkRecord] { rows.untold }

    /// Notes what the health store has answered.
    public func note(_ answers: [ToldDrink]) throws(CoffeeError) {
        try change { rows in try rows.note(answers) }
    }

    /// Up to where the health store has been heard.
    public func anchor() -> Anchor? { heard }

    /// All that is known of what the health store has.
    public func known(own: SampleSource) -> [KnownSample] {
        rows.records.values.compactMap { $0.known(own: own) }
    }

    /// Takes over what was heard, together with the anchor.
    public func take(_ news: HealthNews, after anchor: Anchor?, own: SampleSource) throws(CoffeeError) -> Bool {
        guard heard == anchor else { return false }
        try change { rows in try rows.take(news, own: own) }
        heard = news.anchor
        return true
    }

    /// Tells that something may have changed.
    public nonisolated func updates() -> Updates<Void> {
        listeners.unspecifiedUpdates()
    }

    /// Changes the rows, all or none.
    private func change(_ body: (inout MemoryRows) throws -> Bool) throws(CoffeeError) {
        var changed = rows
        do {
            guard try body(&changed) else { return }
        } catch let error as CoffeeError {
            throw error
        } catch {
            // Nothing else is thrown where nothing is read.
            throw .storage("\(error)")
        }
        rows = changed
        revision += 1
        listeners.report()
    }
}

/// Records by their numbers.
private struct MemoryRows: DrinkRows {
    var records: [Drink.ID: DrinkRecord] = [:]
    private var keys: [SampleKey: Drink.ID] = [:]

    func record(_ id: Drink.ID) -> DrinkRecord? { records[id] }

    func record(of key: SampleKey) -> DrinkRecord? { keys[key].flatMap { records[$0] } }

    mutating func put(_ record: DrinkRecord) {
        remove(record.drink.id)
        records[record.drink.id] = record
        if let sample = record.sample { keys[sample.key] = record.drink.id }
    }

    mutating func remove(_ id: Drink.ID) {
        guard let old = records.removeValue(forKey: id) else { return }
        if let sample = old.sample { keys[sample.key] = nil }
    }

    mutating func removeOthersDeleted() -> Bool {
        let deleted = records.filter { $0.value.isDeleted && $0.value.sample != nil }
        for id in deleted.keys { remove(id) }
        return !deleted.isEmpty
    }

    mutating func newID() -> Drink.ID { UUID() }

    func recordCount() -> Int { records.count }

    func drinkCount(from start: Date, to end: Date) -> Int { drinks { $0.start >= start && $0.start < end }.count }
}

extension MemoryRows {
    var untold: [DrinkRecord] {
        records.values.filter(\.isUntold).sorted { Drink.isNewer($1.drink, $0.drink) }
    }

    func drinks(_ isWanted: (Drink) -> Bool) -> [Drink] {
        records.values.compactMap { $0.isDeleted || !isWanted($0.drink) ? nil : $0.drink }.sorted(by: Drink.isNewer)
    }
}
