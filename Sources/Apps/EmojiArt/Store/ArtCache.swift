import EmojiArtModel
import Futures
import Loading

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
        var settled: LRUCache<Int64, Copy>
        /// Of the transaction under way, of which there is one at a time.
        var staged: [Int64: Copy] = [:]
    }

    private let state: Lock<State>

    /// - Parameter most: How many boards; one that is full takes some megabytes.
    init(most: Int = 16) {
        self.state = Lock(State(settled: LRUCache(limit: most)))
    }

    /// For whoever reads: what is on a board.
    func copy(of board: Int64) -> Copy? {
        state.withLock { $0.settled.use(board) }
    }

    /// For whoever has read a whole board; what is newer stays.
    func keep(_ copy: Copy, of board: Int64) {
        state.withLock { state in
            if let old = state.settled[board], old.revision >= copy.revision { return }
            state.settled.set(copy, for: board)
        }
    }

    /// For the transaction under way: what is on a board, which nobody else has then, so that it is changed where it
    /// is.
    func take(_ board: Int64) -> Copy? {
        state.withLock { state in
            state.staged.removeValue(forKey: board) ?? state.settled.remove(board)
        }
    }

    /// For the transaction under way: what is on a board if it is committed.
    func stage(_ copy: Copy, of board: Int64) {
        state.withLock { $0.staged[board] = copy }
    }

    /// The transaction is committed.
    func commit() {
        state.withLock { state in
            for (board, copy) in state.staged { state.settled.set(copy, for: board) }
            state.staged = [:]
        }
    }

    /// The transaction came to nothing.
    func rollBack() {
        state.withLock { $0.staged = [:] }
    }
}
