import Crypto
import Digests
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

/// A value that could not be read, or that a restored one has replaced: its bytes stay in the store.
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

extension SetAsideRecord: Identifiable {
    /// Sixteen hexadecimal digits that tell it apart from the others of its store, also from a later one in the same place.
    public var id: String {
        let text = "\(key)\n\(place)\n\(time.timeIntervalSinceReferenceDate.bitPattern)"
        return SHA256.hash(data: Data(text.utf8)).prefix(8).hexadecimal
    }
}

/// The bytes of a value that was set aside.
public struct SetAsideContent: Sendable {
    /// The bytes: those of the whole file in a folder, with its first line; those of the payload in a database and in memory.
    public var bytes: Data
    /// The content in the bytes, or why there is none.
    public var content: Result<StoredContent, StoreError>

    /// Creates a description.
    public init(bytes: Data, content: Result<StoredContent, StoreError>) {
        self.bytes = bytes
        self.content = content
    }
}

/// The outcome of ``Store/restore(_:expecting:reason:)``.
public struct RestoredRecord: Hashable, Sendable {
    /// The revision of the restored value.
    public var revision: Revision
    /// The value that was stored before, which is set aside now; `nil` if none was.
    public var replaced: SetAsideRecord?

    /// Creates an outcome.
    public init(revision: Revision, replaced: SetAsideRecord? = nil) {
        self.revision = revision
        self.replaced = replaced
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
