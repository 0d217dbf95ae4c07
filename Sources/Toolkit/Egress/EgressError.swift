/// An error that prevented a connection.
///
/// ``description`` tells users what failed, why and what to do.
public struct EgressError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, stable across versions.
        public let description: String

        /// The policy forbids the connection; ``EgressError/refusal`` says why.
        public static let refused = Code(description: "refused")
        /// The text isn't a valid ``AllowRule``.
        public static let invalidRule = Code(description: "invalidRule")
        /// The host is neither a valid name nor a valid address.
        public static let invalidHost = Code(description: "invalidHost")
        /// The name doesn't resolve.
        public static let nameNotFound = Code(description: "nameNotFound")
        /// No name server could be reached, or none responded.
        public static let resolutionFailed = Code(description: "resolutionFailed")
        /// The server refused the connection: nothing listens on that port.
        public static let connectionRefused = Code(description: "connectionRefused")
        /// The connection couldn't be made, or broke.
        public static let connectionFailed = Code(description: "connectionFailed")
        /// The connection or the response took too long.
        public static let timedOut = Code(description: "timedOut")
        /// A limit of the session was exceeded, such as its number of connections or hosts.
        public static let limitExceeded = Code(description: "limitExceeded")
        /// The addresses of this machine's network interfaces can't be read, so that private addresses can't be
        /// recognised.
        public static let interfacesUnknown = Code(description: "interfacesUnknown")
        /// The proxy couldn't bind a port.
        public static let cannotListen = Code(description: "cannotListen")
        /// The task was cancelled.
        public static let cancelled = Code(description: "cancelled")
        /// The proxy or the session has been closed.
        public static let closed = Code(description: "closed")
    }

    /// The kind of failure.
    public var code: Code
    /// A description of the failure, its cause and its remedy, for users.
    public var message: String
    /// Why the policy refused the connection, if that is the error.
    public var refusal: EgressRefusal?
    /// The error that caused this one.
    public var cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Creates the error for a refused connection.
    public init(_ refusal: EgressRefusal) {
        self.init(.refused, refusal.message, cause: refusal)
        self.refusal = refusal
    }

    /// The message.
    public var description: String { message }
}
