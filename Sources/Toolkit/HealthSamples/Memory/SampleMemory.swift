import Foundation

/// The samples of one owner, in memory: what a ``MemorySampleStore`` does, without any concurrency.
struct SampleMemory: Sendable {
    struct Entry: Sendable {
        var sequence: Int64
        var sample: Sample
    }

    struct Tombstone: Sendable {
        var sequence: Int64
        var deleted: DeletedSample
        var time: Date
    }

    private(set) var history: SampleHistory
    /// The only one: a store in memory is opened once.
    private let epoch: UUID
    private(set) var samples: [UUID: Entry] = [:]
    /// The numbers of those that have a sync identifier.
    private var numbers: [SampleKey: UUID] = [:]
    /// In the order of their sequence.
    private(set) var tombstones: [Tombstone] = []
    private var deletedVersions: [SampleKey: Int] = [:]
    /// The samples in the order that they were saved in; some may be gone or be there again later.
    private var order: [(sequence: Int64, id: UUID)] = []
    private var sources: [String: SampleSource] = [:]
    var grants = SampleGrants()
    var observers: [String: [String: ObserverRecord]] = [:]

    init(store: UUID, epoch: UUID) {
        self.epoch = epoch
        self.history = SampleHistory(store: store, last: 0, purged: 0)
    }
}

// MARK: - Saving

extension SampleMemory {
    /// Saves samples that were checked.
    ///
    /// - Returns: What became of each, and what has changed.
    mutating func save(
        _ new: [Sample], as source: SampleSource, now: Date
    ) throws(SampleStoreError) -> ([SaveOutcome], Set<ChangedSamples>) {
        for type in Set(new.map(\.type)) { try grants.checkShare(type, source) }
        // All or none: what is thrown leaves the copy behind.
        var outcomes: [SaveOutcome] = []
        var changes: Set<ChangedSamples> = []
        var trial = self
        for sample in new {
            outcomes.append(try trial.save(sample, now: now, &changes))
        }
        trial.sources[source.identifier] = source
        self = trial
        return (outcomes, changes)
    }

    private mutating func save(
        _ sample: Sample, now: Date, _ changes: inout Set<ChangedSamples>
    ) throws(SampleStoreError) -> SaveOutcome {
        let key = sample.key
        let current = sample.sync == nil ? nil : numbers[key].flatMap { samples[$0]?.sample }
        let decision = try SaveDecision(
            saving: sample, over: current.map { ($0.id, $0.sync?.version ?? 0) },
            deletedVersion: deletedVersions[key], namesake: samples[sample.id]?.sample)
        switch decision {
        case .leave(let outcome):
            return outcome
        case .add:
            insert(sample, &changes)
            return .added
        case .replace:
            guard let current else { return .alreadyThere }
            if current.isFoundLike(sample) {
                samples[current.id] = nil
                numbers[key] = nil
            } else {
                bury(current, now: now, &changes)
            }
            insert(sample, &changes)
            return .replaced(current.id)
        }
    }

    private mutating func insert(_ sample: Sample, _ changes: inout Set<ChangedSamples>) {
        history.last += 1
        samples[sample.id] = Entry(sequence: history.last, sample: sample)
        order.append((history.last, sample.id))
        if sample.sync != nil { numbers[sample.key] = sample.id }
        changes.insert(ChangedSamples(source: sample.source.identifier, type: sample.type))
    }
}

// MARK: - Deleting

extension SampleMemory {
    /// Deletes samples of a source.
    ///
    /// - Returns: How many, and what has changed.
    mutating func delete(
        _ selection: SampleSelection, as source: SampleSource, now: Date
    ) throws(SampleStoreError) -> (Int, Set<ChangedSamples>) {
        let found: [Sample]
        switch selection {
        case .ids(let ids):
            found = ids.compactMap { samples[$0]?.sample }
        case .syncIdentifiers(let identifiers):
            found = identifiers.compactMap { identifier in
                numbers[.sync(source: source.identifier, identifier: identifier)].flatMap { samples[$0]?.sample }
            }
        case .query(let query):
            found = samples.values.map(\.sample).filter { query.matches($0, now: now) }
        }
        let own = found.filter { $0.source.identifier == source.identifier }
        for type in Set(own.map(\.type)) { try grants.checkShare(type, source) }
        var changes: Set<ChangedSamples> = []
        for sample in own { bury(sample, now: now, &changes) }
        if order.count > 64, order.count > samples.count * 2 {
            let samples = samples
            order.removeAll { samples[$0.id]?.sequence != $0.sequence }
        }
        return (own.count, changes)
    }

    private mutating func bury(_ sample: Sample, now: Date, _ changes: inout Set<ChangedSamples>) {
        samples[sample.id] = nil
        history.last += 1
        let deleted = DeletedSample(
            id: sample.id, type: sample.type, sync: sample.sync, source: sample.source.identifier)
        tombstones.append(Tombstone(sequence: history.last, deleted: deleted, time: now))
        if let sync = sample.sync {
            numbers[sample.key] = nil
            deletedVersions[sample.key] = max(sync.version, deletedVersions[sample.key] ?? sync.version)
        }
        changes.insert(ChangedSamples(source: sample.source.identifier, type: sample.type))
    }

    /// Forgets deletions from before a time.
    mutating func purge(before time: Date) -> Int {
        let old = tombstones.filter { $0.time < time }
        guard let last = old.map(\.sequence).max() else { return 0 }
        tombstones.removeAll { $0.time < time }
        history.purged = max(history.purged, last)
        deletedVersions = [:]
        for tombstone in tombstones {
            guard let sync = tombstone.deleted.sync else { continue }
            deletedVersions[tombstone.deleted.key] = max(
                sync.version, deletedVersions[tombstone.deleted.key] ?? sync.version)
        }
        return old.count
    }
}

// MARK: - Reading

extension SampleMemory {
    /// What a query finds that its reader may see, in no order.
    func find(_ query: SampleQuery, as reader: SampleSource, now: Date) -> [Sample] {
        samples.values.lazy.map(\.sample)
            .filter { query.matches($0, now: now) && grants.shows($0.type, of: $0.source.identifier, to: reader) }
            .map(named)
    }

    /// With its source's newest name.
    private func named(_ sample: Sample) -> Sample {
        guard let source = sources[sample.source.identifier] else { return sample }
        var sample = sample
        sample.source = source
        return sample
    }

    func latestAnchor(_ query: SampleQuery, as reader: SampleSource) -> Anchor {
        history.anchor(
            at: history.last, floor: history.last, query: query.digest(for: reader.identifier), epoch: epoch)
    }

    /// A page of what has changed.
    func changes(
        _ query: SampleQuery, since anchor: Anchor?, limit: Int, as reader: SampleSource, now: Date
    ) throws(SampleStoreError) -> SampleChanges {
        let digest = query.digest(for: reader.identifier)
        if let anchor {
            try history.check(anchor, query: digest, epoch: epoch, visibleSince: grants.visibleSince(query, reader))
        }
        let sequence = anchor?.sequence ?? 0
        let floor = anchor?.floor ?? history.last
        var page = SampleChanges(
            added: [], deleted: [], anchor: history.anchor(at: history.last, floor: floor, query: digest, epoch: epoch),
            hasMore: false)
        var saved = order[Self.firstIndex(in: order.count, where: { order[$0].sequence > sequence })...]
        var gone = tombstones[Self.firstIndex(in: tombstones.count, where: { tombstones[$0].sequence > sequence })...]
        var last = sequence
        while let next = [saved.first?.sequence, gone.first?.sequence].compactMap({ $0 }).min() {
            let isSample = next == saved.first?.sequence
            let sample = isSample ? saved.removeFirst() : nil
            let tombstone = isSample ? nil : gone.removeFirst()
            var found = false
            if let sample, let entry = samples[sample.id], entry.sequence == sample.sequence {
                found =
                    query.matches(entry.sample, now: now)
                    && grants.shows(entry.sample.type, of: entry.sample.source.identifier, to: reader)
            } else if let deleted = tombstone?.deleted {
                // Who began from nothing later than that was never told of it.
                found =
                    next > floor && query.types.contains(deleted.type) && query.sources.contains(deleted.source)
                    && grants.shows(deleted.type, of: deleted.source, to: reader)
            }
            guard found else { continue }
            if page.added.count + page.deleted.count == limit {
                page.anchor = history.anchor(at: last, floor: floor, query: digest, epoch: epoch)
                page.hasMore = true
                return page
            }
            last = next
            if let sample, let entry = samples[sample.id] { page.added.append(named(entry.sample)) }
            if let tombstone { page.deleted.append(tombstone.deleted) }
        }
        return page
    }

    /// The first index for which a condition holds that holds for all after it.
    private static func firstIndex(in count: Int, where condition: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

// MARK: - Permissions

extension SampleMemory {
    /// Notes a decision.
    mutating func decide(
        _ decision: SampleAuthorization.Decision, _ access: SampleAccess, _ types: Set<SampleType>,
        _ source: SampleSource
    ) {
        sources[source.identifier] = source
        for type in types {
            // A number of its own, so that it is after all that was before.
            if grants.decide(decision, access, type, source, at: history.last + 1) { history.last += 1 }
        }
    }

    /// All that was said, in the order of sources and types.
    var authorizations: [SampleAuthorization] { grants.authorizations(of: sources) }

    /// All that there is of these types, as if it had just changed.
    func changes(of types: Set<SampleType>) -> Set<ChangedSamples> {
        if types.isEmpty { return [] }
        return Set(
            samples.values.lazy.map(\.sample).filter { types.contains($0.type) }
                .map { ChangedSamples(source: $0.source.identifier, type: $0.type) })
    }
}
