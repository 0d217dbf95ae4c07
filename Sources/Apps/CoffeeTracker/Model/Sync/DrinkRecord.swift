public import Foundation
public import HealthSamples

/// A drink as it is kept, with what the health store knows of it.
public struct DrinkRecord: Hashable, Sendable {
    /// The drink; of one that is deleted only its number means anything.
    public var drink: Drink
    /// Its version, from 1 on: greater with each change, and the version of its sample.
    public var version: Int
    /// The last version that the health store is known to have, or to know as deleted; 0 for none.
    public var told: Int
    /// Whether it was deleted; it is remembered, so that what is heard of it later is understood: of another program's,
    /// as long as what replaces it may come.
    public var isDeleted: Bool
    /// The sample that it was made of, if it is another program's.
    public var sample: KnownSample?

    /// Describes what is kept of a drink.
    ///
    /// - Parameters:
    ///   - drink: The drink.
    ///   - version: Its version, from 1 on.
    ///   - told: The last version that the health store is known to have.
    ///   - isDeleted: Whether it was deleted.
    ///   - sample: The sample that it was made of, if it is another program's.
    public init(drink: Drink, version: Int, told: Int, isDeleted: Bool = false, sample: KnownSample? = nil) {
        self.drink = drink
        self.version = version
        self.told = told
        self.isDeleted = isDeleted
        self.sample = sample
    }

    /// Whether the health store is still to be told of it.
    public var isUntold: Bool { sample == nil && told < version }

    /// The drink, unless it was deleted.
    var live: Drink? { isDeleted ? nil : drink }
}

/// What somebody does to a drink.
public struct DrinkChange: Hashable, Sendable {
    /// What must be there before.
    public enum Expectation: Hashable, Sendable {
        /// No such drink, or this very one already: what is asked for twice is done once.
        case new
        /// The drink, whatever it says.
        case any
        /// The drink as it was seen; nothing, if it was not there.
        case exactly(Drink?)
    }

    /// The drink.
    public var id: Drink.ID
    /// What it is from then on; `nil` if it is deleted.
    public var drink: Drink?
    /// What must be there before.
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

// Each of these says what becomes of a record, and `nil` where nothing does. What somebody did here and the health store has
// not been told yet is never lost: it becomes a version that is greater than whatever was heard.

extension DrinkRecord {
    /// Somebody changes a drink here.
    ///
    /// - Throws: ``CoffeeError``: it is not there, is another's, or is not what it was expected to be.
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
        // Saves only what has changed.
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

    /// The health store has a version of a drink of ours: told by us, or by us before what was kept here was lost.
    ///
    /// - Parameters:
    ///   - old: What is known.
    ///   - drink: What it has.
    ///   - version: Of which version.
    ///   - isWhole: Whether it was read whole; if not, this may be old news.
    /// - Returns: What becomes of the record.
    static func seen(_ old: DrinkRecord?, _ drink: Drink, version: Int, isWhole: Bool) -> DrinkRecord? {
        guard var record = old else { return DrinkRecord(drink: drink, version: version, told: version) }
        // A number that is another program's drink here cannot be one of ours.
        if record.sample != nil { return nil }
        if version < record.version {
            // What was deleted here is still there, or is there again, perhaps at a version from before the one that
            // was told last: that one is to be deleted then, and not only those since.
            if record.isDeleted {
                guard version < record.told || record.told == 0 else { return nil }
            } else {
                // It was told before a crash, and changed since; or this is an older copy, which is told again.
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

    /// The health store has had a version of a drink of ours deleted.
    static func gone(_ old: DrinkRecord?, version: Int) -> DrinkRecord? {
        // Of a drink that was deleted here too, this says nothing: a version that was only replaced is gone as well.
        guard let record = old, record.sample == nil, !record.isDeleted, version >= record.version else { return nil }
        return record.isUntold ? record.exceeding(version) : record.deleted(at: version)
    }

    /// The health store has been read whole, and does not have a drink of ours that it had: it is told once more.
    ///
    /// It may be a new one, or an older copy of it. What was deleted elsewhere so long ago that nobody remembers comes back:
    /// that can be mended by a tap, and a drink that is gone cannot. What is still remembered as deleted is deleted, as
    /// the answer says. What was changed here is told anyway, and is meant to last whatever the answer is.
    func missed() -> DrinkRecord? {
        guard sample == nil, !isDeleted, !isUntold, told > 0 else { return nil }
        var record = self
        record.told = 0
        return record
    }

    /// The health store has answered to a version that it was told.
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

    /// The health store knows a version that a told one cannot take the place of, and of which nothing was heard here.
    private func surpassed(_ version: Int, by other: Int) -> DrinkRecord? {
        guard version == self.version, isUntold else { return nil }
        // What it did not have and was only told once more, nobody has changed here: others have deleted it, and it
        // does not come back for all. Should that version be there, it is heard next. What was changed here is to last.
        return told == 0 ? deleted(at: other) : exceeding(other)
    }

    /// What others have deleted.
    private func deleted(at version: Int) -> DrinkRecord {
        var record = self
        record.version = version
        record.told = version
        record.isDeleted = true
        record.forget()
        return record
    }

    /// What is meant to last, at a version greater than one that the health store has, or knows as deleted.
    ///
    /// That one is what it was told last: whoever deletes the drink then deletes that version of it. `nil`, and nothing
    /// is lost, if there is no greater one.
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

    /// Keeps nothing of what a deleted drink was.
    private mutating func forget() {
        drink = Drink(
            id: drink.id, name: "", emoji: "", milligrams: 0, start: drink.start, timeZone: drink.timeZone)
    }
}

extension CoffeeError {
    /// A drink cannot be changed once more.
    static let lastVersion = CoffeeError.storage(
        "There is a version of this drink with the greatest number that there can be: it can be changed no more. Log "
            + "another one in its place.")
}

extension DrinkSource {
    /// What people call who says so.
    public var name: String {
        switch self {
        case .own: "Coffee Tracker"
        case .other(let name, _): name
        }
    }
}
