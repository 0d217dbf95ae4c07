public import Foundation
public import Persistence

/// Samples in memory, for tests and previews: everything that a store does, as long as it lives.
public actor MemorySampleStore {
    private var memory: SampleMemory
    private var lastPurge: Date?
    private let limits: SampleLimits
    private let consent: SampleConsent
    private let tombstoneAge: TimeInterval
    private let now: @Sendable () -> Date
    private let listeners = ChangeListeners<ChangedSamples>()

    /// Whether there are samples on this machine.
    public nonisolated let isAvailable: Bool

    /// Creates a store without samples.
    ///
    /// - Parameters:
    ///   - isAvailable: What ``isAvailable`` says; nothing else comes of it.
    ///   - limits: What a sample may be.
    ///   - consent: Who answers when a source asks for permission.
    ///   - tombstoneAge: How long deletions are remembered, in seconds: 30 days.
    ///   - now: The time.
    public init(
        isAvailable: Bool = true, limits: SampleLimits = SampleLimits(), consent: SampleConsent = .later,
        tombstoneAge: TimeInterval = 2_592_000, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.isAvailable = isAvailable
        self.limits = limits
        self.consent = consent
        self.tombstoneAge = tombstoneAge
        self.now = now
        self.memory = SampleMemory(store: UUID(), epoch: UUID())
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

    /// Asks for what has not been decided yet.
    public func requestAuthorization(
        toShare: Set<SampleType>, read: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError) {
        try SampleLimits.check(source)
        let open = undecided(AuthorizationRequest(source: source, share: toShare, read: read))
        guard !open.share.isEmpty || !open.read.isEmpty else { return }
        decide(.asked, open)
        let answer = await consent.answer(open)
        // Somebody may have decided meanwhile.
        let (granted, refused) = answer.decisions(of: undecided(open))
        decide(.granted, granted)
        decide(.denied, refused)
    }

    /// Allows something.
    public func grant(
        _ access: SampleAccess, to types: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError) {
        try SampleLimits.check(source)
        memory.decide(.granted, access, types, source)
        report(shown: access == .read ? types : [])
    }

    /// Refuses something, or takes it back.
    public func revoke(
        _ access: SampleAccess, to types: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError) {
        try SampleLimits.check(source)
        memory.decide(.denied, access, types, source)
    }

    /// All that was asked for, allowed and refused.
    public func authorizations() async throws(SampleStoreError) -> [SampleAuthorization] {
        memory.authorizations
    }

    /// Saves samples, all of them or none.
    @discardableResult
    public func save(
        _ samples: [Sample], by source: SampleSource
    ) async throws(SampleStoreError) -> [SaveOutcome] {
        let now = now()
        try limits.check(samples, by: source, now: now)
        let (outcomes, changes) = try memory.save(samples, by: source, now: now)
        purgeNowAndThen(now)
        listeners.report(changes)
        return outcomes
    }

    /// Deletes samples of this source.
    @discardableResult
    public func delete(
        _ selection: SampleSelection, by source: SampleSource
    ) async throws(SampleStoreError) -> Int {
        try SampleLimits.check(source)
        try selection.check()
        let now = now()
        let (count, changes) = try memory.delete(selection, by: source, now: now)
        purgeNowAndThen(now)
        listeners.report(changes)
        return count
    }

    /// Finds samples.
    public func samples(
        _ query: SampleQuery, by source: SampleSource, limit: Int?, order: SampleOrder
    ) async throws(SampleStoreError) -> [Sample] {
        try SampleLimits.check(source)
        try query.check()
        let found = memory.find(query, by: source, now: now()).sorted(by: order.areInOrder)
        return Array(found.prefix(max(limit ?? found.count, 0)))
    }

    /// What the samples of each day come to.
    public func statistics(
        _ query: SampleQuery, perDay days: SampleDays, in unit: SampleUnit, by source: SampleSource
    ) async throws(SampleStoreError) -> [DayStatistics] {
        try SampleLimits.check(source)
        try query.check()
        var collector = StatisticsCollector(days: days, unit: unit)
        for sample in memory.find(query, by: source, now: now()).sorted(by: SampleOrder.oldestFirst.areInOrder) {
            collector.add(sample.quantity, at: sample.start)
        }
        return collector.finish()
    }

    /// What has changed since an anchor.
    public func changes(
        _ query: SampleQuery, since anchor: Anchor?, limit: Int, by source: SampleSource
    ) async throws(SampleStoreError) -> SampleChanges {
        try SampleLimits.check(source)
        try query.check(limit: limit)
        return try memory.changes(query, since: anchor, limit: limit, by: source, now: now())
    }

    /// An anchor after all that there is now.
    public func latestAnchor(
        _ query: SampleQuery, by source: SampleSource
    ) async throws(SampleStoreError) -> Anchor {
        try SampleLimits.check(source)
        try query.check()
        return memory.latestAnchor(query, by: source)
    }

    /// Tells that there may be something new.
    public nonisolated func updates(_ query: SampleQuery, by source: SampleSource) -> Updates<Set<SampleType>> {
        guard SampleLimits.allows(source) else { return .none }
        return listeners.updates().converted { changed in
            let types = await self.visible(changed, query, source)
            return types.isEmpty ? nil : types
        }
    }

    /// What is kept of an observer.
    public func observer(_ name: String, by source: SampleSource) async throws(SampleStoreError) -> ObserverRecord? {
        try SampleLimits.check(observer: name, of: source)
        return memory.observers[source.identifier]?[name]
    }

    /// Keeps an observer.
    public func keep(_ observer: SampleObserver, by source: SampleSource) async throws(SampleStoreError) {
        try SampleLimits.check(source)
        try observer.check()
        let kept = memory.observers[source.identifier]?[observer.name]
        memory.observers[source.identifier, default: [:]][observer.name] = ObserverRecord(observer, after: kept)
    }

    /// Notes up to where an observer has acknowledged.
    public func acknowledge(
        _ anchor: Anchor, by observer: SampleObserver, by source: SampleSource
    ) async throws(SampleStoreError) {
        try SampleLimits.check(observer: observer.name, of: source)
        guard let kept = memory.observers[source.identifier]?[observer.name], kept.takes(anchor, from: observer)
        else { return }
        memory.observers[source.identifier]?[observer.name]?.acknowledged = anchor
    }

    /// Notes when an observer is told.
    public func noteDelivery(
        at date: Date, to observer: SampleObserver, by source: SampleSource
    ) async throws(SampleStoreError) -> ObserverRecord? {
        try SampleLimits.check(observer: observer.name, of: source)
        guard var record = memory.observers[source.identifier]?[observer.name], record.observer == observer
        else { return nil }
        record.delivered = date
        memory.observers[source.identifier]?[observer.name] = record
        return record
    }

    /// Forgets an observer.
    public func removeObserver(_ name: String, by source: SampleSource) async throws(SampleStoreError) {
        try SampleLimits.check(observer: name, of: source)
        memory.observers[source.identifier]?[name] = nil
    }

    /// Forgets old deletions.
    @discardableResult
    public func purge() async throws(SampleStoreError) -> Int {
        memory.purge(before: now().addingTimeInterval(-tombstoneAge))
    }
}

extension MemorySampleStore {
    private func purgeNowAndThen(_ now: Date) {
        if let lastPurge, now.timeIntervalSince(lastPurge) < SampleHistory.purgeInterval { return }
        lastPurge = now
        _ = memory.purge(before: now.addingTimeInterval(-tombstoneAge))
    }

    private func undecided(_ request: AuthorizationRequest) -> AuthorizationRequest {
        request.filtered { type, access in
            memory.grants[request.source.identifier, type].isUndecided(access)
        }
    }

    private func decide(_ decision: SampleAuthorization.Decision, _ request: AuthorizationRequest) {
        memory.decide(decision, .share, request.share, request.source)
        memory.decide(decision, .read, request.read, request.source)
        if decision == .granted { report(shown: request.read) }
    }

    /// Tells all who may see more now.
    private func report(shown types: Set<SampleType>) {
        listeners.report(memory.changes(of: types))
    }

    private func visible(
        _ changes: Set<ChangedSamples>, _ query: SampleQuery, _ reader: SampleSource
    ) -> Set<SampleType> {
        query.types(of: changes, shownTo: reader, by: memory.grants)
    }
}
