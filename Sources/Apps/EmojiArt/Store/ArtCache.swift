import EmojiArtModel
import Foundation
import Futures
import Loading

/// A cache of the contents of recently used boards, so that applying a batch doesn't read the whole board.
///
/// A transaction stages its changes, and publishes them when it is committed. A board's number and revision, and the database's
/// ID, identify its contents, whichever process wrote them.
final class ArtCache: Sendable {
    struct CachedBoard: Sendable {
        var revision: Int
        var art: EmojiArt
        /// The ID of the database from which the contents are: see `SQLDatabase.instanceID`.
        var instanceID: UUID
    }

    private struct State {
        var committed: LRUCache<Int64, CachedBoard>
        /// How often the cache had a board that was asked for, and how often not.
        var lookups = (hits: 0, misses: 0)

        /// Caches a board's contents, unless those of a later revision are cached.
        mutating func insert(_ copy: CachedBoard, of board: Int64) {
            if let old = committed[board], old.instanceID == copy.instanceID, old.revision >= copy.revision { return }
            committed.set(copy, for: board)
        }

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
    func copy(of board: Int64, in instanceID: UUID) -> CachedBoard? {
        state.withLock { state in
            let copy = state.committed.use(board)
            return state.count(copy?.instanceID == instanceID ? copy : nil)
        }
    }

    /// For readers of a whole board: caches its contents, unless the cache has a newer revision.
    func insert(_ copy: CachedBoard, of board: Int64) {
        state.withLock { $0.insert(copy, of: board) }
    }

    /// For a transaction: removes a board's contents from its changes or the cache and returns them, uniquely
    /// referenced, so that they are changed in place.
    func remove(_ board: Int64, from staged: inout StagedArt, in instanceID: UUID) -> CachedBoard? {
        state.withLock { state in
            let copy = staged.boards.removeValue(forKey: board) ?? state.committed.remove(board)
            return state.count(copy?.instanceID == instanceID ? copy : nil)
        }
    }

    /// Publishes the changes of a transaction, which was committed.
    ///
    /// In PostgreSQL, the changes of a later transaction may be published first.
    func commit(_ staged: StagedArt) {
        state.withLock { state in
            for (board, copy) in staged.boards { state.insert(copy, of: board) }
        }
    }
}

/// The contents that boards have if a transaction is committed; a transaction that fails drops them.
struct StagedArt: Sendable {
    fileprivate(set) var boards: [Int64: ArtCache.CachedBoard] = [:]

    mutating func stage(_ copy: ArtCache.CachedBoard, of board: Int64) {
        boards[board] = copy
    }
}
