public import Foundation
public import Persistence

/// A store that keeps samples in memory, for tests and previews.
public actor MemorySampleStore {
    private var memory = SampleMemory(store: UUID(), epoch: UUID())
    private var lastPurge: Date?
    private let limits: SampleLimits
    private let consent: SampleConsent
    private let tombstoneAge: TimeInterval
    private let now: @Sendable () -> Date
    private let listeners = ChangeListeners<ChangedSamples>()

    /// The value passed to the initializer; the store works in either case.
    public nonisolated let isAvailable: Bool

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - isAvailable: The value of ``isAvailable``.
    ///   - limits: The limits on samples.
    ///   - consent: Answers the sources' requests for permission.
    ///   - tombstoneAge: How long deletions are remembered, in seconds; 30 days by default.
    ///   - now: Returns the current time.
    public init(
        isAvailable: Bool = true, limits: SampleLimits = SampleLimits(), consent: SampleConsent = .later,
        tombstoneAge: TimeInterval = 2_592_000, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.isAvailable = isAvailable
        self.limits = limits
        self.consent = consent
        self.tombstoneAge = tombstoneAge
        self.now = now
    }
}

extension MemorySampleStore: SampleStore {
    /// Whether a source may write samples of a type.
    public func authorizationStatus(
        for type: SampleType, source: SampleSource
    ) async throws(SampleStoreError) -> WriteAuthorization {
        try SampleLimits.check(source)
        return memory.grants[source.identifier, type].writeAuthorization
    }

    /// Requests the permissions that the user hasn't decided about yet.
    public func requestAuthorization(
        toShare: Set<SampleType>, read: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError) {
        try SampleLimits.check(source)
        let open = undecided(AuthorizationRequest(source: source, share: toShare, read: read))
        if open.isEmpty { return }
        decide(.asked, open)
        let answer = await consent.answer(open)
        // The user may have decided meanwhile.
        let (granted, refused) = answer.decisions(of: undecided(open))
        decide(.granted, granted)
        decide(.denied, refused)
    }

    /// Grants a source access to types.
    public func grant(
        _ access: SampleAccess, to types: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError) {
        try SampleLimits.check(source)
        decide(.granted, AuthorizationRequest(access, types, source))
    }

    /// Refuses or revokes a source's access to types.
    public func revoke(
        _ access: SampleAccess, to types: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError) {
        try SampleLimits.check(source)
        decide(.denied, AuthorizationRequest(access, types, source))
    }

    /// All permissions requested, granted and refused.
    public func authorizations() async throws(SampleStoreError) -> [SampleAuthorization] {
        memory.authorizations
    }

    /// Saves all samples or none.
    @discardableResult
    public func save(_ samples: [Sample], by source: SampleSource) async throws(SampleStoreError) -> [SaveOutcome] {
        let now = now()
        try limits.check(samples, by: source, now: now)
        let (outcomes, changes) = try memory.save(samples, by: source, now: now)
        finish(changes, now)
        return outcomes
    }

    /// Deletes samples of this source.
    @discardableResult
    public func delete(_ selection: SampleSelection, by source: SampleSource) async throws(SampleStoreError) -> Int {
        try SampleLimits.check(source)
        try selection.check()
        let now = now()
        let (count, changes) = try memory.delete(selection, by: source, now: now)
        finish(changes, now)
        return count
    }

    /// The samples that match a query.
    public func samples(
        _ query: SampleQuery, by source: SampleSource, limit: Int?, order: SampleOrder
    ) async throws(SampleStoreError) -> [Sample] {
        try query.check(by: source)
        let found = memory.find(query, by: source, now: now()).sorted(by: order.areInOrder)
        return Array(found.prefix(max(limit ?? found.count, 0)))
    }

    /// The totals of each day that has samples.
    public func statistics(
        _ query: SampleQuery, perDay days: SampleDays, in unit: SampleUnit, by source: SampleSource
    ) async throws(SampleStoreError) -> [DayStatistics] {
        var collector = StatisticsCollector(days: days, unit: unit)
        for sample in try await samples(query, by: source) { collector.add(sample.quantity, at: sample.start) }
        return collector.finish()
    }

    /// A page of the changes since an anchor.
    public func changes(
        _ query: SampleQuery, since anchor: Anchor?, limit: Int, by source: SampleSource
    ) async throws(SampleStoreError) -> SampleChanges {
        try query.check(by: source, limit: limit)
        return try memory.changes(query, since: anchor, limit: limit, by: source, now: now())
    }

    /// An anchor after the latest change.
    public func latestAnchor(_ query: SampleQuery, by source: SampleSource) async throws(SampleStoreError) -> Anchor {
        try query.check(by: source)
        return memory.latestAnchor(query, by: source)
    }

    /// Reports the types that may have new changes.
    public nonisolated func updates(_ query: SampleQuery, by source: SampleSource) -> Updates<Set<SampleType>> {
        guard (try? SampleLimits.check(source)) != nil else { return .none }
        return listeners.updates().converted { changed in
            let types = query.types(of: changed, shownTo: source, by: await self.memory.grants)
            return types.isEmpty ? nil : types
        }
    }

    /// Purges old deletions.
    @discardableResult
    public func purge() async throws(SampleStoreError) -> Int {
        memory.purge(before: now().addingTimeInterval(-tombstoneAge))
    }
}

extension MemorySampleStore {
    private func finish(_ changes: Set<ChangedSamples>, _ now: Date) {
        if lastPurge.map({ now.timeIntervalSince($0) >= SampleHistory.purgeInterval }) ?? true {
            lastPurge = now
            _ = memory.purge(before: now.addingTimeInterval(-tombstoneAge))
        }
        listeners.report(changes)
    }

    private func undecided(_ request: AuthorizationRequest) -> AuthorizationRequest {
        request.filtered { type, access in memory.grants[request.source.identifier, type].isUndecided(access) }
    }

    private func decide(_ decision: SampleAuthorization.Decision, _ request: AuthorizationRequest) {
        memory.decide(decision, request)
        // Notify a source that may now see more samples.
        if decision == .granted { listeners.report(memory.changes(of: request.read)) }
    }
}
