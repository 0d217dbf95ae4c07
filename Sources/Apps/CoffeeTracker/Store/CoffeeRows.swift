import CoffeeTrackerModel
import Foundation
import GRDB
import HealthSamples
import Persistence

/// One owner's rows within one transaction.
struct CoffeeRows {
    let connection: Database
    let owner: OwnerID
    let makeID: @Sendable () -> UUID

    private static let columns = """
        id, name, emoji, milligrams, millilitres, start, sipping, time_zone, version, told, is_deleted, sample_id,
        sample_identifier, source, source_name
        """
}

extension CoffeeRows: DrinkRows {
    func record(_ id: Drink.ID) throws -> DrinkRecord? {
        try records("id = ?", [id.uuidString]).first
    }

    func record(of key: SampleKey) throws -> DrinkRecord? {
        try records("sample_key = ?", [Self.text(key)]).first
    }

    func put(_ record: DrinkRecord) throws {
        let drink = record.drink.sanitized
        var arguments: StatementArguments = [
            owner, drink.id.uuidString, drink.name, drink.emoji, drink.milligrams, drink.millilitres,
            drink.start.milliseconds, Int64((drink.sipping * 1000).rounded()), drink.timeZone, record.version,
            record.syncedVersion, record.isDeleted,
        ]
        arguments += [
            record.sample.map { Self.text($0.key) }, record.sample?.id.uuidString, record.sample?.sync?.identifier,
            record.sample?.source, record.sample.map { _ in drink.source.name },
        ]
        try connection.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO coffee_drink (owner, id, name, emoji, milligrams, millilitres, start, sipping,
                    time_zone, version, told, is_deleted, sample_key, sample_id, sample_identifier, source, source_name)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: arguments)
    }

    func remove(_ id: Drink.ID) throws {
        try connection.cachedStatement(sql: "DELETE FROM coffee_drink WHERE owner = ? AND id = ?")
            .execute(arguments: [owner, id.uuidString])
    }

    func removeDeletedForeignDrinks() throws {
        try connection.cachedStatement(
            sql: "DELETE FROM coffee_drink WHERE owner = ? AND is_deleted AND sample_key IS NOT NULL"
        ).execute(arguments: [owner])
    }

    func newID() -> Drink.ID { makeID() }

    func recordCount() throws -> Int { try OwnerUsage.amount(of: .drinks, owner: owner, in: connection) }

    func drinkCount(from start: Date, to end: Date) throws -> Int {
        try Int.fetchOne(
            connection.cachedStatement(
                sql: "SELECT count(*) FROM coffee_drink WHERE owner = ? AND start >= ? AND start < ? AND NOT is_deleted"
            ),
            arguments: [owner, start.milliseconds, end.milliseconds]) ?? 0
    }
}

extension CoffeeRows {
    func drinks(from start: Date, to end: Date?) throws -> [Drink] {
        let end = end?.milliseconds ?? .max
        return try records(
            "start >= ? AND start < ? AND NOT is_deleted ORDER BY start DESC, id", [start.milliseconds, end]
        ).map(\.drink)
    }

    func drinks(withIDPrefix prefix: String) throws -> [Drink] {
        // Tilde sorts after every character of an identifier.
        try records("id >= ? AND id < ? AND NOT is_deleted ORDER BY start DESC, id", [prefix, prefix + "~"])
            .map(\.drink)
    }

    /// The drinks to send to the health store, the oldest first.
    func unsynced() throws -> [DrinkRecord] { try records("told < version ORDER BY start, id", []) }

    func unsyncedCount() throws -> Int {
        try Int.fetchOne(
            connection.cachedStatement(sql: "SELECT count(*) FROM coffee_drink WHERE owner = ? AND told < version"),
            arguments: [owner]) ?? 0
    }

    func known(own: SampleSource) throws -> [KnownSample] {
        // Other programs' versions may start at 0.
        try records("NOT is_deleted AND (sample_key IS NOT NULL OR told > 0)", []).compactMap { $0.known(own: own) }
    }

    /// The revision of the last change, and where reading the health store continues.
    func state() throws -> (revision: Int, anchor: Anchor?) {
        let row = try Row.fetchOne(
            connection.cachedStatement(sql: "SELECT revision, anchor FROM coffee_state WHERE owner = ?"),
            arguments: [owner])
        guard let row else { return (0, nil) }
        // A damaged anchor is ignored: the health store is then read and compared completely.
        return (try row.decode(atIndex: 0), try row.decode(String?.self, atIndex: 1).flatMap { Anchor($0) })
    }

    func put(revision: Int, anchor: Anchor?) throws {
        try connection.cachedStatement(
            sql: "INSERT OR REPLACE INTO coffee_state (owner, revision, anchor) VALUES (?, ?, ?)"
        ).execute(arguments: [owner, revision, anchor?.description])
    }

    private func records(_ condition: String, _ arguments: StatementArguments) throws -> [DrinkRecord] {
        let statement = try connection.cachedStatement(
            sql: "SELECT \(Self.columns) FROM coffee_drink WHERE owner = ? AND \(condition)")
        var records: [DrinkRecord] = []
        let rows = try Row.fetchCursor(statement, arguments: [owner] + arguments)
        while let row = try rows.next() { records.append(try DrinkRecord(row)) }
        return records
    }

    /// A unique text for a key.
    private static func text(_ key: SampleKey) -> String {
        switch key {
        case .id(let id): "id \(id.uuidString)"
        case .sync(let source, let identifier): "sync \(source.utf8.count) \(source) \(identifier)"
        }
    }
}

extension DrinkRecord {
    /// Decodes a row by column index.
    fileprivate init(_ row: Row) throws {
        let text: String = try row.decode(atIndex: 0)
        guard let id = UUID(uuidString: text) else {
            throw CoffeeError.storage(CoffeeWords.damaged(id: text))
        }
        let version: Int = try row.decode(atIndex: 8)
        let sampleID: String? = try row.decode(atIndex: 11)
        let sourceID: String? = try row.decode(atIndex: 13)
        var sample: KnownSample?
        var source = DrinkSource.own
        // The owner's own drinks have neither. If only one is present, the row is refused: otherwise another program's
        // drink could be changed, and sent as the owner's.
        if sampleID != nil || sourceID != nil {
            guard let sourceID, let sampleUUID = sampleID.flatMap(UUID.init(uuidString:)) else {
                throw CoffeeError.storage(CoffeeWords.damagedSource(of: text))
            }
            let syncIdentifier: String? = try row.decode(atIndex: 12)
            let sync = syncIdentifier.map { SyncIdentity(identifier: $0, version: version) }
            sample = KnownSample(id: sampleUUID, sync: sync, source: sourceID)
            source = .other(name: try row.decode(String?.self, atIndex: 14) ?? sourceID, identifier: sourceID)
        }
        let drink = Drink(
            id: id, name: try row.decode(atIndex: 1), emoji: try row.decode(atIndex: 2),
            milligrams: try row.decode(atIndex: 3), millilitres: try row.decode(atIndex: 4),
            start: Date(milliseconds: try row.decode(atIndex: 5)),
            sipping: Double(try row.decode(Int64.self, atIndex: 6)) / 1000, timeZone: try row.decode(atIndex: 7),
            source: source
        ).sanitized
        self.init(
            drink: drink, version: version, syncedVersion: try row.decode(atIndex: 9),
            isDeleted: try row.decode(atIndex: 10), sample: sample)
    }
}

extension Date {
    /// Whole milliseconds since 1970, clamped to about 31,700 years, so that the conversion to an integer can't trap.
    fileprivate var milliseconds: Int64 {
        Int64(max(-1e15, min(1e15, (timeIntervalSince1970 * 1000).rounded())))
    }

    fileprivate init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
