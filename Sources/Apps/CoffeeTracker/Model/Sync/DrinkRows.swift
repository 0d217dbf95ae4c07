public import Foundation
public import HealthSamples

/// The records of one owner, within one transaction.
///
/// What a store must do itself. What is done with them is the same in each: see its extensions.
public protocol DrinkRows {
    /// The record of a drink; also of one that was deleted.
    func record(_ id: Drink.ID) throws -> DrinkRecord?
    /// The record that was made of another program's sample.
    func record(of key: SampleKey) throws -> DrinkRecord?
    /// Keeps a record, in place of the one of that number.
    mutating func put(_ record: DrinkRecord) throws
    /// Forgets a record.
    mutating func remove(_ id: Drink.ID) throws
    /// Forgets the records of other programs' drinks that are deleted, and says whether there were any.
    mutating func removeOthersDeleted() throws -> Bool
    /// A number that no drink has.
    mutating func newID() -> Drink.ID
    /// How many records there are, of deleted drinks too.
    func recordCount() throws -> Int
    /// How many drinks begin within a time.
    func drinkCount(from start: Date, to end: Date) throws -> Int
}

// MARK: - What somebody does

extension DrinkRows {
    /// Changes drinks.
    ///
    /// - Parameter changes: What somebody does.
    /// - Returns: Whether anything is different.
    /// - Throws: ``CoffeeError``, and the transaction must not be committed; or an error of the store's.
    public mutating func apply(_ changes: [DrinkChange]) throws -> Bool {
        var isChanged = false
        for change in changes {
            guard let record = try DrinkRecord.changed(record(change.id), by: change) else { continue }
            try put(record)
            isChanged = true
        }
        return isChanged
    }

    /// Notes what the health store has answered.
    ///
    /// - Parameter answers: The answers.
    /// - Returns: Whether anything is different.
    /// - Throws: An error of the store's.
    public mutating func note(_ answers: [ToldDrink]) throws -> Bool {
        var isChanged = false
        for answer in answers {
            guard let record = try record(answer.id)?.answered(answer.version, answer.answer) else { continue }
            try put(record)
            isChanged = true
        }
        return isChanged
    }
}

// MARK: - What the health store tells

extension DrinkRows {
    /// Takes over a page of changes: the deleted first, then the added; once more changes nothing.
    ///
    /// A sample that is replaced is the same drink, also if what replaces it comes only with a later page: until the
    /// last page the record of another program's drink that is gone is kept, as deleted.
    ///
    /// - Parameters:
    ///   - page: What has changed.
    ///   - own: What Coffee Tracker itself is called there.
    /// - Returns: Whether anything is different.
    /// - Throws: An error of the store's.
    public mutating func take(_ page: SampleChanges, own: SampleSource) throws -> Bool {
        var isChanged = false
        for gone in page.deleted {
            if let drink = gone.ownDrink(of: own) {
                guard let record = try DrinkRecord.gone(record(drink.id), version: drink.version) else { continue }
                try put(record)
                isChanged = true
            } else if var record = try record(of: gone.key), !record.isDeleted,
                record.sample.map(gone.removes) == true
            {
                record.isDeleted = true
                try put(record)
                isChanged = true
            }
        }
        for sample in page.added where try see(sample, own: own, isWhole: false) { isChanged = true }
        if !page.hasMore, try removeOthersDeleted() { isChanged = true }
        return isChanged
    }

    /// Takes over how what is known differs from what is there.
    ///
    /// - Parameters:
    ///   - resync: The difference.
    ///   - own: What Coffee Tracker itself is called there.
    /// - Returns: Whether anything is different.
    /// - Throws: An error of the store's.
    public mutating func take(_ resync: SampleResync, own: SampleSource) throws -> Bool {
        var isChanged = false
        for known in resync.deleted {
            if known.source == own.identifier, let sync = known.sync, let id = UUID(uuidString: sync.identifier) {
                // It may have been told since it was asked what is known.
                guard let record = try record(id), record.told == sync.version, let missed = record.missed() else {
                    continue
                }
                try put(missed)
            } else {
                guard let record = try record(of: known.key), record.sample == known else { continue }
                try remove(record.drink.id)
            }
            isChanged = true
        }
        for sample in resync.added + resync.changed where try see(sample, own: own, isWhole: true) { isChanged = true }
        // Of a page that had others after it.
        if try removeOthersDeleted() { isChanged = true }
        return isChanged
    }

    /// The health store has a sample.
    private mutating func see(_ sample: Sample, own: SampleSource, isWhole: Bool) throws -> Bool {
        if let mine = sample.known.ownDrink(of: own) {
            guard let drink = Drink(sample, id: mine.id, source: .own),
                let record = try DrinkRecord.seen(record(mine.id), drink, version: mine.version, isWhole: isWhole)
            else { return false }
            try put(record)
            return true
        }
        let old = try record(of: sample.key)
        let source = DrinkSource.other(name: sample.source.name, identifier: sample.source.identifier)
        var id = old?.drink.id ?? sample.id
        if old == nil, try record(id) != nil { id = newID() }
        guard let drink = Drink(sample, id: id, source: source) else { return false }
        let version = sample.sync?.version ?? 1
        let new = DrinkRecord(drink: drink, version: version, told: version, sample: sample.known)
        guard new != old else { return false }
        if !isWhole, let old, !old.isDeleted, old.version > version { return false }
        try put(new)
        return true
    }
}
