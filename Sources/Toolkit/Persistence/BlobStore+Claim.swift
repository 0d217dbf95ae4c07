import Digests
import Foundation
import GRDB

// The store of objects belongs to one database, because a sweep deletes the objects that its database doesn't know.

extension BlobStore {
    /// The migration that adds the name by which a database claims a store of objects.
    static let claimMigration = AppDatabase.Migration("persistence.4") { connection in
        try connection.execute(
            sql: """
                CREATE TABLE blob_claim (
                    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
                    name TEXT NOT NULL
                ) STRICT
                """)
    }

    /// Checks that the store of objects belongs to this database, and claims a new one; does nothing without one.
    ///
    /// The claim is part of the database, and moves with the data. A restored backup has none.
    ///
    /// - Throws: ``StoreError``: `inUse` if the store belongs to another database.
    package func claimObjects() async throws(StoreError) {
        guard let cache else { return }
        let name = try await claimName()
        var others = try await cache.objects.claims()
        if others.isEmpty {
            try await cache.objects.claim(by: name)
            others = try await cache.objects.claims().filter { $0 != name }
            // Another database has claimed the store at the same time, and may already use it.
            if !others.isEmpty { try await cache.objects.withdrawClaim(by: name) }
        }
        others.removeAll { $0 == name }
        guard others.isEmpty else {
            throw StoreError(
                .inUse,
                "\(cache.objects) has the blobs of another database, which this one would delete. Use a bucket or a "
                    + "prefix for each database. If the other database is gone, delete the object "
                    + "database-\(others.joined(separator: ", ")) first.")
        }
        cache.isClaimed = true
    }

    /// Claims the store of objects as ``claimObjects()`` does, unless this process knows already that it belongs to this
    /// database.
    func confirmClaim() async throws(StoreError) {
        if let cache, !cache.isClaimed { try await claimObjects() }
    }

    /// Makes a restored database another one than that of the backup, which may still use its store of objects.
    static func forgetClaim(in connection: Database) throws {
        guard try connection.tableExists("blob_claim") else { return }
        try connection.execute(sql: "DELETE FROM blob_claim")
    }

    private func claimName() async throws(StoreError) -> String {
        let sql = "SELECT name FROM blob_claim"
        // A database whose data was moved refuses writes.
        if let name = try await database.readRows({ try $0.value(sql, as: String.self) }) { return name }
        let new = String.randomHexadecimal(bytes: 16)
        return try await database.writeRows(locking: [SQLLock(part: "blobs")]) { connection in
            try connection.execute("INSERT INTO blob_claim (id, name) VALUES (1, ?) ON CONFLICT DO NOTHING", [new])
            return try connection.value(sql, as: String.self) ?? new
        }
    }
}
