public import Foundation
public import Persistence

/// Stores one owner's samples from many sources; each owner has a store of their own.
///
/// Every call names the calling ``SampleSource``. A source sees its own samples, and those of other sources if the user has
/// granted that; samples that it may not see look as if they didn't exist. A change is durable once the call returns. Several
/// processes may share a store, and tasks may use it concurrently; see <doc:WriteAStore> for the requirements on an
/// implementation.
///
/// Every call throws `invalidSample`, before it does anything else, if the source's identifier or name is invalid.
public protocol SampleStore: Sendable {
    /// Whether samples are available on this machine.
    var isAvailable: Bool { get }

    /// Whether a source may write samples of a type; no call reveals whether it may read them.
    func authorizationStatus(
        for type: SampleType, source: SampleSource
    ) async throws(SampleStoreError) -> WriteAuthorization

    /// Requests the permissions that the user hasn't decided about yet.
    ///
    /// The call returns once the question has been asked; ``authorizationStatus(for:source:)`` has the answer.
    ///
    /// - Parameters:
    ///   - toShare: The types that the source wants to write.
    ///   - read: The types of which it wants to read other sources' samples.
    ///   - source: The calling source.
    /// - Throws: ``SampleStoreError``.
    func requestAuthorization(
        toShare: Set<SampleType>, read: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError)

    /// Grants a source access to types; only the user's own page or command may call this.
    func grant(_ access: SampleAccess, to types: Set<SampleType>, source: SampleSource) async throws(SampleStoreError)

    /// Refuses or revokes a source's access to types, effective with the next page or save of a running operation.
    func revoke(_ access: SampleAccess, to types: Set<SampleType>, source: SampleSource) async throws(SampleStoreError)

    /// All permissions requested, granted and refused, sorted by source and type, for the user's own page only.
    func authorizations() async throws(SampleStoreError) -> [SampleAuthorization]

    /// Saves all samples or none.
    ///
    /// A sample with a ``SyncIdentity`` replaces its source's sample with the same identifier if its version is greater. A version
    /// that isn't greater than the stored one, or than a deleted one that the store still remembers, changes nothing; see
    /// ``SaveOutcome``. Cancellation doesn't stop a write that has begun.
    ///
    /// - Parameters:
    ///   - samples: Samples of this source.
    ///   - source: The calling source.
    /// - Returns: The outcome for each sample, in the same order.
    /// - Throws: ``SampleStoreError``: `notAuthorized`, `invalidSample`, `duplicateIdentifier`, or a storage failure. Nothing was
    ///   saved then.
    @discardableResult
    func save(_ samples: [Sample], by source: SampleSource) async throws(SampleStoreError) -> [SaveOutcome]

    /// Deletes samples of this source, and leaves other sources' samples alone.
    ///
    /// The store remembers deletions for a time, so that ``changes(_:since:limit:by:)`` can report them.
    ///
    /// - Parameters:
    ///   - selection: The samples to delete.
    ///   - source: The calling source.
    /// - Returns: The number of deleted samples.
    /// - Throws: ``SampleStoreError``: `notAuthorized` if the source may not write one of the samples' types; `invalidSample` for
    ///   an invalid sync identifier; `invalidQuery`. Nothing was deleted then.
    @discardableResult
    func delete(_ selection: SampleSelection, by source: SampleSource) async throws(SampleStoreError) -> Int

    /// The samples that match a query and that the source may see, in order, at most `limit` of them.
    func samples(
        _ query: SampleQuery, by source: SampleSource, limit: Int?, order: SampleOrder
    ) async throws(SampleStoreError) -> [Sample]

    /// The totals of each day that has samples, in order.
    ///
    /// - Parameters:
    ///   - query: The samples to add up; each counts for the day on which it starts.
    ///   - days: The time zone and the start of days.
    ///   - unit: The unit of the totals; samples of another dimension are skipped.
    ///   - source: The calling source.
    /// - Returns: The days that have samples.
    /// - Throws: ``SampleStoreError``: `invalidQuery`.
    func statistics(
        _ query: SampleQuery, perDay days: SampleDays, in unit: SampleUnit, by source: SampleSource
    ) async throws(SampleStoreError) -> [DayStatistics]

    /// A page of the changes since an anchor; no change is missed, but older ones may be repeated.
    ///
    /// - Parameters:
    ///   - query: The samples to report; an anchor works only with the query it was created for.
    ///   - anchor: The end of the previous page; `nil` to read from the beginning.
    ///   - limit: The maximum number of changes, at least 1.
    ///   - source: The calling source; an anchor works only with the source it was created for.
    /// - Returns: A page.
    /// - Throws: ``SampleStoreError``: `anchorExpired` and `anchorMismatch` if changes would be missed; `invalidQuery`.
    func changes(
        _ query: SampleQuery, since anchor: Anchor?, limit: Int, by source: SampleSource
    ) async throws(SampleStoreError) -> SampleChanges

    /// An anchor after the latest change, from which to read only future changes.
    func latestAnchor(_ query: SampleQuery, by source: SampleSource) async throws(SampleStoreError) -> Anchor

    /// Reports the types for which ``changes(_:since:limit:by:)`` may have new changes, including those of other processes.
    ///
    /// Updates start with this call. A slow consumer receives several changes coalesced into one element, and never misses the
    /// last one. The first element may be about older changes. The sequence ends when its task is cancelled, and immediately for
    /// an invalid source.
    ///
    /// - Parameters:
    ///   - query: The samples to watch; its window and bounds are ignored.
    ///   - source: The calling source; it isn't notified of changes that it may not see.
    /// - Returns: The types that may have changed.
    func updates(_ query: SampleQuery, by source: SampleSource) -> Updates<Set<SampleType>>

    /// Purges deletions that exceed the store's retention time, and returns their number; older anchors expire.
    ///
    /// Stores also purge automatically from time to time.
    @discardableResult
    func purge() async throws(SampleStoreError) -> Int
}

extension SampleStore {
    /// Saves one sample, and returns the outcome.
    @discardableResult
    public func save(_ sample: Sample, by source: SampleSource) async throws(SampleStoreError) -> SaveOutcome {
        try await save([sample], by: source).first ?? .alreadyThere
    }

    /// All samples that match a query and that the source may see, the oldest first.
    public func samples(_ query: SampleQuery, by source: SampleSource) async throws(SampleStoreError) -> [Sample] {
        try await samples(query, by: source, limit: nil, order: .oldestFirst)
    }
}

/// The outcome of saving a sample.
public enum SaveOutcome: Hashable, Sendable {
    /// The sample is new.
    case added
    /// The sample replaced an earlier version, which had this identifier.
    case replaced(UUID)
    /// The store already had this version, or an equal sample without versions, and kept it.
    case alreadyThere
    /// The store has, or has deleted, a greater version; this one was ignored.
    case outdated(by: Int)
    /// This version was deleted earlier and was ignored; a greater one would be saved.
    case deleted
}

/// The samples to delete.
public enum SampleSelection: Hashable, Sendable {
    /// Samples with these identifiers.
    case ids(Set<UUID>)
    /// Samples with these sync identifiers, in any version.
    case syncIdentifiers(Set<String>)
    /// Samples that match a query.
    case query(SampleQuery)

    /// Throws if the selection is invalid.
    func check() throws(SampleStoreError) {
        switch self {
        case .ids: break
        case .syncIdentifiers(let identifiers):
            for identifier in identifiers { try SampleLimits.check(name: identifier, "sync identifier") }
        case .query(let query): try query.check()
        }
    }
}

/// The order of samples: by start, then by identifier.
public enum SampleOrder: String, Hashable, Sendable, Codable {
    /// The oldest first.
    case oldestFirst
    /// The newest first.
    case newestFirst

    /// Whether a sample comes before another.
    func areInOrder(_ first: Sample, _ second: Sample) -> Bool {
        let (earlier, later) = self == .oldestFirst ? (first, second) : (second, first)
        if earlier.start != later.start { return earlier.start < later.start }
        // Compares bytes, as SQLite does.
        return withUnsafeBytes(of: earlier.id.uuid) { first in
            withUnsafeBytes(of: later.id.uuid) { second in first.lexicographicallyPrecedes(second) }
        }
    }
}
