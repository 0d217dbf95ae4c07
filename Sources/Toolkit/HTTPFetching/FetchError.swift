public import Egress
public import Foundation
public import ImageInfo
public import Loading

/// An error that ended a fetch.
///
/// ``description`` tells users what failed, why and what to do. ``retryAdvice`` tells programs whether to retry.
public struct FetchError: Error, Sendable {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, stable across versions.
        public let description: String

        /// The request can't be sent because of its URL or a header field.
        public static let invalidRequest = Code(description: "invalidRequest")
        /// The address policy forbids the connection; ``FetchError/refusal`` says why.
        public static let blocked = Code(description: "blocked")
        /// The host's name doesn't resolve.
        public static let hostNotFound = Code(description: "hostNotFound")
        /// This machine has no route to the host, or no name server could be reached.
        public static let noNetwork = Code(description: "noNetwork")
        /// The connection to the host failed, for example because the host refused it.
        public static let connectionFailed = Code(description: "connectionFailed")
        /// The TLS handshake failed, for example because the certificate isn't valid.
        public static let insecureConnection = Code(description: "insecureConnection")
        /// The server refused the request permanently; ``FetchError/status`` is its status.
        public static let status = Code(description: "status")
        /// The server refused the request temporarily; ``FetchError/status`` is its status.
        public static let unavailable = Code(description: "unavailable")
        /// The response exceeds a size limit; ``FetchError/limit`` says which one.
        public static let tooLarge = Code(description: "tooLarge")
        /// The content has another type than expected; ``FetchError/sniffedType`` is its type.
        public static let unexpectedType = Code(description: "unexpectedType")
        /// The fetch exceeded a time limit; ``FetchError/limit`` says which one.
        public static let timedOut = Code(description: "timedOut")
        /// The server redirected too often, or in a loop.
        public static let tooManyRedirects = Code(description: "tooManyRedirects")
        /// The server redirected from https to http.
        public static let insecureRedirect = Code(description: "insecureRedirect")
        /// The connection ended before the response was complete.
        public static let cutOff = Code(description: "cutOff")
        /// The response isn't valid HTTP, or can't be decompressed.
        public static let garbled = Code(description: "garbled")
        /// The destination file can't be written.
        public static let notWritable = Code(description: "notWritable")
        /// The task was cancelled.
        public static let cancelled = Code(description: "cancelled")
        /// The fetcher has been shut down.
        public static let closed = Code(description: "closed")
    }

    /// The kind of failure.
    public var code: Code
    /// A description of the failure, its cause and its remedy, for users.
    public var message: String
    /// The response's status, if that is the error.
    public var status: Int?
    /// How long to wait before a retry, if the server's `Retry-After` says so.
    public var retryAfter: Duration?
    /// The limit that was exceeded, if that is the error.
    public var limit: FetchLimit?
    /// The content's type, if it isn't the expected one.
    public var sniffedType: SniffedType?
    /// The error that caused this one.
    public var underlying: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}

extension FetchError: RetryAdvising {
    /// Whether and when to retry the fetch.
    public var retryAdvice: RetryAdvice {
        switch code {
        case .unavailable: .retry(after: retryAfter)
        case .connectionFailed, .cutOff, .garbled, .timedOut: .retry(after: nil)
        case .noNetwork: .whenConnected
        default: .never
        }
    }

    /// Why the address policy forbids the connection, if that is the error.
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
