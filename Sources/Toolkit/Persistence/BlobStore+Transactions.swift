import DurableFiles
import Foundation
public import GRDB
import SystemPackage

extension BlobStore {
    /// The migrations of its table.
    static let migrations = [
        AppDatabase.Migration("persistence.1") { connection in
            try connection.execute(
                sql: """
                    CREATE TABLE blob (
                        id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 64),
                        bytes INTEGER NOT NULL CHECK (bytes >= 0),
                        "references" INTEGER NOT NULL CHECK ("references" >= 0),
                        released_at REAL,
                        CHECK (("references" = 0) = (released_at IS NOT NULL))
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX blob_released ON blob (released_at) WHERE "references" = 0;
                    """)
        }
    ]
}

extension BlobStore {
    /// Adds a staged blob with one reference, if the transaction is committed.
    ///
    /// If it is rolled back, the blob can be added again in another transaction.
    ///
    /// Throws `missing` if the blob was swept, or was added before and no longer exists. Throws an error of SQLite if a
    /// statement fails. After an error the transaction must not be committed.
    public func add(_ staged: StagedBlob, in transaction: Database) throws {
        try add(staged, in: SQLiteConnection(transaction))
    }

    /// Adds a staged blob with one reference, as ``add(_:in:)`` of SQLite does.
    ///
    /// In PostgreSQL, the transaction may run again after this has moved the file. With a store of objects, this may
    /// wait for that store on the thread of the connection.
    package func add(_ staged: StagedBlob, in transaction: any SQLConnection) throws {
        guard transaction.isWriting else {
            throw StoreError(.queryFailed, "Blobs can be stored only in a write of the database.")
        }
        try transaction.lock(.blobs.shared)
        guard staged.pieces.isEmpty else { return try addPieces(of: staged, in: transaction) }
        try put(staged.files)
        try ensureObjects(of: staged.files, in: transaction)
        for file in staged.files { try addFile(file, references: 1, in: transaction) }
    }

    /// Adds references to a blob whose file is in place.
    func addFile(_ file: StagedFile, references: Int, in transaction: any SQLConnection) throws {
        // The row is written first, and so is locked in PostgreSQL: otherwise, two transactions could remove the same
        // pieces.
        try transaction.execute(
            """
            INSERT INTO blob (id, bytes, "references") VALUES (?1, ?2, ?3)
            ON CONFLICT (id) DO UPDATE SET "references" = blob."references" + ?3, released_at = NULL, bytes = ?2
            """, [file.id, file.bytes, references])
        try removePieces(of: file.id, in: transaction)
        // Its owners had it in pieces before, which a sweep may have removed.
        try transaction.execute(
            "UPDATE owner_blob SET bytes = ? WHERE blob = ? AND bytes = 0", [file.bytes, file.id])
    }

    /// Adds a reference to a blob, which may have been released but not swept yet; throws `missing` if it does not exist.
    public func retain(_ id: ID, in transaction: Database) throws {
        try retain(id, in: SQLiteConnection(transaction))
    }

    /// Adds a reference to a blob, as ``retain(_:in:)`` of SQLite does.
    package func retain(_ id: ID, in transaction: any SQLConnection) throws {
        try transaction.lock(.blobs.shared)
        let changed = try transaction.execute(
            #"UPDATE blob SET "references" = "references" + 1, released_at = NULL WHERE id = ?"#, [id])
        if changed == 0 { throw missingError(id) }
    }

    /// Removes a reference; throws `missing` if there is none.
    ///
    /// After the last one is removed, the blob remains for the undo window.
    public func release(_ id: ID, in transaction: Database) throws {
        try release(id, in: SQLiteConnection(transaction))
    }

    /// Removes a reference, as ``release(_:in:)`` of SQLite does.
    package func release(_ id: ID, in transaction: any SQLConnection) throws {
        try transaction.lock(.blobs.shared)
        let changed = try transaction.execute(
            """
            UPDATE blob
            SET "references" = "references" - 1,
                released_at = CASE "references" WHEN 1 THEN CAST(? AS DOUBLE PRECISION) END
            WHERE id = ? AND "references" > 0
            """, [now().timeIntervalSince1970, id])
        if changed == 0 { throw missingError(id) }
    }
}

extension BlobStore {
    /// Moves files to their final paths.
    ///
    /// No sweep runs meanwhile, because a sweep is a write too, and takes the lock of the blobs.
    func put(_ files: [StagedFile]) throws(StoreError) {
        var folders: Set<String> = []
        for file in files {
            let destination = path(of: file.id)
            let parent = String(destination.dropLast(file.id.description.count + 1))
            do throws(Errno) {
                if folders.insert(parent).inserted { try Disk.real.makeFolder(parent) }
                // Replaces an existing file, which may be damaged. A transaction that was rolled back may already have
                // moved the staged file.
                if Disk.exists(file.path) || Disk.stamp(of: destination)?.bytes != file.bytes {
                    try Disk.real.rename(file.path, to: destination)
                }
            } catch .noSuchFileOrDirectory {
                throw StoreError(
                    .missing, "\(file.path) was removed before it was stored. Stage its content again.")
            } catch {
                throw StoreError(error, "could not be stored", at: destination)
            }
        }
        // Sync all folders even if they existed: the process that created them may have been killed before it synced them.
        for path in folders.sorted() + [folder.blobsPath] {
            try onDisk("could not be stored", at: path) { () throws(Errno) in try Disk.real.syncFolder(path) }
        }
    }

    func missingError(_ id: ID) -> StoreError {
        StoreError(.missing, "Blob \(id) does not exist, or was removed. Add its content again.")
    }
}

extension SQLLock {
    /// Held exclusively by sweeps, and shared by all other transactions that change blobs.
    static let blobs = SQLLock(part: "blobs")
    /// Held by transactions that add blobs in pieces.
    static let blobPieces = SQLLock(part: "blobs.pieces")
}
