import OfflineLibraryModel
import Site

// The values of the templates.

struct LibraryView {
    let list: HTML
    let notice: String?
    let isEmpty: Bool
    let hasSearch: Bool
    /// The search text, which is empty on this page.
    let query = ""
    /// The address in the form, when the page opens.
    let filledIn: String
    /// The page that is already saved at that address.
    let saved: ItemView?
    let formats: [FormatView]
}

/// A format in the form that saves a page.
struct FormatView {
    let name: String
    let label: String
    let isChosen: Bool
}

/// The results of a search.
struct FoundView {
    let query: String
    let isFound: Bool
    /// The pages; `nil` if none is found.
    let list: HTML?
}

struct ListView {
    let items: [ItemView]
    /// Whether the list has no pages except deleted ones, so that it shows the first steps.
    var isEmpty: Bool
    /// Whether the list has pages, including deleted ones.
    let hasRows: Bool
    /// The number of pages in the whole list, such as “24 pages”.
    let count: String
    /// The URL of the next part of the list; `nil` if there is none.
    var after: Link?
    var problem: String?
    var isOrdered = false
    var orderLabel = ""
    var orders: [OrderView] = []
    /// The text of the link to the first pages; `nil` on the first page.
    var back: String?
    var hint: String?
    var isSelectable = false
    var undo: UndoView?
}

/// A deletion of several pages, which can be undone.
struct UndoView {
    let text: String
    /// Identifies the deletion; the server remembers its pages, because their identifiers may not fit a form.
    let deletion: String
    let count: Int
    /// One of the pages.
    let first: SavedPage.ID
}

struct OrderView {
    let value: String
    let label: String
    let isChosen: Bool
}

struct ItemView {
    let id: SavedPage.ID
    let path: Link
    let name: String
    let address: Link?
    let shownAddress: String
    let isDeleted: Bool
    let time: String
    let shownTime: String
    var isFetching = false
    var progress: HTML?
    var isFailed = false
    /// Whether the user has stopped the capture, which counts as failed.
    var isStopped = false
    /// Why the capture failed, or what the server sent in place of the page.
    var reason: String?
    /// The place in the page's text where a search found its words.
    var excerpt: ExcerptView?
    var canRetry = false
    /// Whether the button that deletes the page is hidden until the menu is open.
    var isFolded = false
    /// The live page, if the row has no menu with a link to it.
    var original: Link?
    var hasFiles = false
    /// The viewer that the page's title links to.
    var opens: Link?
    var thumbnail: Link?
    var formats: [ViewerLinkView] = []
    var downloads: [DownloadView] = []
    /// The page with the form that saves a page, filled with this page's address.
    var again: Link?
    /// Whether the copy is complete, as a word; `nil` if that isn't known.
    var completeness: String?
    var isPartial = false
    var warnings: [String] = []
    var hasWarnings = false
    var warningCount = ""
}

/// A few words of a page's text.
struct ExcerptView {
    let parts: [TextExcerpt.Part]
}

/// A link to the viewer of a format, or of another copy.
struct ViewerLinkView {
    let label: String
    let opens: Link
    let isCurrent: Bool
}

struct DownloadView {
    let label: String
    /// The file's size, or what the file is useful for.
    let note: String
    let file: Link
}

struct TileView {
    let content: Link
    /// In pixels.
    let width: Int
    let height: Int
    let isFirst: Bool
}

struct ViewerView {
    let page: ItemView
    let hasCopies: Bool
    let copyCount: String
    /// All copies from the page's address.
    let copies: [ViewerLinkView]
    /// What the viewer shows.
    let content: Link
    /// The tiles of a picture that is too tall to be shown as a whole.
    let tiles: [TileView]
    let hasTiles: Bool
    let isPicture: Bool
    let isPDF: Bool
    let isArchive: Bool
}

/// A link of a saved page to a page that isn't saved.
struct OutsideView {
    let shownAddress: String
    let live: Link
    /// The page with the form that saves a page, filled with this page's address.
    let form: Link?
}

struct ProgressView {
    let text: String
    let share: Double
}
