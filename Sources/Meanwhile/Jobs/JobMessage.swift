import Foundation

/// What the server tells a child: the one job that it is to do.
///
/// The job's input comes beside it, as an open file.
struct JobOrder: Codable, Sendable {
    /// The kind of job.
    var kind: JobKind
    /// What is to be done, as the kind has it.
    var payload: Data
    /// The folder for what comes of it, which is there and empty.
    var output: String
}

/// What a child says of its job.
enum JobReport: Codable, Sendable {
    /// How far the job is, as its kind has it.
    case progress(Data)
    /// It is done: what is to be known of the files in its folder, as its kind has it.
    case done(Data)
    /// It can't be done.
    case failed(JobFault)
}

/// Why a job can't be done, for whoever asked for it.
struct JobFault: Error, Codable, Hashable, Sendable {
    /// A word for programs.
    var code: String
    /// What happened, and what to do now.
    var message: String
    /// Whether it may go better another time.
    var canRetry: Bool
    /// More for programs, as the kind of job has it.
    var details: Data?
}

/// The kinds of jobs.
enum JobKind: String, Codable, CaseIterable, Sendable {
    /// A page of the library is captured.
    case capture
    /// A kept web archive is made into a page that can be looked at.
    case viewerCopy = "viewer-copy"
    /// A board is drawn.
    case drawing
    /// A picture is fetched, and checked.
    case pictureFetch = "picture-fetch"
    /// A picture that somebody brought is checked.
    case pictureCheck = "picture-check"
    /// A board's file that somebody brought is read.
    case boardFile = "board-file"

    /// Whether it needs a browser.
    var needsBrowser: Bool {
        switch self {
        case .capture, .viewerCopy, .drawing: true
        case .pictureFetch, .pictureCheck, .boardFile: false
        }
    }
}
