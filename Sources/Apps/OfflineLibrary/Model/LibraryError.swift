public import Persistence

/// An error of the library.
public enum LibraryError: Error, Hashable, Sendable {
    /// The text isn't a valid web address; the associated text says why.
    case invalidAddress(String)
    /// A list of addresses can't be used; the associated text says why.
    case invalidAddressList(String)
    /// No format was chosen.
    case noFormat
    /// No page was selected.
    case noSelection
    /// The tags or the note of a page can't be stored; the associated text says why.
    case invalidMarks(String)
    /// The change can't be undone any more.
    case tooLateToUndo
    /// The order of the list is unknown.
    case noSuchOrder
    /// The page, or its file, doesn't exist.
    case notFound
    /// The page was deleted too long ago to be restored.
    case tooLate
    /// A file of the page couldn't be rendered.
    case rendering(String)
    /// Reading or writing failed; the text says what happened and what to do.
    case storage(String)
    /// A limit of the owner's budget is reached; the text says which, and what to do.
    case overBudget(OverBudget)
    /// There is no such import.
    case noSuchImport
    /// The program is shutting down.
    case shuttingDown
}

extension LibraryError: CustomStringConvertible {
    /// What happened, and what to do about it.
    public var description: String {
        switch self {
        case .invalidAddress(let text), .invalidAddressList(let text), .rendering(let text), .storage(let text),
            .invalidMarks(let text):
            text
        case .overBudget(let reason): reason.message
        case .noFormat: LibraryWords.noFormat
        case .noSelection: LibraryWords.noSelection
        case .noSuchOrder: LibraryWords.noSuchOrder
        case .notFound: LibraryWords.notFound
        case .tooLate: LibraryWords.tooLate
        case .tooLateToUndo: LibraryWords.tooLateToUndo
        case .noSuchImport: LibraryWords.noSuchImport
        case .shuttingDown: LibraryWords.shuttingDown
        }
    }
}
