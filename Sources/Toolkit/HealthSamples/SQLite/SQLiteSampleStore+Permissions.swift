public import Foundation
import GRDB
import Persistence

// MARK: - Permissions

extension SQLiteSampleStore {
    /// Whether a source may write samples of a type.
    public func authorizationStatus(
        for type: SampleType, source: SampleSource
    ) async throws(SampleStoreError) -> WriteAuthorization {
        try SampleLimits.check(source)
        return try await read { try $0.grants()[source.identifier, type].writeAuthorization }
    }

    /// Asks for what has not been decided yet.
    public func requestAuthorization(
        toShare: Set<SampleType>, read: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError) {
        try SampleLimits.check(source)
        let request = AuthorizationRequest(source: source, share: toShare, read: read)
        let open = try await self.read { try $0.undecided(request) }
        guard !open.share.isEmpty || !open.read.isEmpty else { return }
        try await decide(source) { _ in [(.asked, open)] }
        let answer = await consent.answer(open)
        // Somebody may have decided meanwhile.
        try await decide(source) { reader in
            let (granted, refused) = answer.decisions(of: try reader.undecided(open))
            return [(.granted, granted), (.denied, refused)]
        }
    }

    /// Allows something.
    public func grant(
        _ access: SampleAccess, to types: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError) {
        try SampleLimits.check(source)
        try await decide(source) { _ in [(.granted, AuthorizationRequest(access, types, source))] }
    }

    /// Refuses something, or takes it back.
    public func revoke(
        _ access: SampleAccess, to types: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError) {
        try SampleLimits.check(source)
        try await decide(source) { _ in [(.denied, AuthorizationRequest(access, types, source))] }
    }

    /// All that was asked for, allowed and refused.
    public func authorizations() async throws(SampleStoreError) -> [SampleAuthorization] {
        try await read { try $0.authorizations() }
    }

    private typealias Decision = (SampleAuthorization.Decision, AuthorizationRequest)

    private func decide(
        _ source: SampleSource, _ decisions: @escaping @Sendable (SampleReader) throws -> [Decision]
    ) async throws(SampleStoreError) {
        try await write(by: source, now: now()) { [texts] writer in
            let reader = try SampleReader(store: writer.store, texts: texts, in: writer.connection)
            for (decision, request) in try decisions(reader) {
                for type in request.share { try writer.decide(decision, .share, type) }
                for type in request.read { try writer.decide(decision, .read, type) }
            }
        }
    }
}

extension SampleReader {
    /// What of a request nobody has decided.
    fileprivate func undecided(_ request: AuthorizationRequest) throws -> AuthorizationRequest {
        let grants = try grants()
        return request.filtered { type, access in grants[request.source.identifier, type].isUndecided(access) }
    }
}

extension SampleWriter {
    /// Notes a decision.
    fileprivate mutating func decide(
        _ decision: SampleAuthorization.Decision, _ access: SampleAccess, _ type: SampleType
    ) throws {
        let source = try number()
        let series = try series(of: type).number
        let row = try Row.fetchOne(
            connection, sql: "SELECT share, read, read_since FROM health_grant WHERE source = ? AND series = ?",
            arguments: [source, series])
        var grant = SampleGrants.Grant()
        if let row {
            grant.share = try row.decision(0)
            grant.read = try row.decision(1)
            grant.readSince = try row.value(2)
        }
        // A number of its own, so that it is after all that was before.
        if grant.decide(decision, access, at: sequence + 1) { _ = nextSequence() }
        try connection.execute(
            sql: """
                INSERT INTO health_grant (source, series, share, read, read_since) VALUES (?1, ?2, ?3, ?4, ?5)
                ON CONFLICT (source, series) DO UPDATE SET share = ?3, read = ?4, read_since = ?5
                """, arguments: [source, series, grant.share?.rawValue, grant.read?.rawValue, grant.readSince])
    }
}

// MARK: - Observers

extension SQLiteSampleStore {
    /// What is kept of an observer.
    public func observer(_ name: String, by source: SampleSource) async throws(SampleStoreError) -> ObserverRecord? {
        try SampleLimits.check(observer: name, of: source)
        return try await read { reader in
            try ObserverRecord(named: name, of: source, store: reader.store, in: reader.connection)
        }
    }

    /// Keeps an observer.
    public func keep(_ observer: SampleObserver, by source: SampleSource) async throws(SampleStoreError) {
        try SampleLimits.check(source)
        try observer.check()
        try await write(by: source, now: now()) { writer in
            let record = ObserverRecord(observer, after: try writer.record(of: observer))
            let query = String(decoding: try JSONEncoder().encode(observer.query), as: UTF8.self)
            try writer.connection.execute(
                sql: """
                    INSERT INTO health_observer (source, name, query, minimum_interval, acknowledged, delivered)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                    ON CONFLICT (source, name) DO UPDATE
                    SET query = ?3, minimum_interval = ?4, acknowledged = ?5, delivered = ?6
                    """,
                arguments: [
                    writer.number(), observer.name, query, observer.minimumInterval,
                    record.acknowledged?.description, record.delivered?.timeIntervalSinceReferenceDate,
                ])
        }
    }

    /// Notes up to where an observer has acknowledged.
    public func acknowledge(
        _ anchor: Anchor, by observer: SampleObserver, by source: SampleSource
    ) async throws(SampleStoreError) {
        try SampleLimits.check(observer: observer.name, of: source)
        try await write(by: source, now: now()) { writer in
            // Which of two anchors is the newer one only Swift knows: within the write nobody comes in between.
            guard let kept = try writer.record(of: observer), kept.takes(anchor, from: observer) else { return }
            try writer.connection.execute(
                sql: "UPDATE health_observer SET acknowledged = ? WHERE source = ? AND name = ?",
                arguments: [anchor.description, writer.sourceNumber, observer.name])
        }
    }

    /// Notes when an observer is told.
    public func noteDelivery(
        at date: Date, to observer: SampleObserver, by source: SampleSource
    ) async throws(SampleStoreError) -> ObserverRecord? {
        try SampleLimits.check(observer: observer.name, of: source)
        return try await write(by: source, now: now()) { writer -> ObserverRecord? in
            guard var record = try writer.record(of: observer), record.observer == observer else { return nil }
            try writer.connection.execute(
                sql: "UPDATE health_observer SET delivered = ? WHERE source = ? AND name = ?",
                arguments: [date.timeIntervalSinceReferenceDate, writer.sourceNumber, observer.name])
            record.delivered = date
            return record
        }
    }

    /// Forgets an observer.
    public func removeObserver(_ name: String, by source: SampleSource) async throws(SampleStoreError) {
        try SampleLimits.check(observer: name, of: source)
        try await write(by: source, now: now()) { writer in
            // Who is not known has none, and need not be known for that.
            guard let number = writer.sourceNumber else { return }
            try writer.connection.execute(
                sql: "DELETE FROM health_observer WHERE source = ? AND name = ?", arguments: [number, name])
        }
    }
}

extension SampleWriter {
    /// What is kept of the observer of that name.
    fileprivate func record(of observer: SampleObserver) throws -> ObserverRecord? {
        try ObserverRecord(named: observer.name, of: source, store: store, in: connection)
    }
}

extension ObserverRecord {
    /// What is kept of an observer; `nil` if there is none of that name.
    fileprivate init?(
        named name: String, of source: SampleSource, store: Int64, in connection: GRDB.Database
    ) throws {
        let row = try Row.fetchOne(
            connection,
            sql: """
                SELECT query, minimum_interval, acknowledged, delivered FROM health_observer
                WHERE name = ? AND source = (SELECT number FROM health_source WHERE store = ? AND identifier = ?)
                """, arguments: [name, store, source.identifier])
        guard let row else { return nil }
        let query = try JSONDecoder().decode(SampleQuery.self, from: try row.value(0))
        self.init(
            observer: SampleObserver(name: name, query: query, minimumInterval: try row.value(1)),
            acknowledged: try (row.value(2) as String?).flatMap { Anchor($0) },
            delivered: try (row.value(3) as Double?).map { Date(timeIntervalSinceReferenceDate: $0) })
    }
}
