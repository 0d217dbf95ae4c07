extension DrinkOutbox {
    /// What became of an attempt.
    package enum Outcome: Hashable, Sendable {
        /// The server has stored the change; `revision` is the first revision of its store with the change.
        case confirmed(revision: Int)
        /// The server will never take the change; the text says why.
        case refused(String)
        /// Whether the server has the change is unknown: it is sent again, after at least this many seconds.
        ///
        /// The text is the server's reason, if it gave one.
        case failed(String?, after: Double)
    }
}

extension DrinkOutbox.Outcome {
    /// Determines the outcome from the server's response.
    ///
    /// - Parameters:
    ///   - status: The status; `nil` without a response.
    ///   - revision: The revision in the response's JSON; `nil` if it has none, such as a network's sign-in page.
    ///   - detail: The sentence in the `detail` member of a JSON problem; `nil` if the response isn't a JSON problem.
    ///   - after: The seconds of the field `Retry-After`.
    package init(status: Int?, revision: Int?, detail: String?, after: Double) {
        guard let status else {
            self = .failed(nil, after: after)
            return
        }
        // Statuses that say nothing about the drink: it is sent again.
        let isTemporary = [401, 403, 407, 408, 421, 425, 429].contains(status)
        if (200..<300).contains(status), let revision {
            self = .confirmed(revision: revision)
        } else if (400..<500).contains(status), !isTemporary, let detail {
            self = .refused(detail)
        } else {
            self = .failed(detail, after: after)
        }
    }
}
