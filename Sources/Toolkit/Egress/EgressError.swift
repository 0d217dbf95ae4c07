/// Why nothing could be connected to.
///
/// ``description`` is made for people: what happened, to what, and what to do now.
public struct EgressError: Error, Sendable {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, stable across versions.
        public let description: String

        /// The policy does not allow it; ``EgressError/refusal`` says why.
        public static let refused = Code(description: "refused")
        /// The text of an ``AllowRule`` is none.
        public static let invalidRule = Code(description: "invalidRule")
        /// The host is neither a name nor an address.
        public static let invalidHost = Code(description: "invalidHost")
        /// No host of that name is known.
        public static let nameNotFound = Code(description: "nameNotFound")
        /// No name server could be reached, or none answered.
        public static let resolutionFailed = Code(description: "resolutionFailed")
        /// Nothing answers at that address and port.
        public static let connectionRefused = Code(description: "connectionRefused")
        /// The connection broke, or could not be made.
        public static let connectionFailed = Code(description: "connectionFailed")
        /// No connection, or no answer, came in time.
        public static let timedOut = Code(description: "timedOut")
        /// More was asked for than a limit allows.
        public static let limitExceeded = Code(description: "limitExceeded")
        /// The addresses of this machine's network interfaces cannot be read, so that it cannot be told what is private.
        public static let interfacesUnknown = Code(description: "interfacesUnknown")
        /// The proxy cannot be reached: this machine gave it no port.
        public static let cannotListen = Code(description: "cannotListen")
        /// The task was cancelled.
        public static let cancelled = Code(description: "cancelled")
        /// The proxy or the session has been closed.
        public static let closed = Code(description: "closed")
    }

    /// The kind of failure.
    public var code: Code
    /// What happened, to what, and what to do now.
    public var message: String
    /// What the policy refused, if it was the policy.
    public var refusal: EgressRefusal?
    /// What lies underneath.
    public var cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Creates the error of a refused connection.
    public init(_ refusal: EgressRefusal) {
        self.init(.refused, refusal.message, cause: refusal)
        self.refusal = refusal
    }
}

extension EgressError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
