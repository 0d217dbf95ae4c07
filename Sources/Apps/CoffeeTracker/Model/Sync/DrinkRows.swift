public import Foundation
public import HealthSamples

/// The records of one owner within one transaction, as each store implements them.
public protocol DrinkRows {
    /// The record of a drink, which may be deleted.
    func record(_ id: Drink.ID) throws -> DrinkRecord?
    /// The record made from another program's sample.
    func record(of key: SampleKey) throws -> DrinkRecord?
    /// Stores a record, replacing one with the same identifier.
    mutating func put(_ record: DrinkRecord) throws
    /// Removes a record.
    mutating func remove(_ id: Drink.ID) throws
    /// Removes the records of other programs' deleted drinks.
    mutating func removeDeletedForeignDrinks() throws
    /// An identifier that no drink has.
    func newID() -> Drink.ID
    /// The number of records, including deleted ones.
    func recordCount() throws -> Int
    /// The number of drinks that start at or after one date and before another.
    func drinkCount(from start: Date, to end: Date) throws -> Int
}

/// Changes the records within one transaction, by rules that every store shares.
public struct DrinkEdit<Rows: DrinkRows> {
    /// The records.
    public private(set) var rows: Rows
    /// The changed drinks, `nil` for a deleted one.
    public private(set) var changed: [Drink.ID: Drink?] = [:]

    /// Creates an edit of a transaction's records; the transaction must not be committed if a change throws.
    public init(_ rows: Rows) {
        self.rows = rows
    }

    private mutating func put(_ record: DrinkRecord?) throws {
        guard let record else { return }
        try rows.put(record)
        changed.updateValue(record.live, forKey: record.drink.id)
    }
}

// MARK: - The owner's changes, and the health store's answers

extension DrinkEdit {
    /// Applies the owner's changes.
    public mutating func apply(_ changes: [DrinkChange]) throws {
        for change in changes { try put(DrinkRecord.changed(rows.record(change.id), by: change)) }
    }

    /// Records the health store's answers.
    public mutating func recordAnswers(_ answers: [SentDrink]) throws {
        for answer in answers { try put(rows.record(answer.id)?.answered(answer.version, answer.answer)) }
    }
}

// MARK: - Changes from the health store

extension DrinkEdit {
    /// Applies changes from the health store, idempotently.
    public mutating func apply(_ changes: HealthChanges, own: SampleSource) throws {
        switch changes {
        case .page(let page): try apply(page, own: own)
        case .resync(let resync): try apply(resync, own: own)
        }
    }

    /// Applies a page of changes.
    ///
    /// A replaced sample stays the same drink even if its replacement arrives with a later page, so the records of other
    /// programs' deleted drinks stay until the last page.
    private mutating func apply(_ page: SampleChanges, own: SampleSource) throws {
        for deletion in page.deleted {
            if let drink = deletion.ownDrink(of: own) {
                try put(DrinkRecord.deletedElsewhere(rows.record(drink.id), version: drink.version))
            } else if var record = try rows.record(of: deletion.key), !record.isDeleted,
                record.sample.map(deletion.removes) == true
            {
                record.isDeleted = true
                try put(record)
            }
        }
        for sample in page.added { try apply(sample, own: own, isFullResync: false) }
        if !page.hasMore { try rows.removeDeletedForeignDrinks() }
    }

    private mutating func apply(_ resync: SampleResync, own: SampleSource) throws {
        for known in resync.deleted {
            if let drink = known.ownDrink(of: own) {
                // It may have been sent since the health store was read.
                if let record = try rows.record(drink.id), record.syncedVersion == drink.version {
                    try put(record.missed())
                }
            } else if let record = try rows.record(of: known.key), record.sample == known {
                try rows.remove(record.drink.id)
                changed.updateValue(nil, forKey: record.drink.id)
            }
        }
        for sample in resync.added + resync.changed { try apply(sample, own: own, isFullResync: true) }
        // Remove the deleted records that earlier pages of changes have left.
        try rows.removeDeletedForeignDrinks()
    }

    /// Applies a sample that the health store has.
    private mutating func apply(_ sample: Sample, own: SampleSource, isFullResync: Bool) throws {
        if let ownDrink = sample.known.ownDrink(of: own) {
            guard let drink = Drink(sample, id: ownDrink.id, source: .own) else { return }
            let old = try rows.record(ownDrink.id)
            return try put(DrinkRecord.seen(old, drink, version: ownDrink.version, isFullResync: isFullResync))
        }
        let old = try rows.record(of: sample.key)
        let source = DrinkSource.other(name: sample.source.name, identifier: sample.source.identifier)
        var id = old?.drink.id ?? sample.id
        if old == nil, try rows.record(id) != nil { id = rows.newID() }
        guard let drink = Drink(sample, id: id, source: source) else { return }
        let version = sample.sync?.version ?? 1
        let new = DrinkRecord(drink: drink, version: version, syncedVersion: version, sample: sample.known)
        guard new != old else { return }
        if !isFullResync, let old, !old.isDeleted, old.version > version { return }
        try put(new)
    }
}

extension KnownSample {
    /// The source's own drink and version that this sample represents; `nil` for another source's sample, or if its
    /// sync identifier isn't a UUID.
    func ownDrink(of source: SampleSource) -> (id: UUID, version: Int)? {
        guard self.source == source.identifier, let sync, let id = UUID(uuidString: sync.identifier) else { return nil }
        return (id, sync.version)
    }
}
