import DurableFiles
import Foundation
import GRDB
import StoreTesting

@testable import Persistence

extension TemporaryFolder {
    /// The data folder in the temporary folder.
    var data: DataFolder {
        get throws { try DataFolder.open(at: "\(path)/data") }
    }

    /// The database in the data folder.
    func database(_ migrations: [AppDatabase.Migration] = [.notes]) async throws -> AppDatabase {
        try await AppDatabase.open(in: data, migrations: migrations)
    }

    /// The path of the database file.
    var databaseFile: String { "\(path)/data/meanwhile.sqlite" }

    /// The files in the data folder, recursively, with their sizes.
    var files: [String: Int] {
        var files: [String: Int] = [:]
        let names = FileManager.default.enumerator(atPath: "\(path)/data")?.compactMap { $0 as? String } ?? []
        for name in names {
            if let file = Disk.stamp(of: "\(path)/data/\(name)") { files[name] = file.bytes }
        }
        return files
    }
}

extension AppDatabase {
    /// Opens a database, and waits up to ten minutes for other processes that are opening it, in case the disk is slow.
    static func openWithLongTimeout(in folder: DataFolder, migrations: [Migration]) async throws -> AppDatabase {
        let opening = DatabaseOpening(folder: folder, migrations: migrations, openingTimeout: .seconds(600))
        return try await DiskWork.run { () throws(StoreError) in try opening.open() }
    }
}

extension AppDatabase.Migration {
    /// A table of notes.
    static let notes = AppDatabase.Migration("test.1") { connection in
        try connection.execute(sql: "CREATE TABLE note (number INTEGER PRIMARY KEY, text TEXT NOT NULL, blob TEXT)")
    }
}

extension AppDatabase {
    func add(note: String) async throws {
        try await write { connection in
            try connection.execute(sql: "INSERT INTO note (text) VALUES (?)", arguments: [note])
        }
    }

    var notes: [String] {
        get async throws {
            try await read { try String.fetchAll($0, sql: "SELECT text FROM note ORDER BY number") }
        }
    }
}

/// The code of the error that an operation throws; `nil` if it throws none.
func code(_ operation: () async throws -> Void) async -> StoreError.Code? {
    await error(operation)?.code
}

/// The error that an operation throws; `nil` if it throws none.
func error(_ operation: () async throws -> Void) async -> StoreError? {
    do {
        try await operation()
        return nil
    } catch {
        return error as? StoreError ?? StoreError(.abandoned, "another error: \(error)")
    }
}
