import Foundation
import Jobs
import OfflineLibraryStore
import Persistence

/// The message with which a worker gives a job to the process that runs it.
///
/// The worker sends the job's input file with the message, as an open descriptor.
struct JobOrder: Codable, Sendable {
    var kind: JobKind
    /// The job's parameters, as JSON of a type that depends on the kind.
    var payload: Data
    /// The path of an empty folder for the output files.
    var output: String
    /// The disk space that each output file must leave free.
    var freeDisk: FreeDiskFloor
    /// The ID of the request that enqueued the job; see ``RequestID``.
    var request: String?
}

/// A message that a job's process sends to the worker.
enum JobReport: Codable, Sendable {
    /// The job's progress, as JSON of a type that depends on the kind.
    case progress(Data)
    /// The job succeeded; the result, JSON of a type that depends on the kind, describes the output files.
    case done(Data)
    case failed(JobError)
}

enum JobKind: String, Codable, CaseIterable, Sendable {
    /// Captures a page for the library.
    case capture
    /// Makes a viewer copy of a stored web archive.
    case viewerCopy = "viewer-copy"
    /// Finds the article of a stored web archive.
    case article
    /// Reads the text of a stored web archive.
    case pageText = "page-text"
    /// Compares the pictures of two versions of a page.
    case pictureComparison = "picture-comparison"
    /// Draws a board as PNG.
    case drawing
    /// Fetches a background picture and checks it.
    case pictureFetch = "picture-fetch"
    /// Checks an uploaded picture.
    case pictureCheck = "picture-check"
    /// Reads an uploaded board file.
    case boardFile = "board-file"
    /// Reads an uploaded file of the library.
    case libraryFile = "library-file"
    /// Makes the files of an uploaded page.
    case uploadedPage = "uploaded-page"

    /// The kind of worker slot that the job occupies.
    ///
    /// Captures and fetches wait for remote servers, for minutes if those are slow. They have slots of their own, so
    /// that they never delay an upload, an import, a drawing or a viewer copy.
    var lane: String {
        switch self {
        case .capture: CaptureJobs.lane
        case .viewerCopy, .article, .pageText, .drawing, .uploadedPage: "view"
        case .pictureFetch: "fetch"
        case .pictureCheck, .boardFile, .libraryFile, .pictureComparison: "file"
        }
    }

    /// The priority, which is lower for captures and texts, because users don't wait for those.
    var priority: Int { [.capture, .pageText, .uploadedPage, .pictureComparison].contains(self) ? 0 : 10 }

    /// Whether the job needs Chromium.
    var needsBrowser: Bool {
        switch self {
        case .capture, .viewerCopy, .article, .pageText, .drawing, .uploadedPage: true
        case .pictureFetch, .pictureCheck, .boardFile, .libraryFile, .pictureComparison: false
        }
    }
}
