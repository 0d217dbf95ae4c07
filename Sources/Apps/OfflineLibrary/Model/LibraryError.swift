public import Persistence

/// Why the library could not do what it was asked.
public enum LibraryError: Error, Hashable, Sendable {
    /// What was typed is no address of a page; the text says what is wrong with it.
    case invalidAddress(String)
    /// Nothing was chosen to be made.
    case noFormat
    /// The list has no such order.
    case noSuchOrder
    /// There is no such page, or no such file of it.
    case notFound
    /// A page that was deleted so long ago that it cannot be brought back.
    case tooLate
    /// The page could not be made into what was asked for.
    case rendering(String)
    /// It could not be written or read; the text says what happened and what to do.
    case storage(String)
    /// A limit of the owner's budget is reached; the text says which, and what to do.
    case overBudget(OverBudget)
    /// The program is about to end.
    case ending
}

extension LibraryError: CustomStringConvertible {
    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .invalidAddress(let text), .rendering(let text), .storage(let text): text
        case .overBudget(let reason): reason.message
        case .noFormat: "Choose at least one of picture, PDF and web archive."
        case .noSuchOrder: "A list can be ordered by its newest, its oldest, or by title."
        case .notFound: "There is no such page in the library. It may have been deleted in another tab."
        case .tooLate: "This page was deleted too long ago to be brought back. Save it again from its address."
        case .ending: "Meanwhile is about to end. Start it again, then try again."
        }
    }
}
