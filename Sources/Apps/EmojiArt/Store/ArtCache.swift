import EmojiArtModel
import Futures

/// What is on the boards that were used last, so that a batch need not read a whole board.
///
/// What a transaction has changed counts when it is committed, and not before. A board's number and revision name what
/// is on it, whoever has written that.
final class ArtCache: Sendable {
    struct Copy: Sendable {
        var revision: Int
        var art: EmojiArt
    }

    private struct State {
        var settled: [Int64: (copy: Copy, use: Int)] = [:]
        /// Of the transaction under way, of which there is one at a time.
        var staged: [Int64: Copy] = [:]
        var uses = 0

        mutating func settle(_ copy: Copy, of board: Int64, most: Int) {
            uses += 1
            settled[board] = (copy, uses)
            while settled.count > most, let oldest = settled.min(by: { $0.value.use < $1.value.use })?.key {
                settled[oldest] = nil
            }
        }
    }

    private let state = Lock(State())
    private let most: Int

    /// - Parameter most: How many boards; one that is full takes some megabytes.
    init(most: Int = 16) {
        self.most = most
    }

    /// For whoever reads: what is on a board.
    func copy(of board: Int64) -> Copy? {
        state.withLock { state in
            guard let entry = state.settled[board] else { return nil }
            state.uses += 1
            state.settled[board]?.use = state.uses
            return entry.copy
        }
    }

    /// For whoever has read a whole board; what is newer stays.
    func keep(_ copy: Copy, of board: Int64) {
        state.withLock { state in
            if let old = state.settled[board], old.copy.revision >= copy.revision { return }
            state.settle(copy, of: board, most: most)
        }
    }

    /// For the transaction under way: what is on a board, which nobody else has then, so that it is changed where it
    /// is.
    func take(_ board: Int64) -> Copy? {
        state.withLock { state in
            state.staged.removeValue(forKey: board) ?? state.settled.removeValue(forKey: board)?.copy
        }
    }

    /// For the transaction under way: what is on a board if it is committed.
    func stage(_ copy: Copy, of board: Int64) {
        state.withLock { $0.staged[board] = copy }
    }

    /// The transaction is committed.
    func commit() {
        state.withLock { state in
            for (board, copy) in state.staged { state.settle(copy, of: board, most: most) }
            state.staged = [:]
        }
    }

    /// The transaction came to nothing.
    func rollBack() {
        state.withLock { $0.staged = [:] }
    }
}
