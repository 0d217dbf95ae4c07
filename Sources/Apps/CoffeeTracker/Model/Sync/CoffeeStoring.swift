public import Foundation
public import HealthSamples
public import Persistence

/// Where one owner's drinks are kept, with how far the health store has been heard and told.
///
/// Whatever has returned is kept for good. Several processes may use one store. What is changed, where in the health store's
/// history that was, and what it is still to be told are one transaction.
public protocol CoffeeStoring: Sendable {
    /// What is kept.
    ///
    /// - Parameter start: From when on drinks are wanted: those that begin earlier are left out.
    /// - Returns: All of it as it was at one moment.
    /// - Throws: ``CoffeeError``.
    func snapshot(since start: Date) async throws(CoffeeError) -> CoffeeSnapshot

    /// The drinks that begin within a time, the newest first.
    ///
    /// - Parameters:
    ///   - start: From when on.
    ///   - end: Until when, without that moment.
    /// - Returns: The drinks.
    /// - Throws: ``CoffeeError``.
    func drinks(from start: Date, to end: Date) async throws(CoffeeError) -> [Drink]

    /// The drinks whose numbers begin so, the newest first.
    ///
    /// - Parameter prefix: How their numbers begin, in capitals; a whole number finds one drink at the most.
    /// - Returns: The drinks.
    /// - Throws: ``CoffeeError``.
    func drinks(numbered prefix: String) async throws(CoffeeError) -> [Drink]

    /// Changes drinks, all or none; what is already so is not written.
    ///
    /// - Parameters:
    ///   - changes: What somebody does.
    ///   - start: From when on drinks are wanted in what is returned.
    /// - Returns: What is kept then.
    /// - Throws: ``CoffeeError``; nothing was changed then.
    func apply(_ changes: [DrinkChange], since start: Date) async throws(CoffeeError) -> CoffeeSnapshot

    /// What the health store is still to be told, the oldest first.
    ///
    /// - Returns: Each drink once, as it is now.
    /// - Throws: ``CoffeeError``.
    func outbox() async throws(CoffeeError) -> [DrinkRecord]

    /// Notes what the health store has answered.
    ///
    /// - Parameter answers: The answers.
    /// - Throws: ``CoffeeError``.
    func note(_ answers: [ToldDrink]) async throws(CoffeeError)

    /// Up to where the health store has been heard; `nil` if it never was.
    func anchor() async throws(CoffeeError) -> Anchor?

    /// All that is known of what the health store has, for when its anchor is of no use any more.
    ///
    /// - Parameter own: What Coffee Tracker is called there.
    /// - Returns: The samples of all programs, and of drinks that it was told.
    /// - Throws: ``CoffeeError``.
    func known(own: SampleSource) async throws(CoffeeError) -> [KnownSample]

    /// Takes over what was heard, together with the anchor.
    ///
    /// - Parameters:
    ///   - news: What was heard.
    ///   - anchor: From where on it was asked for.
    ///   - own: What Coffee Tracker is called there.
    /// - Returns: Whether it was taken over; not, if another one has heard more since.
    /// - Throws: ``CoffeeError``; nothing was changed then.
    func take(_ news: HealthNews, after anchor: Anchor?, own: SampleSource) async throws(CoffeeError) -> Bool

    /// Tells, from now on, that something may have changed, by whomever: also in another process.
    ///
    /// What is not taken in time comes together; the last change is never left out. It ends when the task is cancelled.
    func updates() -> Updates<Void>
}

/// What is kept, as it was at one moment.
public struct CoffeeSnapshot: Hashable, Sendable {
    /// Greater after each change.
    public var revision: Int
    /// The drinks, the newest first.
    public var drinks: [Drink]
    /// How many drinks the health store is still to be told of.
    public var untold: Int

    /// Describes what is kept.
    ///
    /// - Parameters:
    ///   - revision: Greater after each change.
    ///   - drinks: The drinks, the newest first.
    ///   - untold: How many drinks the health store is still to be told of.
    public init(revision: Int, drinks: [Drink], untold: Int) {
        self.revision = revision
        self.drinks = drinks
        self.untold = untold
    }
}

/// What was heard of the health store.
public enum HealthNews: Hashable, Sendable {
    /// What has changed.
    case page(SampleChanges)
    /// How what is known differs from what is there.
    case resync(SampleResync)

    /// Where to go on.
    public var anchor: Anchor {
        switch self {
        case .page(let page): page.anchor
        case .resync(let resync): resync.anchor
        }
    }
}

extension DrinkRows {
    /// Takes over what was heard.
    ///
    /// - Parameters:
    ///   - news: What was heard.
    ///   - own: What Coffee Tracker is called there.
    /// - Returns: Whether anything is different.
    /// - Throws: An error of the store's.
    public mutating func take(_ news: HealthNews, own: SampleSource) throws -> Bool {
        switch news {
        case .page(let page): try take(page, own: own)
        case .resync(let resync): try take(resync, own: own)
        }
    }
}

/// What the health store has answered to a drink that it was told of.
public struct ToldDrink: Hashable, Sendable {
    /// The answer.
    public enum Answer: Hashable, Sendable {
        /// It has it.
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
    ///
    /// - Parameters:
    ///   - id: The drink.
    ///   - version: The version that it was told.
    ///   - answer: What it has answered.
    public init(id: Drink.ID, version: Int, answer: Answer) {
        self.id = id
        self.version = version
        self.answer = answer
    }
}

extension DrinkRecord {
    /// What the health store has of this, if it was told of it and has not forgotten it.
    ///
    /// - Parameter own: What Coffee Tracker is called there.
    /// - Returns: The sample that is known; `nil` if it cannot be there.
    public func known(own: SampleSource) -> KnownSample? {
        if isDeleted { return nil }
        if let sample { return sample }
        guard told > 0 else { return nil }
        return KnownSample(
            id: Drink.sampleID(of: drink.id, version: told),
            sync: SyncIdentity(identifier: drink.id.uuidString, version: told), source: own.identifier)
    }
}
