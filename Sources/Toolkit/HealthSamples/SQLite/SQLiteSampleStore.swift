public import Foundation
import Futures
public import Persistence

/// A store in an SQLite database, which can also hold an app's own tables.
///
/// Any number of processes may share the database; each opens its own `AppDatabase` with ``migrations``.
public final class SQLiteSampleStore: Sendable {
    /// What this process has done since it opened the store.
    private struct Progress {
        /// The ID of the database whose epoch has begun.
        var epoch: UUID?
        var lastPurge: Date?
    }

    private let database: any SQLDatabase
    private let owner: OwnerID
    private let number: Int64
    private let identity: UUID
    private let limits: SampleLimits
    let consent: SampleConsent
    private let tombstoneAge: TimeInterval
    let now: @Sendable () -> Date
    private let texts = SampleTexts()
    private let watch: DatabaseWatch<ChangedSamples>
    private let progress = Lock(Progress())

    private init(
        _ database: any SQLDatabase, _ owner: OwnerID, _ row: StoreRow, _ limits: SampleLimits,
        _ consent: SampleConsent,
        _ tombstoneAge: TimeInterval, _ now: @escaping @Sendable () -> Date
    ) {
        self.database = database
        self.owner = owner
        self.number = row.number
        self.identity = row.identity
        self.limits = limits
        self.consent = consent
        self.tombstoneAge = tombstoneAge
        self.now = now
        self.watch = DatabaseWatch(database, store: row.number, last: row.sequence)
    }
}

/// An owner's row in `health_store`.
private struct StoreRow: Sendable {
    var number: Int64
    var identity: UUID
    var sequence: Int64

    init(number: Int64, identity: UUID, sequence: Int64) {
        (self.number, self.identity, self.sequence) = (number, identity, sequence)
    }

    init?(_ owner: OwnerID, in connection: any SQLConnection) throws {
        let row = try connection.row("SELECT number, identity, sequence FROM health_store WHERE owner = ?", [owner])
        guard let row else { return nil }
        self.init(number: try row.value(0), identity: try row.value(1), sequence: try row.value(2))
    }
}

extension SQLiteSampleStore {
    /// Opens an owner's store, and creates an empty one if it doesn't exist.
    ///
    /// - Parameters:
    ///   - owner: The owner of the samples.
    ///   - database: A database opened with ``migrations``.
    ///   - limits: The limits on samples.
    ///   - consent: Answers the sources' requests for permission.
    ///   - tombstoneAge: How long deletions are remembered, in seconds; 30 days by default.
    ///   - now: Returns the current time.
    /// - Returns: The store.
    /// - Throws: ``SampleStoreError``.
    public static func open(
        owner: OwnerID, in database: AppDatabase, limits: SampleLimits = SampleLimits(),
        consent: SampleConsent = .later, tombstoneAge: TimeInterval = 2_592_000,
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws(SampleStoreError) -> SQLiteSampleStore {
        try await open(
            owner: owner, inAny: database, limits: limits, consent: consent, tombstoneAge: tombstoneAge, now: now)
    }

    /// Opens an owner's store in a database of any kind.
    ///
    /// It does the same as ``open(owner:in:limits:consent:tombstoneAge:now:)`` in SQLite.
    package static func open(
        owner: OwnerID, inAny database: any SQLDatabase, limits: SampleLimits = SampleLimits(),
        consent: SampleConsent = .later, tombstoneAge: TimeInterval = 2_592_000,
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws(SampleStoreError) -> SQLiteSampleStore {
        let row = try await SampleStoreError.mapping { () async throws(StoreError) in
            if let row = try await database.readRows({ try StoreRow(owner, in: $0) }) { return row }
            return try await database.writeRows(locking: [.samples(of: owner)]) { connection in
                // Another process may have created it meanwhile.
                if let row = try StoreRow(owner, in: connection) { return row }
                let identity = UUID()
                let number: Int64? = try connection.value(
                    "INSERT INTO health_store (owner, identity, sequence, purged) VALUES (?, ?, 0, 0) RETURNING number",
                    [owner, identity])
                guard let number else { throw SampleStoreError.damaged("a store") }
                try connection.execute(
                    "INSERT INTO health_epoch (store, first, name) VALUES (?, 0, ?)", [number, database.instanceID])
                return StoreRow(number: number, identity: identity, sequence: 0)
            }
        }
        return SQLiteSampleStore(database, owner, row, limits, consent, tombstoneAge, now)
    }
}

extension SQLiteSampleStore: SampleStore {
    /// Always true.
    public var isAvailable: Bool { true }

    /// Saves all samples or none.
    @discardableResult
    public func save(_ samples: [Sample], by source: SampleSource) async throws(SampleStoreError) -> [SaveOutcome] {
        let now = now()
        try limits.check(samples, by: source, now: now)
        return try await write(by: source, now: now) { writer in try writer.save(samples) }
    }

    /// Deletes samples of this source.
    @discardableResult
    public func delete(_ selection: SampleSelection, by source: SampleSource) async throws(SampleStoreError) -> Int {
        try SampleLimits.check(source)
        try selection.check()
        return try await write(by: source, now: now()) { writer in try writer.delete(selection) }
    }

    /// The samples that match a query.
    public func samples(
        _ query: SampleQuery, by source: SampleSource, limit: Int?, order: SampleOrder
    ) async throws(SampleStoreError) -> [Sample] {
        try query.check(by: source)
        return try await read { [now] reader in
            try reader.samples(query, by: source, limit: limit ?? .max, order: order, now: now())
        }
    }

    /// The totals of each day that has samples.
    public func statistics(
        _ query: SampleQuery, perDay days: SampleDays, in unit: SampleUnit, by source: SampleSource
    ) async throws(SampleStoreError) -> [DayStatistics] {
        try query.check(by: source)
        return try await read { [now] reader in
            try reader.statistics(query, perDay: days, in: unit, by: source, now: now())
        }
    }

    /// A page of the changes since an anchor.
    public func changes(
        _ query: SampleQuery, since anchor: Anchor?, limit: Int, by source: SampleSource
    ) async throws(SampleStoreError) -> SampleChanges {
        try query.check(by: source, limit: limit)
        return try await read { [now, identity] reader in
            try reader.changes(query, since: anchor, limit: limit, by: source, store: identity, now: now())
        }
    }

    /// An anchor after the latest change.
    public func latestAnchor(_ query: SampleQuery, by source: SampleSource) async throws(SampleStoreError) -> Anchor {
        try query.check(by: source)
        return try await read { [identity] reader in
            let history = try reader.history(of: identity)
            return try reader.anchor(
                at: history.last, floor: history.last, digest: query.digest(for: source.identifier), in: history)
        }
    }

    /// Reports the types that may have new changes.
    public func updates(_ query: SampleQuery, by source: SampleSource) -> Updates<Set<SampleType>> {
        guard (try? SampleLimits.check(source)) != nil else { return .none }
        return watch.updates().converted { changed in
            // If the grants can't be read, report the update anyway: the reader's own read then fails with the error.
            let grants = try? await self.read { try $0.grants() }
            let types = query.types(of: changed, shownTo: source, by: grants)
            return types.isEmpty ? nil : types
        }
    }

    /// Purges old deletions.
    @discardableResult
    public func purge() async throws(SampleStoreError) -> Int {
        let now = now()
        let noSource = SampleSource(identifier: "", name: "")
        return try await write(by: noSource, now: now) { [tombstoneAge] writer in
            try writer.purge(before: now.addingTimeInterval(-tombstoneAge))
        }
    }
}

extension SQLiteSampleStore {
    /// Reads in one transaction.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (SampleReader) throws -> Value
    ) async throws(SampleStoreError) -> Value {
        try await SampleStoreError.mapping { () async throws(StoreError) in
            try await database.readRows { [number, texts] connection in
                texts.use(in: connection.instanceID)
                return try body(SampleReader(store: number, texts: texts, in: connection))
            }
        }
    }

    /// Writes in one transaction.
    func write<Value: Sendable>(
        by source: SampleSource, now: Date, _ body: @escaping @Sendable (inout SampleWriter) throws -> Value
    ) async throws(SampleStoreError) -> Value {
        let written = try await SampleStoreError.mapping { () async throws(StoreError) in
            try await database.writeRows(locking: [.samples(of: owner)]) {
                try self.write(by: source, now: now, in: $0, body)
            }
        }
        note(written)
        return written.value
    }

    /// The result of a write, and what this store records about it after its commit.
    struct Written<Value: Sendable>: Sendable {
        var value: Value
        var sequence: Int64
        var hasChanged: Bool
        var newTexts: [String: Int64]
        var instanceID: UUID
        var purge: Date?
    }

    /// Writes within an open transaction.
    func write<Value: Sendable>(
        by source: SampleSource, now: Date, in connection: any SQLConnection,
        _ body: (inout SampleWriter) throws -> Value
    ) throws -> Written<Value> {
        let progress = progress.withLock { $0 }
        texts.use(in: connection.instanceID)
        var writer = try SampleWriter(store: number, source: source, now: now, texts: texts, in: connection)
        let value = try body(&writer)
        var written = Written(
            value: value, sequence: writer.sequence, hasChanged: writer.hasChanged, newTexts: writer.newTexts,
            instanceID: connection.instanceID)
        if writer.hasNewTombstones,
            progress.lastPurge.map({ now.timeIntervalSince($0) >= SampleHistory.purgeInterval }) ?? true
        {
            _ = try writer.purge(before: now.addingTimeInterval(-tombstoneAge))
            written.purge = now
        }
        try writer.finish(
            instanceID: connection.instanceID, hasBegunEpoch: progress.epoch == connection.instanceID)
        return written
    }

    func note<Value>(_ written: Written<Value>) {
        texts.note(written.newTexts, in: written.instanceID)
        progress.withLock { progress in
            if written.hasChanged { progress.epoch = written.instanceID }
            if let purge = written.purge { progress.lastPurge = purge }
        }
        if written.hasChanged { watch.committed(upTo: written.sequence) }
    }
}

extension SQLLock {
    /// The lock of an owner's samples: the numbers of their changes become visible in order.
    fileprivate static func samples(of owner: OwnerID) -> SQLLock { SQLLock(part: "samples", owner: owner) }
}

extension SampleStoreError {
    /// Converts the database errors that a body throws.
    static func mapping<Value: Sendable>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(SampleStoreError) -> Value {
        try await rethrowing(SampleStoreError.init) { () async throws(StoreError) in
            try await body()
        }
    }

    /// Converts a database error; a ``SampleStoreError`` that ended a transaction is returned unchanged.
    public init(_ error: StoreError) {
        if let own = error.cause as? SampleStoreError {
            self = own
            return
        }
        let code: Code =
            switch error.code {
            case .newerVersion: .newerFormat
            case .diskFull: .diskFull
            case .cancelled: .cancelled
            case .closed, .locked, .inUse, .notWritable, .notAFolder: .unavailable
            default: .storage
            }
        self.init(code, error.message, underlying: error)
    }
}
