/// Whether what a person did on a page is saved, for the page's badge.
public struct BoardSaveStatus: Hashable, Sendable {
    /// The kind of a status.
    public enum Kind: String, Hashable, Sendable {
        /// The server has all of it.
        case saved
        /// Some of it is being sent.
        case saving
        /// The server can't be reached; sending is retried.
        case offline
        /// It won't be saved until something is done about it.
        case failed
    }

    /// Why the last attempt to send failed.
    public struct Failure: Hashable, Sendable {
        /// The reason, as a sentence.
        public var message: String
        /// Whether retrying alone doesn't help.
        public var isStuck: Bool

        /// A failed attempt.
        public init(message: String, isStuck: Bool) {
            (self.message, self.isStuck) = (message, isStuck)
        }
    }

    /// The kind.
    public let kind: Kind
    /// A sentence for the person.
    public let text: String

    /// The status of a page.
    ///
    /// - Parameters:
    ///   - waiting: How many batches the server has yet to answer.
    ///   - failure: Why the last attempt failed; `nil` if it didn't.
    ///   - isDeleted: Whether the board was deleted.
    ///   - isDisconnected: Whether the stream of events is interrupted.
    ///   - isStored: Whether everything that waits is in the browser's storage.
    public init(waiting: Int, failure: Failure?, isDeleted: Bool, isDisconnected: Bool, isStored: Bool) {
        let risk =
            isStored ? "" : " This browser can't store the changes: if you close the tab, they may be lost."
        (kind, text) =
            if isDeleted {
                (.failed, "This board was deleted. Changes are no longer saved.")
            } else if waiting == 0 {
                isDisconnected
                    ? (.offline, "Connection lost. Reconnecting… Everything is saved.") : (.saved, "Saved")
            } else if let failure {
                failure.isStuck
                    ? (.failed, "Not saved. \(failure.message) \(Self.changes(waiting, one: "One")) to be sent.\(risk)")
                    : (.offline, "Offline: \(Self.changes(waiting, one: "one")) to be sent. \(failure.message)\(risk)")
            } else {
                (.saving, "Saving…\(risk)")
            }
    }

    private static func changes(_ count: Int, one: String) -> String {
        count == 1 ? "\(one) change is waiting" : "\(count) changes are waiting"
    }
}
