import Crypto
import Digests
public import Foundation
public import GRDB

/// A content-addressed store of large blobs that database rows refer to; each is a file named by its SHA-256.
///
/// Equal blobs share one file, and the database counts the references to it. A blob is added in a transaction, and only
/// if the transaction is committed. A blob without references remains for the undo window, so that a deletion can be
/// undone, and is then removed by ``sweep(releasedBefore:)``.
///
/// A blob can also be stored in pieces, which are blobs themselves, so that large blobs with equal parts share these:
/// see ``stage(_:sharing:)``.
///
/// The files are in `blobs/ab/abcdef…` of a data folder. If the contents are in an object store instead, the
/// files are copies, and are removed when they need too much space.
public struct BlobStore: Sendable {
    /// Identifies a blob by its SHA-256.
    public struct ID: Hashable, Sendable {
        private let digits: String

        /// Hashes a blob.
        public init(of data: Data) {
            self.init(SHA256.hash(data: data))
        }

        init(_ digest: SHA256.Digest) {
            self.digits = digest.hexadecimal
        }

        /// Parses an ID.
        ///
        /// - Parameter text: 64 hexadecimal digits; only lower case is accepted, so that each blob has one spelling.
        public init?(_ text: String) {
            guard text.isHexadecimal(bytes: 32) else { return nil }
            self.digits = text
        }
    }

    let database: any SQLDatabase
    let folder: DataFolder
    let undoWindow: Duration
    let now: @Sendable () -> Date
    /// The cache of the objects; `nil` if the contents are only in the folder.
    let cache: BlobCache?

    /// Creates a store whose files are in the database's folder, or whose contents are in the database's store of objects.
    public init(
        database: AppDatabase, undoWindow: Duration = .seconds(600), now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(
            in: database, folder: database.folder, objects: database.objects, undoWindow: undoWindow, now: now)
    }

    /// Creates a store in a database of any kind.
    ///
    /// Without objects, all processes that use the database must share the folder of the files. No other database may use
    /// the same folder or the same objects: a sweep removes those without a row, also if another database has the row.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - folder: The folder of the files. With objects, those are copies, and each machine may have its own folder.
    ///   - objects: The store of the contents outside this machine; `nil` if they are only in the folder.
    ///   - limits: The limits of the copies.
    ///   - undoWindow: How long a blob without references remains.
    ///   - now: Returns the current time.
    package init(
        in database: any SQLDatabase, folder: DataFolder, objects: (any BlobObjects)? = nil,
        limits: BlobCacheLimits = BlobCacheLimits(), undoWindow: Duration = .seconds(600),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.database = database
        self.folder = folder
        self.undoWindow = undoWindow
        self.now = now
        cache = objects.map { BlobCache($0, folder: folder, limits: limits, now: now) }
    }
}

/// A blob that is on the disk, but not part of a transaction yet.
public struct StagedBlob: Hashable, Sendable {
    /// The blob's ID.
    public let id: BlobStore.ID
    /// The length in bytes.
    public let bytes: Int
    /// The files: the blob itself, or those of its pieces, each once.
    let files: [StagedFile]
    /// The pieces in their order; empty for a blob in one file.
    let pieces: [PieceRow]
}

/// A file of a staged blob.
struct StagedFile: Hashable, Sendable {
    let id: BlobStore.ID
    let bytes: Int
    let path: String
}

/// Computes the ID of a blob from its parts.
package struct BlobHash {
    private var hash = SHA256()

    /// Begins with no bytes.
    package init() {}

    /// Appends bytes.
    package mutating func add(_ part: Data) { hash.update(data: part) }

    /// The ID of the blob that consists of the parts so far.
    package var id: BlobStore.ID { BlobStore.ID(hash.finalize()) }
}

extension BlobStore.ID: CustomStringConvertible {
    /// The 64 hexadecimal digits.
    public var description: String { digits }
}

extension BlobStore.ID: Codable {
    /// Decodes the 64 hexadecimal digits.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = Self(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "“\(text)” is not a blob's ID.")
        }
        self = id
    }

    /// Encodes the 64 hexadecimal digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(digits)
    }
}

extension BlobStore.ID: DatabaseValueConvertible {
    /// The 64 hexadecimal digits.
    public var databaseValue: DatabaseValue { digits.databaseValue }

    /// Decodes the 64 hexadecimal digits.
    public static func fromDatabaseValue(_ value: DatabaseValue) -> BlobStore.ID? {
        String.fromDatabaseValue(value).flatMap(BlobStore.ID.init)
    }
}

extension BlobStore.ID: SQLConvertible {
    package var sqlValue: SQLValue { .text(digits) }

    package init?(sqlValue: SQLValue) {
        guard case .text(let text) = sqlValue else { return nil }
        self.init(text)
    }
}
