import DurableFiles
public import Foundation

/// An error of reading or writing stored data.
///
/// ``description`` is written for people: what failed, which file or value it concerns, and what to do.
public struct StoreError: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, stable across versions.
        public let description: String

        /// A part of the path is not a folder, or the path is invalid.
        public static let notAFolder = Code(description: "notAFolder")
        /// Reading or writing is not permitted, or the file system is read-only.
        public static let notWritable = Code(description: "notWritable")
        /// The disk or the account's quota is full, or too little space would remain free.
        public static let diskFull = Code(description: "diskFull")
        /// The storage device failed, a system resource is exhausted, or the path isn't that of a regular file.
        public static let inputOutput = Code(description: "inputOutput")
        /// Another process holds the lock on the folder.
        public static let inUse = Code(description: "inUse")
        /// Another process kept the database or the store locked for too long.
        public static let locked = Code(description: "locked")
        /// The database or value was written by a newer version of the program, and was not changed.
        public static let newerVersion = Code(description: "newerVersion")
        /// The database was written by a version of the program that is too old to be converted, and was not changed.
        public static let olderVersion = Code(description: "olderVersion")
        /// The bytes that were read are not those that were written.
        public static let corrupt = Code(description: "corrupt")
        /// The file, the blob or the value that was set aside does not exist, or no longer exists.
        public static let missing = Code(description: "missing")
        /// The name is not valid for its purpose.
        public static let invalidName = Code(description: "invalidName")
        /// A migration failed; nothing of it was written.
        public static let migrationFailed = Code(description: "migrationFailed")
        /// SQLite rejected a statement, for example because of a constraint; nothing was written.
        public static let queryFailed = Code(description: "queryFailed")
        /// The body of a transaction threw another error, which is the cause; nothing was written.
        public static let abandoned = Code(description: "abandoned")
        /// The task was cancelled before the operation completed.
        public static let cancelled = Code(description: "cancelled")
        /// The database was closed.
        public static let closed = Code(description: "closed")
        /// The value can't be encoded in its format.
        public static let notEncodable = Code(description: "notEncodable")
        /// The stored bytes can't be decoded in their format.
        public static let notDecodable = Code(description: "notDecodable")
        /// The operation did not finish in time; it may still finish later.
        public static let timedOut = Code(description: "timedOut")
        /// The stored value doesn't meet the caller's expectation, and nothing was changed.
        public static let conflict = Code(description: "conflict")
    }

    /// The kind of failure.
    public var code: Code
    /// What failed, which file or value it concerns, and what to do.
    public var message: String
    /// The underlying error.
    public var cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message.
    public var description: String { message }

    /// The message.
    public var errorDescription: String? { message }
}
