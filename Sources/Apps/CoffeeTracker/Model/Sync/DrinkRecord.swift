public import Foundation
public import HealthSamples

/// A stored drink with its sync state.
public struct DrinkRecord: Hashable, Sendable {
    /// The drink; for a deleted one, only the identifier is meaningful.
    public var drink: Drink
    /// The version of the drink and its sample: 1 at first, and incremented by each change.
    public var version: Int
    /// The last version that the health store is known to have or to have deleted; 0 for none.
    public var told: Int
    /// Whether the drink was deleted.
    ///
    /// The record stays, so that later changes from the health store can be matched to it. The record of another program's drink
    /// stays until no more changes are waiting to be read, because one of them may replace the drink.
    public var isDeleted: Bool
    /// The other program's sample from which the drink was made; `nil` for Coffee Tracker's own.
    public var sample: KnownSample?

    /// Creates a record.
    public init(drink: Drink, version: Int, told: Int, isDeleted: Bool = false, sample: KnownSample? = nil) {
        self.drink = drink
        self.version = version
        self.told = told
        self.isDeleted = isDeleted
        self.sample = sample
    }

    /// Whether the latest version must still be sent to the health store.
    public var isUntold: Bool { sample == nil && told < version }

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
    /// The drink's sample that the health store is known to have, from the source of Coffee Tracker; `nil` if it isn't known to have one.
    public func known(own: SampleSource) -> KnownSample? {
        if isDeleted { return nil }
        if let sample { return sample }
        guard told > 0 else { return nil }
        return KnownSample(
            id: Drink.sampleID(of: drink.id, version: told),
            sync: SyncIdentity(identifier: drink.id.uuidString, version: told), source: own.identifier)
    }
}

// Each of these functions returns the new record, or `nil` if nothing changes. A local change that isn't synced yet is never
// lost: it gets a version greater than any that the health store is known to have.

extension DrinkRecord {
    /// Applies a local change; throws ``CoffeeError`` if the record belongs to another program or isn't as expected.
    static func changed(_ old: DrinkRecord?, by change: DrinkChange) throws(CoffeeError) -> DrinkRecord? {
        if let sample = old?.sample { throw .notOwn(source: old?.drink.source.name ?? sample.source) }
        switch (change.expectation, old?.live) {
        case (.new, let there?):
            guard let drink = change.drink, there.saysTheSame(as: drink) else { throw .changedElsewhere }
            return nil
        case (.exactly(let expected?), let there?):
            if !there.saysTheSame(as: expected) { throw .changedElsewhere }
        case (.exactly(nil), _?): throw .changedElsewhere
        case (.any, nil), (.exactly(_?), nil): throw .notFound
        // A retry: the drink was added, and has been deleted since.
        case (.new, nil) where old != nil: return nil
        case (.new, nil), (.exactly(nil), nil), (.any, _?): break
        }
        // Skip a change that is already in effect.
        if let drink = change.drink, old?.live?.saysTheSame(as: drink) == true { return nil }
        if change.drink == nil, old?.live == nil { return nil }
        guard var record = old else {
            return change.drink.map { DrinkRecord(drink: $0, version: 1, told: 0) }
        }
        guard let next = Self.successor(of: record.version) else { throw .lastVersion }
        record.version = next
        record.isDeleted = change.drink == nil
        if let drink = change.drink { record.drink = drink } else { record.forget() }
        return record
    }

    /// Applies a version of Coffee Tracker's own drink that the health store has.
    ///
    /// Unless the whole health store was read, the version may be outdated.
    static func seen(_ old: DrinkRecord?, _ drink: Drink, version: Int, isWhole: Bool) -> DrinkRecord? {
        guard var record = old else { return DrinkRecord(drink: drink, version: version, told: version) }
        // Another program's drink has this identifier here.
        if record.sample != nil { return nil }
        if version < record.version {
            // The health store still has the drink: the deletion must be sent, even if it was sent before.
            if record.isDeleted {
                guard version < record.told || record.told == 0 else { return nil }
            } else {
                // Either this version was sent before a crash and the drink has changed since, or the health store is an
                // older copy.
                guard record.isUntold ? version > record.told : isWhole else { return nil }
            }
            record.told = version
            return record
        }
        if version == record.version, record.live?.saysTheSame(as: drink) == true {
            guard record.told < version else { return nil }
            record.told = version
            return record
        }
        if record.isUntold { return record.exceeding(version) }
        return DrinkRecord(drink: drink, version: version, told: version)
    }

    /// Applies the deletion, by another program, of a version of Coffee Tracker's own drink.
    static func gone(_ old: DrinkRecord?, version: Int) -> DrinkRecord? {
        // A deletion made here must still be sent, and an older version doesn't count: replaced versions are reported as
        // deleted too.
        guard let record = old, record.sample == nil, !record.isDeleted, version >= record.version else { return nil }
        return record.isUntold ? record.exceeding(version) : record.deleted(at: version)
    }

    /// Schedules a synced drink to be sent again, because a complete read of the health store didn't contain it.
    ///
    /// The health store may be new, or an older copy. If another program deleted the drink and the health store remembers that,
    /// its answer deletes the drink here. If it has forgotten the deletion, the drink reappears: the owner can delete it again,
    /// but couldn't recover a lost drink.
    func missed() -> DrinkRecord? {
        guard sample == nil, !isDeleted, !isUntold, told > 0 else { return nil }
        var record = self
        record.told = 0
        return record
    }

    /// Applies the health store's answer to a version that was sent.
    func answered(_ version: Int, _ answer: ToldDrink.Answer) -> DrinkRecord? {
        guard sample == nil, version <= self.version else { return nil }
        var record = self
        switch answer {
        case .done: record.told = max(told, version)
        case .outdated(by: let greater): return surpassed(version, by: max(greater, version))
        case .deleted: return surpassed(version, by: version)
        }
        return record == self ? nil : record
    }

    /// Handles the answer that the health store has, or has deleted, a version that the sent one can't replace.
    private func surpassed(_ version: Int, by other: Int) -> DrinkRecord? {
        guard version == self.version, isUntold else { return nil }
        // A drink that was only sent again has no local change to lose: it counts as deleted by another program. If the health
        // store has the other version after all, the next page of changes contains it.
        return told == 0 ? deleted(at: other) : exceeding(other)
    }

    private func deleted(at version: Int) -> DrinkRecord {
        var record = self
        record.version = version
        record.told = version
        record.isDeleted = true
        record.forget()
        return record
    }

    /// The record at a version greater than one that the health store has or has deleted; `nil` if no version is greater.
    ///
    /// The other version counts as sent, so that deleting the drink also deletes it.
    private func exceeding(_ version: Int) -> DrinkRecord? {
        guard let next = Self.successor(of: version) else { return nil }
        var record = self
        record.version = next
        record.told = version
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
    static let lastVersion = CoffeeError.storage(
        "There is a version of this drink with the greatest number that there can be: it can be changed no more. Log "
            + "another one in its place.")
}

extension DrinkSource {
    /// The program's display name.
    public var name: String {
        switch self {
        case .own: "Coffee Tracker"
        case .other(let name, _): name
        }
    }
}
