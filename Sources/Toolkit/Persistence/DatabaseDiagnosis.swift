import DurableFiles
import Foundation
import GRDB

/// What is wrong with the database of a data folder, which is only read.
///
/// ``AppDatabase/open(in:migrations:)`` would set a damaged database aside.
package struct DatabaseDiagnosis: Sendable {
    /// The kind of a fault.
    package enum Fault: Hashable, Sendable {
        /// A newer or much older version of the program wrote it.
        case otherVersion
        /// A check has failed.
        case damaged
        /// It can't be opened.
        case unreadable
    }

    /// The size of the database in bytes.
    package var bytes: Int64
    /// The fault; `nil` if there is none.
    package var fault: Fault?
    /// What SQLite or the check of the schema says; empty without a fault.
    package var message: String

    /// Checks the database of a folder with `PRAGMA quick_check`, which reads all of it.
    ///
    /// - Parameters:
    ///   - path: The path of the data folder.
    ///   - migrations: The program's migrations.
    /// - Returns: The diagnosis; `nil` if there is no database.
    package static func read(at path: String, migrations: [AppDatabase.Migration]) -> DatabaseDiagnosis? {
        let file = path + "/meanwhile.sqlite"
        guard let stamp = Disk.stamp(of: file) else { return nil }
        var diagnosis = DatabaseDiagnosis(bytes: Int64(stamp.bytes), fault: nil, message: "")
        func fail(_ fault: Fault, _ message: String) -> DatabaseDiagnosis {
            diagnosis.fault = fault
            diagnosis.message = message
            return diagnosis
        }
        if stamp.bytes == 0 { return fail(.damaged, "the file is empty") }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(DatabaseOpening.busyTimeout)
        do {
            let queue = try DatabaseQueue(path: file, configuration: configuration)
            defer { try? queue.close() }
            return try queue.read { connection in
                if let refusal = try (AppDatabase.Migration.own + migrations).refusal(of: connection, named: file) {
                    return fail(.otherVersion, refusal.message)
                }
                let problems = try String.fetchAll(connection, sql: "PRAGMA quick_check(3)")
                return problems == ["ok"] ? diagnosis : fail(.damaged, problems.joined(separator: "; "))
            }
        } catch let error as DatabaseError
            where error.resultCode == .SQLITE_CORRUPT || error.resultCode == .SQLITE_NOTADB
        {
            return fail(.damaged, error.message ?? "it is not a database")
        } catch {
            return fail(.unreadable, "\(error)")
        }
    }
}
