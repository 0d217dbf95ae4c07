public import Egress
public import Foundation
public import ImageInfo
public import Loading

/// Why something could not be fetched.
///
/// ``description`` is made for people: what happened, to what, and what to do now. ``retryAdvice`` is made for programs.
public struct FetchError: Error, Sendable {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, stable across versions.
        public let description: String

        /// The address or a header is none that can be sent.
        public static let invalidRequest = Code(description: "invalidRequest")
        /// A rule does not allow the connection; ``FetchError/refusal`` says which.
        public static let blocked = Code(description: "blocked")
        /// No host of that name is known.
        public static let hostNotFound = Code(description: "hostNotFound")
        /// This machine has no way to the host.
        public static let noNetwork = Code(description: "noNetwork")
        /// The host does not take connections there.
        public static let connectionFailed = Code(description: "connectionFailed")
        /// The host could not prove who it is.
        public static let insecureConnection = Code(description: "insecureConnection")
        /// The server refuses for good; ``FetchError/status`` says how.
        public static let status = Code(description: "status")
        /// The server refuses for now; ``FetchError/status`` says how.
        public static let unavailable = Code(description: "unavailable")
        /// There is more than was allowed; ``FetchError/limit`` says of what.
        public static let tooLarge = Code(description: "tooLarge")
        /// It is something else than was expected; ``FetchError/sniffedType`` says what.
        public static let unexpectedType = Code(description: "unexpectedType")
        /// It took longer than was allowed; ``FetchError/limit`` says which part.
        public static let timedOut = Code(description: "timedOut")
        /// The server leads from one address to the next, in a circle or too often.
        public static let tooManyRedirects = Code(description: "tooManyRedirects")
        /// The server leads from a secure address to one that is not.
        public static let insecureRedirect = Code(description: "insecureRedirect")
        /// The connection ended before all of it had arrived.
        public static let cutOff = Code(description: "cutOff")
        /// What arrived is no HTTP, or cannot be decompressed.
        public static let garbled = Code(description: "garbled")
        /// The file that it was to be in could not be written.
        public static let notWritable = Code(description: "notWritable")
        /// The task was cancelled.
        public static let cancelled = Code(description: "cancelled")
        /// The fetcher has been shut down.
        public static let closed = Code(description: "closed")
    }

    /// The kind of failure.
    public var code: Code
    /// What happened, to what, and what to do now.
    public var message: String
    /// The server's status, if it is that.
    public var status: Int?
    /// For how long the server asks to be left alone.
    public var retryAfter: Duration?
    /// The limit that was reached, if it is one.
    public var limit: FetchLimit?
    /// What the first bytes are, if they are not what was expected.
    public var sniffedType: SniffedType?
    /// What lies underneath.
    public var underlying: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}

extension FetchError: RetryAdvising {
    /// What to do about it.
    public var retryAdvice: RetryAdvice {
        switch code {
        case .unavailable: .retry(after: retryAfter)
        case .connectionFailed, .cutOff, .garbled, .timedOut: .retry(after: nil)
        case .noNetwork: .whenConnected
        default: .never
        }
    }

    /// Which rule does not allow the connection, if it is one.
    public var refusal: EgressRefusal? { (underlying as? EgressError)?.refusal }
}

extension FetchError: CustomStringConvertible, LocalizedError {
    /// The message.
    public var description: String { message }

    /// The message.
    public var errorDescription: String? { message }
}

extension FetchError {
    static let cancelled = FetchError(.cancelled, "The fetch was cancelled.")
    static let closed = FetchError(.closed, "The fetcher has been shut down. Make a new one.")
}
