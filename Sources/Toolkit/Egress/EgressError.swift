/// Why nothing could be connected to.
///
/// ``description`` is made for people: what happened, to what, and what to do now.
public struct EgressError: Error, Sendable {
    /// The kind of failure.
    public struct Code: Hashable, Sendable {
        private enum Kind: String, Hashable, Sendable {
            case refused, invalidRule, invalidHost, nameNotFound, resolutionFailed, connectionRefused, connectionFailed
            case timedOut, limitExceeded, interfacesUnknown, cannotListen, cancelled, closed
        }

        private let kind: Kind

        /// The policy does not allow it; ``EgressError/refusal`` says why.
        public static let refused = Code(kind: .refused)
        /// The text of an ``AllowRule`` is none.
        public static let invalidRule = Code(kind: .invalidRule)
        /// The host is neither a name nor an address.
        public static let invalidHost = Code(kind: .invalidHost)
        /// No host of that name is known.
        public static let nameNotFound = Code(kind: .nameNotFound)
        /// Nobody could be asked for the name's addresses, or nobody answered.
        public static let resolutionFailed = Code(kind: .resolutionFailed)
        /// Nothing answers at that address and port.
        public static let connectionRefused = Code(kind: .connectionRefused)
        /// The connection broke, or could not be made.
        public static let connectionFailed = Code(kind: .connectionFailed)
        /// No connection, or no answer, came in time.
        public static let timedOut = Code(kind: .timedOut)
        /// More was asked for than a limit allows.
        public static let limitExceeded = Code(kind: .limitExceeded)
        /// The addresses of this machine's network interfaces cannot be read, so that it cannot be told what is private.
        public static let interfacesUnknown = Code(kind: .interfacesUnknown)
        /// The proxy cannot be reached: this machine gave it no port.
        public static let cannotListen = Code(kind: .cannotListen)
        /// The task was cancelled.
        public static let cancelled = Code(kind: .cancelled)
        /// The proxy or the session has been closed.
        public static let closed = Code(kind: .closed)
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

    /// What a refusal means for whoever wanted to connect.
    public init(_ refusal: EgressRefusal) {
        self.init(.refused, refusal.message, cause: refusal)
        self.refusal = refusal
    }
}

extension EgressError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

extension EgressError.Code: CustomStringConvertible {
    /// The code's name, stable across versions.
    public var description: String { kind.rawValue }
}
