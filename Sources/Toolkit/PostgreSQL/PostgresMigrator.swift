import CPostgreSQL
import Foundation
import FuturesFoundation
import Persistence

/// Creates the tables of a database, or changes them to their newest form.
struct PostgresMigrator {
    private let address: PostgresAddress
    private let limits: PostgresLimits
    private let opensUnfinishedMove: Bool
    /// The longest time of a migration.
    private static let limit = Duration.seconds(3_600)
    /// Deletes tokens that no program looks up any more; by the server's clock, because those of programs may be wrong.
    static let tokenDeletion = "DELETE FROM commit_token WHERE written_at < now() - INTERVAL '1 day'"

    init(_ address: PostgresAddress, _ limits: PostgresLimits, opensUnfinishedMove: Bool) {
        (self.address, self.limits, self.opensUnfinishedMove) = (address, limits, opensUnfinishedMove)
    }

    /// Runs the migrations that haven't run, in one transaction, while no other program migrates.
    ///
    /// - Returns: The name of the schema that contains the tables.
    func migrate(_ migrations: [SQLMigration]) async throws(StoreError) -> String {
        let result = await WorkerThreads.disk.runUncancellable { [self] _ in
            Result { try run(migrations) }
        }
        do {
            return try result.get()
        } catch {
            throw StoreError(error, ofPostgreSQLDatabase: address.description)
        }
    }

    private func run(_ migrations: [SQLMigration]) throws -> String {
        let connection = try PostgresConnection.open(address, limits)
        defer { PQfinish(connection) }
        let encoding = try value("SHOW server_encoding", connection)
        guard encoding == "UTF8" else {
            throw StoreError(
                .notWritable,
                "\(address) stores texts as \(encoding ?? "?"). Create a database with the encoding UTF8: createdb --encoding "
                    + "UTF8 --template template0 NAME")
        }
        guard let schema = try value("SELECT current_schema()", connection) else {
            throw StoreError(
                .notWritable, "\(address) has no schema that this user may use. Create one: CREATE SCHEMA NAME")
        }
        // The lock ends with the transaction, and so with the connection.
        try execute(
            "BEGIN; SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || '/schema', 0))", connection)
        // Conversions may take longer than statements may otherwise.
        try execute("SET LOCAL statement_timeout = 0", connection)
        try execute(
            """
            CREATE TABLE IF NOT EXISTS commit_token (
                token TEXT COLLATE "C" PRIMARY KEY,
                written_at TIMESTAMPTZ NOT NULL DEFAULT now()
            );
            CREATE INDEX IF NOT EXISTS commit_token_by_time ON commit_token (written_at);
            \(Self.tokenDeletion)
            """, connection)
        try execute(
            """
            CREATE TABLE IF NOT EXISTS schema_migration (
                identifier TEXT COLLATE "C" PRIMARY KEY,
                applied_at TIMESTAMPTZ NOT NULL DEFAULT now()
            )
            """, connection)
        let applied = Set(
            try value("SELECT coalesce(string_agg(identifier, '/'), '') FROM schema_migration", connection)?
                .split(separator: "/").map(String.init) ?? [])
        if let newest = applied.subtracting(migrations.map(\.identifier)).max() {
            throw StoreError(
                .newerVersion,
                "\(address) was written by a newer version of this program (it knows “\(newest)”). Use that version, or "
                    + "another database. Nothing was changed.")
        }
        if !opensUnfinishedMove, let source = try sourceOfUnfinishedMove(connection) {
            throw DatabaseMoveMark.unfinished(address.description, from: source)
        }
        for migration in migrations where !applied.contains(migration.identifier) {
            do {
                try execute(migration.sql, connection)
                try execute("INSERT INTO schema_migration (identifier) VALUES ('\(migration.identifier)')", connection)
            } catch {
                throw StoreError(
                    .migrationFailed,
                    "\(address) could not be migrated to “\(migration.identifier)”. Nothing was changed. (\(error))",
                    cause: error)
            }
        }
        try execute("COMMIT", connection)
        return schema
    }

    /// The name of the database whose data is being moved to this one; `nil` if there is none.
    private func sourceOfUnfinishedMove(_ connection: OpaquePointer) throws(PostgresError) -> String? {
        guard try value("SELECT to_regclass('\(DatabaseMoveMark.table)')", connection) != nil else { return nil }
        return try value("SELECT place FROM \(DatabaseMoveMark.table) WHERE role = 'target'", connection)
    }

    @discardableResult
    private func execute(_ sql: String, _ connection: OpaquePointer) throws(PostgresError) -> PostgresResult {
        try PostgresConnection.execute(sql, on: connection, until: .now + Self.limit)
    }

    /// The first value of a result.
    private func value(_ sql: String, _ connection: OpaquePointer) throws(PostgresError) -> String? {
        try execute(sql, connection).firstText
    }
}
