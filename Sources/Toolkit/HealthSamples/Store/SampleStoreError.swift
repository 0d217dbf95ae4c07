public import Foundation

/// Why a ``SampleStore`` did nothing of what it was asked to do.
public struct SampleStoreError: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, stable across versions.
        public let description: String

        /// The source may not write samples of a type: nobody has allowed it yet, or it was refused.
        public static let notAuthorized = Code(description: "notAuthorized")
        /// Changes since the anchor would be missed: use ``SampleStore/resync(_:known:by:)``.
        public static let anchorExpired = Code(description: "anchorExpired")
        /// The anchor is of another store, query or source: use ``SampleStore/resync(_:known:by:)``.
        public static let anchorMismatch = Code(description: "anchorMismatch")
        /// A sample is invalid, and nothing was saved; or a name of a source or a sample is.
        public static let invalidSample = Code(description: "invalidSample")
        /// The query is invalid.
        public static let invalidQuery = Code(description: "invalidQuery")
        /// Another sample has that number.
        public static let duplicateIdentifier = Code(description: "duplicateIdentifier")
        /// The data is from a newer version of the program, and was left as it is.
        public static let newerFormat = Code(description: "newerFormat")
        /// The store is closed, busy, or may not be read or written.
        public static let unavailable = Code(description: "unavailable")
        /// The disk is full.
        public static let diskFull = Code(description: "diskFull")
        /// The database failed.
        public static let storage = Code(description: "storage")
        /// The task was cancelled before its turn came.
        public static let cancelled = Code(description: "cancelled")
    }

    /// The kind of failure.
    public var code: Code
    /// For people: what happened, to what, and what to do now.
    public var message: String
    /// The error underneath.
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

    /// Whether the anchor is useless from now on, and ``SampleStore/resync(_:known:by:)`` is what to do.
    public var asksForResync: Bool { code == .anchorExpired || code == .anchorMismatch }

    /// The message.
    public var description: String { message }

    /// The message.
    public var errorDescription: String? { message }
}
