import EmojiArtModel
import Futures
import GRDB
import Persistence

/// Looks for changes of an owner's boards, while somebody listens, as ``Persistence/SQLiteStore`` does for its values.
///
/// Changes of this process are told at once, without a look.
final class BoardWatch: Sendable {
    /// How often to look for changes of other processes.
    static let interval = Duration.milliseconds(200)

    private let told: Told
    private let wake: Wake
    private let listeners: ChangeListeners<BoardID>

    init(database: Persistence.Database, owner: String, clock: any Clock<Duration>) {
        let told = Told()
        let wake = Wake()
        self.told = told
        self.wake = wake
        self.listeners = ChangeListeners { listeners in
            let look: @Sendable () async throws -> Void = { [weak listeners] in
                let last = told.last
                let found = try await database.read { try Self.changes(after: last ?? 0, owner: owner, in: $0) }
                // A write of this process may have reported some of these meanwhile: look again for the others.
                guard told.skip(from: last, to: found.last) else { return wake.now() }
                listeners?.report(Set(found.boards))
            }
            return wake.begin(every: Self.interval, by: clock, look)
        }
    }

    /// Listens from now on.
    func listen() -> AsyncStream<Set<BoardID>> { listeners.listen() }

    /// Notes a change of this process; whoever begins to listen after it is not told of it.
    func wrote(_ board: BoardID, as sequence: Int64) {
        if listeners.isEmpty {
            told.skip(to: sequence)
        } else if told.skip(from: sequence - 1, to: sequence) {
            listeners.report([board])
        } else {
            // Something else has come before, from another process perhaps.
            wake.now()
        }
    }

    private static func changes(
        after last: Int64, owner: String, in connection: GRDB.Database
    ) throws -> (boards: [BoardID], last: Int64) {
        let newest = try Int64.fetchOne(
            connection.cachedStatement(sql: "SELECT sequence FROM art_owner WHERE owner = ?"), arguments: [owner])
        guard let newest, newest > last else { return ([], last) }
        let names = try String.fetchAll(
            connection.cachedStatement(sql: "SELECT id FROM art_board WHERE owner = ? AND sequence > ?"),
            arguments: [owner, last])
        return (names.compactMap { BoardID($0) }, newest)
    }
}

/// The last change that nobody needs to be told of any more; `nil` until it is known.
private final class Told: Sendable {
    private let sequence = Lock<Int64?>(nil)

    var last: Int64? { sequence.withLock { $0 } }

    func skip(to later: Int64) {
        sequence.withLock { $0 = max($0 ?? 0, later) }
    }

    /// Moves from one change to a later one.
    ///
    /// - Returns: Whether it stood at the first; otherwise it stays where it is.
    func skip(from sequence: Int64?, to later: Int64) -> Bool {
        self.sequence.withLock { last in
            guard last == sequence else { return false }
            last = later
            return true
        }
    }
}

/// The watches of owners, each made at its first use.
final class BoardWatches: Sendable {
    private let database: Persistence.Database
    private let clock: any Clock<Duration>
    private let watches = Lock<[String: BoardWatch]>([:])

    init(database: Persistence.Database, clock: any Clock<Duration>) {
        self.database = database
        self.clock = clock
    }

    subscript(owner: String) -> BoardWatch {
        watches.withLock { watches in
            if let watch = watches[owner] { return watch }
            let watch = BoardWatch(database: database, owner: owner, clock: clock)
            watches[owner] = watch
            return watch
        }
    }
}
