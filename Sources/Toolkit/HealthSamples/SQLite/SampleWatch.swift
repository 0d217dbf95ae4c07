import Futures
import GRDB
import Persistence

/// Looks for changes of an owner's samples, while somebody listens, as ``Persistence/SQLiteStore`` does for its values.
final class SampleWatch: Sendable {
    /// How often to look for changes of other processes.
    static let interval = Duration.milliseconds(200)

    /// The last change that nobody needs to be told of any more.
    private let told: Told
    private let wake: Wake
    let listeners: ChangeListeners<ChangedSamples>

    init(database: Persistence.Database, store: Int64, told sequence: Int64, clock: any Clock<Duration>) {
        let told = Told(sequence)
        let wake = Wake()
        self.told = told
        self.wake = wake
        self.listeners = ChangeListeners { listeners in
            let look: @Sendable () async throws -> Void = { [weak listeners] in
                let last = told.last
                let found = try await database.read { try SampleWatch.changes(after: last, store: store, in: $0) }
                guard let found else { return }
                listeners?.report(found.changes)
                told.skip(to: found.last)
            }
            return wake.begin(every: Self.interval, by: clock, look)
        }
    }

    /// Notes a write of this process; whoever begins to listen after it is not told of it.
    func wrote(upTo sequence: Int64) {
        if listeners.isEmpty { told.skip(to: sequence) } else { wake.now() }
    }
}

extension SampleWatch {
    /// What has changed after a change; `nil` if nothing has.
    private static func changes(
        after last: Int64, store: Int64, in connection: GRDB.Database
    ) throws -> (changes: Set<ChangedSamples>, last: Int64)? {
        let newest = try Int64.fetchOne(
            connection.cachedStatement(sql: "SELECT sequence FROM health_store WHERE number = ?"), arguments: [store])
        guard let newest, newest > last else { return nil }
        let rows = try Row.fetchAll(
            connection.cachedStatement(
                sql: """
                    SELECT DISTINCT source.identifier, series.type, series.dimension
                    FROM health_series AS series
                    CROSS JOIN health_change AS change ON change.series = series.number AND change.sequence > ?2
                    JOIN health_source AS source ON source.number = change.source
                    WHERE series.store = ?1
                    UNION
                    SELECT source.identifier, series.type, series.dimension
                    FROM health_series AS series
                    JOIN health_grant ON health_grant.series = series.number AND health_grant.read_since > ?2
                    JOIN health_source AS source ON source.store = series.store
                    WHERE series.store = ?1
                    """), arguments: [store, last])
        var changes: Set<ChangedSamples> = []
        for row in rows {
            guard let type = SampleType(try row.value(1), try row.value(2)) else { continue }
            changes.insert(ChangedSamples(source: try row.value(0), type: type))
        }
        return (changes, newest)
    }
}

/// The last change that was told.
private final class Told: Sendable {
    private let sequence: Lock<Int64>

    init(_ sequence: Int64) {
        self.sequence = Lock(sequence)
    }

    var last: Int64 { sequence.withLock { $0 } }

    func skip(to later: Int64) {
        sequence.withLock { $0 = max($0, later) }
    }
}
