public import Foundation
public import Persistence

/// Stores one owner's samples, from many sources; a store for another owner is another value.
///
/// Every call names the ``SampleSource`` that asks: it sees its own samples, and those of others if that was allowed; what it
/// may not see looks as if it did not exist. A change that has returned is durable. Several processes may share a store, and
/// many tasks may use it at once; see <doc:WriteAStore> for what an implementation must do.
///
/// Every call throws `invalidSample` for a source without a valid identifier and name, before it does anything.
public protocol SampleStore: Sendable {
    /// Whether this machine has samples at all.
    var isAvailable: Bool { get }

    /// Whether a source may write samples of a type; whether it may read is never told.
    func authorizationStatus(
        for type: SampleType, source: SampleSource
    ) async throws(SampleStoreError) -> WriteAuthorization

    /// Asks for the permissions that nobody has decided about yet.
    ///
    /// When it returns, the question was asked: see ``authorizationStatus(for:source:)`` for the answer.
    ///
    /// - Parameters:
    ///   - toShare: The types that the source wants to write.
    ///   - read: The types of which it wants to read others' samples.
    ///   - source: The source that asks.
    /// - Throws: ``SampleStoreError``.
    func requestAuthorization(
        toShare: Set<SampleType>, read: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError)

    /// Grants a source access to types: for the person's own page or command.
    func grant(_ access: SampleAccess, to types: Set<SampleType>, source: SampleSource) async throws(SampleStoreError)

    /// Refuses a source access to types, or takes it back: the next page or save of a running operation obeys it.
    func revoke(_ access: SampleAccess, to types: Set<SampleType>, source: SampleSource) async throws(SampleStoreError)

    /// All that was asked for, granted and refused, sorted by source and type: for the person's own page only.
    func authorizations() async throws(SampleStoreError) -> [SampleAuthorization]

    /// Saves samples, all of them or none.
    ///
    /// A sample with a ``SyncIdentity`` replaces its source's sample of that identifier if its version is greater. One of an
    /// equal or lower version changes nothing, and neither does one that was deleted at that version or a greater one, while
    /// the deletion is remembered: see ``SaveOutcome``. A cancellation does not stop a write that has begun.
    ///
    /// - Parameters:
    ///   - samples: Samples of this source.
    ///   - source: The source that saves them.
    /// - Returns: What became of each, in their order.
    /// - Throws: ``SampleStoreError``: `notAuthorized`, `invalidSample`, `duplicateIdentifier`, or a failure to store them.
    ///   Nothing was saved then.
    @discardableResult
    func save(_ samples: [Sample], by source: SampleSource) async throws(SampleStoreError) -> [SaveOutcome]

    /// Deletes samples of this source, and returns how many; it leaves others' samples alone.
    ///
    /// Deletions are remembered for a time, so that ``changes(_:since:limit:by:)`` tells them.
    ///
    /// - Parameters:
    ///   - selection: Which samples.
    ///   - source: The source that deletes its samples.
    /// - Returns: How many it has deleted.
    /// - Throws: ``SampleStoreError``: `notAuthorized` if the source may not write one of their types; `invalidSample` for an
    ///   invalid sync identifier; `invalidQuery`. Nothing was deleted then.
    @discardableResult
    func delete(_ selection: SampleSelection, by source: SampleSource) async throws(SampleStoreError) -> Int

    /// The samples that a query finds and the source may see: the first of an order, up to a limit if there is one.
    func samples(
        _ query: SampleQuery, by source: SampleSource, limit: Int?, order: SampleOrder
    ) async throws(SampleStoreError) -> [Sample]

    /// The totals of each day that has samples, in order.
    ///
    /// - Parameters:
    ///   - query: Which samples; each belongs to the day on which it begins.
    ///   - days: How days are counted.
    ///   - unit: The unit of the totals; samples of another dimension are left out.
    ///   - source: The source that asks.
    /// - Returns: The days that have samples.
    /// - Throws: ``SampleStoreError``: `invalidQuery`.
    func statistics(
        _ query: SampleQuery, perDay days: SampleDays, in unit: SampleUnit, by source: SampleSource
    ) async throws(SampleStoreError) -> [DayStatistics]

    /// A page of every change since an anchor, and possibly some older ones.
    ///
    /// - Parameters:
    ///   - query: Which samples: the same query for an anchor and all that follow from it.
    ///   - anchor: Where the last page ended; `nil` to begin from nothing.
    ///   - limit: The most changes, from 1 on.
    ///   - source: The source that asks: the same for an anchor and all that follow from it.
    /// - Returns: A page.
    /// - Throws: ``SampleStoreError``: `anchorExpired` and `anchorMismatch` where changes would be missed; `invalidQuery`.
    func changes(
        _ query: SampleQuery, since anchor: Anchor?, limit: Int, by source: SampleSource
    ) async throws(SampleStoreError) -> SampleChanges

    /// An anchor after everything that the store has now, to read only what comes next.
    func latestAnchor(_ query: SampleQuery, by source: SampleSource) async throws(SampleStoreError) -> Anchor

    /// Tells, from now on, of which types ``changes(_:since:limit:by:)`` may have something new, also from other processes.
    ///
    /// Changes that are not taken in time come together; the last one is never left out. The first element may be about older
    /// changes. The sequence ends when its task is cancelled, and at once for an invalid source.
    ///
    /// - Parameters:
    ///   - query: Which samples; its window and bounds are ignored.
    ///   - source: The source that asks; it is not told of changes that it may not see.
    /// - Returns: The types that may have changed.
    func updates(_ query: SampleQuery, by source: SampleSource) -> Updates<Set<SampleType>>

    /// Forgets deletions that are older than the store remembers them, and returns how many; older anchors expire.
    ///
    /// Stores do so by themselves now and then.
    @discardableResult
    func purge() async throws(SampleStoreError) -> Int
}

extension SampleStore {
    /// Saves one sample, and returns what became of it.
    @discardableResult
    public func save(_ sample: Sample, by source: SampleSource) async throws(SampleStoreError) -> SaveOutcome {
        try await save([sample], by: source).first ?? .alreadyThere
    }

    /// All samples that a query finds and the source may see, the oldest first.
    public func samples(_ query: SampleQuery, by source: SampleSource) async throws(SampleStoreError) -> [Sample] {
        try await samples(query, by: source, limit: nil, order: .oldestFirst)
    }
}

/// What became of a sample that was saved.
public enum SaveOutcome: Hashable, Sendable {
    /// It is new.
    case added
    /// It replaced an earlier version, which had that number.
    case replaced(UUID)
    /// The store had the same version, or without versions the same sample, and kept that.
    case alreadyThere
    /// The store has a greater version, or had it deleted; this one was left out.
    case outdated(by: Int)
    /// This version was deleted, and was left out; a greater one would be saved.
    case deleted
}

/// Which samples to delete.
public enum SampleSelection: Hashable, Sendable {
    /// Samples with these numbers.
    case ids(Set<UUID>)
    /// Samples with these sync identifiers, in any version.
    case syncIdentifiers(Set<String>)
    /// Samples that a query finds.
    case query(SampleQuery)

    /// Refuses an invalid selection.
    func check() throws(SampleStoreError) {
        switch self {
        case .ids: break
        case .syncIdentifiers(let identifiers):
            for identifier in identifiers { try SampleLimits.check(name: identifier, "sync identifier") }
        case .query(let query): try query.check()
        }
    }
}

/// The order of samples: by their start, and with equal starts by their numbers.
public enum SampleOrder: String, Hashable, Sendable, Codable {
    /// The oldest first.
    case oldestFirst
    /// The newest first.
    case newestFirst

    /// Whether a sample comes before another.
    func areInOrder(_ first: Sample, _ second: Sample) -> Bool {
        let (earlier, later) = self == .oldestFirst ? (first, second) : (second, first)
        if earlier.start != later.start { return earlier.start < later.start }
        // By their bytes, as SQLite compares them.
        return withUnsafeBytes(of: earlier.id.uuid) { first in
            withUnsafeBytes(of: later.id.uuid) { second in first.lexicographicallyPrecedes(second) }
        }
    }
}
