/// Whether the changes made on a page are saved, for the page's badge.
package struct OutboxStatus: Hashable, Sendable {
    /// The kind of a status.
    package enum Kind: String, Hashable, Sendable {
        /// The server has all changes.
        case saved
        /// Some changes are being sent.
        case saving
        /// The server can't be reached; sending is retried.
        case offline
        /// The server has refused some changes.
        case failed
    }

    /// The kind.
    package let kind: Kind
    /// How many changes the server has refused.
    package let refused: Int
    /// How many other changes the server has yet to confirm.
    package let waiting: Int
    /// The server's reason why the last attempt failed, if it gave one.
    package let reason: String?
    /// Whether all changes in the outbox are in the browser's storage, and survive the tab.
    package let isStored: Bool

    /// The status of an outbox.
    package init(_ outbox: DrinkOutbox) {
        refused = outbox.entries.count { $0.refusal != nil }
        waiting = outbox.entries.count - refused
        reason = outbox.failure
        isStored = outbox.entries.allSatisfy { $0.isStored }
        kind =
            if refused > 0 {
                .failed
            } else if waiting == 0 {
                .saved
            } else {
                outbox.failureCount > 0 ? .offline : .saving
            }
    }
}
