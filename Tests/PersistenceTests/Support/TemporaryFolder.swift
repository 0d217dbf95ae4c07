import DurableFiles
import Foundation
import GRDB

@testable import Persistence

// GRDB has types of these names too; those of this module win.
typealias Database = Persistence.Database
typealias PersistenceError = Persistence.PersistenceError

/// A folder for one test, which goes with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        self.path = NSTemporaryDirectory() + "meanwhile-persistence-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

extension TemporaryFolder {
    /// The data folder in it.
    var data: DataFolder {
        get throws { try DataFolder.open(at: "\(path)/data") }
    }

    /// The database in it.
    func database(_ migrations: [Database.Migration] = [.notes]) async throws -> Database {
        try await Database.open(in: data, migrations: migrations)
    }

    /// The file of the database.
    var databaseFile: String { "\(path)/data/meanwhile.sqlite" }

    /// The files in it, at any depth, and their lengths.
    var files: [String: Int] {
        var files: [String: Int] = [:]
        let names = FileManager.default.enumerator(atPath: "\(path)/data")?.compactMap { $0 as? String } ?? []
        for name in names {
            if let file = Disk.file("\(path)/data/\(name)") { files[name] = file.bytes }
        }
        return files
    }
}

extension Database {
    /// Opens a database, and waits up to ten minutes while other processes open it: the disk may be slow.
    static func openWithLongTimeout(in folder: DataFolder, migrations: [Migration]) async throws -> Database {
        let opening = DatabaseOpening(folder: folder, migrations: migrations, patience: .seconds(600))
        return try await DiskWork.run { () throws(PersistenceError) in try opening.open() }
    }
}

extension Database.Migration {
    /// A table of notes.
    static let notes = Database.Migration("test.1") { connection in
        try connection.execute(sql: "CREATE TABLE note (number INTEGER PRIMARY KEY, text TEXT NOT NULL, blob TEXT)")
    }
}

extension Database {
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
func code(_ operation: () async throws -> Void) async -> PersistenceError.Code? {
    await error(operation)?.code
}

/// The error that an operation throws; `nil` if it throws none.
func error(_ operation: () async throws -> Void) async -> PersistenceError? {
    do {
        try await operation()
        return nil
    } catch {
        return error as? PersistenceError ?? PersistenceError(.abandoned, "another error: \(error)")
    }
}
