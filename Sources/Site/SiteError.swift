/// Why the site could not be started; ``description`` is made for people.
public struct SiteError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable {
        private enum Kind: Hashable, Sendable {
            case portInUse, portNotAllowed, notLoopback, invalidOrigin, cannotListen
        }

        private let kind: Kind

        /// Another program listens at the port.
        public static let portInUse = Code(kind: .portInUse)
        /// The port is kept for the system.
        public static let portNotAllowed = Code(kind: .portNotAllowed)
        /// The host is not this machine's own.
        public static let notLoopback = Code(kind: .notLoopback)
        /// The public address is not one.
        public static let invalidOrigin = Code(kind: .invalidOrigin)
        /// The address cannot be listened at for another reason.
        public static let cannotListen = Code(kind: .cannotListen)
    }

    /// The kind of failure.
    public var code: Code
    /// What happened, to what, and what to do now.
    public var message: String
    /// What lies underneath.
    public var cause: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: What happened, to what, and what to do now.
    ///   - cause: What lies underneath.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message.
    public var description: String { message }
}
