public import Foundation
public import HealthSamples

/// The records of one owner within one transaction: what each store does itself.
public protocol DrinkRows {
    /// The record of a drink; also of a deleted one.
    func record(_ id: Drink.ID) throws -> DrinkRecord?
    /// The record that was made of another program's sample.
    func record(of key: SampleKey) throws -> DrinkRecord?
    /// Stores a record, in place of the one with that number.
    mutating func put(_ record: DrinkRecord) throws
    /// Forgets a record.
    mutating func remove(_ id: Drink.ID) throws
    /// Forgets the records of other programs' deleted drinks.
    mutating func removeOthersDeleted() throws
    /// A number that no drink has.
    func newID() -> Drink.ID
    /// How many records there are, deleted ones included.
    func recordCount() throws -> Int
    /// How many drinks begin within a time.
    func drinkCount(from start: Date, to end: Date) throws -> Int
}

/// Changes the records of one transaction, by the same rules in every store.
public struct DrinkEdit<Rows: DrinkRows> {
    /// The records.
    public private(set) var rows: Rows
    /// The drinks that have changed, `nil` for a deleted one.
    public private(set) var changed: [Drink.ID: Drink?] = [:]

    /// Begins with the records of a transaction, which must not be committed if a change throws.
    public init(_ rows: Rows) {
        self.rows = rows
    }

    private mutating func put(_ record: DrinkRecord?) throws {
        guard let record else { return }
        try rows.put(record)
        changed.updateValue(record.live, forKey: record.drink.id)
    }
}

// MARK: - Changes by a person, and answers to them

extension DrinkEdit {
    /// Changes drinks.
    public mutating func apply(_ changes: [DrinkChange]) throws {
        for change in changes { try put(DrinkRecord.changed(rows.record(change.id), by: change)) }
    }

    /// Notes what the health store has answered.
    public mutating func note(_ answers: [ToldDrink]) throws {
        for answer in answers { try put(rows.record(answer.id)?.answered(answer.version, answer.answer)) }
    }
}

// MARK: - News of the health store

extension DrinkEdit {
    /// Takes over news; taking them over twice changes nothing.
    public mutating func take(_ news: HealthNews, own: SampleSource) throws {
        switch news {
        case .page(let page): try take(page, own: own)
        case .resync(let resync): try take(resync, own: own)
        }
    }

    /// A sample that is replaced stays the same drink, also if its replacement comes with a later page: until the last page the
    /// record of another program's deleted drink is kept.
    private mutating func take(_ page: SampleChanges, own: SampleSource) throws {
        for gone in page.deleted {
            if let drink = gone.ownDrink(of: own) {
                try put(DrinkRecord.gone(rows.record(drink.id), version: drink.version))
            } else if var record = try rows.record(of: gone.key), !record.isDeleted,
                record.sample.map(gone.removes) == true
            {
                record.isDeleted = true
                try put(record)
            }
        }
        for sample in page.added { try see(sample, own: own, isWhole: false) }
        if !page.hasMore { try rows.removeOthersDeleted() }
    }

    private mutating func take(_ resync: SampleResync, own: SampleSource) throws {
        for known in resync.deleted {
            if let drink = known.ownDrink(of: own) {
                // It may have been told since the health store was asked.
                if let record = try rows.record(drink.id), record.told == drink.version { try put(record.missed()) }
            } else if let record = try rows.record(of: known.key), record.sample == known {
                try rows.remove(record.drink.id)
                changed.updateValue(nil, forKey: record.drink.id)
            }
        }
        for sample in resync.added + resync.changed { try see(sample, own: own, isWhole: true) }
        // Those of a page that had others after it.
        try rows.removeOthersDeleted()
    }

    /// The health store has a sample.
    private mutating func see(_ sample: Sample, own: SampleSource, isWhole: Bool) throws {
        if let mine = sample.known.ownDrink(of: own) {
            guard let drink = Drink(sample, id: mine.id, source: .own) else { return }
            return try put(DrinkRecord.seen(rows.record(mine.id), drink, version: mine.version, isWhole: isWhole))
        }
        let old = try rows.record(of: sample.key)
        let source = DrinkSource.other(name: sample.source.name, identifier: sample.source.identifier)
        var id = old?.drink.id ?? sample.id
        if old == nil, try rows.record(id) != nil { id = rows.newID() }
        guard let drink = Drink(sample, id: id, source: source) else { return }
        let version = sample.sync?.version ?? 1
        let new = DrinkRecord(drink: drink, version: version, told: version, sample: sample.known)
        guard new != old else { return }
        if !isWhole, let old, !old.isDeleted, old.version > version { return }
        try put(new)
    }
}

extension KnownSample {
    /// The drink of Coffee Tracker that this is a version of; `nil` for another source's sample, or one without a drink's number.
    func ownDrink(of source: SampleSource) -> (id: UUID, version: Int)? {
        guard self.source == source.identifier, let sync, let id = UUID(uuidString: sync.identifier) else { return nil }
        return (id, sync.version)
    }
}
