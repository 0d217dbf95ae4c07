/// Why a DevTools command has no reply.
package struct DevToolsError: Error, Hashable, Sendable {
    /// The kind of failure.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, stable across versions.
        package let description: String

        /// The browser answered with an error.
        package static let refused = Code(description: "refused")
        /// No answer came in time.
        package static let deadlineExceeded = Code(description: "deadlineExceeded")
        /// The task that waited was cancelled.
        package static let cancelled = Code(description: "cancelled")
        /// The page's process crashed.
        package static let crashed = Code(description: "crashed")
        /// The session ended: the page or frame is gone.
        package static let detached = Code(description: "detached")
        /// The browser exited, or the connection was closed.
        package static let disconnected = Code(description: "disconnected")
        /// The answer was not what the command's reply is made of.
        package static let unreadable = Code(description: "unreadable")
        /// The page produces events faster than they are read, and its session was ended.
        package static let overflow = Code(description: "overflow")
    }

    /// The kind of failure.
    package var code: Code
    /// What happened, and to which command.
    package var message: String

    /// Creates an error.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension DevToolsError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}
