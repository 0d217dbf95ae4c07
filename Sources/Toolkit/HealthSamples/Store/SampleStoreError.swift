public import Foundation

/// Why a ``SampleStore`` did not do what it was asked for; it did nothing of it.
///
/// ``description`` is made for people: what happened, to what, and what to do now.
public struct SampleStoreError: Error, Sendable {
    /// The kind of failure.
    public struct Code: Hashable, Sendable {
        private enum Kind: String, Hashable, Sendable {
            case notAuthorized, anchorExpired, anchorMismatch, invalidSample, invalidQuery, duplicateIdentifier
            case newerFormat, unavailable, diskFull, storage, cancelled
        }

        private let kind: Kind

        /// The source may not write samples of a type: nobody has allowed it yet, or somebody has refused.
        public static let notAuthorized = Code(kind: .notAuthorized)
        /// What has happened since the anchor is no longer known: read anew, with
        /// ``SampleStore/resync(_:known:by:)``.
        public static let anchorExpired = Code(kind: .anchorExpired)
        /// The anchor is of another store, another query or another source: read anew, with
        /// ``SampleStore/resync(_:known:by:)``.
        public static let anchorMismatch = Code(kind: .anchorMismatch)
        /// A sample makes no sense, and none of those that came with it was saved; or a source, an observer or a sample
        /// is called what cannot be a name.
        public static let invalidSample = Code(kind: .invalidSample)
        /// A query makes no sense.
        public static let invalidQuery = Code(kind: .invalidQuery)
        /// Another sample has that number.
        public static let duplicateIdentifier = Code(kind: .duplicateIdentifier)
        /// What is kept is of a newer version of the program, and was left as it is.
        public static let newerFormat = Code(kind: .newerFormat)
        /// The store cannot be used now: it was closed, is kept busy, or may not be read or written.
        public static let unavailable = Code(kind: .unavailable)
        /// There is no room left.
        public static let diskFull = Code(kind: .diskFull)
        /// What keeps the samples failed.
        public static let storage = Code(kind: .storage)
        /// The task was cancelled before its turn came.
        public static let cancelled = Code(kind: .cancelled)
    }

    /// The kind of failure.
    public var code: Code
    /// What happened, to what, and what to do now.
    public var message: String
    /// What lies underneath.
    public var underlying: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}

extension SampleStoreError {
    /// Whether the anchor is of no use any more, and ``SampleStore/resync(_:known:by:)`` is what to do.
    public var asksForResync: Bool { code == .anchorExpired || code == .anchorMismatch }
}

extension SampleStoreError: CustomStringConvertible, LocalizedError {
    /// The message.
    public var description: String { message }

    /// The message.
    public var errorDescription: String? { message }
}

extension SampleStoreError.Code: CustomStringConvertible {
    /// The code's name, stable across versions.
    public var description: String { kind.rawValue }
}
