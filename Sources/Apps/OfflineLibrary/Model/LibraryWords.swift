import Formats

/// All that Offline Library says to people: on its pages, in its scripts, and in its errors.
///
/// docs/words.md explains how to change and add words. Values are formatted for the reader of the current task.
package enum LibraryWords {
    private static var formats: ReaderFormats { .current }
}

// MARK: - The app

extension LibraryWords {
    package static let name = "Offline Library"
    /// The name below the icon of the installed app.
    package static let shortName = "Library"
    package static let summary = "Saves web pages as a picture, a PDF and a web archive, to read offline."
    package static let hint =
        "Save a page, then open it from your list: it works without a network. You can undo a deletion."
    /// The first step on the home page.
    package static let firstStep = "Save a web page"
    package static let saving = "Saving…"
    package static let notSaved = "Couldn’t be saved"
    /// What the home page adds as sample data, within a sentence.
    package static let sample = "a saved page"
    package static let sampleTitle = "Sample: a saved page"
    package static let sampleHeading = "This page is stored on your computer"
    package static let sampleParagraphs = [
        """
        Offline Library saves web pages with their pictures and styles. You can read them without a network, and they
        stay as they were when you saved them.
        """,
        """
        To save one of your own, copy its address, go back to the list, paste the address and press Save. Delete this
        sample whenever you like.
        """,
    ]

    package static func savedPages(_ count: Int) -> String { formats.count(count, "saved page") }
}

// MARK: - The list

extension LibraryWords {
    package static let backToStart = "Back to the start"
    package static let allPages = "All pages"
    /// The title of the page that lists what a browser keeps.
    package static let onThisDevice = "On this device"
    package static let newestFirst = "Newest first"
    package static let oldestFirst = "Oldest first"
    package static let byTitle = "By title"

    package static func pages(_ count: Int) -> String { formats.count(count, "page") }
    /// The choice of all pages of a list, which is longer than the part that the page shows.
    package static func everyPage(_ count: Int) -> String { "All \(pages(count))" }
    package static func pagesFound(_ count: Int) -> String { "\(pages(count)) found" }
    package static func morePagesFound(_ count: Int) -> String { "More than \(pages(count)) found" }
    package static let newestAreListed = "Only the newest of them are listed. Add a word to find fewer."
    package static func pagesDeleted(_ count: Int) -> String { "\(formats.number(count)) pages were deleted." }
    /// What a change of several pages' marks did.
    package static func marked(_ marking: Marking) -> String {
        let (pages, isOne) = (pages(marking.count), marking.count == 1)
        return switch marking.change {
        case .favourite(true): "\(pages) \(isOne ? "is a favourite" : "are favourites") now."
        case .favourite(false): "\(pages) \(isOne ? "is no longer a favourite" : "are no longer favourites")."
        case .add(let tags): "\(pages) \(isOne ? "was" : "were") tagged \(names(of: tags))."
        case .remove(let tags): "\(pages) \(isOne ? "is" : "are") no longer tagged \(names(of: tags))."
        case .read(true): "\(pages) \(isOne ? "is" : "are") marked as read."
        case .read(false): "\(pages) \(isOne ? "is" : "are") marked as unread."
        }
    }
    private static func names(of tags: [PageTag]) -> String { tags.map { "“\($0.name)”" }.joined(separator: ", ") }
    /// A tag in a list of all tags.
    package static func tag(_ tag: TagCount) -> String { "\(tag.tag.name) (\(formats.number(tag.count)))" }
    /// The title of the results of a filter.
    package static let filteredPages = "Your pages"
    /// The title of the page that changes a page's marks.
    package static let marksTitle = "Tags and note"
    package static func marks(of name: String) -> String { "Tags and note: \(name)" }
    /// The title of a search's results.
    package static func search(_ query: String) -> String { "Search: \(query)" }
}

// MARK: - Pages and their formats

extension LibraryWords {
    package static let picture = "Picture"
    package static let pdf = "PDF"
    package static let webArchive = "Web archive"
    /// The web archive in a row of tabs or buttons, which must fit a phone.
    package static let archive = "Archive"
    package static let wacz = "WACZ"
    package static let downloadPicture = "Download picture"
    package static let downloadPDF = "Download PDF"
    package static let downloadWebArchive = "Download web archive"
    package static let downloadWACZ = "Download WACZ"
    package static let downloadHTML = "Download web page (one file)"
    /// What the HTML file is good for.
    package static let opensInAnyBrowser = "opens in any browser"

    /// The title of the page that a link of a saved page opens if its target isn't saved.
    package static let notInLibrary = "This page isn’t in your library"

    package static func copies(_ count: Int) -> String {
        count == 1 ? "1 copy" : "\(formats.number(count)) copies"
    }
    /// Nothing is missing from a copy.
    package static let complete = "complete"
    /// Something is missing from a copy; the notes say what.
    package static let partial = "partial"
    /// The last attempt to save the page failed.
    package static let failed = "failed"
    /// The article of a page, as a tab.
    package static let reader = "Reader"
    package static let textSize = "Text size"
    package static let textSizes = [("1", "Small"), ("2", "Medium"), ("3", "Large"), ("4", "Very large")]
    package static let lineWidth = "Width"
    package static let lineWidths = [("narrow", "Narrow"), ("medium", "Medium"), ("wide", "Wide")]
    package static let font = "Font"
    package static let fonts = [("serif", "Serif"), ("sans", "Sans serif")]
    package static let colours = "Colours"
    package static let colourNames = [
        ("system", "As the device"), ("light", "Light"), ("sepia", "Sepia"), ("dark", "Dark"),
    ]
    package static let unread = "unread"
    package static let started = "started"
    package static let finished = "finished"
    /// How far a page has been read.
    package static func read(_ position: ReadingPosition) -> String {
        position.isFinished ? "read" : "\(formats.number(Int((position.share * 100).rounded()))) % read"
    }
    /// The number of notes about what is missing from a copy.
    package static func notes(_ count: Int) -> String { formats.count(count, "note") }
    package static func size(_ bytes: some BinaryInteger) -> String { formats.size(bytes) }
    package static func pageNotFound(_ status: Int) -> String {
        "Page not found (\(status)). The site’s error page was saved."
    }
    package static func siteError(_ status: Int) -> String {
        "The site answered with an error (\(status)). The site’s error page was saved."
    }
}

// MARK: - The progress of saving a page

extension LibraryWords {
    package static let waitingForBrowser = "Waiting for the browser"
    package static let connecting = "Connecting"
    package static let loadingPage = "Loading the page"
    package static let waitingForPage = "Waiting for the page to finish"
    package static let makingPicture = "Making the picture"
    package static let makingPDF = "Making the PDF"
    package static let makingWebArchive = "Making the web archive"
    package static let makingWACZ = "Making the WACZ file"
    package static let savingFiles = "Saving the files"

    package static func loading(finished: Int, started: Int, bytes: some BinaryInteger) -> String {
        "Loading: \(formats.number(finished)) of \(formats.number(started)) parts, \(formats.size(bytes))"
    }
}

// MARK: - Errors

extension LibraryWords {
    package static let aTag = "a tag"
    package static let aHost = "a host such as example.com or localhost:8080"
    package static let pageID = "the id of a page"
    package static let pageIDs = "ids of pages, with commas between them"
    package static let notAPageID = "This isn't a list of the ids of pages."
    package static let oneSelection = "Choose the pages by exactly one of pages, search, and all with the value true."
    package static let deletedWithFilter = "Pages that can be restored are listed without any filter."
    package static let unknownFilter = "There is no such filter."
    package static let emptySearch = "Give words or a filter. To choose all pages, use all with the value true."
    package static let aShare = "It is a number from 0 to 1."
    package static func aParagraph(_ maximum: Int) -> String { "It is a number from 0 to \(maximum)." }
    package static let notAnAddressTitle = "That isn't a web address"
    package static let addressListTitle = "Check the list of addresses"
    package static let noAddress = "Enter at least one web address, each on a line of its own."
    package static let allSaved = "All of these pages are saved already."
    package static let noFormatTitle = "No format chosen"
    package static let noFormat = "Choose at least one format: picture, PDF, web archive or WACZ."
    package static let noSelectionTitle = "No page selected"
    package static let noSelection = "Select at least one page in the list, then try again."
    package static let invalidMarksTitle = "Check the tags and the note"
    package static let noTag = "Enter a tag, then try again."
    package static func tooManyTags(limit: Int) -> String {
        "A page can have \(formats.number(limit)) tags. Remove some."
    }
    package static func noteTooLong(limit: Int) -> String {
        "A note can have \(formats.number(limit)) characters. Shorten it."
    }
    package static let tooLateToUndoTitle = "Can't undo this change"
    package static let tooLateToUndo =
        "This change was made too long ago, or another one followed. Change the pages again instead."
    package static let noSuchOrderTitle = "Can't sort the list"
    package static let noSuchOrder = "Choose newest first, oldest first or by title."
    package static let notFoundTitle = "Page not found"
    package static let notFound = "This page isn't in your library. It may have been deleted in another tab."
    package static let tooLateTitle = "Can't restore this page"
    package static let tooLate = "This page was deleted too long ago to restore. Save it again from its address."
    package static let renderingTitle = "Can't show this page"
    package static let storageTitle = "The library can't read or save data"
    package static let missingFile =
        "A file of this page is missing. Save the page again, or restore the data folder from a backup."
    package static let shuttingDownTitle = "The server is stopping"
    package static let shuttingDown = "Meanwhile is shutting down. Start it again, then try again."
    package static let stopped = "You stopped saving this page."
    /// The operation that takes too long, for the beginning of a sentence.
    package static let ordering = "Ordering the list"
    package static let searchTookTooLong = "The search took too long. Search for more words, or for rarer ones."

    package static func tooManyAddresses(_ count: Int, limit: Int) -> String {
        "There are \(formats.number(count)) addresses. Enter at most \(formats.number(limit)) at a time."
    }
    package static func invalidLine(_ line: some StringProtocol, because reason: String) -> String {
        "Check the line “\(line)”. \(reason) Nothing was saved."
    }
    package static func unreadableFile(because reason: String) -> String {
        "A file of this page couldn't be read: \(reason)"
    }
    package static func unpreparedArchive(because reason: String) -> String {
        "The web archive couldn't be prepared for viewing: \(reason)"
    }
    package static func unreadableArchive(because reason: String) -> String {
        "The web archive of this page can't be read: \(reason)"
    }
    /// The reader is on the server's pages, not on its command line, so this says how to start the server.
    package static func addressRefused(because reason: String, allowOption: String) -> String {
        "\(reason) To save this page anyway, start Meanwhile with: script/server \(allowOption)"
    }
    /// As ``addressRefused(because:allowOption:)``, it says how to start the server.
    package static func tookTooLong(because reason: String, suggestedTimeout: Int) -> String {
        "\(reason) For more time, start Meanwhile with: script/server --capture-timeout \(suggestedTimeout)"
    }
    package static func libraryIsFull(at count: Int, suggestedLimit: Int) -> String {
        """
        Your library is full: it has \(formats.number(count)) pages. Delete some and wait until they can no longer be \
        restored, or start Meanwhile with --max-pages \(suggestedLimit).
        """
    }
    package static func tooManyWaiting(_ count: Int) -> String {
        """
        \(formats.number(count)) pages are already waiting to be saved, which is the limit. Try again when some are \
        done, or stop some.
        """
    }
}

// MARK: - Templates and scripts

extension LibraryWords {
    private static let undo = "Undo"
    private static let saveAgain = "Save again"
    private static let versionsMenu = "Versions and schedule"
    /// The end of “Delete selected” while nothing is selected.
    private static let selected = "selected"

    /// The words of each template, which contains them as `{{word.key}}`.
    package static let templates: [String: [String: String]] = [
        "library": [
            "important": "Important",
            "intro": "Enter the address of a web page to save a copy. You can view, print and read the copy offline.",
            "saving": "Saving the page…",
            "saved": "You saved this page on {{shownTime}}:",
            "beingSaved": "This page is being saved now, before those of imports:",
            "open": "Open",
            "versions": versionsMenu,
            "address": "Web address",
            "example": "https://example.org/page",
            "save": "Save",
            "saveAgain": saveAgain,
            "several": "Save several pages",
            "savingSeveral": "Saving the pages…",
            "addresses": "Web addresses, one on each line",
            "addressesHint":
                "Up to \(AddressList.maximumCount) addresses. Pages that are saved already are left out.",
            "saveAll": "Save all",
            "importFile": "Import from a file",
            "imports": "Your imports",
            "bookmarklet": "Save from any page",
            "drag": "Drag this button to your bookmarks bar:",
            "bookmarkletName": "Save offline",
            "use": "On a page that you want to save, choose that bookmark. It opens this form with the page’s address.",
            "exportAll": exportAll,
            "onThisDevice": "On this device: reading without a connection",
            "feed": "Feed of your saved pages (Atom)",
            "code":
                "On a phone or without a mouse, add any bookmark, then replace its address with this text",
        ],
        "formats": ["saveAs": "Save as"],
        "search": [
            "yourPages": "Search your pages",
            "search": "Search",
            "filters": "Filters",
            "favourites": "Favourites",
            "noted": "With a note",
            "changed": "New versions",
            "tag": "Tag",
            "copy": "Copy",
            "anyCopy": "Any copy",
            "reading": "Reading",
            "anyReading": "Any",
            "site": "Site",
            "siteExample": "example.org",
            "since": "Saved since",
            "until": "Saved until",
            "removeFilters": "Remove filters",
        ],
        "tags": ["anyTag": "Any tag"],
        "marks": [
            "favourite": "Favourite",
            "tags": "Tags",
            "newTags": "New tags",
            "newTagsHint": "Separate several tags with commas.",
            "note": "Note",
            "save": "Save",
            "cancel": "Cancel",
        ],
        "keys": [
            "keys": "Keys",
            "search": "Search",
            "next": "Next page of the list",
            "previous": "Previous page of the list",
            "open": "Open the page",
            "select": "Select the page",
            "favourite": "Make it a favourite, or no longer",
            "tag": "Tags and note",
            "delete": "Delete the page",
            "undo": "Undo the last change",
            "keysKey": "Show these keys",
            // The keys themselves, which keys.js names.
            "keyJ": "J",
            "keyK": "K",
            "keyX": "X",
            "keyF": "F",
            "keyT": "T",
            "keyU": "U",
            "enter": "Enter",
            "deleteKey": "Delete",
            "use": "Use these keys",
            "close": "Close",
        ],
        "importform": importFormWords,
        "found": [
            "nothing": "No pages found",
            "reason":
                "No saved page has all these words in its title, address, tags, note or text, and passes the filters.",
            "allPages": allPages,
        ],
        "list": [
            "importing": "Importing {{name}}",
            "nothing": "No saved pages yet",
            // All pages were deleted.
            "noneLeft": "No saved pages",
            "copy": "Copy the address of a page, and paste it above.",
            "save": "Choose Save. After some seconds, the page appears here.",
            "open": "Open it whenever you like, also without a network.",
            "problem": "Your settings couldn’t be saved. {{problem}}",
            "select": "Select",
            "sort": "Sort:",
            "order": "Sort order",
            "selectAll": selectAll,
            "delete": "Delete {{> selected}}",
            "exportFound": exportFound,
            "exportSelected": exportSelected,
            "mark": "Mark",
            "tags": "Tags",
            "addTags": "Add tags",
            "removeTags": "Remove tags",
            "makeFavourites": "Make favourites",
            "makeOrdinary": "No longer favourites",
            "markRead": "Mark as read",
            "markUnread": "Mark as unread",
            "undo": undo,
            "more": "More pages",
        ],
        "selected": ["selected": selected],
        "item": [
            "bookmarked": "bookmarked {{shownBookmarked}}",
            "deleted": "“{{name}}” was deleted",
            "undo": undo,
            "undoLabel": "Undo deleting “{{name}}”",
            "select": "Select “{{name}}”",
            "stopped": "stopped",
            "failed": failed,
            "favourite": "Favourite: “{{name}}”",
            "marks": marksTitle,
            "note": "Note:",
            "saving": "Saving",
            "reload": "Reload the page to see the progress.",
            "format": "{{label}} of “{{name}}”",
            "more": "More for “{{name}}”",
            "saveAgain": saveAgain,
            "reader": "Open the reader view",
            "versions": versionsMenu,
            "original": "Open the original page",
            "stop": "Stop",
            "stopLabel": "Stop saving “{{name}}”",
            "retry": "Retry",
            "retryLabel": "Retry “{{name}}”",
            "delete": "Delete",
            "deleteLabel": "Delete “{{name}}”",
        ],
        "outside": [
            "reason": "The link leads to a page that you haven’t saved. It is read from the web.",
            "open": "Open the live page",
            "save": "Save it",
        ],
        "offline": ["allPages": allPages, "needsScripts": "This page needs scripts, which this browser doesn’t run."],
        "progress": ["progress": "Progress"],
        "sharedpage": sharedPageTemplate,
        "viewer": [
            "allPages": allPages,
            "share": shareTitle,
            "saved": "Saved on {{> time}} from {{> original}}",
            "formats": "Formats",
            "more": "More",
            "marks": marksTitle,
            "versions": versionsMenu,
            "compare": compareTitle,
            "notes": "{{warningCount}} about this copy",
            "picture": picture,
            "pictureOf": "Picture of {{name}}",
            "pdfOf": "PDF of {{name}}",
            "copyOf": "Saved copy of {{name}}",
            "articleOf": "Article of {{name}}",
            "reading": "Text",
            "noArticle": noArticle,
            "noArticleHint": "The archive shows the whole page as it was saved.",
            "openArchive": "Open the archive",
            "schedule": "Save new versions automatically",
            "setSchedule": "Set",
        ],
    ]

    private static let selectAll = "Select all"

    /// The words of the scripts, which import them from `words.js`.
    ///
    /// A text that contains a tag becomes a function there.
    package static let scripts: [String: String] = [
        "selectAll": selectAll,
        "selectNone": "Select none",
        // After “Delete”.
        "selected": selected,
        "onePage": "1 page",
        "severalPages": "{{count}} pages",
        "noneSelected": "No pages selected",
        "oneSelected": "1 page selected",
        "severalSelected": "{{count}} pages selected",
        "pageSaved": "“{{name}}” is saved.",
        "pageNotSaved": "“{{name}}” couldn’t be saved.",
        "pageDeleted": "“{{name}}” was deleted.",
        "pagesRestored": "{{count}} pages were restored.",
        "resumed": "You’re where you stopped reading.",
        "fromStart": "From the start",
        "minutes": "{{count}} min read",
        "keptCopy": "You’re offline. This copy was put on this device on {{time}}.",
        "reload": "Try again",
        "keepPage": "Keep on this device",
        "removePage": "Remove from this device",
        "keepPDFToo": "Keep the PDF, too ({{size}})",
        "removePDFToo": "Remove the PDF ({{size}})",
        "pdfRemoved": "The PDF is no longer on this device.",
        "savePDF": "Save the PDF",
        "pdfOffline": "If the browser doesn’t show the PDF without a connection, save it as a file.",
        "keeping": "Copying to this device…",
        "kept": "This page is on this device now ({{size}}). You can read it without a connection.",
        "notKept": "This page is no longer on this device.",
        "pageNotKept": "The page couldn’t be copied to this device. Check the connection, then try again.",
        "noRoom": "There isn’t enough room on this device. Remove some pages here, then try again.",
        "evictedPages": "Pages that the browser had removed to make room, and that were copied again: {{count}}.",
        "connected": "The server is connected.",
        "notConnected":
            "There is no connection to the server. You can read the pages below, and save addresses for later.",
        "onlySecure":
            "Browsers keep pages only from an address with https, or on the server’s own machine.",
        "addressLabel": "Web address to save",
        "saveAddress": "Save",
        "noAddressYet": "Enter a web address.",
        "addressNotStored": "This browser couldn’t store the address: its storage is full or forbidden.",
        "addressSent": "The address was sent to the server, which saves the page now.",
        "addressWaits": "Waits for a connection",
        "addressesWait": "{{count}} addresses are waiting",
        "waitingTitle": "1 address is waiting",
        "removeAddress": "Remove",
        "keptTitle": "Pages on this device",
        "nothingKept": "No page is on this device yet. Choose “Keep on this device” below, or in the menu of a page.",
        "keptAt": "Copied {{time}}, {{size}}",
        "spaceUsed": "{{size}} of up to {{all}} that the browser allows",
        "notHere": "Not on this device",
        "otherPage": "1 page isn’t on this device",
        "otherPages": "{{count}} pages aren’t on this device",
        "openPage": "All pages",
        "keepFavourites": "Keep all favourites",
        "keepTag": "Keep all pages with a tag",
        "noTag": "Choose a tag",
        "keepTagged": "Kept:",
        "tagged": "Tag “{{tag}}”",
    ]
}
