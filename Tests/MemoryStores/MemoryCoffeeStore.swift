public import CoffeeTrackerModel
public import Foundation
public import HealthSamples
public import Persistence

/// One owner's drinks in memory.
public actor MemoryCoffeeStore {
    private var rows = MemoryRows()
    private var revision = 0
    private var heard: Anchor?
    private nonisolated let listeners = ChangeListeners<CoffeeCommit>()
    private let budget: OwnerBudget

    /// Creates an empty store, in which its owner may store as much as a budget allows.
    public init(budget: OwnerBudget = OwnerBudget()) {
        self.budget = budget
    }
}

extension MemoryCoffeeStore: CoffeeStoring {
    /// Everything as it is, without drinks that begin before a date.
    public func snapshot(since start: Date) -> CoffeeSnapshot {
        CoffeeSnapshot(revision: revision, drinks: rows.drinks { $0.start >= start }, untold: rows.untold.count)
    }

    /// The drinks that begin from a date on and before another, the newest first.
    public func drinks(from start: Date, to end: Date) -> [Drink] {
        rows.drinks { $0.start >= start && $0.start < end }
    }

    /// The drinks whose numbers begin with a prefix, the newest first.
    public func drinks(numbered prefix: String) -> [Drink] {
        rows.drinks { $0.id.uuidString.hasPrefix(prefix) }
    }

    /// Changes drinks, all or none, and returns what has changed.
    public func apply(_ changes: [DrinkChange]) throws(CoffeeError) -> CoffeeCommit {
        try change { [budget] edit in try edit.apply(changes, within: budget) }
    }

    /// How far the health store was read and told.
    public func progress() -> HealthProgress {
        HealthProgress(revision: revision, anchor: heard, untold: rows.untold.count)
    }

    /// The drinks that the health store is still to be told, the oldest first.
    public func outbox() -> [DrinkRecord] { rows.untold }

    /// Notes what the health store has answered, and returns what has changed.
    public func note(_ answers: [ToldDrink]) throws(CoffeeError) -> CoffeeCommit {
        try change { edit in try edit.note(answers) }
    }

    /// What the health store has as far as this store knows.
    public func known(own: SampleSource) -> [KnownSample] {
        rows.records.values.compactMap { $0.known(own: own) }
    }

    /// Takes over news together with their anchor; returns `nil` if another reader has taken over later ones.
    public func take(
        _ news: HealthNews, after anchor: Anchor?, own: SampleSource
    ) throws(CoffeeError) -> CoffeeCommit? {
        guard heard == anchor else { return nil }
        let commit = try change { edit in try edit.take(news, own: own) }
        heard = news.anchor
        return commit
    }

    /// Tells of every commit from now on.
    public nonisolated func updates() -> Updates<Set<CoffeeCommit>> { listeners.updates() }

    /// Changes the rows, all or none.
    private func change(
        _ body: (inout DrinkEdit<MemoryRows>) throws -> Void
    ) throws(CoffeeError) -> CoffeeCommit {
        var edit = DrinkEdit(rows)
        do {
            try body(&edit)
        } catch let error as CoffeeError {
            throw error
        } catch {
            // Rows in memory throw nothing else.
            throw .storage("\(error)")
        }
        rows = edit.rows
        if !edit.changed.isEmpty { revision += 1 }
        let commit = CoffeeCommit(revision: revision, drinks: edit.changed, untold: rows.untold.count)
        if !edit.changed.isEmpty { listeners.report([commit]) }
        return commit
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
        if let sample = records.removeValue(forKey: id)?.sample { keys[sample.key] = nil }
    }

    mutating func removeOthersDeleted() {
        for (id, record) in records where record.isDeleted && record.sample != nil { remove(id) }
    }

    func newID() -> Drink.ID { UUID() }

    func recordCount() -> Int { records.count }

    func drinkCount(from start: Date, to end: Date) -> Int { drinks { $0.start >= start && $0.start < end }.count }

    var untold: [DrinkRecord] {
        records.values.filter(\.isUntold).sorted { Drink.isNewer($1.drink, $0.drink) }
    }

    func drinks(_ isWanted: (Drink) -> Bool) -> [Drink] {
        records.values.compactMap(\.live).filter(isWanted).sorted(by: Drink.isNewer)
    }
}
