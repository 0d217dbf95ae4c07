import Futures
import GRDB

/// Looks for changes of a ``SQLiteStore``, while somebody listens.
///
/// It asks the database for the last change, five times a second and after each write of its own: one look into an index.
/// The file system's events would be of no use: they come when the log is written, which is before what was written can be
/// read, and there is none after that.
final class SQLiteWatch: Sendable {
    /// The last change that nobody needs to be told of any more.
    private let told: Told
    private let wake: Wake
    let listeners: StoreListeners

    /// How often to look for changes of other processes.
    static let interval = Duration.milliseconds(200)

    init(database: Database, owner: String, clock: any Clock<Duration>) {
        let told = Told(change: database.lastChange)
        let wake = Wake()
        self.told = told
        self.wake = wake
        self.listeners = StoreListeners { listeners in
            let look: @Sendable () async throws -> Void = { [weak listeners] in
                guard let keys = try await told.changes(in: database, ofOwner: owner) else { return }
                listeners?.report(keys)
            }
            return wake.begin(every: Self.interval, by: clock, look)
        }
    }

    /// Looks at once.
    func look() {
        wake.now()
    }

    /// Notes a write of this process; whoever begins to listen after it is not told of it.
    func wrote(upTo change: Int64) {
        if listeners.isEmpty { told.skip(to: change) } else { wake.now() }
    }
}

/// The last change that was told.
private final class Told: Sendable {
    private let change: Lock<Int64>

    init(change: Int64) {
        self.change = Lock(change)
    }

    func skip(to later: Int64) {
        change.withLock { $0 = max($0, later) }
    }

    /// What has changed since the last time; `nil` if nothing has.
    func changes(in database: Database, ofOwner owner: String) async throws -> Set<StoreKey>? {
        let last = change.withLock { $0 }
        let found = try await database.read { connection -> (Int64, [String])? in
            let newest = try SQLiteStore.lastChange(in: connection)
            guard newest > last else { return nil }
            let names = try String.fetchAll(
                connection.cachedStatement(
                    sql: "SELECT DISTINCT key FROM stored_value WHERE sequence > ? AND owner = ?"),
                arguments: [last, owner])
            return (newest, names)
        }
        guard let found else { return nil }
        skip(to: found.0)
        return Set(found.1.compactMap { try? StoreKey($0) })
    }
}
