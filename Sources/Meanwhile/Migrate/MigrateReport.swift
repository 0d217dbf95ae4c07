import Persistence

/// The output of `meanwhile migrate`: readable lines or one JSON object.
///
/// Its `version` changes when a field is removed or changes its meaning; new fields can be added at any time.
struct MigrateReport: CommandReport {
    enum Outcome: String, Encodable, Sendable {
        case moved
        /// The source can be changed again.
        case released
        case failed
    }

    struct Table: Encodable, Sendable {
        var name: String
        var rows: Int
        /// About the size of the values.
        var bytes: Int64
        /// The SHA-256 of the rows, which is the same in both databases.
        var sha256: String
    }

    var version = 1
    var outcome: Outcome
    /// The names of the databases, without passwords.
    var from: String?
    var to: String?
    var tables: [Table]?
    var rows: Int?
    var bytes: Int64?
    /// The data folder with the files.
    var folder: String?
    var fileCount: Int?
    var fileBytes: Int64?
    var seconds: Double?
    /// Whether an earlier attempt was continued.
    var isResumed: Bool?
    /// Whether the source refused changes until it was released.
    var wasRefusing: Bool?
    /// Descriptions of missing or damaged files.
    var problems: [String]?
    var error: CommandFailure?

    /// Creates the report of a move.
    init(_ summary: DatabaseMove.Summary, from: String, to: String, files: String, seconds: Double) {
        outcome = .moved
        (self.from, self.to, folder) = (from, to, files)
        tables = summary.tables.map { Table(name: $0.name, rows: $0.rows, bytes: $0.bytes, sha256: $0.digest) }
        rows = summary.tables.reduce(0) { $0 + $1.rows }
        bytes = summary.tables.reduce(0) { $0 + $1.bytes }
        (fileCount, fileBytes) = (summary.files.files, summary.files.bytes)
        self.seconds = seconds
        isResumed = summary.isResumed
        problems = summary.files.missing.map { MigrateWords.missing("\($0)") }
    }

    /// Creates the report of a source that can be changed again.
    init(released source: String, wasRefusing: Bool) {
        outcome = .released
        from = source
        self.wasRefusing = wasRefusing
    }

    init(_ failure: CommandFailure) {
        outcome = .failed
        error = failure
    }
}

extension MigrateReport {
    var lines: [String] {
        guard let from else { return [] }
        guard let to, let tables, let rows, let bytes, let folder, let fileCount, let fileBytes, let seconds else {
            return [wasRefusing == true ? MigrateWords.released(from) : MigrateWords.wasNotMoved(from)]
        }
        return [
            MigrateWords.moved(rows: rows, tables: tables.count, bytes: bytes, from: from, to: to, seconds: seconds),
            MigrateWords.files(fileCount, bytes: fileBytes, in: folder), MigrateWords.sourceRefusesChanges(from),
        ] + (problems ?? [])
    }
}
