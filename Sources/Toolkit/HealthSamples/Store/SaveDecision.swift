import Foundation

/// What is to be done with a sample that is to be saved: the same in every store.
enum SaveDecision: Hashable, Sendable {
    /// It is new.
    case add
    /// It takes the place of the sample that is there under its sync identifier.
    case replace
    /// Nothing is done.
    case leave(SaveOutcome)

    /// Decides.
    ///
    /// - Parameters:
    ///   - sample: What is to be saved.
    ///   - current: What the source has under its sync identifier.
    ///   - deletedVersion: The greatest version of it that was deleted or replaced, if that is remembered.
    ///   - namesake: The sample that has its number, whosever it is.
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
    /// Whether a query may find one of the two and not the other: then the older one must be told as gone.
    func isFoundLike(_ other: Sample) -> Bool {
        id == other.id && type == other.type && start == other.start && end == other.end && quantity == other.quantity
    }
}
