import DurableFiles
import Foundation
import GRDB

extension AppDatabase {
    /// The result of verifying all data.
    public struct Verification: Hashable, Sendable {
        /// A readable message for each problem; empty if all data is intact.
        public var problems: [String]
        /// The number of files beside the database, such as captured pages and pictures.
        public var fileCount: Int
        /// The total size of these files in bytes.
        public var fileBytes: Int64
        /// The size of the database in bytes.
        public var databaseBytes: Int64
    }

    /// The maximum number of problems that each of SQLite's two checks reports.
    private static let maximumProblems = 20

    /// Reads and verifies all data.
    ///
    /// The verification changes no data; it copies blobs that are only in the database's store of objects. Other tasks
    /// and processes may write while it runs.
    public func verify(progress: @escaping Backup.ProgressHandler = { _ in }) async throws(StoreError) -> Verification {
        try await BackupMeter.run(progress) { meter throws(StoreError) in
            do {
                return try self.verify(meter)
            } catch {
                throw StoreError(error, ofDatabaseAt: self.folder.databasePath)
            }
        }
    }

    private func verify(_ meter: BackupMeter) throws -> Verification {
        var meter = meter
        let store = BlobStore(database: self)
        var problems = try pool.read { try Self.problems(in: $0) }
        let files = try pool.read { try BlobRow.all(in: $0) }.filter(\.isReferenced)
        let databaseBytes = Int64(Disk.stamp(of: folder.databasePath)?.bytes ?? 0)
        let inPieces = try pool.read { connection in
            try Row.fetchAll(
                connection,
                sql: """
                    SELECT blob, sum(blob_piece.bytes) FROM blob_piece JOIN blob ON id = blob
                    WHERE "references" > 0 GROUP BY blob
                    """
            ).map {
                BlobRow(id: try $0.decode(atIndex: 0), bytes: try $0.decode(atIndex: 1), isReferenced: true)
            }
        }
        meter.progress.totalBytes = BlobRow.bytes(of: files) + BlobRow.bytes(of: inPieces)
        var fileBytes: Int64 = 0
        for id in files.map(\.id) {
            try store.waitForFiles([id])
            let path = store.path(of: id)
            guard let file = try BackupFile.ofBlob(at: path) else {
                if try isReferenced(id) {
                    problems.append("\(path) \(Disk.exists(path) ? "can't be read" : "is missing").")
                }
                continue
            }
            let digest = try file.digest { data throws(StoreError) in try meter.add(data.count) }
            if digest != id { problems.append("\(path) \(digest == nil ? "can't be read" : "has changed").") }
            fileBytes += file.length
        }
        // The files are verified; the order of pieces is verified here.
        for id in inPieces.map(\.id) where try digest(ofPiecesOf: id, in: store, &meter) != id && isReferenced(id) {
            problems.append("\(id) can't be put together from its pieces.")
        }
        return Verification(
            problems: problems, fileCount: files.count, fileBytes: fileBytes, databaseBytes: databaseBytes)
    }

    /// The SHA-256 of the content of a blob in pieces; `nil` if a piece can't be read.
    private func digest(
        ofPiecesOf id: BlobStore.ID, in store: BlobStore, _ meter: inout BackupMeter
    ) throws -> BlobStore.ID? {
        let pieces = try pool.read { try store.pieces(of: id, in: $0) }
        try store.waitForFiles(Array(Set(pieces.map(\.path))).compactMap(BlobStore.id))
        let reader = BlobReader(pieces)
        var hash = BlobHash()
        var offset = 0
        while offset < reader.byteCount {
            guard let part = try? reader.part(at: offset, count: BackupFile.chunkSize) else { return nil }
            try meter.add(part.count)
            hash.add(part)
            offset += part.count
        }
        return hash.id
    }

    private static func problems(in connection: Database) throws -> [String] {
        var problems = try String.fetchAll(connection, sql: "PRAGMA integrity_check(\(maximumProblems))")
        if problems == ["ok"] { problems = [] }
        let orphans = try Row.fetchAll(connection, sql: "PRAGMA foreign_key_check").prefix(maximumProblems)
        return problems
            + orphans.map { "A row of \(String.fromDatabaseValue($0[0]) ?? "a table") refers to a missing row." }
    }

    /// Whether a row still refers to the blob, which may have been deleted since the verification began.
    private func isReferenced(_ id: BlobStore.ID) throws -> Bool {
        try pool.read { connection in
            try Bool.fetchOne(
                connection, sql: #"SELECT EXISTS (SELECT 1 FROM blob WHERE id = ? AND "references" > 0)"#,
                arguments: [id])
                ?? false
        }
    }
}
