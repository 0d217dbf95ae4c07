public import Foundation
public import HealthSamples

/// A stored drink with its sync state.
public struct DrinkRecord: Hashable, Sendable {
    /// The drink; for a deleted one, only the identifier is meaningful.
    public var drink: Drink
    /// The version of the drink and its sample: 1 at first, and incremented by each change.
    public var version: Int
    /// The last version that the health store is known to have or to have deleted.
    ///
    /// It is 0 while a drink that is new, or that the health store has lost, must be sent. When such a drink is
    /// changed, this becomes the version before the change: that one may have been sent, and its answer lost.
    public var syncedVersion: Int
    /// Whether the drink was deleted.
    ///
    /// The record stays, so that later changes from the health store can be matched to it. The record of another
    /// program's drink stays until no more changes are waiting to be read, because one of them may replace the drink.
    public var isDeleted: Bool
    /// The other program's sample from which the drink was made; `nil` for Coffee Tracker's own.
    public var sample: KnownSample?

    /// Creates a record.
    public init(drink: Drink, version: Int, syncedVersion: Int, isDeleted: Bool = false, sample: KnownSample? = nil) {
        self.drink = drink
        self.version = version
        self.syncedVersion = syncedVersion
        self.isDeleted = isDeleted
        self.sample = sample
    }

    /// Whether the latest version must still be sent to the health store.
    public var isUnsynced: Bool { sample == nil && syncedVersion < version }

    /// The drink, unless it was deleted.
    public var live: Drink? { isDeleted ? nil : drink }
}

/// A change that the owner makes to a drink.
public struct DrinkChange: Hashable, Sendable {
    /// The state that the store must have before the change.
    public enum Expectation: Hashable, Sendable {
        /// No drink, or an equal one, so that a retry adds it only once.
        case new
        /// The drink in any state.
        case any
        /// Exactly this drink; `nil` for no drink.
        case exactly(Drink?)
    }

    /// The drink's identifier.
    public var id: Drink.ID
    /// The drink after the change; `nil` to delete it.
    public var drink: Drink?
    /// The state that the store must have before the change.
    public var expectation: Expectation

    /// Adds a drink.
    public static func add(_ drink: Drink) -> DrinkChange {
        DrinkChange(id: drink.id, drink: drink, expectation: .new)
    }

    /// Replaces or restores a drink.
    public static func put(_ drink: Drink, over expectation: Expectation = .any) -> DrinkChange {
        DrinkChange(id: drink.id, drink: drink, expectation: expectation)
    }

    /// Deletes a drink.
    public static func delete(_ id: Drink.ID, over expectation: Expectation = .any) -> DrinkChange {
        DrinkChange(id: id, drink: nil, expectation: expectation)
    }
}

extension DrinkRecord {
    /// The drink's sample that the health store is known to have; `nil` if there is none.
    ///
    /// The sample of the owner's own drink has the source `own`, that of Coffee Tracker.
    public func known(own: SampleSource) -> KnownSample? {
        if isDeleted { return nil }
        if let sample { return sample }
        guard syncedVersion > 0 else { return nil }
        return KnownSample(
            id: Drink.sampleID(of: drink.id, version: syncedVersion),
            sync: SyncIdentity(identifier: drink.id.uuidString, version: syncedVersion), source: own.identifier)
    }
}

// Each of these functions returns the new record, or `nil` if nothing changes. A local change that isn't synced yet is
// never lost: it gets a version greater than any that the health store is known to have.

extension DrinkRecord {
    /// Applies a local change; throws ``CoffeeError`` if the record belongs to another program or isn't as expected.
    static func changed(_ old: DrinkRecord?, by change: DrinkChange) throws(CoffeeError) -> DrinkRecord? {
        if let sample = old?.sample { throw .notOwn(source: old?.drink.source.name ?? sample.source) }
        switch (change.expectation, old?.live) {
        case (.new, let stored?):
            guard let drink = change.drink, stored.isEqualAfterRounding(to: drink) else { throw .changedElsewhere }
            return nil
        case (.exactly(let expected?), let stored?):
            if !stored.isEqualAfterRounding(to: expected) { throw .changedElsewhere }
        case (.exactly(nil), _?): throw .changedElsewhere
        case (.any, nil), (.exactly(_?), nil): throw .notFound
        // A retry: the drink was added, and has been deleted since.
        case (.new, nil) where old != nil: return nil
        case (.new, nil), (.exactly(nil), nil), (.any, _?): break
        }
        // Skip a change that is already in effect.
        if let drink = change.drink, old?.live?.isEqualAfterRounding(to: drink) == true { return nil }
        if change.drink == nil, old?.live == nil { return nil }
        guard var record = old else {
            return change.drink.map { DrinkRecord(drink: $0, version: 1, syncedVersion: 0) }
        }
        guard let next = Self.successor(of: record.version) else { throw .lastVersion }
        // A synced version of 0 would mark the drink as unchanged: an answer to the earlier version could delete it.
        if record.syncedVersion == 0 { record.syncedVersion = record.version }
        record.version = next
        record.isDeleted = change.drink == nil
        if let drink = change.drink { record.drink = drink } else { record.forget() }
        return record
    }

    /// Applies a version of Coffee Tracker's own drink that the health store has.
    ///
    /// Unless the whole health store was read, the version may be outdated.
    static func seen(_ old: DrinkRecord?, _ drink: Drink, version: Int, isFullResync: Bool) -> DrinkRecord? {
        guard var record = old else { return DrinkRecord(drink: drink, version: version, syncedVersion: version) }
        // Another program's drink has this identifier here.
        if record.sample != nil { return nil }
        if version < record.version {
            // The health store still has the drink: the deletion must be sent, even if it was sent before.
            if record.isDeleted {
                guard version < record.syncedVersion || record.syncedVersion == 0 else { return nil }
            } else {
                // Either this version was sent before a crash and the drink has changed since, or the health store is
                // an older copy.
                guard record.isUnsynced ? version > record.syncedVersion : isFullResync else { return nil }
            }
            record.syncedVersion = version
            return record
        }
        if version == record.version, record.live?.isEqualAfterRounding(to: drink) == true {
            guard record.syncedVersion < version else { return nil }
            record.syncedVersion = version
            return record
        }
        if record.isUnsynced { return record.exceeding(version) }
        return DrinkRecord(drink: drink, version: version, syncedVersion: version)
    }

    /// Applies the deletion, by another program, of a version of Coffee Tracker's own drink.
    static func deletedElsewhere(_ old: DrinkRecord?, version: Int) -> DrinkRecord? {
        // A deletion made here must still be sent, and an older version doesn't count: replaced versions are reported
        // as deleted too.
        guard let record = old, record.sample == nil, !record.isDeleted, version >= record.version else { return nil }
        return record.isUnsynced ? record.exceeding(version) : record.deleted(at: version)
    }

    /// Schedules a synced drink to be sent again, because a complete read of the health store didn't contain it.
    ///
    /// The health store may be new, or an older copy. If another program deleted the drink and the health store
    /// remembers that, its answer deletes the drink here. If it has forgotten the deletion, the drink reappears: the
    /// owner can delete it again, but couldn't recover a lost drink.
    func missed() -> DrinkRecord? {
        guard sample == nil, !isDeleted, !isUnsynced, syncedVersion > 0 else { return nil }
        var record = self
        record.syncedVersion = 0
        return record
    }

    /// Applies the health store's answer to a version that was sent.
    func answered(_ version: Int, _ answer: SentDrink.Answer) -> DrinkRecord? {
        guard sample == nil, version <= self.version else { return nil }
        var record = self
        switch answer {
        case .done: record.syncedVersion = max(syncedVersion, version)
        case .outdated(by: let greater): return surpassed(version, by: max(greater, version))
        case .deleted: return surpassed(version, by: version)
        }
        return record == self ? nil : record
    }

    /// Handles a refusal of the sent version: it can't replace `other`, which the health store has or has deleted.
    private func surpassed(_ version: Int, by other: Int) -> DrinkRecord? {
        guard version == self.version, isUnsynced else { return nil }
        // If the synced version is 0, the drink hasn't changed since it was added or lost. There is no local change
        // to lose, so it counts as deleted by another program. If the health store has the other version after all,
        // the next page of changes contains it.
        return syncedVersion == 0 ? deleted(at: other) : exceeding(other)
    }

    private func deleted(at version: Int) -> DrinkRecord {
        var record = self
        record.version = version
        record.syncedVersion = version
        record.isDeleted = true
        record.forget()
        return record
    }

    /// The record with the next version after one that the health store has or has deleted.
    ///
    /// It is `nil` if there is no next version. The health store's version counts as sent, so that deleting the drink
    /// later also deletes that version.
    private func exceeding(_ version: Int) -> DrinkRecord? {
        guard let next = Self.successor(of: version) else { return nil }
        var record = self
        record.version = next
        record.syncedVersion = version
        return record
    }

    /// The next version; `nil` after 2^53, the greatest that the health store accepts.
    private static func successor(of version: Int) -> Int? {
        version < 1 << 53 ? version + 1 : nil
    }

    /// Erases the values of a deleted drink.
    private mutating func forget() {
        drink = Drink(
            id: drink.id, name: "", emoji: "", milligrams: 0, start: drink.start, timeZone: drink.timeZone)
    }
}

extension CoffeeError {
    static let lastVersion = CoffeeError.storage(CoffeeWords.lastVersion)
}

extension DrinkSource {
    /// The program's display name.
    public var name: String {
        switch self {
        case .own: CoffeeWords.name
        case .other(let name, _): name
        }
    }
}
