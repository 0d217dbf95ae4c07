/// Why a DevTools command has no reply.
package struct DevToolsError: Error, Hashable, Sendable {
    /// The kind of failure.
    package struct Code: Hashable, Sendable {
        private enum Kind: Hashable, Sendable {
            case refused, deadlineExceeded, cancelled, crashed, detached, disconnected, unreadable, overflow
        }

        private let kind: Kind

        /// The browser answered with an error.
        package static let refused = Code(kind: .refused)
        /// No answer came in time.
        package static let deadlineExceeded = Code(kind: .deadlineExceeded)
        /// The task that waited was cancelled.
        package static let cancelled = Code(kind: .cancelled)
        /// The page's process crashed.
        package static let crashed = Code(kind: .crashed)
        /// The session ended: the page or frame is gone.
        package static let detached = Code(kind: .detached)
        /// The browser exited, or the connection was closed.
        package static let disconnected = Code(kind: .disconnected)
        /// The answer was not what the command's reply is made of.
        package static let unreadable = Code(kind: .unreadable)
        /// The page produces events faster than they are read, and its session was ended.
        package static let overflow = Code(kind: .overflow)
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
