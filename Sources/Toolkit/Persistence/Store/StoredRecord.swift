import Crypto
import Digests
public import Foundation

/// The encoded bytes of a value, with the name and version of their format.
public struct StoredContent: Hashable, Sendable {
    /// The format's name, such as `palettes`.
    public var format: String
    /// The format's version, starting at 1.
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

/// Identifies one write: two writes have different revisions, even if their content is equal.
public struct Revision: Hashable, Sendable, CustomStringConvertible {
    /// The revision as the store has written it.
    public let description: String

    /// Creates a revision from the text that a store has written.
    public init(_ description: String) {
        self.description = description
    }
}

/// The content of a key, and its revision.
public struct StoredRecord: Hashable, Sendable {
    /// The content.
    public var content: StoredContent
    /// The write that stored it.
    public var revision: Revision
    /// The damaged newer value that was set aside, if this is the last good copy.
    public var recovery: SetAsideRecord?

    /// Creates a record.
    public init(content: StoredContent, revision: Revision, recovery: SetAsideRecord? = nil) {
        self.content = content
        self.revision = revision
        self.recovery = recovery
    }
}

/// A value that was set aside because it could not be read, or because a restored value replaced it.
public struct SetAsideRecord: Hashable, Sendable {
    /// The key that it was stored under.
    public var key: StoreKey
    /// Where it is now: a path, or a name within the store.
    public var place: String
    /// Why it was set aside.
    public var reason: String
    /// When it was set aside.
    public var time: Date

    /// Creates a record.
    public init(key: StoreKey, place: String, reason: String, time: Date) {
        self.key = key
        self.place = place
        self.reason = reason
        self.time = time
    }
}

extension SetAsideRecord: Identifiable {
    /// Sixteen hexadecimal digits that are unique within the store, even if a later value is set aside in the same
    /// place.
    public var id: String {
        let text = "\(key)\n\(place)\n\(time.timeIntervalSinceReferenceDate.bitPattern)"
        return SHA256.hash(data: Data(text.utf8)).prefix(8).hexadecimal
    }
}

/// The bytes of a value that was set aside.
public struct SetAsideContent: Sendable {
    /// The bytes: in a folder, the whole file with its first line; in a database or in memory, the payload.
    public var bytes: Data
    /// The content of the bytes, or why it can't be read.
    public var content: Result<StoredContent, StoreError>

    /// Creates content.
    public init(bytes: Data, content: Result<StoredContent, StoreError>) {
        self.bytes = bytes
        self.content = content
    }
}

/// The outcome of ``Store/restore(_:expecting:reason:)``.
public struct RestoredRecord: Hashable, Sendable {
    /// The revision of the restored value.
    public var revision: Revision
    /// The value that was replaced, and is set aside now; `nil` if there was none.
    public var replaced: SetAsideRecord?

    /// Creates an outcome.
    public init(revision: Revision, replaced: SetAsideRecord? = nil) {
        self.revision = revision
        self.replaced = replaced
    }
}

/// One write of a ``Store/commit(_:)``.
public struct StoreWrite: Hashable, Sendable {
    /// The condition that the currently stored value must meet.
    public enum Expectation: Hashable, Sendable {
        /// Any value, or none.
        case anything
        /// No value.
        case nothing
        /// The value with this revision.
        case revision(Revision)
    }

    /// The key.
    public var key: StoreKey
    /// The new content; `nil` to remove the value.
    public var content: StoredContent?
    /// The condition that the currently stored value must meet.
    public var expectation: Expectation

    /// Creates a write.
    public init(_ key: StoreKey, _ content: StoredContent?, expecting expectation: Expectation = .anything) {
        self.key = key
        self.content = content
        self.expectation = expectation
    }
}

/// The outcome of a ``Store/commit(_:)``.
public enum CommitResult: Hashable, Sendable {
    /// All writes were performed; contains the revision of each key, except for removed ones.
    case committed([StoreKey: Revision])
    /// Nothing was written, because these keys don't meet their expectations.
    ///
    /// Contains their current records, `nil` for none.
    case conflict([StoreKey: StoredRecord?])
}
