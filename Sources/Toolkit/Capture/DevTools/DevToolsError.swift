/// An error that prevented the reply to a DevTools command.
package struct DevToolsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, stable across versions.
        package let description: String

        /// The browser replied with an error.
        package static let refused = Code(description: "refused")
        /// The browser didn't reply in time.
        package static let deadlineExceeded = Code(description: "deadlineExceeded")
        /// The calling task was cancelled.
        package static let cancelled = Code(description: "cancelled")
        /// The page's process crashed.
        package static let crashed = Code(description: "crashed")
        /// The session ended because its page or frame no longer exists.
        package static let detached = Code(description: "detached")
        /// The browser exited, or the connection was closed.
        package static let disconnected = Code(description: "disconnected")
        /// The reply couldn't be decoded.
        package static let unreadable = Code(description: "unreadable")
        /// The page produced events faster than they were read, so its session was ended.
        package static let overflow = Code(description: "overflow")
    }

    /// The kind of failure.
    package var code: Code
    /// A description of the failure and its command.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
