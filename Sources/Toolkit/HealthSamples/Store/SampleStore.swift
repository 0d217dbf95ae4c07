public import Foundation
public import Persistence

/// Keeps one owner's samples, of many sources; a store for another owner is another value.
///
/// Whoever asks says as which ``SampleSource``: it sees its own samples, and those of others if it was allowed to; what it
/// may not see looks as if it were not there. What has returned is kept for good. A store assumes neither one process nor
/// one machine, and is used by many tasks at once: see <doc:WriteAStore> for what one must do.
///
/// Everything refuses a source that cannot be one, such as one without a name, as `invalidSample`, before it does
/// anything.
public protocol SampleStore: Sendable {
    /// Whether there are samples on this machine at all.
    var isAvailable: Bool { get }

    /// Whether a source may write samples of a type; whether it may read is not told.
    ///
    /// - Parameters:
    ///   - type: Of what.
    ///   - source: Who wants to know.
    /// - Returns: The truth.
    /// - Throws: ``SampleStoreError``.
    func authorizationStatus(
        for type: SampleType, source: SampleSource
    ) async throws(SampleStoreError) -> WriteAuthorization

    /// Asks for what has not been decided yet; what has been is not asked for again.
    ///
    /// When it returns, it was asked: look at ``authorizationStatus(for:source:)`` for what may be written.
    ///
    /// - Parameters:
    ///   - toShare: What the source wants to write.
    ///   - read: What of others it wants to read.
    ///   - source: Who asks.
    /// - Throws: ``SampleStoreError``.
    func requestAuthorization(
        toShare: Set<SampleType>, read: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError)

    /// Allows something: for the person's own page or command.
    ///
    /// - Parameters:
    ///   - access: To write, or to read what others have written.
    ///   - types: Of what.
    ///   - source: Who may.
    /// - Throws: ``SampleStoreError``.
    func grant(_ access: SampleAccess, to types: Set<SampleType>, source: SampleSource) async throws(SampleStoreError)

    /// Refuses something, or takes it back: what comes after it, of whatever is under way, finds it so.
    ///
    /// - Parameters:
    ///   - access: To write, or to read what others have written.
    ///   - types: Of what.
    ///   - source: Who may not.
    /// - Throws: ``SampleStoreError``.
    func revoke(_ access: SampleAccess, to types: Set<SampleType>, source: SampleSource) async throws(SampleStoreError)

    /// All that was asked for, allowed and refused, by source and type: for the person's own page, never for a source.
    ///
    /// - Returns: What was said, in the order of sources and types.
    /// - Throws: ``SampleStoreError``.
    func authorizations() async throws(SampleStoreError) -> [SampleAuthorization]

    /// Saves samples, all of them or none.
    ///
    /// A sample with a ``SyncIdentity`` takes the place of its source's sample of that identifier, if its version is
    /// greater. One of an equal or lower version changes nothing, and neither does one that was deleted at that version or
    /// a greater one, for as long as that is remembered: see ``SaveOutcome``. A write that has begun is not broken off by
    /// a cancellation.
    ///
    /// - Parameters:
    ///   - samples: The samples, all of this source.
    ///   - source: Who saves them.
    /// - Returns: What became of each, in their order.
    /// - Throws: ``SampleStoreError``: `notAuthorized`, `invalidSample`, `duplicateIdentifier`, or what keeps it from being
    ///   kept. Nothing was saved then.
    @discardableResult
    func save(_ samples: [Sample], by source: SampleSource) async throws(SampleStoreError) -> [SaveOutcome]

    /// Deletes samples of this source; others' are left alone, and so is what is not there.
    ///
    /// Deletions are remembered for a time, so that ``changes(_:since:limit:by:)`` tells them.
    ///
    /// - Parameters:
    ///   - selection: Which.
    ///   - source: Whose.
    /// - Returns: How many are gone.
    /// - Throws: ``SampleStoreError``: `notAuthorized` if the source may not write one of their types; `invalidSample`
    ///   for what cannot be a sync identifier; `invalidQuery`. Nothing was deleted then.
    @discardableResult
    func delete(_ selection: SampleSelection, by source: SampleSource) async throws(SampleStoreError) -> Int

    /// Finds samples.
    ///
    /// - Parameters:
    ///   - query: Which.
    ///   - source: Who asks.
    ///   - limit: The most; `nil` for all.
    ///   - order: In which order, and which the limit keeps.
    /// - Returns: The samples that the source may see.
    /// - Throws: ``SampleStoreError``: `invalidQuery`.
    func samples(
        _ query: SampleQuery, by source: SampleSource, limit: Int?, order: SampleOrder
    ) async throws(SampleStoreError) -> [Sample]

    /// What the samples of each day come to. A sample is of the day that it begins on.
    ///
    /// - Parameters:
    ///   - query: Which samples.
    ///   - days: What a day is.
    ///   - unit: What to count in; samples of another dimension are left out.
    ///   - source: Who asks.
    /// - Returns: The days that have any, in order.
    /// - Throws: ``SampleStoreError``: `invalidQuery`.
    func statistics(
        _ query: SampleQuery, perDay days: SampleDays, in unit: SampleUnit, by source: SampleSource
    ) async throws(SampleStoreError) -> [DayStatistics]

    /// What has changed since an anchor: every change since, possibly some older ones too.
    ///
    /// - Parameters:
    ///   - query: Which samples: the same for the anchor and all that come of it.
    ///   - anchor: Where the last page ended; `nil` for all there is.
    ///   - limit: The most changes, from 1 on.
    ///   - source: Who asks: the same for the anchor and all that come of it.
    /// - Returns: A page.
    /// - Throws: ``SampleStoreError``: `anchorExpired`, `anchorMismatch`, never silence; `invalidQuery`.
    func changes(
        _ query: SampleQuery, since anchor: Anchor?, limit: Int, by source: SampleSource
    ) async throws(SampleStoreError) -> SampleChanges

    /// An anchor after all that there is now: for those who want only what comes next.
    ///
    /// - Parameters:
    ///   - query: Which samples.
    ///   - source: Who asks.
    /// - Returns: The anchor.
    /// - Throws: ``SampleStoreError``: `invalidQuery`.
    func latestAnchor(_ query: SampleQuery, by source: SampleSource) async throws(SampleStoreError) -> Anchor

    /// Tells, from now on, that ``changes(_:since:limit:by:)`` may have something new, also of other processes.
    ///
    /// What is not taken in time comes together; the last change is never left out. It ends when the task is cancelled.
    /// The first may tell of what was there before. It ends at once for a source that cannot be one.
    ///
    /// - Parameters:
    ///   - query: Of which samples; its window and its bounds are not looked at.
    ///   - source: Who asks; what it may not see it is not told of.
    /// - Returns: Types of which samples may have changed.
    func updates(_ query: SampleQuery, by source: SampleSource) -> Updates<Set<SampleType>>

    /// What is kept of an observer; `nil` if there is none of that name.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - source: Whose it is.
    /// - Returns: What was kept last.
    /// - Throws: ``SampleStoreError``.
    func observer(_ name: String, by source: SampleSource) async throws(SampleStoreError) -> ObserverRecord?

    /// Keeps an observer, in place of the one of that name.
    ///
    /// When that one was last told stays; what it has acknowledged stays too, if its query is the same.
    ///
    /// - Parameters:
    ///   - observer: What to keep.
    ///   - source: Whose it is.
    /// - Throws: ``SampleStoreError``: `invalidSample` or `invalidQuery` if that cannot be observed.
    func keep(_ observer: SampleObserver, by source: SampleSource) async throws(SampleStoreError)

    /// Notes up to where an observer has acknowledged, and nothing else of it.
    ///
    /// Nothing is noted if it has acknowledged more already, is gone, or observes another query now.
    ///
    /// - Parameters:
    ///   - anchor: Up to where.
    ///   - observer: Who has; whether its interval is still the same does not matter.
    ///   - source: Whose it is.
    /// - Throws: ``SampleStoreError``.
    func acknowledge(
        _ anchor: Anchor, by observer: SampleObserver, by source: SampleSource
    ) async throws(SampleStoreError)

    /// Notes when an observer is told, and nothing else of it.
    ///
    /// - Parameters:
    ///   - date: When.
    ///   - observer: Who is.
    ///   - source: Whose it is.
    /// - Returns: What is kept of it now; `nil` if it is gone, or is kept with another query or interval: then nothing
    ///   was noted.
    /// - Throws: ``SampleStoreError``.
    func noteDelivery(
        at date: Date, to observer: SampleObserver, by source: SampleSource
    ) async throws(SampleStoreError) -> ObserverRecord?

    /// Forgets an observer, and does not know it again: its deliveries end when they would look next.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - source: Whose it is.
    /// - Throws: ``SampleStoreError``.
    func removeObserver(_ name: String, by source: SampleSource) async throws(SampleStoreError)

    /// Forgets deletions that are older than the store keeps them; anchors from before them expire.
    ///
    /// Stores do so by themselves now and then.
    ///
    /// - Returns: How many it has forgotten.
    /// - Throws: ``SampleStoreError``.
    @discardableResult
    func purge() async throws(SampleStoreError) -> Int
}

/// What became of a sample that was saved.
public enum SaveOutcome: Hashable, Sendable {
    /// It is there, and was not before.
    case added
    /// It has taken the place of the version before it, which had that number.
    case replaced(UUID)
    /// The same version, or without versions the same sample, was there already; that one stays.
    case alreadyThere
    /// A greater version is there, or was deleted; this one was left out.
    case outdated(by: Int)
    /// This version was deleted; it was left out. A greater one would be saved.
    case deleted
}

/// Which samples are to be deleted.
public enum SampleSelection: Hashable, Sendable {
    /// Those of these numbers.
    case ids(Set<UUID>)
    /// Those that the source calls so, whichever version is there.
    case syncIdentifiers(Set<String>)
    /// Those that a query finds.
    case query(SampleQuery)
}

extension SampleSelection {
    /// Refuses what has no meaning.
    func check() throws(SampleStoreError) {
        switch self {
        case .ids: break
        case .syncIdentifiers(let identifiers):
            for identifier in identifiers { try SampleLimits.check(name: identifier, "sync identifier") }
        case .query(let query): try query.check()
        }
    }
}

/// In which order samples come: by their start, and those of the same start by their numbers.
public enum SampleOrder: String, Hashable, Sendable, Codable {
    /// The oldest first.
    case oldestFirst
    /// The newest first.
    case newestFirst
}

extension SampleOrder {
    /// Whether a sample comes before another.
    func areInOrder(_ first: Sample, _ second: Sample) -> Bool {
        let (earlier, later) = self == .oldestFirst ? (first, second) : (second, first)
        if earlier.start != later.start { return earlier.start < later.start }
        return earlier.id.isBefore(later.id)
    }
}

extension UUID {
    /// Whether its bytes come before another's: SQLite's order of them.
    fileprivate func isBefore(_ other: UUID) -> Bool {
        withUnsafeBytes(of: uuid) { mine in
            withUnsafeBytes(of: other.uuid) { others in mine.lexicographicallyPrecedes(others) }
        }
    }
}

extension SampleStore {
    /// An anchor after all that there is now, by reading all of it: for stores that know no quicker way.
    public func latestAnchor(
        _ query: SampleQuery, by source: SampleSource
    ) async throws(SampleStoreError) -> Anchor {
        var page = try await changes(query, since: nil, limit: 10_000, by: source)
        while page.hasMore {
            page = try await changes(query, since: page.anchor, limit: 10_000, by: source)
        }
        return page.anchor
    }

    /// Saves one sample.
    ///
    /// - Parameters:
    ///   - sample: The sample, of this source.
    ///   - source: Who saves it.
    /// - Returns: What became of it.
    /// - Throws: ``SampleStoreError``, as saving several does.
    @discardableResult
    public func save(_ sample: Sample, by source: SampleSource) async throws(SampleStoreError) -> SaveOutcome {
        try await save([sample], by: source).first ?? .alreadyThere
    }

    /// Finds all samples, the oldest first.
    ///
    /// - Parameters:
    ///   - query: Which.
    ///   - source: Who asks.
    /// - Returns: The samples that the source may see.
    /// - Throws: ``SampleStoreError``: `invalidQuery`.
    public func samples(
        _ query: SampleQuery, by source: SampleSource
    ) async throws(SampleStoreError) -> [Sample] {
        try await samples(query, by: source, limit: nil, order: .oldestFirst)
    }
}
