import Foundation

/// What a store does with a sample to save: the same in every store.
enum SaveDecision: Hashable, Sendable {
    /// Adds it.
    case add
    /// Replaces the source's sample of that sync identifier.
    case replace
    /// Leaves it out.
    case leave(SaveOutcome)

    /// Decides.
    ///
    /// - Parameters:
    ///   - sample: The sample to save.
    ///   - current: The source's sample of that sync identifier.
    ///   - deletedVersion: Its greatest version that was deleted or replaced, if that is remembered.
    ///   - namesake: The sample of any source that has its number.
    /// - Throws: ``SampleStoreError`` with the code `duplicateIdentifier`.
    init(
        saving sample: Sample, over current: (id: UUID, version: Int)?, deletedVersion: Int?, namesake: Sample?
    ) throws(SampleStoreError) {
        guard let sync = sample.sync else {
            guard let namesake else {
                self = .add
                return
            }
            var same = namesake
            same.source.name = sample.source.name
            guard same == sample else { throw Self.duplicate(sample) }
            self = .leave(.alreadyThere)
            return
        }
        if let current {
            guard sync.version > current.version else {
                self = .leave(sync.version == current.version ? .alreadyThere : .outdated(by: current.version))
                return
            }
            if let namesake, namesake.id != current.id { throw Self.duplicate(sample) }
            self = .replace
            return
        }
        if let deletedVersion, sync.version <= deletedVersion {
            self = .leave(sync.version == deletedVersion ? .deleted : .outdated(by: deletedVersion))
            return
        }
        if namesake != nil { throw Self.duplicate(sample) }
        self = .add
    }

    private static func duplicate(_ sample: Sample) -> SampleStoreError {
        SampleStoreError(
            .duplicateIdentifier,
            "Another sample has the number \(sample.id). Give this one a number of its own, or a sync identifier and a "
                + "greater version to take the other's place.")
    }
}

extension Sample {
    /// Whether every query finds both versions or none: otherwise the older one must be told as gone.
    func isFoundLike(_ other: Sample) -> Bool {
        id == other.id && type == other.type && start == other.start && end == other.end && quantity == other.quantity
    }
}
