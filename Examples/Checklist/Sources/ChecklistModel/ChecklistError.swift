/// Why lists can't be changed or stored.
public enum ChecklistError: Error, Hashable, Sendable {
    /// The name or the text is empty, too long, or not on one line.
    case invalidText
    /// The maximum number of items is reached.
    case full
    /// The item doesn't exist.
    case notFound
    /// Reading or writing failed; the text says what happened and what to do.
    case storage(String)
    /// The program is shutting down.
    case shuttingDown
}

extension ChecklistError: CustomStringConvertible {
    /// What happened, and what to do about it.
    public var description: String {
        switch self {
        case .invalidText: "Enter 1 to \(Checklists.maximumLength) characters on one line."
        case .full: "There are \(Checklists.maximumCount) items, the most allowed. Delete one first."
        case .notFound: "This item doesn’t exist. It may have been deleted in another tab. Reload the page."
        case .storage(let text): text
        case .shuttingDown: "Nothing was changed. Start Checklist again, then reload the page."
        }
    }
}
