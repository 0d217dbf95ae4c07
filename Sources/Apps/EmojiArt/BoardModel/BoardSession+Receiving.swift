// What the server sends of a board.

extension BoardSession {
    /// What a page has to ask for after it has received something.
    enum Need: String, Hashable, Sendable {
        /// Nothing.
        case nothing
        /// The entries that are missing.
        case entries
        /// The whole board.
        case state
    }

    /// Takes entries in their order.
    ///
    /// - Returns: What to ask for: the missing entries after a gap, or the board if an entry couldn't be applied.
    mutating func apply(_ entries: [ServerEntry]) -> Need {
        let receipt = replica.receive(entries)
        note(receipt.changes, isOwn: false)
        return receipt.isBroken ? .state : receipt.isGap ? .entries : .nothing
    }

    /// Takes the whole board.
    ///
    /// - Parameters:
    ///   - state: What the server answered.
    ///   - since: The revision that the page had when it asked.
    /// - Returns: Whether the board was taken: while the answer was on its way, newer entries may have arrived.
    mutating func replace(by state: ServerBoard, askedAt since: Int) -> Bool {
        let isOtherEpoch = !state.epoch.isSame(as: replica.epoch)
        if !isOtherEpoch, state.revision < replica.revision, state.revision >= since { return false }
        let isBehind = state.revision < since
        note(replica.receive(state), isOwn: false)
        if isBehind { tell([.of(.boardRestored)]) }
        return true
    }
}
