import Persistence

extension DatabaseWatch<ChangedSamples> {
    /// Watches an owner's samples for changes.
    convenience init(_ database: any SQLDatabase, store: Int64, last: Int64) {
        self.init(database, part: "samples", last: last) { last, connection in
            try Self.changes(after: last, store: store, in: connection)
        }
    }

    /// The changes after `last`, and the new last sequence number; `nil` if there are none.
    private static func changes(
        after last: Int64, store: Int64, in connection: any SQLConnection
    ) throws -> (changes: Set<ChangedSamples>, last: Int64)? {
        let newest = try connection.value("SELECT sequence FROM health_store WHERE number = ?", [store], as: Int64.self)
        guard let newest, newest > last else { return nil }
        // In SQLite, the words CROSS JOIN decide the order of the join.
        let join = connection.dialect == .sqlite ? "CROSS JOIN" : "JOIN"
        let rows = try connection.rows(
            """
            SELECT DISTINCT source.identifier, series.type, series.dimension
            FROM health_series AS series
            \(join) health_change AS change ON change.series = series.number AND change.sequence > ?2
            JOIN health_source AS source ON source.number = change.source
            WHERE series.store = ?1
            UNION
            SELECT source.identifier, series.type, series.dimension
            FROM health_series AS series
            JOIN health_grant ON health_grant.series = series.number AND health_grant.read_since > ?2
            JOIN health_source AS source ON source.store = series.store
            WHERE series.store = ?1
            """, [store, last])
        var changes: Set<ChangedSamples> = []
        for row in rows {
            guard let type = SampleType(try row.value(1), try row.value(2)) else { continue }
            changes.insert(ChangedSamples(source: try row.value(0), type: type))
        }
        return (changes, newest)
    }
}
