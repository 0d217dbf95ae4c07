// Receives a board and its entries from the server.

extension BoardSession {
    /// What a page has to request after it has received entries.
    enum Need: String, Hashable, Sendable {
        /// Nothing.
        case nothing
        /// The entries that are missing.
        case entries
        /// The whole board.
        case state
    }

    /// Applies entries from the server, in order.
    ///
    /// - Returns: What to ask for: the missing entries after a gap, or the board if an entry couldn't be applied.
    mutating func apply(_ entries: [ServerEntry]) -> Need {
        let receipt = replica.receive(entries)
        note(receipt.changes)
        return receipt.isBroken ? .state : receipt.isGap ? .entries : .nothing
    }

    /// Replaces the board by the server's.
    ///
    /// - Parameters:
    ///   - state: What the server answered.
    ///   - since: The revision that the page had when it asked.
    /// - Returns: Whether the board was replaced; `false` if newer entries arrived before the answer.
    mutating func replace(by state: ServerBoard, askedAt since: Int) -> Bool {
        let isOtherEpoch = !state.epoch.isSame(as: replica.epoch)
        if !isOtherEpoch, state.revision < replica.revision, state.revision >= since { return false }
        let isBehind = state.revision < since
        note(replica.receive(state))
        if isBehind { tell([.of(.boardRestored)]) }
        return true
    }
}
