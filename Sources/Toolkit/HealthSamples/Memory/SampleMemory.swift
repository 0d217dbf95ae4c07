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
        _ new: [Sample], by source: SampleSource, now: Date
    ) throws(SampleStoreError) -> ([SaveOutcome], Set<ChangedSamples>) {
        for type in Set(new.map(\.type)) { try grants.checkShare(type, source) }
        var outcomes: [SaveOutcome] = []
        var steps: [Step] = []
        do throws(SampleStoreError) {
            for sample in new { outcomes.append(try save(sample, now: now, &steps)) }
        } catch {
            // All or none.
            for step in steps.reversed() { undo(step) }
            throw error
        }
        sources[source.identifier] = source
        forgetOldOrder()
        return (outcomes, Set(steps.map(\.change)))
    }

    /// What was done to one sample, so that it can be undone: a copy of everything for each save would take its time.
    private enum Step {
        case insert(Sample)
        /// Without a trace.
        case remove(Entry)
        case bury(Entry, deletedVersion: Int?)

        var change: ChangedSamples {
            switch self {
            case .insert(let sample): ChangedSamples(source: sample.source.identifier, type: sample.type)
            case .remove(let entry), .bury(let entry, _):
                ChangedSamples(source: entry.sample.source.identifier, type: entry.sample.type)
            }
        }
    }

    private mutating func undo(_ step: Step) {
        switch step {
        case .insert(let sample):
            samples[sample.id] = nil
            if sample.sync != nil { numbers[sample.key] = nil }
            order.removeLast()
            history.last -= 1
        case .remove(let entry):
            putBack(entry)
        case .bury(let entry, let deletedVersion):
            putBack(entry)
            tombstones.removeLast()
            if entry.sample.sync != nil { deletedVersions[entry.sample.key] = deletedVersion }
            history.last -= 1
        }
    }

    private mutating func putBack(_ entry: Entry) {
        samples[entry.sample.id] = entry
        if entry.sample.sync != nil { numbers[entry.sample.key] = entry.sample.id }
    }

    private mutating func save(
        _ sample: Sample, now: Date, _ steps: inout [Step]
    ) throws(SampleStoreError) -> SaveOutcome {
        let key = sample.key
        let current = sample.sync == nil ? nil : numbers[key].flatMap { samples[$0] }
        let decision = try SaveDecision(
            saving: sample, over: current.map { ($0.sample.id, $0.sample.sync?.version ?? 0) },
            deletedVersion: deletedVersions[key], namesake: samples[sample.id]?.sample)
        switch decision {
        case .leave(let outcome):
            return outcome
        case .add:
            steps.append(insert(sample))
            return .added
        case .replace:
            guard let current else { return .alreadyThere }
            if current.sample.isFoundLike(sample) {
                samples[current.sample.id] = nil
                numbers[key] = nil
                steps.append(.remove(current))
            } else {
                steps.append(bury(current, now: now))
            }
            steps.append(insert(sample))
            return .replaced(current.sample.id)
        }
    }

    private mutating func insert(_ sample: Sample) -> Step {
        history.last += 1
        samples[sample.id] = Entry(sequence: history.last, sample: sample)
        order.append((history.last, sample.id))
        if sample.sync != nil { numbers[sample.key] = sample.id }
        return .insert(sample)
    }
}

// MARK: - Deleting

extension SampleMemory {
    /// Deletes samples of a source.
    ///
    /// - Returns: How many, and what has changed.
    mutating func delete(
        _ selection: SampleSelection, by source: SampleSource, now: Date
    ) throws(SampleStoreError) -> (Int, Set<ChangedSamples>) {
        let found: [Entry]
        switch selection {
        case .ids(let ids):
            found = ids.compactMap { samples[$0] }
        case .syncIdentifiers(let identifiers):
            found = identifiers.compactMap { identifier in
                numbers[.sync(source: source.identifier, identifier: identifier)].flatMap { samples[$0] }
            }
        case .query(let query):
            found = samples.values.filter { query.matches($0.sample, now: now) }
        }
        let own = found.filter { $0.sample.source.identifier == source.identifier }
        for type in Set(own.map(\.sample.type)) { try grants.checkShare(type, source) }
        var changes: Set<ChangedSamples> = []
        for entry in own { changes.insert(bury(entry, now: now).change) }
        forgetOldOrder()
        return (own.count, changes)
    }

    /// Drops what is gone from the order, now and then.
    private mutating func forgetOldOrder() {
        guard order.count > 64, order.count > samples.count * 2 else { return }
        let samples = samples
        order.removeAll { samples[$0.id]?.sequence != $0.sequence }
    }

    private mutating func bury(_ entry: Entry, now: Date) -> Step {
        let sample = entry.sample
        samples[sample.id] = nil
        history.last += 1
        let deleted = DeletedSample(
            id: sample.id, type: sample.type, sync: sample.sync, source: sample.source.identifier)
        tombstones.append(Tombstone(sequence: history.last, deleted: deleted, time: now))
        guard let sync = sample.sync else { return .bury(entry, deletedVersion: nil) }
        let before = deletedVersions[sample.key]
        numbers[sample.key] = nil
        deletedVersions[sample.key] = max(sync.version, before ?? sync.version)
        return .bury(entry, deletedVersion: before)
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
    func find(_ query: SampleQuery, by reader: SampleSource, now: Date) -> [Sample] {
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

    func latestAnchor(_ query: SampleQuery, by reader: SampleSource) -> Anchor {
        history.anchor(
            at: history.last, floor: history.last, query: query.digest(for: reader.identifier), epoch: epoch)
    }

    /// A page of what has changed.
    func changes(
        _ query: SampleQuery, since anchor: Anchor?, limit: Int, by reader: SampleSource, now: Date
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
