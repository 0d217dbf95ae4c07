import DurableFiles
public import Foundation
import GRDB
import Synchronization

/// A copy of everything that a data folder keeps, in one file: the database as it was at one moment, and all that its rows
/// refer to.
///
/// Each file in it is checked by its SHA-256 when it is read. It is a tar archive: unpacked into an empty folder, it is a
/// data folder.
public enum Backup {
    /// What a backup holds.
    public struct Summary: Codable, Hashable, Sendable {
        /// When the copy of the database was made.
        public var created: Date
        /// The length of the database in bytes.
        public var databaseBytes: Int64
        /// How many other files there are, such as captured pages and pictures.
        public var fileCount: Int
        /// How long these are together, in bytes.
        public var fileBytes: Int64
        /// Files that rows refer to, and that were lost or damaged before the backup was made.
        public var missing: [BlobStore.ID]
    }

    /// How far something is that takes a while.
    public struct Progress: Hashable, Sendable {
        /// How many bytes it has dealt with.
        public var doneBytes: Int64
        /// How many there are, as far as is known.
        public var totalBytes: Int64
    }

    /// Told often, on any thread.
    public typealias Watcher = @Sendable (Progress) -> Void
}

/// The last entry of a backup: what it must hold to be whole.
struct BackupManifest: Codable, Equatable {
    var summary: Backup.Summary
    var databaseDigest: BlobStore.ID
    /// The SHA-256 of the names of all blobs, in their order.
    var filesDigest: BlobStore.ID
    /// The steps that the database has taken to its form.
    var migrations: [String]

    /// The longest one that is read, in bytes: some ten thousand files may be missing.
    static let longest: Int64 = 16 << 20

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

/// Counts the bytes of something that takes a while, and ends it when nobody waits for it any more.
struct BackupMeter {
    var progress = Backup.Progress(doneBytes: 0, totalBytes: 0)
    let watch: Backup.Watcher
    let isCancelled: @Sendable () -> Bool

    /// - Throws: ``StoreError`` with the code `cancelled`.
    mutating func add(_ bytes: Int) throws(StoreError) {
        if isCancelled() { throw StoreError(.cancelled, "It was given up: nobody waits for it any more.") }
        progress.doneBytes += Int64(bytes)
        progress.totalBytes = max(progress.totalBytes, progress.doneBytes)
        watch(progress)
    }

    /// Runs work on a thread for the disk; a cancelled task ends it at the next piece.
    static func run<Value: Sendable>(
        _ watch: @escaping Backup.Watcher,
        _ work: @escaping @Sendable (BackupMeter) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let flag = Cancellation()
        let meter = BackupMeter(watch: watch, isCancelled: { flag.flag.load(ordering: .acquiring) })
        let result: Result<Value, StoreError> = await withTaskCancellationHandler {
            do throws(StoreError) {
                return .success(try await DiskWork.run { () throws(StoreError) in try work(meter) })
            } catch {
                return .failure(error)
            }
        } onCancel: {
            flag.flag.store(true, ordering: .releasing)
        }
        return try result.get()
    }
}

/// What the database says of a blob.
struct BlobRow {
    var id: BlobStore.ID
    var bytes: Int64
    /// Whether any other row refers to it; if not, it may be swept at any time.
    var isReferred: Bool

    /// All of them, in the order of their names; none in a database that was never migrated.
    static func all(in connection: Database) throws -> [BlobRow] {
        guard try connection.tableExists("blob") else { return [] }
        return try Row.fetchAll(connection, sql: #"SELECT id, bytes, "references" > 0 FROM blob ORDER BY id"#).map {
            BlobRow(
                id: try $0.decode(atIndex: 0), bytes: try $0.decode(atIndex: 1), isReferred: try $0.decode(atIndex: 2))
        }
    }

    /// How long all are together, as far as a damaged database can be believed.
    static func bytes(of rows: [BlobRow]) -> Int64 {
        rows.reduce(0) { $0 + min(max($1.bytes, 0), 1 << 40) }
    }
}
