public import CoffeeTrackerModel
public import Foundation
public import HealthSamples
public import Persistence

/// One owner's drinks in memory, for tests.
public actor MemoryCoffeeStore {
    private var rows = MemoryRows()
    private var revision = 0
    private var lastAnchor: Anchor?
    private nonisolated let listeners = ChangeListeners<CoffeeCommit>()
    private let budget: OwnerBudget

    /// Creates an empty store with the limits of a budget.
    public init(budget: OwnerBudget = OwnerBudget()) {
        self.budget = budget
    }
}

extension MemoryCoffeeStore: CoffeeStoring {
    /// Returns the current state, without drinks that begin before a date.
    public func snapshot(since start: Date) -> CoffeeSnapshot {
        CoffeeSnapshot(
            revision: revision, drinks: rows.drinks { $0.start >= start }, unsyncedCount: rows.unsynced.count)
    }

    /// Returns the drinks that begin in a date range, without its end, newest first.
    public func drinks(from start: Date, to end: Date) -> [Drink] {
        rows.drinks { $0.start >= start && $0.start < end }
    }

    /// Returns the drinks whose identifiers begin with a prefix, newest first.
    public func drinks(withIDPrefix prefix: String) -> [Drink] {
        rows.drinks { $0.id.uuidString.hasPrefix(prefix) }
    }

    /// Applies all changes or none, and returns what has changed.
    public func apply(_ changes: [DrinkChange]) throws(CoffeeError) -> CoffeeCommit {
        try change { [budget] edit in try edit.apply(changes, within: budget) }
    }

    /// Returns the progress of the synchronization with the health store.
    public func progress() -> HealthProgress {
        HealthProgress(revision: revision, anchor: lastAnchor, unsyncedCount: rows.unsynced.count)
    }

    /// Returns the drinks to be written to the health store, oldest first.
    public func outbox() -> [DrinkRecord] { rows.unsynced }

    /// Records the health store's answers, and returns what has changed.
    public func recordAnswers(_ answers: [SentDrink]) throws(CoffeeError) -> CoffeeCommit {
        try change { edit in try edit.recordAnswers(answers) }
    }

    /// Returns the samples that the health store has, as far as this store knows.
    public func known(own: SampleSource) -> [KnownSample] {
        rows.records.values.compactMap { $0.known(own: own) }
    }

    /// Applies changes and stores their anchor; returns `nil` if another reader has already applied later ones.
    public func apply(
        _ changes: HealthChanges, after anchor: Anchor?, own: SampleSource
    ) throws(CoffeeError) -> CoffeeCommit? {
        guard lastAnchor == anchor else { return nil }
        let commit = try change { edit in try edit.apply(changes, own: own) }
        lastAnchor = changes.anchor
        return commit
    }

    /// Reports each commit from now on.
    public nonisolated func updates() -> Updates<Set<CoffeeCommit>> { listeners.updates() }

    /// Applies changes to all rows or none.
    private func change(
        _ body: (inout DrinkEdit<MemoryRows>) throws -> Void
    ) throws(CoffeeError) -> CoffeeCommit {
        var edit = DrinkEdit(rows)
        do {
            try body(&edit)
        } catch let error as CoffeeError {
            throw error
        } catch {
            // In-memory rows throw no other errors.
            throw .storage("\(error)")
        }
        rows = edit.rows
        if !edit.changed.isEmpty { revision += 1 }
        let commit = CoffeeCommit(revision: revision, drinks: edit.changed, unsyncedCount: rows.unsynced.count)
        if !edit.changed.isEmpty { listeners.report([commit]) }
        return commit
    }
}

/// Drink records by identifier.
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
        if let sample = records.removeValue(forKey: id)?.sample { keys[sample.key] = nil }
    }

    mutating func removeDeletedForeignDrinks() {
        for (id, record) in records where record.isDeleted && record.sample != nil { remove(id) }
    }

    func newID() -> Drink.ID { UUID() }

    func recordCount() -> Int { records.count }

    func drinkCount(from start: Date, to end: Date) -> Int { drinks { $0.start >= start && $0.start < end }.count }

    var unsynced: [DrinkRecord] {
        records.values.filter(\.isUnsynced).sorted { Drink.isNewer($1.drink, $0.drink) }
    }

    func drinks(_ isWanted: (Drink) -> Bool) -> [Drink] {
        records.values.compactMap(\.live).filter(isWanted).sorted(by: Drink.isNewer)
    }
}
