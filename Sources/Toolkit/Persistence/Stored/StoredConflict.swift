/// What was set here, and what somebody else has written meanwhile.
///
/// Also what was set before it was known what is kept: then there is no ``base``.
public struct StoredConflict<Value> {
    /// What was set here.
    public let local: Value
    /// What is kept now: another one's write.
    public let foreign: Value
    /// What both began with; `nil` if nothing was kept then, or that is not known.
    public let base: Value?

    /// Creates a conflict.
    public init(local: Value, foreign: Value, base: Value?) {
        self.local = local
        self.foreign = foreign
        self.base = base
    }
}

/// Who wins.
public enum StoredResolution<Value> {
    /// What was set here; the other one's value is kept under a name of its own, and reported.
    case local
    /// What the other one has written; what was set here is kept under a name of its own, and reported.
    case foreign
    /// This, in which nothing of either is lost: neither is kept beside it.
    case merged(Value)
}

/// What happened to something that was kept, and where it is now: for people to look at.
public enum StoredReport: Hashable, Sendable {
    /// It could not be read, and was set aside. What stands in its place is an older copy, what was in memory, or the
    /// default.
    case setAside(SetAsideRecord)
    /// The newest copy was damaged, and was set aside. The last good one has taken its place.
    case recovered(SetAsideRecord)
    /// Two have written, and another one's value lost: it is kept under this name.
    case foreignLost(StoreKey)
    /// Two have written, and what was set here lost: it is kept under this name.
    case localLost(StoreKey)
}

extension StoredReport: CustomStringConvertible {
    /// What happened, to what, and where it is.
    public var description: String {
        switch self {
        case .setAside(let record):
            "“\(record.key)” could not be read, and was set aside as \(record.place). (\(record.reason))"
        case .recovered(let record):
            "“\(record.key)” was damaged: an older copy has taken its place, and the damaged one is \(record.place). "
                + "(\(record.reason))"
        case .foreignLost(let key):
            "Somebody else had written too. What they wrote was replaced, and is kept as “\(key)”."
        case .localLost(let key):
            "Somebody else had written too. What they wrote is kept, and what was written here is “\(key)”."
        }
    }
}
