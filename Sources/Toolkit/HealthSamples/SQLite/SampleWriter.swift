import Foundation
import Persistence

/// Writes an owner's samples within one transaction for a validated source, and stores the source's newest name.
struct SampleWriter {
    /// The columns of a type's row that a write needs.
    struct Series {
        var number: Int64
        var longestDuration: Double
        var share: SampleAuthorization.Decision?
    }

    /// Sequence numbers are below this limit, except in a damaged store, so that incrementing them can't overflow.
    private static let sequenceLimit: Int64 = 1 << 62

    let store: Int64
    let source: SampleSource
    let now: Date
    let connection: any SQLConnection
    private let texts: SampleTexts
    /// The sequence number of the store's last change.
    private(set) var sequence: Int64
    private let initialSequence: Int64
    /// The row number of the source; `nil` if the store doesn't have it yet.
    private(set) var sourceNumber: Int64?
    private var series: [SampleType: Series] = [:]
    private(set) var newTexts: [String: Int64] = [:]
    private(set) var hasNewTombstones = false

    init(
        store: Int64, source: SampleSource, now: Date, texts: SampleTexts, in connection: any SQLConnection
    ) throws {
        self.store = store
        self.source = source
        self.now = now
        self.texts = texts
        self.connection = connection
        let row = try connection.row(
            """
            SELECT store.sequence, source.number, source.name FROM health_store AS store
            LEFT JOIN health_source AS source ON source.store = store.number AND source.identifier = ?2
            WHERE store.number = ?1
            """, [store, source.identifier])
        self.sequence = try row?.value(0) ?? 0
        guard sequence < Self.sequenceLimit else { throw SampleStoreError.damaged("its count of changes") }
        self.initialSequence = sequence
        self.sourceNumber = try row.flatMap { try $0.value(1) as Int64? }
        if let sourceNumber, try row?.value(2) != source.name {
            try connection.execute("UPDATE health_source SET name = ? WHERE number = ?", [source.name, sourceNumber])
        }
    }

    /// Whether this write has made any change.
    var hasChanged: Bool { sequence != initialSequence }

    /// A reader that sees this write's changes.
    func reader() throws -> SampleReader { try SampleReader(store: store, texts: texts, in: connection) }

    /// Takes the next sequence number.
    mutating func nextSequence() -> Int64 {
        sequence += 1
        return sequence
    }

    /// Stores the sequence number, and begins an epoch if this is the first change since the database was opened.
    ///
    /// - Parameters:
    ///   - instanceID: Identifies the opened database, and names its epoch.
    ///   - hasBegunEpoch: Whether an earlier write has begun the epoch.
    /// - Throws: The errors of the database.
    func finish(instanceID: UUID, hasBegunEpoch: Bool) throws {
        guard hasChanged else { return }
        try connection.execute("UPDATE health_store SET sequence = ? WHERE number = ?", [sequence, store])
        if hasBegunEpoch { return }
        let knownEpoch = try connection.row(
            "SELECT 1 FROM health_epoch WHERE store = ? AND name = ?", [store, instanceID])
        if knownEpoch != nil { return }
        try connection.execute(
            "INSERT INTO health_epoch (store, first, name) VALUES (?, ?, ?)", [store, initialSequence + 1, instanceID])
    }
}

// MARK: - Sources and types

extension SampleWriter {
    /// The row number of the source, which is inserted if necessary.
    mutating func sourceRowNumber() throws -> Int64 {
        if let sourceNumber { return sourceNumber }
        let number: Int64? = try connection.value(
            "INSERT INTO health_source (store, identifier, name) VALUES (?, ?, ?) RETURNING number",
            [store, source.identifier, source.name])
        guard let number else { throw SampleStoreError.damaged("a source") }
        sourceNumber = number
        return number
    }

    /// A type's row, which is inserted if necessary.
    mutating func series(of type: SampleType) throws -> Series {
        if let known = series[type] { return known }
        let row = try connection.row(
            """
            SELECT series.number, series.longest, health_grant.share, series.dimension
            FROM health_series AS series
            LEFT JOIN health_grant ON health_grant.series = series.number AND health_grant.source = ?3
            WHERE series.store = ?1 AND series.type = ?2
            """, [store, type.rawValue, sourceNumber])
        let found: Series
        if let row {
            let dimension: String = try row.value(3)
            guard dimension == type.dimension.rawValue else {
                throw SampleStoreError(
                    .invalidSample,
                    "\(type) is stored as a \(dimension), not as a \(type.dimension.rawValue). Use another name.")
            }
            found = Series(
                number: try row.value(0), longestDuration: try row.value(1),
                share: try row.decision(2))
        } else {
            let number: Int64? = try connection.value(
                "INSERT INTO health_series (store, type, dimension, longest) VALUES (?, ?, ?, 0) RETURNING number",
                [store, type.rawValue, type.dimension.rawValue])
            guard let number else { throw SampleStoreError.damaged("a type") }
            found = Series(number: number, longestDuration: 0)
        }
        series[type] = found
        return found
    }

    /// Throws `notAuthorized` if the source may not write.
    mutating func checkShare(_ type: SampleType) throws {
        try SampleGrants.Grant(share: series(of: type).share).checkShare(type, source)
    }
}

// MARK: - Saving

extension SampleWriter {
    /// The live row of a sync identifier.
    private struct Current {
        var series: Int64
        var sequence: Int64
        var id: UUID
        var version: Int
        var sample: [SQLValue]
    }

    /// Saves validated samples.
    mutating func save(_ samples: [Sample]) throws -> [SaveOutcome] {
        for type in Set(samples.map(\.type)) { try checkShare(type) }
        var outcomes: [SaveOutcome] = []
        outcomes.reserveCapacity(samples.count)
        for sample in samples { outcomes.append(try save(sample)) }
        return outcomes
    }

    private mutating func save(_ sample: Sample) throws -> SaveOutcome {
        let source = try sourceRowNumber()
        let series = try series(of: sample.type)
        var current: Current?
        var deletedVersion: Int?
        if let sync = sample.sync {
            let rows = try connection.rows(
                """
                SELECT series, sequence, id, sync_version, deleted IS NOT NULL, start, "end", value, unit
                FROM health_change WHERE source = ? AND sync_identifier = ?
                """, [source, sync.identifier])
            for row in rows {
                let version: Int = try row.value(3)
                if try row.value(4) {
                    deletedVersion = max(version, deletedVersion ?? version)
                } else {
                    current = Current(
                        series: try row.value(0), sequence: try row.value(1), id: try row.value(2), version: version,
                        sample: Array(row.values[5...8]))
                }
            }
        }
        let over = current.map { (id: $0.id, version: $0.version) }
        let decision = try SaveDecision(
            saving: sample, over: over, deletedVersion: deletedVersion, sampleWithSameID: nil)
        if case .leave(let outcome) = decision { return outcome }
        let unit = try texts.number(of: sample.quantity.unit.symbol, noting: &newTexts, in: connection)
        if let current { try remove(current, for: sample, series, unit) }
        if try !insert(sample, source, series, unit) {
            let sampleWithSameID = try reader().sample(sample.id)
            let again = try SaveDecision(
                saving: sample, over: over, deletedVersion: deletedVersion, sampleWithSameID: sampleWithSameID)
            guard case .leave(let outcome) = again else { throw SampleStoreError.damaged("an index") }
            return outcome
        }
        return current.map { .replaced($0.id) } ?? .added
    }

    /// Removes the current version or makes it a tombstone, so that another can take its place.
    private mutating func remove(
        _ current: Current, for sample: Sample, _ series: Series, _ unit: Int64
    ) throws {
        let new: [SQLValue] = [
            sample.start.timeIntervalSinceReferenceDate.sqlValue,
            sample.end.timeIntervalSinceReferenceDate.sqlValue, sample.quantity.value.sqlValue,
            unit.sqlValue,
        ]
        // Every query matches both versions or neither, so readers need no notice of the deletion.
        if current.id == sample.id, current.series == series.number, current.sample == new {
            try connection.execute(
                "DELETE FROM health_change WHERE series = ? AND sequence = ?", [current.series, current.sequence])
        } else {
            try makeTombstone(series: current.series, sequence: current.sequence)
        }
    }

    /// Returns `false` if another sample has the same identifier.
    private mutating func insert(
        _ sample: Sample, _ source: Int64, _ series: Series, _ unit: Int64
    ) throws -> Bool {
        let zone = try sample.timeZone.map { try texts.number(of: $0, noting: &newTexts, in: connection) }
        let length = sample.end.timeIntervalSince(sample.start)
        if length > series.longestDuration {
            try connection.execute("UPDATE health_series SET longest = ? WHERE number = ?", [length, series.number])
            self.series[sample.type]?.longestDuration = length
        }
        // `sequence` is incremented only after the insertion.
        let inserted = try connection.execute(
            """
            INSERT INTO health_change (series, sequence, store, source, id, start, "end", value, unit, zone,
                metadata, sync_identifier, sync_version)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (store, id) WHERE deleted IS NULL DO NOTHING
            """,
            [
                series.number, sequence + 1, store, source, sample.id, sample.start.timeIntervalSinceReferenceDate,
                sample.end.timeIntervalSinceReferenceDate, sample.quantity.value, unit, zone,
                MetadataCoding.encode(sample.metadata), sample.sync?.identifier, sample.sync?.version,
            ])
        if inserted == 0 { return false }
        sequence += 1
        return true
    }

    /// Deletes the samples of a selection, and returns their number.
    mutating func delete(_ selection: SampleSelection) throws -> Int {
        let rowKeys = try reader().rowKeys(selection, of: source, now: now)
        for type in Set(rowKeys.map(\.type)) { try checkShare(type) }
        for rowKey in rowKeys { try makeTombstone(series: rowKey.series, sequence: rowKey.sequence) }
        return rowKeys.count
    }

    /// Turns a sample's row into a tombstone.
    private mutating func makeTombstone(series: Int64, sequence: Int64) throws {
        hasNewTombstones = true
        try connection.execute(
            """
            UPDATE health_change SET sequence = ?, deleted = ?, start = NULL, "end" = NULL, value = NULL,
                unit = NULL, zone = NULL, metadata = NULL
            WHERE series = ? AND sequence = ?
            """, [nextSequence(), now.timeIntervalSinceReferenceDate, series, sequence])
    }
}

// MARK: - Purging

extension SampleWriter {
    /// Purges deletions before a time, and returns their number.
    func purge(before time: Date) throws -> Int {
        let time = time.timeIntervalSinceReferenceDate
        let last = try connection.value(
            """
            SELECT max(sequence) FROM health_change
            WHERE store = ? AND deleted IS NOT NULL AND deleted < ?
            """, [store, time], as: Int64.self)
        guard let last else { return 0 }
        let count = try connection.execute(
            "DELETE FROM health_change WHERE store = ? AND deleted IS NOT NULL AND deleted < ?", [store, time])
        try connection.execute("UPDATE health_store SET purged = ?1 WHERE number = ?2 AND purged < ?1", [last, store])
        // Anchors of epochs that ended before the last purged deletion are expired.
        try connection.execute(
            """
            DELETE FROM health_epoch WHERE store = ?1
                AND first < (SELECT max(first) FROM health_epoch WHERE store = ?1 AND first <= ?2)
            """, [store, last])
        return count
    }
}

extension SampleType {
    /// A type from its columns.
    init?(_ rawValue: String, _ dimension: String) {
        guard let dimension = SampleUnit.Dimension(rawValue: dimension) else { return nil }
        self.init(rawValue: rawValue, dimension: dimension)
    }
}

extension SQLRow {
    /// The value of a column; a damaged row may contain NULL or another type.
    func value<Value: SQLConvertible>(_ index: Int) throws -> Value {
        do {
            return try decode(Value.self, atIndex: index)
        } catch {
            throw SampleStoreError.damaged("a row", underlying: error)
        }
    }

    /// The decision in a column; `nil` if there is none, or only a newer version knows it.
    func decision(_ index: Int) throws -> SampleAuthorization.Decision? {
        let name: String? = try value(index)
        return name.flatMap(SampleAuthorization.Decision.init(rawValue:))
    }
}

extension SampleStoreError {
    /// An error for data that no version of this program writes.
    static func damaged(_ what: String, underlying: (any Error)? = nil) -> SampleStoreError {
        SampleStoreError(
            .storage, "The samples' database is damaged (\(what)). Nothing was changed. Restore a backup.",
            underlying: underlying)
    }
}
