public import Foundation

/// An error thrown by a ``SampleStore``.
public struct SampleStoreError: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, which is stable across versions.
        public let description: String

        /// The source may not write samples of a type: the user has refused it, or hasn't granted it yet.
        public static let notAuthorized = Code(description: "notAuthorized")
        /// Reading from the anchor would miss changes: call ``SampleStore/resync(_:known:by:)``.
        public static let anchorExpired = Code(description: "anchorExpired")
        /// The anchor belongs to another store, query or source: call ``SampleStore/resync(_:known:by:)``.
        public static let anchorMismatch = Code(description: "anchorMismatch")
        /// A sample, a sync identifier, or a source's identifier or name is invalid.
        public static let invalidSample = Code(description: "invalidSample")
        /// The query is invalid.
        public static let invalidQuery = Code(description: "invalidQuery")
        /// Another sample has the same identifier.
        public static let duplicateIdentifier = Code(description: "duplicateIdentifier")
        /// The data was written by a newer version of the program, and is left unchanged.
        public static let newerFormat = Code(description: "newerFormat")
        /// The store is closed, busy, or can't be read or written.
        public static let unavailable = Code(description: "unavailable")
        /// The disk or the account's quota is full.
        public static let diskFull = Code(description: "diskFull")
        /// The database failed.
        public static let storage = Code(description: "storage")
        /// The task was cancelled before the operation began.
        public static let cancelled = Code(description: "cancelled")
    }

    /// The kind of failure.
    public var code: Code
    /// A message for the user: what failed, why, and what to do.
    public var message: String
    /// The underlying error.
    public var underlying: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    static func invalidSample(_ message: String) -> SampleStoreError { SampleStoreError(.invalidSample, message) }
    static func invalidQuery(_ message: String) -> SampleStoreError { SampleStoreError(.invalidQuery, message) }
    static func anchorExpired(_ message: String) -> SampleStoreError { SampleStoreError(.anchorExpired, message) }
    static func anchorMismatch(_ message: String) -> SampleStoreError { SampleStoreError(.anchorMismatch, message) }

    /// Whether the anchor is unusable, so that the caller must call ``SampleStore/resync(_:known:by:)``.
    public var requiresResync: Bool { code == .anchorExpired || code == .anchorMismatch }

    /// The message.
    public var description: String { message }

    /// The message.
    public var errorDescription: String? { message }
}
