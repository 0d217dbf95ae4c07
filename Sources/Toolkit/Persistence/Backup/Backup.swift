import DurableFiles
public import Foundation
import GRDB
import Synchronization

/// A copy of all data of a data folder in one file: a snapshot of the database, and all blobs that its rows refer to.
///
/// Reading verifies the SHA-256 of each file in it. It is a tar archive that can be unpacked into an empty folder, which is then
/// a data folder.
public enum Backup {
    /// The name of the first entry, with which the file begins.
    package static let firstName = "meanwhile-backup-1"

    /// A summary of a backup's contents.
    public struct Summary: Codable, Hashable, Sendable {
        /// When the snapshot of the database was taken.
        public var created: Date
        /// The size of the database in bytes.
        public var databaseBytes: Int64
        /// The number of other files, such as captured pages and pictures.
        public var fileCount: Int
        /// The total size of these files in bytes.
        public var fileBytes: Int64
        /// The blobs that rows refer to but that were lost, damaged or unreadable during the backup.
        public var missing: [BlobStore.ID]
    }

    /// The progress of a long-running operation.
    public struct Progress: Hashable, Sendable {
        /// The number of bytes that have been processed.
        public var doneBytes: Int64
        /// The expected total number of bytes.
        public var totalBytes: Int64
    }

    /// A progress handler, which is called often and on any thread.
    public typealias ProgressHandler = @Sendable (Progress) -> Void
}

/// The last entry of a backup: what the backup must contain to be complete.
struct BackupManifest: Codable, Equatable {
    var summary: Backup.Summary
    var databaseDigest: BlobStore.ID
    /// The SHA-256 of the IDs of all blobs, in the order of the archive, each followed by a newline.
    var filesDigest: BlobStore.ID
    /// The identifiers of the migrations that ran on the database.
    var migrations: [String]

    /// The maximum size of a manifest that is read, in bytes; it lists the missing blobs, which may be tens of thousands.
    static let maximumBytes: Int64 = 16 << 20

    static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }()

    static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }()
}

/// Counts the bytes that an operation has processed, and stops it when its task is cancelled.
struct BackupMeter {
    var progress = Backup.Progress(doneBytes: 0, totalBytes: 0)
    let onProgress: Backup.ProgressHandler
    let isCancelled: @Sendable () -> Bool

    /// - Throws: ``StoreError`` with the code `cancelled`.
    mutating func add(_ bytes: Int) throws(StoreError) {
        if isCancelled() { throw StoreError(.cancelled, "Cancelled before it finished. Start it again.") }
        progress.doneBytes += Int64(bytes)
        progress.totalBytes = max(progress.totalBytes, progress.doneBytes)
        onProgress(progress)
    }

    /// Runs work on a disk thread; cancelling the task stops the work at the next chunk.
    static func run<Value: Sendable>(
        _ onProgress: @escaping Backup.ProgressHandler,
        _ work: @escaping @Sendable (BackupMeter) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let flag = Cancellation()
        let meter = BackupMeter(onProgress: onProgress, isCancelled: { flag.isRequested.load(ordering: .acquiring) })
        let result: Result<Value, StoreError> = await withTaskCancellationHandler {
            do throws(StoreError) {
                return .success(try await DiskWork.run { () throws(StoreError) in try work(meter) })
            } catch {
                return .failure(error)
            }
        } onCancel: {
            flag.isRequested.store(true, ordering: .releasing)
        }
        return try result.get()
    }
}

/// The database's row of a blob that has a file.
struct BlobRow {
    var id: BlobStore.ID
    var bytes: Int64
    /// Whether any other row refers to the blob; if not, it may be swept at any time.
    var isReferenced: Bool

    /// All rows, ordered by ID; none in a database that was never migrated.
    static func all(in connection: Database) throws -> [BlobRow] {
        guard try connection.tableExists("blob") else { return [] }
        // An earlier version stores no blob in pieces.
        let condition =
            try connection.tableExists("blob_piece") ? "WHERE id NOT IN (SELECT blob FROM blob_piece)" : ""
        return try Row.fetchAll(
            connection, sql: #"SELECT id, bytes, "references" > 0 FROM blob \#(condition) ORDER BY id"#
        ).map {
            BlobRow(
                id: try $0.decode(atIndex: 0), bytes: try $0.decode(atIndex: 1), isReferenced: try $0.decode(atIndex: 2)
            )
        }
    }

    /// The total size; implausible sizes, which a damaged database may contain, are clamped.
    static func bytes(of rows: [BlobRow]) -> Int64 {
        rows.reduce(0) { $0 + min(max($1.bytes, 0), 1 << 40) }
    }
}
