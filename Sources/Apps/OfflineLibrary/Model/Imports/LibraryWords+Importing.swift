import Formats

// What the library says about imports.

extension LibraryWords {
    private static var formats: ReaderFormats { .current }

    package static let importTitle = "Import from a file"
    package static let bookmarksFormat = "Bookmarks (HTML)"
    package static let listFormat = "List of addresses"
    package static let tableFormat = "Table (CSV)"
    package static let karakeep = "Karakeep"
    package static let linkwarden = "Linkwarden"
    package static let omnivore = "Omnivore"
    package static let pocket = "Pocket"
    package static let unnamedImport = "Import"

    package static func addresses(_ count: Int) -> String {
        count == 1 ? "1 address" : "\(formats.number(count)) addresses"
    }
    /// The numbers of a report.
    package static let newAddresses = "New"
    package static let savedSoFar = "Saved so far"
    package static let waitingPages = "Waiting or being saved"
    package static let failedPages = "Couldn’t be saved"
    package static let deletedPages = "Deleted since"
    package static let knownPages = "Already in your library"
    package static let repeatedAddresses = "Repeated in the file"
    package static let unusableAddresses = "Can’t be saved"
    package static let otherNotes = "Notes that weren’t added"
    /// The end of a note that was too long.
    package static let noteWasCutOff = "(cut off when imported)"

    /// The number of an entry in its file, before the reason why it wasn't saved.
    package static func place(_ number: Int) -> String { "Entry \(formats.number(number)):" }
    package static func number(_ count: Int) -> String { formats.number(count) }
    /// The progress of an import, as a label and in a row of the list of imports.
    package static func importProgress(_ done: Int, of total: Int) -> String {
        "\(formats.number(done)) of \(formats.number(total)) new pages done"
    }
    package static func importDone(_ saved: Int) -> String { "Finished: \(formats.count(saved, "page")) saved" }
    package static func moreEntries(_ count: Int) -> String { "… and \(formats.number(count)) more" }
}

// MARK: - Errors

extension LibraryWords {
    package static let importFailedTitle = "The file can’t be imported"
    package static let noSuchImportTitle = "Import not found"
    package static let noSuchImport = "There is no such import. It may have been removed in another tab."
    package static let noImportFile = "Choose a file, then try again."
    package static let emptyImport = "The file is empty. Choose another one."
    package static let unknownImport = """
        The file’s format isn’t known. Choose bookmarks in HTML, a list of addresses, a CSV file with a column “url”, an \
        export of Pocket, Omnivore, Karakeep or Linkwarden, or saved pages.
        """
    package static let importWithoutAddresses = "The file has no addresses. Choose another one."
    package static let noPageAddress = "The file doesn’t say from which address the page was saved."
    package static let uploadsUnavailable = "Pages can’t be uploaded here."
    package static let noUploadToken = "The token isn’t valid. Create a new one on the page “Save from your browser”."
    package static let noUploadTokenTitle = "Not authorized"
    package static let uploadTitle = "Save from your browser"
    package static let notAForm = "The request isn’t a form with a file. Use the form on the page “Import from a file”."
    package static let mhtmlProblem = "it isn’t a page in MHTML"
    package static let archiveProblem = "it isn’t a valid web archive"
    package static let zipProblem = "it isn’t a valid ZIP file"
    package static let jsonProblem = "it isn’t valid JSON"

    package static let notAllPagesSavedTitle = "Not all pages were saved"
    package static func pagesSaved(_ count: Int, of total: Int) -> String {
        "\(formats.number(count)) of \(formats.count(total, "page")) \(count == 1 ? "was" : "were") saved."
    }
    package static func pagesNotSaved(
        _ count: String, because reason: String, _ addresses: [String], others: Int
    ) -> String {
        let rest = others > 0 ? " \(moreEntries(others))" : ""
        return "\(count) \(reason) Not saved: \(addresses.joined(separator: ", "))\(rest)"
    }
    package static func unsavedPage(_ address: String, because reason: String) -> String { "\(address) (\(reason))" }
    package static func tooManyPages(limit: Int) -> String {
        "The file has more than \(formats.number(limit)) pages, or they are too large together. Split it."
    }
    package static func uploadTooLarge(limit: Int) -> String {
        """
        The file is larger than \(formats.size(limit)), which is the limit. On the server’s machine, an export of any size \
        can be imported with: meanwhile library import FILE
        """
    }
    package static func importTooLarge(limit: Int) -> String {
        "The file is larger than \(formats.size(limit)), which is the limit. Split it into several files."
    }
    package static func damagedImport(because reason: String) -> String {
        "The file can’t be read: \(reason). Export it again, then try again."
    }
    package static func tooManyImported(limit: Int) -> String {
        "The file has more than \(formats.number(limit)) addresses, which is the limit. Split it into several files."
    }
    package static func tooManyImports(_ count: Int) -> String {
        "There are \(formats.number(count)) imports, which is the limit. Remove finished ones, then try again."
    }
    package static func importNotRead(_ reason: String) -> String { "The file couldn’t be read. \(reason)" }
}

// MARK: - Templates

extension LibraryWords {
    private static let importName = "Import"

    /// The words of the templates of imports.
    package static let importTemplates: [String: [String: String]] = [
        "importform": importFormWords,
        "formats": ["saveAs": "Save as"],
        "imports": [
            "imports": "Your imports",
            "none": "Imports appear here, each with its report.",
            "allPages": "All pages",
            "uploads": uploadTitle,
        ],
        "uploads": [
            "intro":
                """
            Some pages only your browser can see, because you are signed in there. The browser extension SingleFile \
            sends a page as your browser shows it, and the library makes its picture, PDF and web archive.
            """,
            "install": "Install SingleFile from your browser’s store of extensions.",
            "options": "In its options, open “Destination”, and choose “upload to a REST Form API”.",
            "fields": "Enter these values:",
            "save": "Choose SingleFile’s button on any page. The page then appears in your library.",
            "address": "URL",
            "token": "Authorization token",
            "file": "Archive data field name",
            "url": "Archive URL field name",
            "shownOnce": "The token is shown only once: copy it now.",
            "create": "Create a token",
            "replace": "Replace the token",
            "withdraw": "Withdraw the token",
            "tokenHeading": "Token",
            "none": "There is no token yet, so no program can send pages.",
            "created": "Created on {{> createdtime}}.",
            "used": "Last used on {{> usedtime}}.",
            "unused": "Not used yet.",
            "replaceHint": "A new token replaces the old one, which then is no longer accepted.",
            "allPages": "All pages",
        ],
        "importreport": [
            "allImports": "All imports",
            "allPages": "All pages",
            "paused": "The import is paused.",
            "imported": "Imported on {{> importtime}}",
            "reload": "Reload the page to see the progress.",
            "failedList": failedPages,
            "failedHint": "The list of pages has a button to retry each of them.",
            "unusableList": unusableAddresses,
            "otherNotesList": otherNotes,
            "otherNotesHint":
                "These pages have another note, which stays. To use the note of the file, copy it to the page.",
            "stop": "Stop and remove",
            "remove": "Remove this report",
            "removeHint": "Pages that are saved stay in your library.",
        ],
    ]

    /// The words of the form that imports a file.
    package static let importFormWords: [String: String] = [
        "file": "File",
        "hint":
            """
        Bookmarks in HTML, a list of addresses, a CSV file, or an export of Pocket, Omnivore, Karakeep or Linkwarden: \
        pages that are saved already are left out, but get the file’s tags, and its note if they have none. Or saved \
        pages: a web archive, MHTML, an HTML file, a ZIP file of a folder with HTML files, or the ZIP file of “\(exportAll)”, \
        whose pages come back as they were.
        """,
        "import": importName,
        "folders": "Make folders of bookmarks tags",
    ]
}
