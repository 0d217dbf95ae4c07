import Foundation
import Persistence

/// The output of a backup command: readable lines or one JSON object.
///
/// Its `version` changes when a field is removed or changes its meaning; new fields can be added at any time.
struct BackupReport: CommandReport {
    enum Outcome: String, Encodable, Sendable {
        case saved
        case restored
        case verified
        case failed
    }

    var version = 1
    var outcome: Outcome
    /// The backup's file, or the data folder.
    var path: String?
    /// When the backup was made.
    var created: Date?
    var databaseBytes: Int64?
    var fileCount: Int?
    var fileBytes: Int64?
    /// Descriptions of lost, damaged or unreadable files.
    var problems: [String]?
    var error: CommandFailure?

    /// Creates the report of a backup that was made, restored or verified.
    init(_ outcome: Outcome, _ path: String, _ summary: Backup.Summary) {
        self.outcome = outcome
        self.path = path
        self.created = summary.created
        self.databaseBytes = summary.databaseBytes
        self.fileCount = summary.fileCount
        self.fileBytes = summary.fileBytes
        self.problems = summary.missing.map { "The file \($0) was lost, damaged or unreadable during the backup." }
    }

    /// Creates the report of a data folder's verification.
    init(_ path: String, _ verification: AppDatabase.Verification) {
        self.outcome = .verified
        self.path = path
        self.databaseBytes = verification.databaseBytes
        self.fileCount = verification.fileCount
        self.fileBytes = verification.fileBytes
        self.problems = verification.problems
    }

    init(_ failure: CommandFailure) {
        self.outcome = .failed
        self.error = failure
    }
}

extension BackupReport {
    var lines: [String] {
        guard let path, let databaseBytes, let fileCount, let fileBytes else { return [] }
        let size = { (bytes: Int64) in bytes.formatted(.byteCount(style: .file)) }
        let files = fileCount == 1 ? "1 file" : "\(fileCount) files"
        let content =
            "a database of \(size(databaseBytes))" + (fileCount == 0 ? "" : " and \(files) of \(size(fileBytes))")
        let date = created.map { " of \($0.formatted(.iso8601))" } ?? ""
        let isWhole = problems?.isEmpty != false
        let first =
            switch outcome {
            case .saved: "Saved \(content) in \(path)."
            case .restored: "Restored the backup\(date) into \(path): \(content)."
            case .verified where isWhole: "\(path)\(date) is complete and undamaged: \(content)."
            default: "\(path)\(date) is incomplete or damaged: \(content)."
            }
        return [first] + (problems ?? [])
    }

}
