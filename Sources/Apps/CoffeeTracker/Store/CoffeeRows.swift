import CoffeeTrackerModel
import Foundation
import HealthSamples
import Persistence

/// One owner's rows within one transaction.
struct CoffeeRows {
    let connection: any SQLConnection
    let owner: OwnerID
    let makeID: @Sendable () -> UUID

    private static let columns = """
        id, name, emoji, milligrams, millilitres, start, sipping, time_zone, version, told, is_deleted, sample_id,
        sample_identifier, source, source_name
        """

    /// The clause with which PostgreSQL replaces a row.
    private static let update = """
        ON CONFLICT (owner, id) DO UPDATE SET
            name = excluded.name, emoji = excluded.emoji, milligrams = excluded.milligrams,
            millilitres = excluded.millilitres, start = excluded.start, sipping = excluded.sipping,
            time_zone = excluded.time_zone, version = excluded.version, told = excluded.told,
            is_deleted = excluded.is_deleted, sample_key = excluded.sample_key, sample_id = excluded.sample_id,
            sample_identifier = excluded.sample_identifier, source = excluded.source,
            source_name = excluded.source_name
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
        var arguments: SQLArguments = [
            owner, drink.id.uuidString, drink.name, drink.emoji, drink.milligrams, drink.millilitres,
            drink.start.milliseconds, Int64((drink.sipping * 1000).rounded()), drink.timeZone, record.version,
            record.syncedVersion, record.isDeleted,
        ]
        arguments += [
            record.sample.map { Self.text($0.key) }, record.sample?.id.uuidString, record.sample?.sync?.identifier,
            record.sample?.source, record.sample.map { _ in drink.source.name },
        ]
        var (insert, conflict) = ("INSERT OR REPLACE", "")
        if connection.dialect == .postgreSQL {
            if let sample = record.sample {
                // SQLite replaces such a row too.
                try connection.execute(
                    "DELETE FROM coffee_drink WHERE owner = ? AND sample_key = ? AND id != ?",
                    [owner, Self.text(sample.key), drink.id.uuidString])
            }
            (insert, conflict) = ("INSERT", Self.update)
        }
        try connection.execute(
            """
            \(insert) INTO coffee_drink (owner, id, name, emoji, milligrams, millilitres, start, sipping,
                time_zone, version, told, is_deleted, sample_key, sample_id, sample_identifier, source, source_name)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \(conflict)
            """, arguments)
    }

    func remove(_ id: Drink.ID) throws {
        try connection.execute("DELETE FROM coffee_drink WHERE owner = ? AND id = ?", [owner, id.uuidString])
    }

    func removeDeletedForeignDrinks() throws {
        try connection.execute(
            "DELETE FROM coffee_drink WHERE owner = ? AND is_deleted AND sample_key IS NOT NULL", [owner])
    }

    func newID() -> Drink.ID { makeID() }

    func recordCount() throws -> Int { try OwnerUsage.amount(of: .drinks, owner: owner, in: connection) }

    func drinkCount(from start: Date, to end: Date) throws -> Int {
        try connection.value(
            "SELECT count(*) FROM coffee_drink WHERE owner = ? AND start >= ? AND start < ? AND NOT is_deleted",
            [owner, start.milliseconds, end.milliseconds], as: Int.self) ?? 0
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
        try connection.value(
            "SELECT count(*) FROM coffee_drink WHERE owner = ? AND told < version", [owner], as: Int.self) ?? 0
    }

    func known(own: SampleSource) throws -> [KnownSample] {
        // Other programs' versions may start at 0.
        try records("NOT is_deleted AND (sample_key IS NOT NULL OR told > 0)", []).compactMap { $0.known(own: own) }
    }

    /// The revision of the last change, and where reading the health store continues.
    func state() throws -> (revision: Int, anchor: Anchor?) {
        let row = try connection.row("SELECT revision, anchor FROM coffee_state WHERE owner = ?", [owner])
        guard let row else { return (0, nil) }
        // A damaged anchor is ignored: the health store is then read and compared completely.
        return (try row.decode(atIndex: 0), try row.decode(String?.self, atIndex: 1).flatMap { Anchor($0) })
    }

    func put(revision: Int, anchor: Anchor?) throws {
        try connection.execute(
            """
            INSERT INTO coffee_state (owner, revision, anchor) VALUES (?1, ?2, ?3)
            ON CONFLICT (owner) DO UPDATE SET revision = ?2, anchor = ?3
            """, [owner, revision, anchor?.description])
    }

    private func records(_ condition: String, _ arguments: SQLArguments) throws -> [DrinkRecord] {
        var records: [DrinkRecord] = []
        let sql = "SELECT \(Self.columns) FROM coffee_drink WHERE owner = ? AND \(condition)"
        try connection.forEachRow(sql, [owner] + arguments) { row in
            records.append(try DrinkRecord(row))
            return true
        }
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
    fileprivate init(_ row: SQLRow) throws {
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
