/// A failure to start the site; its ``description`` is readable by users.
public struct SiteError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, stable across versions.
        public let description: String

        /// Another program listens on the port.
        public static let portInUse = Code(description: "portInUse")
        /// The port is reserved for the system.
        public static let portNotAllowed = Code(description: "portNotAllowed")
        /// The host isn't a loopback address.
        public static let notLoopback = Code(description: "notLoopback")
        /// The public address is invalid.
        public static let invalidOrigin = Code(description: "invalidOrigin")
        /// The certificate or its key can't be used.
        public static let certificate = Code(description: "certificate")
        /// A trusted proxy isn't an address.
        public static let invalidProxy = Code(description: "invalidProxy")
        /// The server can't listen on the address for another reason.
        public static let cannotListen = Code(description: "cannotListen")
    }

    /// The kind of failure.
    public var code: Code
    /// What happened, to what, and what the user can do.
    public var message: String
    /// The underlying error.
    public var cause: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: What happened, to what, and what the user can do.
    ///   - cause: The underlying error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message.
    public var description: String { message }
}
