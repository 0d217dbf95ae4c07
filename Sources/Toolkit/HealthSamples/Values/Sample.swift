public import Foundation

/// One measurement reported by a source: a quantity of a type, between a start and an end.
public struct Sample: Identifiable, Hashable, Sendable {
    /// The sample's identifier, which may differ between versions.
    public var id: UUID
    /// What was measured.
    public var type: SampleType
    /// The measured quantity.
    public var quantity: Quantity
    /// When the measurement began.
    public var start: Date
    /// When the measurement ended; equal to the start for an instantaneous sample.
    public var end: Date
    /// The identifier of the time zone of the measurement, such as `Europe/Berlin`.
    public var timeZone: String?
    /// The app, device or import that reported the sample.
    public var source: SampleSource
    /// Additional details, keyed by name.
    public var metadata: [String: MetadataValue]
    /// Identifies the sample across its versions; a sample without a sync identity never changes.
    public var sync: SyncIdentity?

    /// Creates a sample, instantaneous if `end` is `nil`; a store validates it when it is saved.
    public init(
        id: UUID = UUID(), type: SampleType, quantity: Quantity, start: Date, end: Date? = nil, timeZone: String? = nil,
        source: SampleSource, metadata: [String: MetadataValue] = [:], sync: SyncIdentity? = nil
    ) {
        self.id = id
        self.type = type
        self.quantity = quantity
        self.start = start
        self.end = end ?? start
        self.timeZone = timeZone
        self.source = source
        self.metadata = metadata
        self.sync = sync
    }

    /// Identifies the sample across all its versions.
    public var key: SampleKey { known.key }

    /// What an app remembers about the sample, to compare it with the store later.
    public var known: KnownSample { KnownSample(id: id, sync: sync, source: source.identifier) }
}

/// An app, a device or an import that reports samples.
public struct SampleSource: Hashable, Sendable, Codable {
    /// The identifier that owns samples and permissions, such as `coffee-tracker`.
    ///
    /// 1 to 128 bytes without control characters, in Unicode normalization form C: if two spellings look the same, only
    /// one of them is valid.
    public var identifier: String
    /// The display name, within the same limits; older samples get the newest name too.
    public var name: String

    /// Creates a source.
    public init(identifier: String, name: String) {
        self.identifier = identifier
        self.name = name
    }
}

/// Identifies a sample across its versions, and says which version it is.
///
/// A store has at most one sample for each source and identifier: the one with the greatest version.
public struct SyncIdentity: Hashable, Sendable, Codable {
    /// The identifier, equal in all versions, within the limits of a source's identifier.
    public var identifier: String
    /// The version, from 0 to 2^53, because JSON represents whole numbers exactly up to there.
    public var version: Int

    /// Creates an identity.
    public init(identifier: String, version: Int) {
        self.identifier = identifier
        self.version = version
    }
}

/// Identifies a sample and one of its versions, without its values.
public struct KnownSample: Hashable, Sendable {
    /// The sample's identifier.
    public var id: UUID
    /// The sample's sync identifier and version.
    public var sync: SyncIdentity?
    /// The source's identifier.
    public var source: String

    /// Creates a known sample.
    public init(id: UUID, sync: SyncIdentity?, source: String) {
        self.id = id
        self.sync = sync
        self.source = source
    }

    /// Identifies the sample across all its versions.
    public var key: SampleKey { sync.map { .sync(source: source, identifier: $0.identifier) } ?? .id(id) }

    /// Whether deleting this version also removes a known sample: one with the same key and no newer version.
    public func removes(_ sample: KnownSample) -> Bool {
        guard sample.key == key else { return false }
        guard let sync, let known = sample.sync else { return true }
        return known.version <= sync.version
    }
}

/// Identifies a sample that was deleted or replaced by another version.
public typealias DeletedSample = KnownSample

/// Identifies a sample across all its versions: by its sync identifier, or else by its `id`.
public enum SampleKey: Hashable, Sendable {
    /// The identifier of the source, and the sync identifier that it assigned.
    case sync(source: String, identifier: String)
    /// The identifier of a sample without versions.
    case id(UUID)
}
