import Foundation
import Futures
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import PostgreSQL

/// A database of its own for one test.
func openDatabase(
    _ address: PostgresAddress? = nil, _ limits: PostgresLimits = ServedPostgreSQL.limits, _ statements: String...
) async throws -> PostgresDatabase {
    let address = if let address { address } else { try await ServedPostgreSQL.newSchema() }
    return try await PostgresDatabase.open(
        address, limits: limits,
        migrations: statements.enumerated().map { SQLMigration("test.\($0.offset)", $0.element) })
}

let counter =
    "CREATE TABLE counter (name TEXT PRIMARY KEY, number BIGINT NOT NULL); INSERT INTO counter VALUES ('a', 0)"

extension PostgresDatabase {
    /// The number of a counter.
    func number(_ name: String = "a") async throws -> Int? {
        try await readRows { try $0.value("SELECT number FROM counter WHERE name = ?", [name]) }
    }

    func increment(_ name: String = "a") async throws {
        try await writeRows(locking: []) { connection in
            _ = try connection.execute("UPDATE counter SET number = number + 1 WHERE name = ?", [name])
        }
    }
}

/// Statements and their values.
@Suite(.timeLimit(.minutes(5))) struct PostgresValueTests {
    static let texts = [
        "", "a", "\u{0}", "\u{0}\u{1}", "\u{1}0", "\u{1}1\u{1}", "a\u{0}b", "\u{10FFFF}\u{FFFD}", "e\u{301}", "👩‍👧",
        "'; DROP TABLE x; --",
        "\\x00", "\u{7f}\r\n\t", String(repeating: "ä", count: 70_000),
    ]

    @Test func everyValueIsReadAsItWasWritten() async throws {
        let database = try await openDatabase(
            nil, ServedPostgreSQL.limits, "CREATE TABLE t (n BIGINT, d DOUBLE PRECISION, s TEXT COLLATE \"C\", b BYTEA)"
        )
        let bytes = Data((0...255).map(UInt8.init))
        let numbers = [Int64.min, -1, 0, 1, .max]
        let reals = [0, -0.0, 1.5, .pi, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity, 1e-7]
        try await database.writeRows(locking: []) { connection in
            for number in numbers { try connection.execute("INSERT INTO t (n) VALUES (?)", [number]) }
            for real in reals { try connection.execute("INSERT INTO t (d) VALUES (?)", [real]) }
            for text in Self.texts { try connection.execute("INSERT INTO t (s) VALUES (?)", [text]) }
            for blob in [Data(), bytes] { try connection.execute("INSERT INTO t (b) VALUES (?)", [blob]) }
        }
        try await database.readRows { connection in
            #expect(try connection.values("SELECT n FROM t WHERE n IS NOT NULL ORDER BY n", as: Int64.self) == numbers)
            for real in reals {
                let read = try connection.value("SELECT d FROM t WHERE d = ? LIMIT 1", [real], as: Double.self)
                #expect(read == real)
            }
            for text in Self.texts {
                let row = try #require(try connection.row("SELECT s, n, d, b FROM t WHERE s = ?", [text]))
                let read: String = try row.decode(forColumn: "s")
                #expect(Array(read.unicodeScalars) == Array(text.unicodeScalars))
                #expect(row.values[1...] == [.null, .null, .null])
            }
            #expect(
                try connection.values("SELECT b FROM t WHERE b IS NOT NULL ORDER BY b", as: Data.self) == [
                    Data(), bytes,
                ])
        }
    }

    @Test(arguments: [
        ("0", SQLValue.integer(0)), ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("9223372036854775808", .real(9_223_372_036_854_775_808)), ("10000", .integer(10_000)),
        ("120000000", .integer(120_000_000)),
        ("0.5", .real(0.5)), ("-12345.25", .real(-12_345.25)), ("1.000", .integer(1)), ("1e30", .real(1e30)),
        ("Infinity", .real(.infinity)), ("-Infinity", .real(-.infinity)),
    ])
    func numbersOfAnyLengthAreDecoded(text: String, value: SQLValue) async throws {
        let database = try await openDatabase()
        let read = try await database.readRows { try $0.row("SELECT CAST('\(text)' AS NUMERIC)")?.values[0] }
        #expect(read == value)
    }

    @Test func otherTypesAreDecodedOrRefused() async throws {
        let database = try await openDatabase()
        let row = try await database.readRows {
            try $0.row(
                "SELECT true, CAST(-2 AS SMALLINT), CAST(3 AS INTEGER), CAST(0.5 AS REAL), CAST('a' AS VARCHAR), CAST('b' AS NAME)"
            )
        }
        #expect(row?.values == [.integer(1), .integer(-2), .integer(3), .real(0.5), .text("a"), .text("b")])
        let error = await #expect(throws: StoreError.self) {
            try await database.readRows { _ = try $0.row("SELECT now()") }
        }
        #expect(error?.code == .queryFailed)
    }

    @Test(arguments: [
        ("SELECT ?, ?", "SELECT $1, $2"), ("SELECT ?2, ?1, ?2", "SELECT $2, $1, $2"),
        ("SELECT '?', ?", "SELECT '?', $1"),
        ("SELECT 'it''s ?', \"a?b\", ?", "SELECT 'it''s ?', \"a?b\", $1"), ("?10", "$10"), ("", ""), ("'?", "'?"),
    ])
    func placeholdersAreTranslated(sql: String, translated: String) {
        #expect(PostgresStatement.translate(sql) == translated)
    }

    /// More statements than are prepared at the same time, and results larger than the buffers of a connection.
    @Test func manyStatementsAndLargeValuesFitOneConnection() async throws {
        var limits = ServedPostgreSQL.limits
        limits.connections = 1
        let database = try await openDatabase(nil, limits)
        for first in stride(from: 0, to: 1_200, by: 100) {
            let sum = try await database.readRows { connection in
                try (first..<first + 100).reduce(0) { try $0 + (connection.value("SELECT \($1)") ?? 0) }
            }
            #expect(sum == (first..<first + 100).reduce(0, +))
        }
        let large = Data((0..<90_000).map { UInt8(truncatingIfNeeded: $0) }) + Data(count: 9_000_000)
        let (read, count) = try await database.readRows { connection in
            (
                try connection.value("SELECT CAST(? AS BYTEA)", [large], as: Data.self),
                try connection.values("SELECT CAST(? AS BYTEA) FROM generate_series(1, 5)", [large], as: Data.self)
                    .count
            )
        }
        #expect(read == large && count == 5)
    }
}
