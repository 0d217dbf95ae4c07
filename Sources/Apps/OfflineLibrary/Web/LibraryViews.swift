import Capture
import OfflineLibraryModel
import Site

// The values of the templates.

struct LibraryView {
    let list: HTML
    let notice: String?
    let isEmpty: Bool
    let hasSearch: Bool
    let search: SearchView
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
    let search: SearchView
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
    /// The download of all results of a search.
    var export: Link?
    var isSelectable = false
    /// All pages of the whole list, if the page shows only a part of it.
    var every: EveryView?
    /// The imports whose pages are being saved.
    var imports: [RunningImportView] = []
    var undo: UndoView?
}

/// The choice of all pages of a list.
struct EveryView {
    /// The search whose results they are, as in an address; empty for all pages.
    let query: String
    let count: Int
    let label: String
}

/// An import whose pages are being saved.
struct RunningImportView {
    let report: Link
    let name: String
    let progress: String
    let done: Int
    let new: Int
}

/// A change of several pages, which can be undone.
struct UndoView {
    let text: String
    let action: Link
    /// Identifies the change; the server remembers its pages, because their identifiers may not fit a form.
    let change: String
    let count: Int
    /// One of the pages of a deletion.
    var first: SavedPage.ID?
}

/// The form that searches, filled in.
struct SearchView {
    /// Whether the page shows the results of a search.
    let isSearch: Bool
    /// The words.
    let query: String
    /// Whether the form has a filter.
    let isFiltered: Bool
    let isFavourite: Bool
    let hasNote: Bool
    let isChanged: Bool
    let tags: [ChoiceView]
    let outcomes: [ChoiceView]
    let readings: [ChoiceView]
    let host: String
    /// The first and the last day.
    let since: String
    let until: String
}

/// A value to choose, such as a tag with the number of its pages.
struct ChoiceView {
    let value: String
    let label: String
    let isChosen: Bool
}

/// The form with the marks of a page.
struct MarksView {
    let page: ItemView
    let isFavourite: Bool
    /// The tags of this page and of others.
    let tags: [ChoiceView]
    let hasTags: Bool
    let note: String
    let noteLength = PageMarks.maximumNoteLength
    /// Where the form leads.
    let back: Link
}

/// A tag of a page.
struct TagView {
    let name: String
    let pages: Link
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
    /// When the page was bookmarked, if that was long before it was saved.
    var shownBookmarked: String?
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
    /// The page with the versions of the address, and its schedule.
    var versions: Link?
    /// The page with the form that saves a page, filled with this page's address.
    var again: Link?
    /// Whether the copy is complete, as a word; `nil` if that isn't known.
    var completeness: String?
    var isPartial = false
    var warnings: [String] = []
    var hasWarnings = false
    var warningCount = ""
    var isFavourite = false
    var tags: [TagView] = []
    var hasTags = false
    var note: String?
    /// The page's article, for the menu in the list.
    var reader: Link?
    /// How far the page has been read; `nil` if it wasn't opened.
    var percentRead: Int?
    var shownRead = ""
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
    let isReader: Bool
    /// Whether the reader would be shown, but the page has no article.
    let isWithoutArticle: Bool
    let archive: Link
    /// How far the page has been read, as JavaScript numbers; empty if it wasn't.
    let share, paragraph, changed: String
    let settings: [ReaderSetting]
    /// How often new versions are saved.
    let intervals: [ChoiceView]
    /// This viewer.
    let own: Link
}

/// What a viewer shows of a page.
enum ViewerTab: Hashable {
    /// The last component of the reader's path.
    static let readerName = "reader"

    case reader
    case file(PageFormat)

    /// The last component of the viewer's path.
    var name: String {
        switch self {
        case .reader: Self.readerName
        case .file(let format): format.viewerName ?? ""
        }
    }

    /// The format without which there is nothing to show.
    var format: PageFormat {
        switch self {
        case .reader: .webArchive
        case .file(let format): format
        }
    }

    /// The last component of the path of what the frame or image shows.
    var content: String {
        switch self {
        case .reader: "article"
        case .file(.webArchive): "view"
        case .file(let format): "page.\(format.rawValue)"
        }
    }

    /// The view whose position is remembered; `nil` for a frame whose scrolling the viewer can't see.
    var view: ReadingView? {
        switch self {
        case .reader: .reader
        case .file(.png): .picture
        case .file: nil
        }
    }
}

/// A setting of the reader, which the browser stores.
struct ReaderSetting {
    let name: String
    let label: String
    let choices: [ChoiceView]

    static let all = [
        ReaderSetting(name: "size", label: LibraryWords.textSize, LibraryWords.textSizes, chosen: "2"),
        ReaderSetting(name: "width", label: LibraryWords.lineWidth, LibraryWords.lineWidths, chosen: "medium"),
        ReaderSetting(name: "font", label: LibraryWords.font, LibraryWords.fonts, chosen: "serif"),
        ReaderSetting(name: "colours", label: LibraryWords.colours, LibraryWords.colourNames, chosen: "system"),
    ]

    private init(name: String, label: String, _ choices: [(value: String, label: String)], chosen: String) {
        (self.name, self.label) = (name, label)
        self.choices = choices.map { ChoiceView(value: $0.value, label: $0.label, isChosen: $0.value == chosen) }
    }
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
