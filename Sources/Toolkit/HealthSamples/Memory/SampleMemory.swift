import Foundation

/// The samples of one owner in memory: the state and logic of a ``MemorySampleStore``, without concurrency.
struct SampleMemory: Sendable {
    struct Entry: Sendable {
        var sequence: Int64
        var sample: Sample
    }

    private enum Event {
        case saved(UUID)
        case deleted(DeletedSample, type: SampleType, at: Date)
    }

    private var history: SampleHistory
    /// The only epoch, because a store in memory is opened once.
    private let epoch: UUID
    private var samples: [UUID: Entry] = [:]
    /// The identifiers of the samples that have a sync identifier.
    private var idsByKey: [SampleKey: UUID] = [:]
    /// All changes, by sequence number; it may still have older entries of samples that changed again later.
    private var log: [(sequence: Int64, event: Event)] = []
    private var compactionThreshold = 64
    private var deletedVersions: [SampleKey: Int] = [:]
    private var sources: [String: SampleSource] = [:]
    private(set) var grants = SampleGrants()

    init(store: UUID, epoch: UUID) {
        self.epoch = epoch
        self.history = SampleHistory(store: store, last: 0, purged: 0)
    }

    private mutating func append(_ event: Event) {
        history.last += 1
        log.append((history.last, event))
    }
}

// MARK: - Saving and deleting

extension SampleMemory {
    /// Saves validated samples, and returns the outcome of each and the changed sources and types.
    mutating func save(
        _ new: [Sample], by source: SampleSource, now: Date
    ) throws(SampleStoreError) -> ([SaveOutcome], Set<ChangedSamples>) {
        for type in Set(new.map(\.type)) { try grants[source.identifier, type].checkShare(type, source) }
        // A single sample needs no rollback: it is rejected before anything changes.
        let before = new.count > 1 ? self : nil
        var outcomes: [SaveOutcome] = []
        var changes: Set<ChangedSamples> = []
        do throws(SampleStoreError) {
            for sample in new { outcomes.append(try save(sample, now: now, noting: &changes)) }
        } catch {
            if let before { self = before }
            throw error
        }
        sources[source.identifier] = source
        compact()
        return (outcomes, changes)
    }

    private mutating func save(
        _ sample: Sample, now: Date, noting changes: inout Set<ChangedSamples>
    ) throws(SampleStoreError) -> SaveOutcome {
        let key = sample.key
        let current = sample.sync == nil ? nil : idsByKey[key].flatMap { samples[$0] }
        let decision = try SaveDecision(
            saving: sample, over: current.map { ($0.sample.id, $0.sample.sync?.version ?? 0) },
            deletedVersion: deletedVersions[key], sampleWithSameID: samples[sample.id]?.sample)
        if case .leave(let outcome) = decision { return outcome }
        if let current, !current.sample.matchesSameQueries(as: sample) {
            makeTombstone(current.sample, now: now, noting: &changes)
        }
        append(.saved(sample.id))
        samples[sample.id] = Entry(sequence: history.last, sample: sample)
        if sample.sync != nil { idsByKey[key] = sample.id }
        changes.insert(ChangedSamples(source: sample.source.identifier, type: sample.type))
        return current.map { .replaced($0.sample.id) } ?? .added
    }

    /// Deletes samples of a source, and returns their number and the changed sources and types.
    mutating func delete(
        _ selection: SampleSelection, by source: SampleSource, now: Date
    ) throws(SampleStoreError) -> (Int, Set<ChangedSamples>) {
        let found: [Sample]
        switch selection {
        case .ids(let ids): found = ids.compactMap { samples[$0]?.sample }
        case .syncIdentifiers(let identifiers):
            found = identifiers.compactMap { identifier in
                idsByKey[.sync(source: source.identifier, identifier: identifier)].flatMap { samples[$0]?.sample }
            }
        case .query(let query): found = samples.values.map(\.sample).filter { query.matches($0, now: now) }
        }
        let own = found.filter { $0.source.identifier == source.identifier }
        for type in Set(own.map(\.type)) { try grants[source.identifier, type].checkShare(type, source) }
        var changes: Set<ChangedSamples> = []
        for sample in own { makeTombstone(sample, now: now, noting: &changes) }
        compact()
        return (own.count, changes)
    }

    private mutating func makeTombstone(_ sample: Sample, now: Date, noting changes: inout Set<ChangedSamples>) {
        samples[sample.id] = nil
        append(.deleted(sample.known, type: sample.type, at: now))
        changes.insert(ChangedSamples(source: sample.source.identifier, type: sample.type))
        if sample.sync != nil { idsByKey[sample.key] = nil }
        remember(sample.known)
    }

    private mutating func remember(_ deleted: DeletedSample) {
        guard let version = deleted.sync?.version else { return }
        deletedVersions[deleted.key] = max(version, deletedVersions[deleted.key] ?? version)
    }

    /// Removes log entries superseded by a later change, once the log has grown enough.
    private mutating func compact() {
        guard log.count > compactionThreshold else { return }
        log.removeAll { [samples] sequence, event in
            if case .saved(let id) = event { samples[id]?.sequence != sequence } else { false }
        }
        compactionThreshold = max(64, log.count * 2)
    }

    /// Purges deletions before a time, and returns their number.
    mutating func purge(before time: Date) -> Int {
        func isOld(_ entry: (sequence: Int64, event: Event)) -> Bool {
            if case .deleted(_, _, let date) = entry.event { date < time } else { false }
        }
        guard let last = log.last(where: isOld)?.sequence else { return 0 }
        let count = log.count
        log.removeAll(where: isOld)
        history.purged = max(history.purged, last)
        deletedVersions = [:]
        for case (_, .deleted(let deleted, _, _)) in log { remember(deleted) }
        return count - log.count
    }
}

// MARK: - Reading

extension SampleMemory {
    /// The samples that match a query and that its reader may see, unsorted.
    func find(_ query: SampleQuery, by reader: SampleSource, now: Date) -> [Sample] {
        samples.values.map(\.sample).filter { isVisible($0, query, reader, now) }.map(withCurrentSourceName)
    }

    private func isVisible(_ sample: Sample, _ query: SampleQuery, _ reader: SampleSource, _ now: Date) -> Bool {
        query.matches(sample, now: now) && grants.shows(sample.type, of: sample.source.identifier, to: reader)
    }

    /// The sample with its source's newest name.
    private func withCurrentSourceName(_ sample: Sample) -> Sample {
        var sample = sample
        sample.source = sources[sample.source.identifier] ?? sample.source
        return sample
    }

    func latestAnchor(_ query: SampleQuery, by reader: SampleSource) -> Anchor {
        history.anchor(
            at: history.last, floor: history.last, digest: query.digest(for: reader.identifier), epoch: epoch)
    }

    /// A page of changes.
    func changes(
        _ query: SampleQuery, since anchor: Anchor?, limit: Int, by reader: SampleSource, now: Date
    ) throws(SampleStoreError) -> SampleChanges {
        let digest = query.digest(for: reader.identifier)
        if let anchor {
            try history.check(anchor, digest: digest, epoch: epoch, visibleSince: grants.visibleSince(query, reader))
        }
        let floor = anchor?.floor ?? history.last
        var page = SampleChanges(
            added: [], deleted: [],
            anchor: history.anchor(at: history.last, floor: floor, digest: digest, epoch: epoch),
            hasMore: false)
        var last = anchor?.sequence ?? 0
        for (sequence, event) in log[((log.lastIndex { $0.sequence <= last } ?? -1) + 1)...] {
            var saved: Sample?
            var removed: DeletedSample?
            switch event {
            case .saved(let id):
                guard let entry = samples[id], entry.sequence == sequence else { continue }
                saved = isVisible(entry.sample, query, reader, now) ? entry.sample : nil
            case .deleted(let deleted, let type, _):
                // A reader whose first page came later has never seen the sample.
                let isSeen =
                    sequence > floor && query.types.contains(type) && query.sources.contains(deleted.source)
                    && grants.shows(type, of: deleted.source, to: reader)
                removed = isSeen ? deleted : nil
            }
            if saved == nil, removed == nil { continue }
            if page.added.count + page.deleted.count == limit {
                page.anchor = history.anchor(at: last, floor: floor, digest: digest, epoch: epoch)
                page.hasMore = true
                return page
            }
            last = sequence
            if let saved { page.added.append(withCurrentSourceName(saved)) }
            if let removed { page.deleted.append(removed) }
        }
        return page
    }
}

// MARK: - Permissions

extension SampleMemory {
    /// Records a decision.
    mutating func decide(_ decision: SampleAuthorization.Decision, _ request: AuthorizationRequest) {
        let source = request.source
        sources[source.identifier] = source
        for (access, types) in [(SampleAccess.share, request.share), (.read, request.read)] {
            for type in types where grants[source.identifier, type].decide(decision, access, at: history.last + 1) {
                // The grant takes a sequence number of its own, so that it sorts after all earlier changes.
                history.last += 1
            }
        }
    }

    /// All decisions, sorted by source and type.
    var authorizations: [SampleAuthorization] { grants.authorizations(of: sources) }

    /// Reports all samples of these types as changed.
    func changes(of types: Set<SampleType>) -> Set<ChangedSamples> {
        Set(
            samples.values.lazy.map(\.sample).filter { types.contains($0.type) }
                .map { ChangedSamples(source: $0.source.identifier, type: $0.type) })
    }
}
