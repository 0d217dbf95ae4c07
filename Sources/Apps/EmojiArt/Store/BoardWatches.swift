package import EmojiArtModel
import Futures
import Loading
import Persistence

/// A change of a board.
///
/// A listener's buffer holds each case at most once per board.
package enum BoardChange: Hashable, Sendable {
    /// Batches were applied.
    case drawn(BoardID)
    /// Any other change, or an unknown one.
    case changed(BoardID)
}

extension Set<BoardChange> {
    /// The notices for a listener, with each drawn board's last entry, if it is available.
    package func notices(lastEntry: (BoardID) -> LogEntry?) -> [BoardID: BoardNotice] {
        reduce(into: [:]) { notices, change in
            switch change {
            case .changed(let id): notices[id] = .changed
            case .drawn(let id):
                if notices[id] == nil { notices[id] = lastEntry(id).map(BoardNotice.drawn) ?? .changed }
            }
        }
    }
}

/// The change notifications of the owners' boards, created on first use.
final class BoardWatches: Sendable {
    private struct Watch {
        let changes: DatabaseWatch<BoardChange>
        /// The last entries that this process has committed, for the most recently drawn boards.
        var entries = LRUCache<BoardID, LogEntry>(limit: 100)
    }

    /// The maximum number of operations in an entry that is passed to listeners; they read larger ones from the log.
    private static let maximumOperations = 500

    private let database: any SQLDatabase
    private let watches = Lock<[OwnerID: Watch]>([:])

    init(database: any SQLDatabase) {
        self.database = database
    }

    func updates(of owner: OwnerID) -> Updates<[BoardID: BoardNotice]> {
        changes(of: owner).updates().converted { [self] changes in
            watches.withLock { watches in changes.notices { watches[owner]?.entries[$0] } }
        }
    }

    /// Notifies the listeners of a committed change.
    func committed(_ written: WrittenChange) {
        let changes = changes(of: written.owner)
        // Stored first, so that a listener that reads the notice finds the entry.
        if case .drawn(let id) = written.change {
            watches.withLock { watches in
                watches[written.owner]?.entries.remove(id)
                guard let entry = written.entry, entry.batch.operations.count <= Self.maximumOperations else { return }
                watches[written.owner]?.entries.set(entry, for: id)
            }
        }
        changes.committed([written.change], after: written.sequence - 1, upTo: written.sequence)
    }

    private func changes(of owner: OwnerID) -> DatabaseWatch<BoardChange> {
        watches.withLock { watches in
            if let watch = watches[owner] { return watch.changes }
            let changes = DatabaseWatch<BoardChange>(database, part: "boards", last: nil) { last, connection in
                try Self.changes(after: last, owner: owner, in: connection)
            }
            watches[owner] = Watch(changes: changes)
            return changes
        }
    }

    private static func changes(
        after last: Int64, owner: OwnerID, in connection: any SQLConnection
    ) throws -> (changes: Set<BoardChange>, last: Int64)? {
        let newest = try connection.value("SELECT sequence FROM art_owner WHERE owner = ?", [owner], as: Int64.self)
        guard let newest, newest > last else { return nil }
        let names = try connection.values(
            "SELECT id FROM art_board WHERE owner = ? AND sequence > ?", [owner, last], as: String.self)
        return (Set(names.compactMap { BoardID($0) }.map(BoardChange.changed)), newest)
    }
}
