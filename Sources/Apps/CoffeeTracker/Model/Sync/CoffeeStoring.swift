public import Foundation
public import HealthSamples
public import Persistence

/// Stores one owner's drinks, and how far the health store was read and told.
///
/// A change that has returned is durable. Several processes may use one store. What is changed, the place in the health store's
/// history and what that store is still to be told are one transaction.
public protocol CoffeeStoring: Sendable {
    /// Everything as it was at one moment, without drinks that begin before a date.
    func snapshot(since start: Date) async throws(CoffeeError) -> CoffeeSnapshot

    /// The drinks that begin from a date on and before another, the newest first.
    func drinks(from start: Date, to end: Date) async throws(CoffeeError) -> [Drink]

    /// The drinks whose numbers begin with a prefix in capitals, the newest first.
    func drinks(numbered prefix: String) async throws(CoffeeError) -> [Drink]

    /// Changes drinks, all or none, and returns what has changed; it does not write what is already so.
    func apply(_ changes: [DrinkChange]) async throws(CoffeeError) -> CoffeeCommit

    /// How far the health store was read and told.
    func progress() async throws(CoffeeError) -> HealthProgress

    /// The drinks that the health store is still to be told, as they are now, the oldest first.
    func outbox() async throws(CoffeeError) -> [DrinkRecord]

    /// Notes what the health store has answered, and returns what has changed.
    func note(_ answers: [ToldDrink]) async throws(CoffeeError) -> CoffeeCommit

    /// What the health store has as far as this store knows: other programs' samples, and drinks that it was told by `own`.
    func known(own: SampleSource) async throws(CoffeeError) -> [KnownSample]

    /// Takes over news together with their anchor.
    ///
    /// - Parameters:
    ///   - news: What the health store has answered.
    ///   - anchor: The anchor that it was asked with.
    ///   - own: Coffee Tracker's source in the health store.
    /// - Returns: What has changed; `nil`, and nothing has, if another reader has taken over later news.
    /// - Throws: ``CoffeeError``; nothing has changed then.
    func take(_ news: HealthNews, after anchor: Anchor?, own: SampleSource) async throws(CoffeeError) -> CoffeeCommit?

    /// Tells of every commit from now on, also of other processes.
    ///
    /// Commits that are not taken in time come together; the last one is never left out. It ends when the task is cancelled.
    func updates() -> Updates<Set<CoffeeCommit>>
}

/// What one transaction has changed.
public struct CoffeeCommit: Hashable, Sendable {
    /// More drinks than a listener is told of by name.
    public static let mostDrinks = 100

    /// The store's revision afterwards: greater by one for each transaction that changes something.
    public var revision: Int
    /// The drinks that have changed, `nil` for a deleted one; `nil` if they are too many, or another process's.
    public var drinks: [Drink.ID: Drink?]?
    /// How many drinks the health store is still to be told of.
    public var untold: Int

    /// Describes a transaction.
    public init(revision: Int, drinks: [Drink.ID: Drink?]?, untold: Int) {
        self.revision = revision
        self.drinks = drinks.flatMap { $0.count > Self.mostDrinks ? nil : $0 }
        self.untold = untold
    }
}

/// What a store has at one moment.
public struct CoffeeSnapshot: Hashable, Sendable {
    /// The store's revision.
    public var revision: Int
    /// The drinks, the newest first.
    public var drinks: [Drink]
    /// How many drinks the health store is still to be told of.
    public var untold: Int

    /// Describes what a store has.
    public init(revision: Int, drinks: [Drink], untold: Int) {
        self.revision = revision
        self.drinks = drinks
        self.untold = untold
    }

    /// Brings this up to date with a commit; false, and nothing is changed, if it lacks commits before it.
    mutating func apply(_ commit: CoffeeCommit, since start: Date) -> Bool {
        if commit.revision <= revision { return true }
        guard commit.revision == revision &+ 1, let changed = commit.drinks else { return false }
        replace(changed, since: start)
        revision = commit.revision
        untold = commit.untold
        return true
    }

    mutating func replace(_ changed: [Drink.ID: Drink?], since start: Date) {
        if changed.isEmpty { return }
        drinks.removeAll { changed.keys.contains($0.id) || $0.start < start }
        drinks += changed.values.compactMap { $0 }.filter { $0.start >= start }
        drinks.sort(by: Drink.isNewer)
    }
}

/// How far a store has read the health store, and told it.
public struct HealthProgress: Hashable, Sendable {
    /// The store's revision.
    public var revision: Int
    /// Where the health store was read to; `nil` if it never was.
    public var anchor: Anchor?
    /// How many drinks the health store is still to be told of.
    public var untold: Int

    /// Describes how far a store is.
    public init(revision: Int, anchor: Anchor?, untold: Int) {
        self.revision = revision
        self.anchor = anchor
        self.untold = untold
    }
}

/// What the health store has answered to a reader.
public enum HealthNews: Hashable, Sendable {
    /// What has changed.
    case page(SampleChanges)
    /// How what is known differs from what is there.
    case resync(SampleResync)

    /// Where to read on.
    public var anchor: Anchor {
        switch self {
        case .page(let page): page.anchor
        case .resync(let resync): resync.anchor
        }
    }
}

/// What the health store has answered to a drink that it was told of.
public struct ToldDrink: Hashable, Sendable {
    /// The answer.
    public enum Answer: Hashable, Sendable {
        /// It has the drink.
        case done
        /// It has, or had, a greater version.
        case outdated(by: Int)
        /// It had that version, which was deleted.
        case deleted
    }

    /// The drink.
    public var id: Drink.ID
    /// The version that it was told.
    public var version: Int
    /// What it has answered.
    public var answer: Answer

    /// Describes an answer.
    public init(id: Drink.ID, version: Int, answer: Answer) {
        self.id = id
        self.version = version
        self.answer = answer
    }
}
