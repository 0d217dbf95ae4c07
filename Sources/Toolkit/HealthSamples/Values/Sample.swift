public import Foundation

/// Something that was measured: so much of that, at that time, says this one.
public struct Sample: Identifiable, Hashable, Sendable {
    /// Its own number: another version of it may have another.
    public var id: UUID
    /// What was measured.
    public var type: SampleType
    /// How much.
    public var quantity: Quantity
    /// When it began.
    public var start: Date
    /// When it ended: the same as the start, if it took no time.
    public var end: Date
    /// The zone that it was measured in, by its identifier, such as `Europe/Berlin`.
    public var timeZone: String?
    /// Who says so.
    public var source: SampleSource
    /// What else there is to say.
    public var metadata: [String: MetadataValue]
    /// What the source calls it, in all its versions; without it, it never changes.
    public var sync: SyncIdentity?

    /// Creates a sample; it is checked when it is saved.
    ///
    /// - Parameters:
    ///   - id: Its own number.
    ///   - type: What was measured.
    ///   - quantity: How much.
    ///   - start: When it began.
    ///   - end: When it ended; `nil` if it took no time.
    ///   - timeZone: The identifier of the zone that it was measured in.
    ///   - source: Who says so.
    ///   - metadata: What else there is to say.
    ///   - sync: What the source calls it, in all its versions.
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
}

/// Who has measured: an app, a device, an import.
public struct SampleSource: Hashable, Sendable, Codable {
    /// What it is told by: `coffee-tracker`.
    ///
    /// 1 to 128 bytes without control characters, in Unicode's normalization form C: of two spellings that look the
    /// same, one is refused.
    ///
    /// Permissions are this identifier's, and so are samples.
    public var identifier: String
    /// What people call it; the one that was given last counts, for its older samples too.
    ///
    /// It may be what an identifier may be.
    public var name: String

    /// Creates a source.
    public init(identifier: String, name: String) {
        self.identifier = identifier
        self.name = name
    }
}

/// What a source calls a sample, whichever version of it.
///
/// Of one source and identifier there is one sample at most: the one of the greatest version.
public struct SyncIdentity: Hashable, Sendable, Codable {
    /// The same in each version: what a source's identifier may be.
    public var identifier: String
    /// Greater in each later one: from 0 on, up to 2^53, which JSON still carries exactly.
    public var version: Int

    /// Creates an identity.
    public init(identifier: String, version: Int) {
        self.identifier = identifier
        self.version = version
    }
}

/// What is left of a sample that is no longer there, or was replaced by another version.
public struct DeletedSample: Hashable, Sendable {
    /// Its number.
    public var id: UUID
    /// What it had measured.
    public var type: SampleType
    /// What its source had called it, and the version that is gone.
    public var sync: SyncIdentity?
    /// Whose it was, by its identifier.
    public var source: String

    /// Creates it.
    public init(id: UUID, type: SampleType, sync: SyncIdentity?, source: String) {
        self.id = id
        self.type = type
        self.sync = sync
        self.source = source
    }
}
