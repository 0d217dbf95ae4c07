import DurableFiles
import Foundation
public import GRDB
import SystemPackage

extension BlobStore {
    /// The forms of its table.
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
    /// Keeps staged content, with one reference to it: when the transaction is committed, and otherwise not.
    ///
    /// The same may be kept again in another transaction if the first came to nothing. Throws `missing` if it was swept
    /// or kept before and is no longer there, or an error of SQLite. The transaction must not be committed then.
    public func keep(_ staged: StagedBlob, in transaction: Database) throws {
        try connectionMustWrite(transaction)
        try put(staged)
        try transaction.execute(
            sql: """
                INSERT INTO blob (id, bytes, "references") VALUES (?, ?, 1)
                ON CONFLICT (id) DO UPDATE SET "references" = "references" + 1, released_at = NULL
                """, arguments: [staged.id, staged.bytes])
    }

    /// Adds a reference to content that is referred to, or was released and not swept yet; throws `missing` if it is not there.
    public func retain(_ id: ID, in transaction: Database) throws {
        try transaction.execute(
            sql: #"UPDATE blob SET "references" = "references" + 1, released_at = NULL WHERE id = ?"#, arguments: [id])
        if transaction.changesCount == 0 { throw isGone(id) }
    }

    /// Takes a reference back; throws `missing` if there is none.
    ///
    /// After the last one the content stays for the undo window.
    public func release(_ id: ID, in transaction: Database) throws {
        try transaction.execute(
            sql: """
                UPDATE blob
                SET "references" = "references" - 1, released_at = CASE "references" WHEN 1 THEN ? END
                WHERE id = ? AND "references" > 0
                """, arguments: [now().timeIntervalSince1970, id])
        if transaction.changesCount == 0 { throw isGone(id) }
    }
}

extension BlobStore {
    /// Moves the content to its place.
    ///
    /// No sweep runs meanwhile: that is a write too.
    private func put(_ staged: StagedBlob) throws(StoreError) {
        let place = path(of: staged.id)
        let folder = String(place.dropLast(staged.id.description.count + 1))
        do throws(Errno) {
            try Disk.real.makeFolder(folder)
            if let file = Disk.file(place), file.bytes == staged.bytes {
                try Disk.real.removeFile(staged.path)
            } else {
                try Disk.real.rename(staged.path, to: place)
            }
            // All that leads there, even if the folder is not new: who made it may have died before this.
            try Disk.real.syncFolder(folder)
            try Disk.real.syncFolder(database.folder.blobsPath)
        } catch .noSuchFileOrDirectory {
            throw StoreError(
                .missing, "\(staged.path) has been swept before it was kept. Stage its content again.")
        } catch {
            throw StoreError(error, "could not be kept", at: place)
        }
    }

    private func connectionMustWrite(_ transaction: Database) throws(StoreError) {
        guard transaction.isInsideTransaction, !transaction.configuration.readonly else {
            throw StoreError(.queryFailed, "Blobs are kept within a write of the database only.")
        }
    }

    private func isGone(_ id: ID) -> StoreError {
        StoreError(.missing, "Blob \(id) is not kept, or no longer. Add its content again.")
    }
}
