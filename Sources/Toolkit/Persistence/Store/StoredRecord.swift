public import Foundation

/// Bytes, and what they are.
public struct StoredContent: Hashable, Sendable {
    /// The name of the format, such as `palettes`.
    public var format: String
    /// The format's version, from 1 on.
    public var version: Int
    /// The encoded value.
    public var payload: Data

    /// Creates content.
    public init(format: String, version: Int, payload: Data) {
        self.format = format
        self.version = version
        self.payload = payload
    }
}

/// Which write something is: equal for the same write only, whatever its content.
public struct Revision: Hashable, Sendable, CustomStringConvertible {
    /// As a store has written it.
    public let description: String

    /// The revision that a store has written so.
    public init(_ description: String) {
        self.description = description
    }
}

/// What is kept under a name.
public struct StoredRecord: Hashable, Sendable {
    /// The content.
    public var content: StoredContent
    /// Which write it is.
    public var revision: Revision
    /// What happened to newer content, if this is the last good copy of before.
    public var recovery: SetAsideRecord?

    /// Creates a record.
    public init(content: StoredContent, revision: Revision, recovery: SetAsideRecord? = nil) {
        self.content = content
        self.revision = revision
        self.recovery = recovery
    }
}

/// What could not be read, and is kept for somebody who can.
public struct SetAsideRecord: Hashable, Sendable {
    /// The name it was kept under.
    public var key: StoreKey
    /// Where it is now: a path, or another name within the store.
    public var place: String
    /// Why.
    public var reason: String
    /// Since when.
    public var time: Date

    /// Creates a description.
    public init(key: StoreKey, place: String, reason: String, time: Date) {
        self.key = key
        self.place = place
        self.reason = reason
        self.time = time
    }
}

/// One of the writes of a ``Store/commit(_:)``.
public struct StoreWrite: Hashable, Sendable {
    /// What must be kept before.
    public enum Expectation: Hashable, Sendable {
        /// Whatever it is.
        case anything
        /// Nothing.
        case nothing
        /// That very write.
        case revision(Revision)
    }

    /// The name.
    public var key: StoreKey
    /// What is kept from then on; `nil` for nothing.
    public var content: StoredContent?
    /// What must be kept before.
    public var expectation: Expectation

    /// Creates a write.
    public init(_ key: StoreKey, _ content: StoredContent?, expecting expectation: Expectation = .anything) {
        self.key = key
        self.content = content
        self.expectation = expectation
    }
}

/// What came of a ``Store/commit(_:)``.
public enum CommitResult: Hashable, Sendable {
    /// All is written; the revision of each name, of removed ones none.
    case committed([StoreKey: Revision])
    /// Nothing is written: these names hold something else than was expected; what, unless it is nothing.
    case conflict([StoreKey: StoredRecord?])
}
