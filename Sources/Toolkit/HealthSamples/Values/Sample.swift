public import Foundation

/// One measurement: a quantity of a type, from a start to an end, as a source reports it.
public struct Sample: Identifiable, Hashable, Sendable {
    /// The sample's number; another version of it may have another.
    public var id: UUID
    /// What was measured.
    public var type: SampleType
    /// How much.
    public var quantity: Quantity
    /// When it began.
    public var start: Date
    /// When it ended; the same as the start if it took no time.
    public var end: Date
    /// The identifier of the zone that it was measured in, such as `Europe/Berlin`.
    public var timeZone: String?
    /// The app, device or import that reports it.
    public var source: SampleSource
    /// Further details, by their names.
    public var metadata: [String: MetadataValue]
    /// The source's name for it in all its versions; a sample without one never changes.
    public var sync: SyncIdentity?

    /// Creates a sample, which takes no time if no end is given; a store checks it when it is saved.
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

    /// What names the sample through all its versions.
    public var key: SampleKey { known.key }

    /// What an app remembers of the sample, to compare it with the store later.
    public var known: KnownSample { KnownSample(id: id, sync: sync, source: source.identifier) }
}

/// An app, a device or an import that reports samples.
public struct SampleSource: Hashable, Sendable, Codable {
    /// The owner of permissions and samples, such as `coffee-tracker`.
    ///
    /// 1 to 128 bytes without control characters, in Unicode's normalization form C: of two spellings that look the
    /// same, one is refused.
    public var identifier: String
    /// What people call it, within the limits of an identifier; the newest name is shown with older samples too.
    public var name: String

    /// Creates a source.
    public init(identifier: String, name: String) {
        self.identifier = identifier
        self.name = name
    }
}

/// A source's name for a sample, and which version of it this is.
///
/// A store has at most one sample of a source and identifier: the one with the greatest version.
public struct SyncIdentity: Hashable, Sendable, Codable {
    /// The same in all versions, within the limits of a source's identifier.
    public var identifier: String
    /// The version, from 0 to 2^53, up to which JSON carries every whole number exactly.
    public var version: Int

    /// Creates an identity.
    public init(identifier: String, version: Int) {
        self.identifier = identifier
        self.version = version
    }
}

/// Which sample, and which version of it, without its values.
public struct KnownSample: Hashable, Sendable {
    /// The sample's number.
    public var id: UUID
    /// The source's name for it, and the version.
    public var sync: SyncIdentity?
    /// The source's identifier.
    public var source: String

    /// Names a sample.
    public init(id: UUID, sync: SyncIdentity?, source: String) {
        self.id = id
        self.sync = sync
        self.source = source
    }

    /// What names the sample through all its versions.
    public var key: SampleKey { sync.map { .sync(source: source, identifier: $0.identifier) } ?? .id(id) }

    /// Whether this deletion removes a known sample, and not only an earlier version of it.
    public func removes(_ sample: KnownSample) -> Bool {
        guard sample.key == key else { return false }
        guard let sync, let known = sample.sync else { return true }
        return known.version <= sync.version
    }
}

/// What is left of a sample that was deleted or replaced by another version.
public typealias DeletedSample = KnownSample

/// What names a sample through all its versions: the source's name for it, or else its number.
public enum SampleKey: Hashable, Sendable {
    /// The name that the source with that identifier gave it.
    case sync(source: String, identifier: String)
    /// The number of a sample that has no versions.
    case id(UUID)
}
