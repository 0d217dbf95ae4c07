import Crypto
import Digests
public import Foundation
public import GRDB

/// Large content that rows refer to, each a file that is named by its SHA-256.
///
/// The same content is one file, however often it is kept: the database counts the references. What is kept appears
/// with the transaction that keeps it, or not at all, and what nobody refers to any more stays for a while, so that a
/// deletion can be undone, until ``sweep(releasedBefore:)`` removes it.
///
/// Files are in `blobs/ab/abcdef…` of the data folder.
public struct BlobStore: Sendable {
    /// The name of some content: its SHA-256.
    public struct ID: Hashable, Sendable {
        private let digits: String

        /// The name of that content.
        public init(of data: Data) {
            self.init(SHA256.hash(data: data))
        }

        /// The name of what was hashed.
        init(_ digest: SHA256.Digest) {
            self.digits = digest.hexadecimal
        }

        /// The name that is written so.
        ///
        /// - Parameter text: 64 hexadecimal digits, in lower case, because each content has one name only.
        public init?(_ text: String) {
            guard text.isHexadecimal(bytes: 32) else { return nil }
            self.digits = text
        }
    }

    let database: AppDatabase
    let undoWindow: Duration
    let now: @Sendable () -> Date

    /// Creates a store.
    public init(
        database: AppDatabase, undoWindow: Duration = .seconds(600), now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.database = database
        self.undoWindow = undoWindow
        self.now = now
    }
}

/// Content that is on the disk, and in no transaction yet.
public struct StagedBlob: Hashable, Sendable {
    /// Its name.
    public let id: BlobStore.ID
    /// Its length in bytes.
    public let bytes: Int
    let path: String
}

extension BlobStore.ID: CustomStringConvertible {
    /// The 64 hexadecimal digits.
    public var description: String { digits }
}

extension BlobStore.ID: Codable {
    /// Reads the 64 hexadecimal digits.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = Self(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "“\(text)” does not name a blob.")
        }
        self = id
    }

    /// Writes the 64 hexadecimal digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(digits)
    }
}

extension BlobStore.ID: DatabaseValueConvertible {
    /// The 64 hexadecimal digits.
    public var databaseValue: DatabaseValue { digits.databaseValue }

    /// Reads the 64 hexadecimal digits.
    public static func fromDatabaseValue(_ value: DatabaseValue) -> BlobStore.ID? {
        String.fromDatabaseValue(value).flatMap(BlobStore.ID.init)
    }
}
