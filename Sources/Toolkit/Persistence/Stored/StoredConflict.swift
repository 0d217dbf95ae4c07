/// An unsaved local change, and the change of another writer.
///
/// There is also a conflict, without a ``base``, if a value was set before the stored one was read.
public struct StoredConflict<Value> {
    /// The value that was set here.
    public let local: Value
    /// The value that is stored now, by another writer.
    public let foreign: Value
    /// The value that both changes are based on; `nil` if none was stored then, or it is unknown.
    public let base: Value?

    /// Creates a conflict.
    public init(local: Value, foreign: Value, base: Value?) {
        self.local = local
        self.foreign = foreign
        self.base = base
    }
}

/// The resolution of a ``StoredConflict``.
public enum StoredResolution<Value> {
    /// The local value wins; the other writer's value is stored as a conflict copy and reported.
    case local
    /// The other writer's value wins; the local value is stored as a conflict copy and reported.
    case foreign
    /// This value combines both; no conflict copy is stored.
    case merged(Value)
}

/// A report to the user of what happened to a stored value, and where it is now.
public enum StoredReport: Hashable, Sendable {
    /// It could not be read, and was set aside. An older copy, the value in memory, or the default replaces it.
    case setAside(SetAsideRecord)
    /// The newest copy was damaged, and was set aside. The last good copy replaces it.
    case recovered(SetAsideRecord)
    /// The value of another writer lost a conflict; it is stored under this key.
    case foreignLost(StoreKey)
    /// The local value lost a conflict; it is stored under this key.
    case localLost(StoreKey)
}

extension StoredReport: CustomStringConvertible {
    /// A message that says what happened to which value, and where it is now.
    public var description: String {
        switch self {
        case .setAside(let record):
            "“\(record.key)” could not be read, and was set aside as \(record.place). (\(record.reason))"
        case .recovered(let record):
            "“\(record.key)” was damaged: an older copy replaced it, and the damaged one is now \(record.place). "
                + "(\(record.reason))"
        case .foreignLost(let key):
            "Another writer changed the value too. That value was replaced, and is stored as “\(key)”."
        case .localLost(let key):
            "Another writer changed the value too. That value stays, and yours is stored as “\(key)”."
        }
    }
}
