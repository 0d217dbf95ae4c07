import EmojiArtModel
import Futures
import Loading

/// A cache of the contents of recently used boards, so that applying a batch doesn't read the whole board.
///
/// A transaction's changes become visible when it is committed. A board's number and revision identify its contents,
/// whichever process wrote them.
final class ArtCache: Sendable {
    struct CachedBoard: Sendable {
        var revision: Int
        var art: EmojiArt
    }

    private struct State {
        var committed: LRUCache<Int64, CachedBoard>
        /// The changes of the current transaction; there is one at a time.
        var staged: [Int64: CachedBoard] = [:]
        /// How often the cache had a board that was asked for, and how often not.
        var lookups = (hits: 0, misses: 0)

        mutating func count(_ found: CachedBoard?) -> CachedBoard? {
            if found == nil { lookups.misses += 1 } else { lookups.hits += 1 }
            return found
        }
    }

    private let state: Lock<State>

    /// - Parameter limit: The maximum number of boards; a full one takes some megabytes.
    init(limit: Int = 16) {
        self.state = Lock(State(committed: LRUCache(limit: limit)))
    }

    /// How often the cache had a board that was asked for, and how often not.
    var lookups: (hits: Int, misses: Int) { state.withLock(\.lookups) }

    /// For readers: the contents of a board.
    func copy(of board: Int64) -> CachedBoard? {
        state.withLock { $0.count($0.committed.use(board)) }
    }

    /// For readers of a whole board: caches its contents, unless the cache has a newer revision.
    func insert(_ copy: CachedBoard, of board: Int64) {
        state.withLock { state in
            if let old = state.committed[board], old.revision >= copy.revision { return }
            state.committed.set(copy, for: board)
        }
    }

    /// For the current transaction: removes a board's contents from the cache and returns them, uniquely referenced, so
    /// that they are changed in place.
    func remove(_ board: Int64) -> CachedBoard? {
        state.withLock { state in
            state.count(state.staged.removeValue(forKey: board) ?? state.committed.remove(board))
        }
    }

    /// For the current transaction: stores the contents that a board has if the transaction is committed.
    func stage(_ copy: CachedBoard, of board: Int64) {
        state.withLock { $0.staged[board] = copy }
    }

    /// Publishes the changes of the transaction, which was committed.
    func commit() {
        state.withLock { state in
            for (board, copy) in state.staged { state.committed.set(copy, for: board) }
            state.staged = [:]
        }
    }

    /// Discards the changes of the transaction, which failed.
    func rollBack() {
        state.withLock { $0.staged = [:] }
    }
}
