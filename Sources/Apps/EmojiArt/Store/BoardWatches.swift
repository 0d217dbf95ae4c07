import EmojiArtModel
import Futures
import GRDB
import Persistence

/// The watches for changes of owners' boards, each created at its first use.
final class BoardWatches: Sendable {
    private let database: Persistence.Database
    private let watches = Lock<[String: DatabaseWatch<BoardID>]>([:])

    init(database: Persistence.Database) {
        self.database = database
    }

    subscript(owner: String) -> DatabaseWatch<BoardID> {
        watches.withLock { watches in
            if let watch = watches[owner] { return watch }
            let watch = DatabaseWatch<BoardID>(database, part: "boards", last: nil) { last, connection in
                try Self.changes(after: last, owner: owner, in: connection)
            }
            watches[owner] = watch
            return watch
        }
    }

    private static func changes(
        after last: Int64, owner: String, in connection: GRDB.Database
    ) throws -> (changes: Set<BoardID>, last: Int64)? {
        let newest = try Int64.fetchOne(
            connection.cachedStatement(sql: "SELECT sequence FROM art_owner WHERE owner = ?"), arguments: [owner])
        guard let newest, newest > last else { return nil }
        let names = try String.fetchAll(
            connection.cachedStatement(sql: "SELECT id FROM art_board WHERE owner = ? AND sequence > ?"),
            arguments: [owner, last])
        return (Set(names.compactMap { BoardID($0) }), newest)
    }
}
