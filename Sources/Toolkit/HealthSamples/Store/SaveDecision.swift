import Foundation

/// What a store does with a sample that is being saved; every store applies the same rules.
enum SaveDecision: Hashable, Sendable {
    /// Insert the sample.
    case add
    /// Replace the source's sample with the same sync identifier.
    case replace
    /// Ignore the sample.
    case leave(SaveOutcome)

    /// Decides what to do with a sample.
    ///
    /// - Parameters:
    ///   - sample: The sample to save.
    ///   - current: The source's stored sample with the same sync identifier.
    ///   - deletedVersion: The greatest deleted or replaced version with that sync identifier, if the store remembers
    ///     one.
    ///   - sampleWithSameID: The stored sample, of any source, with the same `id`.
    /// - Throws: ``SampleStoreError`` with the code `duplicateIdentifier`.
    init(
        saving sample: Sample, over current: (id: UUID, version: Int)?, deletedVersion: Int?, sampleWithSameID: Sample?
    ) throws(SampleStoreError) {
        guard let sync = sample.sync else {
            guard let sampleWithSameID else {
                self = .add
                return
            }
            var same = sampleWithSameID
            same.source.name = sample.source.name
            guard same == sample else { throw Self.duplicate(sample) }
            self = .leave(.unchanged)
            return
        }
        if let current {
            guard sync.version > current.version else {
                self = .leave(sync.version == current.version ? .unchanged : .outdated(by: current.version))
                return
            }
            if let sampleWithSameID, sampleWithSameID.id != current.id { throw Self.duplicate(sample) }
            self = .replace
            return
        }
        if let deletedVersion, sync.version <= deletedVersion {
            self = .leave(sync.version == deletedVersion ? .deleted : .outdated(by: deletedVersion))
            return
        }
        if sampleWithSameID != nil { throw Self.duplicate(sample) }
        self = .add
    }

    private static func duplicate(_ sample: Sample) -> SampleStoreError {
        SampleStoreError(
            .duplicateIdentifier,
            "Another sample has the ID \(sample.id). Give this sample another ID. To replace the other sample, use its "
                + "sync identifier and a greater version.")
    }
}

extension Sample {
    /// Whether the two versions have the same identifier, and every query matches both or neither.
    ///
    /// If not, the older one must be reported as deleted.
    func matchesSameQueries(as other: Sample) -> Bool {
        id == other.id && type == other.type && start == other.start && end == other.end && quantity == other.quantity
    }
}
