import Foundation
import Persistence

/// Reads an owner's samples within one transaction.
struct SampleReader {
    let store: Int64
    let connection: any SQLConnection
    private let texts: SampleTexts
    private let sources: [Int64: SampleSource]
    private let series: [Int64: SampleType]
    /// The longest duration of a series' samples, in seconds.
    private let longestDurations: [Int64: Double]
    private let memo = Memo()

    /// Caches the unit and time zone of the previous row, which most rows share.
    private final class Memo {
        var unit: (number: Int64, unit: SampleUnit)?
        var zone: (number: Int64, name: String?)?
    }

    init(store: Int64, texts: SampleTexts, in connection: any SQLConnection) throws {
        self.store = store
        self.connection = connection
        self.texts = texts
        var sources: [Int64: SampleSource] = [:]
        for row in try connection.rows("SELECT number, identifier, name FROM health_source WHERE store = ?", [store]) {
            sources[try row.value(0)] = SampleSource(identifier: try row.value(1), name: try row.value(2))
        }
        var series: [Int64: SampleType] = [:]
        var longestDurations: [Int64: Double] = [:]
        let seriesRows = try connection.rows(
            "SELECT number, type, dimension, longest FROM health_series WHERE store = ?", [store])
        for row in seriesRows {
            guard let type = SampleType(try row.value(1), try row.value(2)) else { continue }
            let number: Int64 = try row.value(0)
            series[number] = type
            longestDurations[number] = try row.value(3)
        }
        self.sources = sources
        self.series = series
        self.longestDurations = longestDurations
    }
}

// MARK: - Permissions

extension SampleReader {
    /// The permissions of all sources.
    func grants() throws -> SampleGrants {
        var grants = SampleGrants()
        let rows = try connection.rows(
            """
            SELECT source, series, share, read, read_since FROM health_grant
            WHERE source IN (SELECT number FROM health_source WHERE store = ?)
            """, [store])
        for row in rows {
            guard let source = sources[try row.value(0)], let type = series[try row.value(1)] else { continue }
            grants[source.identifier, type] = SampleGrants.Grant(
                share: try row.decision(2), read: try row.decision(3), readSince: try row.value(4))
        }
        return grants
    }

    /// All decisions, sorted by source and type.
    func authorizations() throws -> [SampleAuthorization] {
        let known = Dictionary(sources.values.map { ($0.identifier, $0) }) { first, _ in first }
        return try grants().authorizations(of: known)
    }

    /// The row numbers of a query's types, each with the row numbers of the sources that its reader may see.
    private func visible(
        _ query: SampleQuery, to reader: SampleSource, _ grants: SampleGrants
    ) -> [(series: Int64, sources: Set<Int64>)] {
        let wanted = sources.filter { query.sources.contains($0.value.identifier) }
        return series.compactMap { number, type in
            guard query.types.contains(type) else { return nil }
            let shown = wanted.filter { grants.shows(type, of: $0.value.identifier, to: reader) }
            return shown.isEmpty ? nil : (number, Set(shown.keys))
        }
    }
}

// MARK: - Samples

extension SampleReader {
    // The columns that a query compares come first.
    private static let columns = """
        sequence, series, source, start, "end", value, unit, id, zone, metadata, sync_identifier, sync_version,
            deleted IS NOT NULL
        """

    /// The number of rows that are read at once from PostgreSQL, which sends a whole result before its first row can be
    /// read.
    private static let batch = 1_000

    /// Passes the rows that match a query to `take`, type by type; when it returns false, skips the rest of that type.
    private func find(
        _ query: SampleQuery, by reader: SampleSource, now: Date, order: SampleOrder,
        _ take: (SQLRow, Quantity) throws -> Bool
    ) throws {
        let span = query.span(now: now)
        for (series, sources) in visible(query, to: reader, try grants()) {
            // A sample that starts more than the longest duration before the window also ends before the window.
            let reach = query.match == .overlap ? longestDurations[series] ?? 0 : 0
            let from = span.from.map { $0.timeIntervalSinceReferenceDate - reach - 1 }
            let bounds: SQLArguments = [
                series, from ?? -.infinity, span.to?.timeIntervalSinceReferenceDate ?? .infinity,
            ]
            try forEachSample(within: bounds, order) { row in
                guard sources.contains(try row.value(2)), let quantity = try matchingQuantity(of: row, query, span)
                else { return true }
                return try take(row, quantity)
            }
        }
    }

    /// Passes the rows of samples to a closure, until it returns `false`.
    ///
    /// - Parameters:
    ///   - bounds: The type, and the times from which and before which the samples start.
    ///   - order: The order.
    ///   - body: The closure.
    /// - Throws: The errors of the closure and the database.
    private func forEachSample(
        within bounds: SQLArguments, _ order: SampleOrder, _ body: (SQLRow) throws -> Bool
    ) throws {
        let (direction, comparison) = order == .oldestFirst ? ("", ">") : (" DESC", "<")
        func sql(_ condition: String, _ limit: String) -> String {
            """
            SELECT \(Self.columns) FROM health_change
            WHERE series = ? AND deleted IS NULL AND start >= ? AND start < ? \(condition)
            ORDER BY start\(direction), id\(direction) \(limit)
            """
        }
        if connection.dialect == .sqlite { return try connection.forEachRow(sql("", ""), bounds, body) }
        var (condition, arguments, count) = ("", bounds, Self.batch)
        while count == Self.batch {
            count = 0
            var last: SQLArguments = []
            try connection.forEachRow(sql(condition, "LIMIT \(Self.batch)"), arguments) { row in
                count += 1
                last = [try row.value(3) as Double, try row.value(7) as UUID]
                if try body(row) { return true }
                count = 0
                return false
            }
            (condition, arguments) = ("AND (start, id) \(comparison) (?, ?)", bounds + last)
        }
    }

    /// A row's quantity if a query matches the row; otherwise `nil`.
    private func matchingQuantity(of row: SQLRow, _ query: SampleQuery, _ span: SampleQuery.Span) throws -> Quantity? {
        let start = Date(timeIntervalSinceReferenceDate: try row.value(3))
        let end = Date(timeIntervalSinceReferenceDate: try row.value(4))
        guard span.contains(start, end, query.match) else { return nil }
        let quantity = try quantity(of: row)
        return query.contains(quantity) ? quantity : nil
    }

    private func quantity(of row: SQLRow) throws -> Quantity {
        let number: Int64 = try row.value(6)
        if let known = memo.unit, known.number == number { return Quantity(try row.value(5), known.unit) }
        guard let symbol = try texts.text(number, in: connection), let unit = SampleUnit(symbol: symbol) else {
            throw Self.newerFormatError("a unit")
        }
        memo.unit = (number, unit)
        return Quantity(try row.value(5), unit)
    }

    private func zone(of row: SQLRow) throws -> String? {
        guard let number = try row.value(8) as Int64? else { return nil }
        if let known = memo.zone, known.number == number { return known.name }
        let name = try texts.text(number, in: connection)
        memo.zone = (number, name)
        return name
    }

    func samples(
        _ query: SampleQuery, by reader: SampleSource, limit: Int, order: SampleOrder, now: Date
    ) throws -> [Sample] {
        guard limit > 0 else { return [] }
        var all: [Sample] = []
        var parts = 0
        var series: Int64?
        var count = 0
        try find(query, by: reader, now: now, order: order) { row, quantity in
            let rowSeries: Int64 = try row.value(1)
            if rowSeries != series {
                series = rowSeries
                parts += 1
                count = 0
            }
            all.append(try sample(row, quantity))
            count += 1
            return count < limit
        }
        if parts > 1 { all.sort(by: order.areInOrder) }
        return Array(all.prefix(limit))
    }

    typealias RowKey = (series: Int64, sequence: Int64, type: SampleType)

    /// The rows of a source that match a selection.
    func rowKeys(_ selection: SampleSelection, of source: SampleSource, now: Date) throws -> [RowKey] {
        guard let number = sources.first(where: { $0.value.identifier == source.identifier })?.key else { return [] }
        switch selection {
        case .ids(let ids):
            return try ids.compactMap { try rowKey("store = ? AND id = ? AND source = ?", [store, $0, number]) }
        case .syncIdentifiers(let identifiers):
            return try identifiers.compactMap { try rowKey("source = ? AND sync_identifier = ?", [number, $0]) }
        case .query(let query):
            return try rowKeys(query, of: source, now: now)
        }
    }

    private func rowKey(_ condition: String, _ arguments: SQLArguments) throws -> RowKey? {
        let row = try connection.row(
            "SELECT series, sequence FROM health_change WHERE \(condition) AND deleted IS NULL", arguments)
        guard let row else { return nil }
        let number: Int64 = try row.value(0)
        return try series[number].map { (number, try row.value(1), $0) }
    }

    private func rowKeys(_ query: SampleQuery, of source: SampleSource, now: Date) throws -> [RowKey] {
        var rowKeys: [RowKey] = []
        var own = query
        own.sources = query.sources.contains(source.identifier) ? .only([source.identifier]) : .only([])
        try find(own, by: source, now: now, order: .oldestFirst) { row, _ in
            let number: Int64 = try row.value(1)
            if let type = series[number] { rowKeys.append((number, try row.value(0), type)) }
            return true
        }
        return rowKeys
    }

    /// The totals of each day that has samples.
    func statistics(
        _ query: SampleQuery, perDay days: SampleDays, in unit: SampleUnit, by reader: SampleSource, now: Date
    ) throws -> [DayStatistics] {
        var collector = StatisticsCollector(days: days, unit: unit)
        try find(query, by: reader, now: now, order: .oldestFirst) { row, quantity in
            collector.add(quantity, at: Date(timeIntervalSinceReferenceDate: try row.value(3)))
            return true
        }
        return collector.finish()
    }

    /// The sample with an identifier, of any source.
    func sample(_ id: UUID) throws -> Sample? {
        let row = try connection.row(
            "SELECT \(Self.columns) FROM health_change WHERE store = ? AND id = ? AND deleted IS NULL", [store, id])
        return try row.map { try sample($0, quantity(of: $0)) }
    }

    private func sample(_ row: SQLRow, _ quantity: Quantity) throws -> Sample {
        guard let type = series[try row.value(1)], let source = sources[try row.value(2)] else {
            throw Self.newerFormatError("a type")
        }
        var metadata: [String: MetadataValue] = [:]
        if let bytes = try row.value(9) as Data? {
            guard let decoded = MetadataCoding.decode(bytes) else { throw Self.newerFormatError("metadata") }
            metadata = decoded
        }
        return Sample(
            id: try row.value(7), type: type, quantity: quantity,
            start: Date(timeIntervalSinceReferenceDate: try row.value(3)),
            end: Date(timeIntervalSinceReferenceDate: try row.value(4)), timeZone: try zone(of: row), source: source,
            metadata: metadata, sync: try sync(of: row))
    }

    private func sync(of row: SQLRow) throws -> SyncIdentity? {
        guard let identifier = try row.value(10) as String? else { return nil }
        return SyncIdentity(identifier: identifier, version: try row.value(11))
    }

    private static func newerFormatError(_ what: String) -> SampleStoreError {
        SampleStoreError(
            .newerFormat,
            "A sample has \(what) that this version doesn't know: a newer version wrote it, or it is damaged. Nothing was "
                + "changed. Use the newer version.")
    }
}

// MARK: - Changes

extension SampleReader {
    func changes(
        _ query: SampleQuery, since anchor: Anchor?, limit: Int, by reader: SampleSource, store identity: UUID,
        now: Date
    ) throws -> SampleChanges {
        let grants = try grants()
        let digest = query.digest(for: reader.identifier)
        let history = try history(of: identity)
        if let anchor {
            try history.check(
                anchor, digest: digest, epoch: epoch(at: anchor.horizon),
                visibleSince: grants.visibleSince(query, reader))
        }
        let floor = anchor?.floor ?? history.last
        let span = query.span(now: now)
        var found: [(sequence: Int64, change: Change)] = []
        let visible = visible(query, to: reader, grants)
        for (series, sources) in visible {
            var count = 0
            try forEachChange(of: series, after: anchor?.sequence ?? 0) { row in
                guard let change = try change(row, query, span, sources, floor) else { return true }
                found.append((try row.value(0), change))
                count += 1
                return count <= limit
            }
        }
        if visible.count > 1 { found.sort { $0.sequence < $1.sequence } }
        let last = found.count > limit ? found[limit - 1].sequence : history.last
        var page = try SampleChanges(
            added: [], deleted: [],
            anchor: self.anchor(at: last, floor: floor, digest: digest, in: history), hasMore: found.count > limit)
        page.added.reserveCapacity(min(found.count, limit))
        for (_, change) in found.prefix(limit) {
            switch change {
            case .saved(let sample): page.added.append(sample)
            case .deleted(let sample): page.deleted.append(sample)
            }
        }
        return page
    }

    /// Passes a type's rows that follow a sequence number to a closure, until it returns `false`.
    private func forEachChange(of series: Int64, after sequence: Int64, _ body: (SQLRow) throws -> Bool) throws {
        let sql = "SELECT \(Self.columns) FROM health_change WHERE series = ? AND sequence > ? ORDER BY sequence"
        if connection.dialect == .sqlite { return try connection.forEachRow(sql, [series, sequence], body) }
        var (last, count) = (sequence, Self.batch)
        while count == Self.batch {
            count = 0
            try connection.forEachRow("\(sql) LIMIT \(Self.batch)", [series, last]) { row in
                count += 1
                last = try row.value(0)
                if try body(row) { return true }
                count = 0
                return false
            }
        }
    }

    /// The history of the store with an identity.
    func history(of identity: UUID) throws -> SampleHistory {
        let row = try connection.row("SELECT sequence, purged FROM health_store WHERE number = ?", [store])
        return SampleHistory(store: identity, last: try row?.value(0) ?? 0, purged: try row?.value(1) ?? 0)
    }

    /// Creates an anchor after a change.
    func anchor(at sequence: Int64, floor: Int64, digest: UInt64, in history: SampleHistory) throws -> Anchor {
        guard let epoch = try epoch(at: max(sequence, floor)) else {
            throw SampleStoreError(.storage, "The history of the samples is damaged. Restore a backup.")
        }
        return history.anchor(at: sequence, floor: floor, digest: digest, epoch: epoch)
    }

    private enum Change {
        case saved(Sample)
        case deleted(DeletedSample)
    }

    private func change(
        _ row: SQLRow, _ query: SampleQuery, _ span: SampleQuery.Span, _ sources: Set<Int64>, _ floor: Int64
    ) throws -> Change? {
        guard sources.contains(try row.value(2)) else { return nil }
        guard try row.value(12) else {
            return try matchingQuantity(of: row, query, span).map { .saved(try sample(row, $0)) }
        }
        // A reader whose first page came later has never seen the sample.
        guard try row.value(0) > floor, let source = self.sources[try row.value(2)] else { return nil }
        return .deleted(DeletedSample(id: try row.value(7), sync: try sync(of: row), source: source.identifier))
    }

    /// The epoch of a change; `nil` if the store no longer knows it.
    private func epoch(at sequence: Int64) throws -> UUID? {
        try connection.value(
            "SELECT name FROM health_epoch WHERE store = ? AND first <= ? ORDER BY first DESC LIMIT 1",
            [store, sequence], as: UUID.self)
    }
}
