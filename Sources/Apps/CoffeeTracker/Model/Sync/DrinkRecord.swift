public import Foundation
public import HealthSamples

/// A drink as it is stored, with what the health store knows of it.
public struct DrinkRecord: Hashable, Sendable {
    /// The drink; of a deleted one only the number has a meaning.
    public var drink: Drink
    /// The drink's and its sample's version, from 1 on: greater after each change.
    public var version: Int
    /// The last version that the health store is known to have, or to know as deleted; 0 for none.
    public var told: Int
    /// Whether it was deleted; the record stays so that later news of it are understood, of another program's drink until its
    /// replacement can no longer come.
    public var isDeleted: Bool
    /// The sample of another program that it was made of.
    public var sample: KnownSample?

    /// Describes a record.
    public init(drink: Drink, version: Int, told: Int, isDeleted: Bool = false, sample: KnownSample? = nil) {
        self.drink = drink
        self.version = version
        self.told = told
        self.isDeleted = isDeleted
        self.sample = sample
    }

    /// Whether the health store is still to be told of the drink.
    public var isUntold: Bool { sample == nil && told < version }

    /// The drink, unless it was deleted.
    public var live: Drink? { isDeleted ? nil : drink }
}

/// A change that a person makes to a drink.
public struct DrinkChange: Hashable, Sendable {
    /// What the store must have before.
    public enum Expectation: Hashable, Sendable {
        /// No such drink, or already this one: asking twice adds it once.
        case new
        /// The drink in any form.
        case any
        /// The drink as it was seen; `nil` for no drink.
        case exactly(Drink?)
    }

    /// The drink's number.
    public var id: Drink.ID
    /// The drink afterwards; `nil` to delete it.
    public var drink: Drink?
    /// What the store must have before.
    public var expectation: Expectation

    /// Adds a drink.
    public static func add(_ drink: Drink) -> DrinkChange {
        DrinkChange(id: drink.id, drink: drink, expectation: .new)
    }

    /// Changes a drink, or brings it back.
    public static func put(_ drink: Drink, over expectation: Expectation = .any) -> DrinkChange {
        DrinkChange(id: drink.id, drink: drink, expectation: expectation)
    }

    /// Deletes a drink.
    public static func delete(_ id: Drink.ID, over expectation: Expectation = .any) -> DrinkChange {
        DrinkChange(id: id, drink: nil, expectation: expectation)
    }
}

extension DrinkRecord {
    /// What the health store has of the drink, as far as this store knows; `nil` if it can't have it.
    public func known(own: SampleSource) -> KnownSample? {
        if isDeleted { return nil }
        if let sample { return sample }
        guard told > 0 else { return nil }
        return KnownSample(
            id: Drink.sampleID(of: drink.id, version: told),
            sync: SyncIdentity(identifier: drink.id.uuidString, version: told), source: own.identifier)
    }
}

// Each of these returns the new record, or `nil` where nothing changes. A change made here that the health store has not been
// told yet is never lost: it gets a version greater than any that the health store is known to have.

extension DrinkRecord {
    /// A person changes a drink here; throws ``CoffeeError`` if the record is another program's, or not as expected.
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
        // It was added, and deleted since.
        case (.new, nil) where old != nil: return nil
        case (.new, nil), (.exactly(nil), nil), (.any, _?): break
        }
        // Only what has changed is written.
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

    /// The health store has a version of Coffee Tracker's own drink; unless it was read as a whole, this may be old news.
    static func seen(_ old: DrinkRecord?, _ drink: Drink, version: Int, isWhole: Bool) -> DrinkRecord? {
        guard var record = old else { return DrinkRecord(drink: drink, version: version, told: version) }
        // Another program's drink has this number here.
        if record.sample != nil { return nil }
        if version < record.version {
            // The deletion must still be told, also of a version before the one that was told last.
            if record.isDeleted {
                guard version < record.told || record.told == 0 else { return nil }
            } else {
                // It was told before a crash and has changed since; or an older copy of the health store is told again.
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

    /// Another program has deleted a version of Coffee Tracker's own drink.
    static func gone(_ old: DrinkRecord?, version: Int) -> DrinkRecord? {
        // For a drink that was deleted here too this says nothing: replaced versions are reported as deleted as well.
        guard let record = old, record.sample == nil, !record.isDeleted, version >= record.version else { return nil }
        return record.isUntold ? record.exceeding(version) : record.deleted(at: version)
    }

    /// The health store was read as a whole and lacks a drink that it had, so it is told once more.
    ///
    /// It may be new, or an older copy. A drink that was deleted elsewhere so long ago that the deletion is forgotten comes back: a
    /// tap mends that, and nothing mends a lost drink. If the deletion is remembered, the answer says so, and deletes the drink.
    func missed() -> DrinkRecord? {
        guard sample == nil, !isDeleted, !isUntold, told > 0 else { return nil }
        var record = self
        record.told = 0
        return record
    }

    /// The health store has answered to a version that it was told of.
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

    /// The health store knows a version that the told one cannot replace, and that was not read here yet.
    private func surpassed(_ version: Int, by other: Int) -> DrinkRecord? {
        guard version == self.version, isUntold else { return nil }
        // A drink that was only told once more has not changed here: another program has deleted it, and it stays deleted. If
        // the health store has that version after all, the next page tells. A change made here must last.
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

    /// The record at a version greater than one that the health store has, or knows as deleted; `nil` if there is none.
    ///
    /// The other version counts as told, so that deleting the drink deletes it.
    ///
    /// - Returns: The record.
    private func exceeding(_ version: Int) -> DrinkRecord? {
        guard let next = Self.successor(of: version) else { return nil }
        var record = self
        record.version = next
        record.told = version
        return record
    }

    /// The version after another; `nil` after the last that the health store takes, 2^53.
    private static func successor(of version: Int) -> Int? {
        version < 1 << 53 ? version + 1 : nil
    }

    /// Erases what a deleted drink was.
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
    /// The program's name for people.
    public var name: String {
        switch self {
        case .own: "Coffee Tracker"
        case .other(let name, _): name
        }
    }
}
