import DurableFiles
import Foundation
import Futures
import Jobs
import Persistence

#if PostgreSQL
    import PostgreSQL
#endif
#if S3
    import S3
#endif

/// The database and the data folder of a process.
struct Storage: Sendable {
    /// The folder of the files; of the database too, unless that is in PostgreSQL.
    let folder: DataFolder
    let database: any SQLDatabase
    /// The database if it is in the folder; `nil` if it is in PostgreSQL.
    let sqlite: AppDatabase?
    /// The contents of pages and pictures; a deletion can be undone for as long as the library allows it.
    let blobs: BlobStore
    /// The folders of the jobs' outputs.
    let outputs: JobsFolder
    /// The folder of files that the server receives: uploads, and inputs of jobs.
    var incoming: String
    /// How long a start waits for the bucket.
    private static let claimLimit = Duration.seconds(5)
    /// The age in seconds from which a folder of another server is removed, if nothing was added to it or removed.
    private static let oldestIncoming: TimeInterval = 2 * 86_400

    private init(_ database: AppDatabase, _ bucket: StorageAddress.Blobs?) {
        folder = database.folder
        database.objects = bucket?.objects
        blobs = BlobStore(database: database)
        outputs = Self.outputs(in: folder, bucket)
        (self.database, sqlite) = (database, database)
        incoming = folder.incoming
    }

    #if PostgreSQL
        /// The database if it is in PostgreSQL.
        var postgreSQL: PostgresDatabase? { database as? PostgresDatabase }

        private init(_ database: PostgresDatabase, _ folder: DataFolder, _ bucket: StorageAddress.Blobs?) {
            self.folder = folder
            blobs = BlobStore(in: database, folder: folder, objects: bucket?.objects)
            outputs = Self.outputs(in: folder, bucket)
            (self.database, sqlite) = (database, nil)
            incoming = folder.incoming
        }
    #endif
}

extension Storage {
    /// Opens a database with the schema of this program.
    ///
    /// - Parameters:
    ///   - folder: The data folder.
    ///   - address: Where the data is that isn't in the folder.
    /// - Returns: The open database with its folder.
    /// - Throws: ``StoreError`` if it can't be opened.
    static func open(
        in folder: DataFolder, at address: StorageAddress = StorageAddress()
    ) async throws(StoreError) -> Storage {
        let storage = try await opened(in: folder, at: address)
        do throws(StoreError) {
            try await withDeadline(
                claimLimit, late: { StoreError(.timedOut, "") },
                operation: { () async throws(StoreError) in try await storage.blobs.claimObjects() })
        } catch  where [.inputOutput, .timedOut].contains(error.code) {
            // Pages can be read without the bucket. A sweep asks again before it deletes anything.
        } catch {
            storage.close()
            throw error
        }
        return storage
    }

    private static func opened(in folder: DataFolder, at address: StorageAddress) async throws(StoreError) -> Storage {
        guard let database = address.database else {
            return Storage(try await AppDatabase.open(in: folder, migrations: DatabaseSchema.migrations), address.blobs)
        }
        #if PostgreSQL
            let opened = try await PostgresDatabase.open(
                database.value, migrations: DatabaseSchema.postgreSQLMigrations)
            return Storage(opened, folder, address.blobs)
        #else
            throw StoreError(.invalidName, CommandWords.without(CommandWords.postgreSQL))
        #endif
    }

    private static func outputs(in folder: DataFolder, _ bucket: StorageAddress.Blobs?) -> JobsFolder {
        var outputs = folder.jobs
        outputs.transfer = bucket.map { JobTransfer(through: $0.files, folder: folder) }
        return outputs
    }

    /// Uses a folder for received files that no other server uses, and removes those that killed servers left behind.
    mutating func useOwnIncomingFolder() {
        let files = FileManager.default
        for name in (try? files.contentsOfDirectory(atPath: folder.incoming)) ?? [] {
            let path = "\(folder.incoming)/\(name)"
            let changed = (try? files.attributesOfItem(atPath: path))?[.modificationDate] as? Date
            if let changed, changed < Date() - Self.oldestIncoming { try? files.removeItem(atPath: path) }
        }
        // If this fails, each upload says so.
        try? files.createDirectory(atPath: folder.incoming, withIntermediateDirectories: true)
        incoming = "\(folder.incoming)/\(UUID().uuidString.lowercased())"
    }

    /// The path that a damaged database was moved to when this one was opened; `nil` if none was.
    var setAside: String? { sqlite?.setAside }

    /// The queue of jobs.
    ///
    /// - Parameter removeOutput: Called with the name of a succeeded job's output after a transaction has removed the job;
    ///   it must not block.
    /// - Returns: The queue.
    func jobs(removeOutput: @escaping @Sendable (String) -> Void = { _ in }) -> SQLiteJobQueue {
        SQLiteJobQueue(in: database, signal: database.changeSignal(of: "jobs"), removeOutput: removeOutput)
    }

    /// The values of an owner.
    func values(of owner: OwnerID) -> SQLiteStore { SQLiteStore(in: database, owner: owner) }

    /// Gives all data of an owner to another one, while no server runs.
    ///
    /// - Returns: The number of rows that were moved.
    /// - Throws: ``StoreError``: `inUse` if a server runs; `conflict` if the other owner has data.
    func moveData(from source: OwnerID, to target: OwnerID) async throws(StoreError) -> Int {
        #if PostgreSQL
            if postgreSQL != nil {
                return try await database.moveData(from: source, to: target) { try ClusterMember.checkAbsence(in: $0) }
            }
        #endif
        let lock = try folder.lock(for: "server")
        defer { lock.release() }
        return try await database.moveData(from: source, to: target)
    }

    /// Reports each read and write from now on; the closure must not block.
    func observe(_ report: @escaping @Sendable (DatabaseAccess) -> Void) { database.observe(report) }

    /// Closes the database.
    func close() { database.close() }
}
