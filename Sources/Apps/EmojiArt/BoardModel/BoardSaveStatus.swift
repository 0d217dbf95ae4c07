/// Whether the changes made on a page are saved, for the page's badge.
public struct BoardSaveStatus: Hashable, Sendable {
    /// The kind of a status.
    public enum Kind: String, Hashable, Sendable {
        /// The server has stored all changes.
        case saved
        /// Some changes are being sent.
        case saving
        /// The server can't be reached; sending is retried.
        case offline
        /// Some changes can't be saved by retrying alone, or the board was deleted.
        case failed
    }

    /// Why the last attempt to send failed.
    public struct Failure: Hashable, Sendable {
        /// The reason, as a sentence.
        public var message: BoardText
        /// Whether retrying alone doesn't help.
        public var isStuck: Bool

        /// A failed attempt.
        public init(message: BoardText, isStuck: Bool) {
            (self.message, self.isStuck) = (message, isStuck)
        }
    }

    /// The kind.
    public let kind: Kind
    /// One or two sentences for the person.
    public let sentences: [BoardText]

    /// The status of a page.
    ///
    /// - Parameters:
    ///   - waiting: How many batches the server has yet to answer.
    ///   - failure: Why the last attempt failed; `nil` if it didn't.
    ///   - isDeleted: Whether the board was deleted.
    ///   - isDisconnected: Whether the stream of events is interrupted.
    ///   - isStored: Whether everything that waits is in the browser's storage.
    public init(waiting: Int, failure: Failure?, isDeleted: Bool, isDisconnected: Bool, isStored: Bool) {
        let sentence: BoardText
        if isDeleted {
            kind = .failed
            sentence = .of(.boardDeleted)
        } else if waiting == 0 {
            kind = isDisconnected ? .offline : .saved
            sentence = .of(isDisconnected ? .connectionLost : .savedLabel)
        } else if let failure {
            kind = failure.isStuck ? .failed : .offline
            sentence = Self.sentence(about: failure, waiting)
        } else {
            kind = .saving
            sentence = .of(.savingLabel)
        }
        let isAtRisk = waiting > 0 && !isDeleted && !isStored
        sentences = isAtRisk ? [sentence, .of(.notStored)] : [sentence]
    }

    private static func sentence(about failure: Failure, _ waiting: Int) -> BoardText {
        let reason = failure.message
        if waiting == 1 { return .of(failure.isStuck ? .oneChangeNotSaved : .oneChangeOffline, .reason, reason) }
        let word: BoardWord = failure.isStuck ? .changesNotSaved : .changesOffline
        return .of(word, .count, .number(waiting), .reason, reason)
    }
}
