import ArgumentParser

/// All that the commands of `meanwhile library` say to people.
///
/// docs/words.md explains how to change and add words.
enum LibraryCommandWords {
    static let abstract = "Imports addresses into the Offline Library."
    static let discussion = """
        The server can be running. It saves the pages; without it, they wait until it is started.

          meanwhile library import bookmarks.html

        Exit codes: 0 success, 1 failure, 64 wrong usage.
        """
    static let importFiles = "Imports the addresses of bookmarks, lists and exports."
    static let importDiscussion = """
        The files' content tells their format: bookmarks in HTML, a list with one address on each line, a CSV file with a \
        column “url”, or an export of Pocket, Omnivore, Karakeep or Linkwarden. Pages that are saved already are left \
        out. The page /library/import of the server shows the progress.
        """
    static let files: ArgumentHelp = "The files; - reads standard input."
    static let format: ArgumentHelp = "The formats to save: png, pdf, webarchive and wacz, or those chosen last."

    static func imported(_ name: String, new: Int, alreadySaved: Int, repeated: Int, unusable: Int) -> String {
        """
        \(name.isEmpty ? "-" : name)\t\(new) new\t\(alreadySaved) already saved\t\(repeated) repeated\t\
        \(unusable) unusable
        """
    }
    static func notRead(_ reason: String) -> String { "The file can't be read: \(reason)" }
    static func failed(_ path: String, _ reason: String) -> String { "\(path): \(reason)" }
    static func importedBefore(_ names: [String]) -> String { "Imported before: \(names.joined(separator: ", "))." }
}
