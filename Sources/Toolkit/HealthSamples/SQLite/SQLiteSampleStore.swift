public import Foundation
import Futures
import GRDB
public import Persistence

/// Samples in the database, beside the apps' own rows.
///
/// Any number of processes may share it, each with a `Database` of its own, opened with ``migrations``.
public struct SQLiteSampleStore: Sendable {
    /// What it has done since it was opened.
    private struct Done {
        var hasBegunEpoch = false
        var lastPurge: Date?
    }

    private let database: Persistence.Database
    let number: Int64
    private let identity: UUID
    private let limits: SampleLimits
    let consent: SampleConsent
    private let tombstoneAge: TimeInterval
    let now: @Sendable () -> Date
    let texts = SampleTexts()
    private let watch: DatabaseWatch<ChangedSamples>
    private let done = Shared(Done())

    /// What copies of the store share.
    private final class Shared: Sendable {
        let done: Lock<Done>

        init(_ done: Done) {
            self.done = Lock(done)
        }
    }

    private init(
        database: Persistence.Database, number: Int64, identity: UUID, sequence: Int64, limits: SampleLimits,
        consent: SampleConsent, tombstoneAge: TimeInterval, now: @escaping @Sendable () -> Date
    ) {
        self.database = database
        self.number = number
        self.identity = identity
        self.limits = limits
        self.consent = consent
        self.tombstoneAge = tombstoneAge
        self.now = now
        self.watch = DatabaseWatch(database, store: number, last: sequence)
    }
}

extension SQLiteSampleStore {
    /// Opens an owner's samples, and begins them if there are none.
    ///
    /// - Parameters:
    ///   - owner: Whose samples these are.
    ///   - database: Opened with ``migrations``.
    ///   - limits: What a sample may be.
    ///   - consent: Who answers when a source asks for permission.
    ///   - tombstoneAge: How long deletions are remembered, in seconds: 30 days.
    ///   - now: The time.
    /// - Returns: The samples.
    /// - Throws: ``SampleStoreError``.
    public static func open(
        owner: String, in database: Persistence.Database, limits: SampleLimits = SampleLimits(),
        consent: SampleConsent = .later, tombstoneAge: TimeInterval = 2_592_000,
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws(SampleStoreError) -> SQLiteSampleStore {
        let row = try await SampleStoreError.mapping { () async throws(Persistence.PersistenceError) in
            if let row = try await database.read({ try Self.kept(owner, in: $0) }) { return row }
            return try await database.write { connection in
                // Another process may have been quicker.
                if let row = try Self.kept(owner, in: connection) { return row }
                let identity = UUID()
                try connection.execute(
                    sql: "INSERT INTO health_store (owner, identity, sequence, purged) VALUES (?, ?, 0, 0)",
                    arguments: [owner, identity])
                let number = connection.lastInsertedRowID
                try connection.execute(
                    sql: "INSERT INTO health_epoch (store, first, name) VALUES (?, 0, ?)",
                    arguments: [number, database.opening])
                return Kept(number: number, identity: identity, sequence: 0)
            }
        }
        return SQLiteSampleStore(
            database: database, number: row.number, identity: row.identity, sequence: row.sequence, limits: limits,
            consent: consent, tombstoneAge: tombstoneAge, now: now)
    }

    /// The row of an owner.
    private struct Kept: Sendable {
        var number: Int64
        var identity: UUID
        var sequence: Int64
    }

    private static func kept(_ owner: String, in connection: GRDB.Database) throws -> Kept? {
        try Row.fetchOne(
            connection, sql: "SELECT number, identity, sequence FROM health_store WHERE owner = ?", arguments: [owner]
        ).map { Kept(number: try $0.value(0), identity: try $0.value(1), sequence: try $0.value(2)) }
    }
}

extension SQLiteSampleStore: SampleStore {
    /// Yes: there is a database.
    public var isAvailable: Bool { true }

    /// Saves samples, all of them or none.
    @discardableResult
    public func save(
        _ samples: [Sample], by source: SampleSource
    ) async throws(SampleStoreError) -> [SaveOutcome] {
        let now = now()
        try limits.check(samples, by: source, now: now)
        return try await write(by: source, now: now) { writer in try Self.save(samples, with: &writer) }
    }

    /// Saves samples that were checked.
    static func save(_ samples: [Sample], with writer: inout SampleWriter) throws -> [SaveOutcome] {
        for type in Set(samples.map(\.type)) { try writer.checkShare(type) }
        var outcomes: [SaveOutcome] = []
        outcomes.reserveCapacity(samples.count)
        for sample in samples { outcomes.append(try writer.save(sample)) }
        return outcomes
    }

    /// Deletes samples of this source.
    @discardableResult
    public func delete(
        _ selection: SampleSelection, by source: SampleSource
    ) async throws(SampleStoreError) -> Int {
        try SampleLimits.check(source)
        try selection.check()
        return try await write(by: source, now: now()) { [texts] writer in
            let places = try SampleReader(store: writer.store, texts: texts, in: writer.connection)
                .places(selection, of: source, now: writer.now)
            for type in Set(places.map(\.type)) { try writer.checkShare(type) }
            for place in places { try writer.bury(series: place.series, sequence: place.sequence) }
            return places.count
        }
    }

    /// Finds samples.
    public func samples(
        _ query: SampleQuery, by source: SampleSource, limit: Int?, order: SampleOrder
    ) async throws(SampleStoreError) -> [Sample] {
        try SampleLimits.check(source)
        try query.check()
        return try await read { [now] reader in
            try reader.samples(query, by: source, limit: limit ?? .max, order: order, now: now())
        }
    }

    /// What the samples of each day come to.
    public func statistics(
        _ query: SampleQuery, perDay days: SampleDays, in unit: SampleUnit, by source: SampleSource
    ) async throws(SampleStoreError) -> [DayStatistics] {
        try SampleLimits.check(source)
        try query.check()
        return try await read { [now] reader in
            try reader.statistics(query, perDay: days, in: unit, by: source, now: now())
        }
    }

    /// What has changed since an anchor.
    public func changes(
        _ query: SampleQuery, since anchor: Anchor?, limit: Int, by source: SampleSource
    ) async throws(SampleStoreError) -> SampleChanges {
        try SampleLimits.check(source)
        try query.check(limit: limit)
        return try await read { [now, identity] reader in
            try reader.changes(query, since: anchor, limit: limit, by: source, store: identity, now: now())
        }
    }

    /// An anchor after all that there is now.
    public func latestAnchor(
        _ query: SampleQuery, by source: SampleSource
    ) async throws(SampleStoreError) -> Anchor {
        try SampleLimits.check(source)
        try query.check()
        return try await read { [identity] reader in
            let history = try reader.history(of: identity)
            return try reader.anchor(
                at: history.last, floor: history.last, query: query.digest(for: source.identifier), in: history)
        }
    }

    /// Tells that there may be something new.
    public func updates(_ query: SampleQuery, by source: SampleSource) -> Updates<Set<SampleType>> {
        guard SampleLimits.allows(source) else { return .none }
        return watch.updates().converted { changed in
            // If the grants can't be read now, the update is reported, and its reader finds out.
            let grants = try? await read { try $0.grants() }
            let types = query.types(of: changed, shownTo: source, by: grants)
            return types.isEmpty ? nil : types
        }
    }

    /// Forgets old deletions.
    @discardableResult
    public func purge() async throws(SampleStoreError) -> Int {
        let now = now()
        let nobody = SampleSource(identifier: "", name: "")
        return try await write(by: nobody, now: now) { [tombstoneAge] writer in
            try writer.purge(before: now.addingTimeInterval(-tombstoneAge))
        }
    }
}

extension SQLiteSampleStore {
    /// Reads in one transaction.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (SampleReader) throws -> Value
    ) async throws(SampleStoreError) -> Value {
        try await SampleStoreError.mapping { () async throws(Persistence.PersistenceError) in
            try await database.read { [number, texts] connection in
                try body(SampleReader(store: number, texts: texts, in: connection))
            }
        }
    }

    /// Writes in one transaction.
    func write<Value: Sendable>(
        by source: SampleSource, now: Date, _ body: @escaping @Sendable (inout SampleWriter) throws -> Value
    ) async throws(SampleStoreError) -> Value {
        let written = try await SampleStoreError.mapping { () async throws(Persistence.PersistenceError) in
            try await database.write { try write(by: source, now: now, in: $0, body) }
        }
        note(written)
        return written.value
    }

    /// What a write has done, to be noted when it is committed.
    struct Written<Value: Sendable>: Sendable {
        var value: Value
        var sequence: Int64
        /// Whether that has gone on.
        var hasChanged: Bool
        var newTexts: [String: Int64]
        var purge: Date?
    }

    /// Writes in a transaction.
    func write<Value: Sendable>(
        by source: SampleSource, now: Date, in connection: GRDB.Database, _ body: (inout SampleWriter) throws -> Value
    ) throws -> Written<Value> {
        let done = done.done.withLock { $0 }
        var writer = try SampleWriter(store: number, source: source, now: now, texts: texts, in: connection)
        let value = try body(&writer)
        var written = Written(
            value: value, sequence: writer.sequence, hasChanged: writer.hasChanged, newTexts: writer.newTexts)
        if writer.hasBuried, done.lastPurge.map({ now.timeIntervalSince($0) >= SampleHistory.purgeInterval }) ?? true {
            _ = try writer.purge(before: now.addingTimeInterval(-tombstoneAge))
            written.purge = now
        }
        try writer.finish(opening: database.opening, hasBegun: done.hasBegunEpoch)
        return written
    }

    func note<Value>(_ written: Written<Value>) {
        texts.note(written.newTexts)
        done.done.withLock { done in
            if written.hasChanged { done.hasBegunEpoch = true }
            if let purge = written.purge { done.lastPurge = purge }
        }
        if written.hasChanged { watch.committed(upTo: written.sequence) }
    }
}

extension SampleStoreError {
    /// Runs what throws errors of the database.
    static func mapping<Value: Sendable>(
        _ body: () async throws(Persistence.PersistenceError) -> Value
    ) async throws(SampleStoreError) -> Value {
        do throws(Persistence.PersistenceError) {
            return try await body()
        } catch {
            throw SampleStoreError(error)
        }
    }

    /// What an error of the database means for samples; one of a store's own that ended a transaction is itself.
    ///
    /// - Parameter error: That of the database.
    public init(_ error: Persistence.PersistenceError) {
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
