import ArgumentParser
import Foundation
import Persistence

/// All that the command `migrate` says to people.
///
/// docs/words.md explains how to change and add words.
enum MigrateWords {
    static let abstract = "Moves all data to another database: from SQLite to PostgreSQL, or back."
    static let discussion = """
        A running server can read the data while it is moved, but not change it. At
        the end, the rows of both databases are counted and compared by SHA-256. From
        then on, the old database refuses changes. If the command is interrupted, run it
        again to continue.

          meanwhile migrate --from sqlite:/srv/meanwhile --to postgres://user@host/database
          meanwhile migrate --from postgres://user@host/database --to sqlite:/srv/new \\
              --data /srv/meanwhile

        Files such as pictures stay in the data folder. They are copied if the target is
        a data folder, or if --data names another folder for a PostgreSQL target. If the
        source is PostgreSQL, --data names the folder that has the files.

        Exit codes: 0 moved, 1 failed, 2 moved, but files are missing or damaged, 64
        wrong usage.
        """
    static let from: ArgumentHelp = "The database to move: sqlite:FOLDER or postgres://USER@HOST/DATABASE"
    static let to: ArgumentHelp = "The empty database that gets the data, in the same form."
    static let release: ArgumentHelp =
        "Allow changes of the old database again, after a move that you give up. Changes since then aren't moved."
    static let targetOrRelease = "Give either --to or --release."
    static let interrupted = "Interrupted. The old database can be changed again. Run the command again to continue."
    static let noPostgreSQL = "This program was built without PostgreSQL."

    static func noDatabase(in path: String) -> String { "There is no data in \(path). Choose another folder." }
}

// MARK: - The report

extension MigrateWords {
    static func progress(_ progress: DatabaseMove.Progress) -> String {
        let table = "table \(progress.doneTables + 1) of \(progress.tables), \(progress.table)"
        return switch progress.phase {
        case .copying: "Copying \(table): \(progress.done) rows"
        case .verifying: "Comparing \(table): \(progress.done) rows"
        case .files: "Checking files: \(progress.done)"
        }
    }
    static func moved(
        rows: Int, tables: Int, bytes: Int64, from: String, to: String, seconds: Double
    ) -> String {
        let time = seconds.formatted(.number.precision(.fractionLength(1)))
        return """
            Moved \(rows == 1 ? "1 row" : "\(rows) rows") of \(tables) tables (\(size(bytes))) from \(from) to \(to) in \
            \(time) s. Counts and hashes are equal.
            """
    }
    static func files(_ count: Int, bytes: Int64, in folder: String) -> String {
        "\(count == 1 ? "1 file" : "\(count) files") (\(size(bytes))) in \(folder)."
    }
    static func sourceRefusesChanges(_ name: String) -> String { "\(name) can still be read, but not changed." }
    static func missing(_ file: String) -> String { "The file \(file) is missing or damaged." }
    static func released(_ name: String) -> String { "\(name) can be changed again." }
    static func wasNotMoved(_ name: String) -> String { "\(name) can be changed: its data wasn't moved." }
    private static func size(_ bytes: Int64) -> String { bytes.formatted(.byteCount(style: .file)) }
}
