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
        self.problems = summary.missing.map { BackupWords.missing("\($0)") }
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
        let content = BackupWords.content(
            databaseBytes: databaseBytes, fileCount: fileCount, fileBytes: fileBytes)
        let isWhole = problems?.isEmpty != false
        let first =
            switch outcome {
            case .saved: BackupWords.saved(content, in: path)
            case .restored: BackupWords.restored(content, of: created, into: path)
            case .verified where isWhole: BackupWords.isComplete(path, of: created, content)
            default: BackupWords.isIncomplete(path, of: created, content)
            }
        return [first] + (problems ?? [])
    }

}
