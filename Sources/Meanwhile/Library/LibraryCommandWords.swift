import ArgumentParser
import Formats
import OfflineLibraryModel

/// All that the commands of `meanwhile library` say to people.
///
/// docs/words.md explains how to change and add words.
enum LibraryCommandWords {
    static let abstract = "Imports addresses into the Offline Library, and exports its pages."
    static let discussion = """
        The server can be running. It saves the pages; without it, they wait until it is started.

          meanwhile library import bookmarks.html
          meanwhile library export --to pages.zip --tag recipes

        Exit codes: 0 success, 1 failure, 2 exported with missing or damaged files, 64 wrong usage, 128 plus the signal's
        number if interrupted.
        """
    static let importFiles = "Imports the addresses of bookmarks, lists and exports, and saved pages."
    static let importDiscussion = """
        The files' content tells their format: bookmarks in HTML, a list with one address on each line, a CSV file with a \
        column “url”, or an export of Pocket, Omnivore, Karakeep or Linkwarden. Pages that are saved already are left \
        out. The page /library/import of the server shows the progress.

        Or the files are pages: web archives, MHTML, HTML files, or ZIP files of folders with HTML files. The ZIP file of \
        an export, of any size, brings its pages back with their files, tags, notes and times; a second import leaves out \
        those that are there, so that an interrupted one can be repeated.
        """
    static let files: ArgumentHelp = "The files; - reads standard input."
    static let format: ArgumentHelp = "The formats to save: png, pdf, webarchive and wacz, or those chosen last."

    static func imported(_ name: String, new: Int, alreadySaved: Int, repeated: Int, unusable: Int) -> String {
        """
        \(name.isEmpty ? "-" : name)\t\(new) new\t\(alreadySaved) already saved\t\(repeated) repeated\t\
        \(unusable) unusable
        """
    }
    static let folderTags: ArgumentHelp = "Make the folders of bookmarks tags."
    static func imported(_ name: String, pages: Int, known: Int) -> String {
        let rest = known == 0 ? "" : "\t\(known) already saved"
        return "\(name.isEmpty ? "-" : name)\t\(pages) \(pages == 1 ? "page" : "pages")\(rest)"
    }
    static func restored(_ done: Int, of all: Int) -> String { "\(done) of \(all) pages imported" }
    static func notRead(_ reason: String) -> String { "The file can't be read: \(reason)" }
    static func failed(_ path: String, _ reason: String) -> String { "\(path): \(reason)" }
    static func importedBefore(_ names: [String]) -> String { "Imported before: \(names.joined(separator: ", "))." }

    // MARK: Exporting

    static let export = "Exports pages with their files as one ZIP file."
    static let exportDiscussion = """
        The file has a folder for each page with its picture, PDF, web archive and WACZ file, and index.html, which lists \
        them all. pages.json describes the pages, and bookmarks.html can be imported into browsers and libraries. \
        Deleted pages aren't exported.
        """
    static let exportTo: ArgumentHelp = "The new file; - writes to standard output."
    static let search: ArgumentHelp = "Export only pages that contain these words, as in the search of the library."
    static let tag: ArgumentHelp = "Export only pages with this tag."
    static let favourites: ArgumentHelp = "Export only favourites."
    static let force: ArgumentHelp = "Replace a file of the same name."
    static let noExportFile = "--to needs a file name."
    static let twoOutputs = "--to - and --json both write to standard output: choose one."
    static let noTag = "--tag needs a tag."
    static let noWords = "--search needs at least one word."
    static let outputClosed = "Couldn't write to standard output."

    static func exported(_ done: LibraryExport.Progress) -> String {
        "\(done.donePages) of \(done.totalPages) pages exported (\(size(done.bytes)))"
    }
    static func exported(_ summary: LibraryExport.Summary, to path: String) -> String {
        "\(path)\t\(summary.pages) pages\t\(summary.files) files\t\(size(summary.bytes))"
    }
    private static func size(_ bytes: Int) -> String { ReaderFormats.standard.size(bytes) }
}
