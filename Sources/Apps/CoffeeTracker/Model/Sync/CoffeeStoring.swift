public import Foundation
public import HealthSamples
public import Persistence

/// Stores one owner's drinks, and the progress of syncing with the health store.
///
/// A change is durable once the call returns. Several processes may use one store. A transaction covers a change, the anchor in
/// the health store's history, and the changes not yet sent to that store.
public protocol CoffeeStoring: Sendable {
    /// A consistent snapshot, without drinks that start before a date.
    func snapshot(since start: Date) async throws(CoffeeError) -> CoffeeSnapshot

    /// The drinks that start at or after one date and before another, the newest first.
    func drinks(from start: Date, to end: Date) async throws(CoffeeError) -> [Drink]

    /// The drinks whose identifiers begin with an uppercase prefix, the newest first.
    func drinks(withIDPrefix prefix: String) async throws(CoffeeError) -> [Drink]

    /// Applies all changes or none, skipping those already in effect, and returns what has changed.
    func apply(_ changes: [DrinkChange]) async throws(CoffeeError) -> CoffeeCommit

    /// The progress of syncing with the health store.
    func progress() async throws(CoffeeError) -> HealthProgress

    /// The drinks to send to the health store, in their current state, the oldest first.
    func outbox() async throws(CoffeeError) -> [DrinkRecord]

    /// Records the health store's answers, and returns what has changed.
    func recordAnswers(_ answers: [SentDrink]) async throws(CoffeeError) -> CoffeeCommit

    /// The expected contents of the health store: other programs' samples, and the drinks sent to it by `own`.
    func known(own: SampleSource) async throws(CoffeeError) -> [KnownSample]

    /// Applies changes from the health store together with their anchor.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - anchor: The anchor from which they were read.
    ///   - own: Coffee Tracker's source in the health store.
    /// - Returns: What has changed; `nil`, with nothing changed, if another reader has applied later changes.
    /// - Throws: ``CoffeeError``; nothing has changed then.
    func apply(
        _ changes: HealthChanges, after anchor: Anchor?, own: SampleSource
    ) async throws(CoffeeError) -> CoffeeCommit?

    /// Reports every commit from now on, including those of other processes.
    ///
    /// A slow consumer receives several commits coalesced into one element, and never misses the last one. The sequence ends when
    /// the task is cancelled.
    func updates() -> Updates<Set<CoffeeCommit>>
}

/// The changes of one transaction.
public struct CoffeeCommit: Hashable, Sendable {
    /// The maximum number of drinks that a commit lists individually.
    public static let maximumDrinks = 100

    /// The store's revision after the transaction, incremented by each transaction that changes something.
    public var revision: Int
    /// The changed drinks, `nil` for a deleted one; `nil` if there are too many, or another process changed them.
    public var drinks: [Drink.ID: Drink?]?
    /// The number of drinks not yet synced to the health store.
    public var unsyncedCount: Int

    /// Creates a commit.
    public init(revision: Int, drinks: [Drink.ID: Drink?]?, unsyncedCount: Int) {
        self.revision = revision
        self.drinks = drinks.flatMap { $0.count > Self.maximumDrinks ? nil : $0 }
        self.unsyncedCount = unsyncedCount
    }
}

/// The contents of a store at one moment.
public struct CoffeeSnapshot: Hashable, Sendable {
    /// The store's revision.
    public var revision: Int
    /// The drinks, the newest first.
    public var drinks: [Drink]
    /// The number of drinks not yet synced to the health store.
    public var unsyncedCount: Int

    /// Creates a snapshot.
    public init(revision: Int, drinks: [Drink], unsyncedCount: Int) {
        self.revision = revision
        self.drinks = drinks
        self.unsyncedCount = unsyncedCount
    }

    /// Applies a commit; returns false, and changes nothing, if earlier commits are missing, or this one doesn't list
    /// its drinks.
    mutating func apply(_ commit: CoffeeCommit, since start: Date) -> Bool {
        if commit.revision <= revision { return true }
        // A commit that changed nothing has the revision of an earlier one, whose changes it doesn't include.
        guard commit.revision == revision &+ 1, let changed = commit.drinks, !changed.isEmpty else { return false }
        replace(changed, since: start)
        revision = commit.revision
        unsyncedCount = commit.unsyncedCount
        return true
    }

    mutating func replace(_ changed: [Drink.ID: Drink?], since start: Date) {
        if changed.isEmpty { return }
        drinks.removeAll { changed.keys.contains($0.id) || $0.start < start }
        drinks += changed.values.compactMap { $0 }.filter { $0.start >= start }
        drinks.sort(by: Drink.isNewer)
    }
}

/// The progress of syncing with the health store.
public struct HealthProgress: Hashable, Sendable {
    /// The store's revision.
    public var revision: Int
    /// Where reading the health store continues; `nil` if it was never read.
    public var anchor: Anchor?
    /// The number of drinks not yet synced to the health store.
    public var unsyncedCount: Int

    /// Creates a progress.
    public init(revision: Int, anchor: Anchor?, unsyncedCount: Int) {
        self.revision = revision
        self.anchor = anchor
        self.unsyncedCount = unsyncedCount
    }
}

/// Changes read from the health store.
public enum HealthChanges: Hashable, Sendable {
    /// A page of changes.
    case page(SampleChanges)
    /// The result of a full resync.
    case resync(SampleResync)

    /// Where reading continues.
    public var anchor: Anchor {
        switch self {
        case .page(let page): page.anchor
        case .resync(let resync): resync.anchor
        }
    }
}

/// The health store's answer for a drink that was sent to it.
public struct SentDrink: Hashable, Sendable {
    /// The outcome of sending a drink.
    public enum Answer: Hashable, Sendable {
        /// The health store has the drink.
        case done
        /// The health store has, or has deleted, a greater version.
        case outdated(by: Int)
        /// The health store has deleted this version.
        case deleted
    }

    /// The drink's identifier.
    public var id: Drink.ID
    /// The version that was sent.
    public var version: Int
    /// The outcome.
    public var answer: Answer

    /// Creates an answer.
    public init(id: Drink.ID, version: Int, answer: Answer) {
        self.id = id
        self.version = version
        self.answer = answer
    }
}
