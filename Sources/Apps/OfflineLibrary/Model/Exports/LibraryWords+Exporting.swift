import Formats

// What the library says about exports.

extension LibraryWords {
    package static let exportAll = "Download all pages (ZIP)"
    package static let exportFound = "Download these pages (ZIP)"
    package static let exportSelected = "Download"
    package static let tooManyExportsTitle = "Other downloads are running"
    package static let tooManyExports =
        "Two downloads of several pages are running, which is the limit. Try again when one of them is done."

    // In the exported files.
    package static let exportedBookmarks = "Bookmarks"
    package static let exportedData = "Data of all pages (JSON)"
    package static let exportedFavourite = "favourite"
    package static let singleFile = "Web page (one file)"
    package static let exportFileMissing = "The file is missing."
    package static let exportFileDamaged = "The file is damaged: it differs from what was saved."
    package static let exportIsCutOff =
        "The search found more pages than it can rank. The export has only the newest of them."

    // About pages that are brought back.
    package static let newerExport = "it was made by a newer version of Meanwhile"
    package static let restoredWithoutFiles =
        "The files of this page were missing or damaged in the export. Save it again."
    package static let restoredUnfinished = "This page wasn’t saved when it was exported."

    package static func exportSummary(_ count: Int, on time: String) -> String {
        "\(pages(count)), exported on \(time)."
    }
    package static func exportProblem(_ path: String, _ problem: String) -> String { "\(path): \(problem)" }
    package static func exportFailed(because reason: String) -> String { "The ZIP file can’t be written: \(reason)" }
}
