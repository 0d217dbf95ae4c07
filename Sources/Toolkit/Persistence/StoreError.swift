import DurableFiles
public import Foundation

/// Why something could not be kept, or what was kept could not be had.
///
/// ``description`` is made for people: what happened, to what, and what to do now.
public struct StoreError: Error, Sendable {
    /// The kind of failure.
    public struct Code: Hashable, Sendable {
        private enum Kind: String, Hashable, Sendable {
            case notAFolder, notWritable, diskFull, inputOutput, inUse, locked, newerVersion, olderVersion, corrupt,
                missing
            case invalidName, migrationFailed, queryFailed, abandoned, cancelled, closed, notEncodable, notDecodable
            case timedOut, conflict
        }

        private let kind: Kind

        /// The same kind of failure of a file.
        init(_ code: FileError.Code) {
            kind = Kind(rawValue: code.rawValue) ?? .inputOutput
        }

        private init(kind: Kind) {
            self.kind = kind
        }

        /// There is something else where the data folder should be.
        public static let notAFolder = Code(kind: .notAFolder)
        /// It may not be read or written: permissions, or a file system that is read-only.
        public static let notWritable = Code(kind: .notWritable)
        /// There is no room left.
        public static let diskFull = Code(kind: .diskFull)
        /// The disk, or whatever it is, failed.
        public static let inputOutput = Code(kind: .inputOutput)
        /// Another process holds the lock on the folder.
        public static let inUse = Code(kind: .inUse)
        /// Another process kept the database busy for too long.
        public static let locked = Code(kind: .locked)
        /// The database is from a newer version of the program, and was left as it is.
        public static let newerVersion = Code(kind: .newerVersion)
        /// The database is from a version of the program that is too old to be converted, and was left as it is.
        public static let olderVersion = Code(kind: .olderVersion)
        /// What was read is not what was written.
        public static let corrupt = Code(kind: .corrupt)
        /// There is no such blob, or no such value that was set aside, or no longer.
        public static let missing = Code(kind: .missing)
        /// A name that cannot be used for what it is meant for.
        public static let invalidName = Code(kind: .invalidName)
        /// A migration could not be run; nothing of it was written.
        public static let migrationFailed = Code(kind: .migrationFailed)
        /// SQLite refused a statement, for a constraint perhaps; nothing was written.
        public static let queryFailed = Code(kind: .queryFailed)
        /// What was to be done threw an error of its own, the cause; nothing was written.
        public static let abandoned = Code(kind: .abandoned)
        /// The task was cancelled before its turn came; nothing was done.
        public static let cancelled = Code(kind: .cancelled)
        /// The database has been closed.
        public static let closed = Code(kind: .closed)
        /// A value cannot be written in its format.
        public static let notEncodable = Code(kind: .notEncodable)
        /// What is kept makes no value of its format.
        public static let notDecodable = Code(kind: .notDecodable)
        /// It was not done in time, and may be done later.
        public static let timedOut = Code(kind: .timedOut)
        /// Another value is stored than was expected, and nothing was changed.
        public static let conflict = Code(kind: .conflict)
    }

    /// The kind of failure.
    public var code: Code
    /// What happened, to what, and what to do now.
    public var message: String
    /// What lies underneath.
    public var cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension StoreError: CustomStringConvertible, LocalizedError {
    /// The message.
    public var description: String { message }

    /// The message.
    public var errorDescription: String? { message }
}

extension StoreError.Code: CustomStringConvertible {
    /// The code's name, stable across versions.
    public var description: String { kind.rawValue }
}
