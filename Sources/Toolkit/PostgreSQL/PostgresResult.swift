import CPostgreSQL
import Foundation
import Persistence

/// The result of a statement, whose columns are in binary form.
final class PostgresResult {
    private let result: OpaquePointer

    init(_ result: OpaquePointer) {
        self.result = result
    }

    deinit { PQclear(result) }

    var status: ExecStatusType { PQresultStatus(result) }

    /// The server's error; `nil` if the statement succeeded.
    var error: PostgresError? {
        switch status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_PIPELINE_SYNC: nil
        case PGRES_PIPELINE_ABORTED: PostgresError(message: "An earlier statement failed.")
        default:
            PostgresError(
                sqlState: PQresultErrorField(result, CInt(UInt8(ascii: "C"))).map { String(cString: $0) },
                message: String(cString: PQresultErrorMessage(result)).trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    /// The name of the command that has run, such as `COMMIT`.
    var command: String { String(cString: PQcmdStatus(result)) }

    /// The number of rows that the statement has inserted, changed or deleted.
    var changedRows: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }
}

extension PostgresResult {
    /// The first value of a result in text form; `nil` if there is none.
    var firstText: String? {
        PQntuples(result) > 0 && PQgetisnull(result, 0, 0) == 0
            ? PQgetvalue(result, 0, 0).map { String(cString: $0) } : nil
    }

    /// Passes each row to a closure, until it returns `false`.
    func forEachRow(_ body: (SQLRow) throws -> Bool) throws {
        let count = PQnfields(result)
        let columns = SQLRow.Columns((0..<count).map { String(cString: PQfname(result, $0)) })
        let types = (0..<count).map { PQftype(result, $0) }
        for row in 0..<PQntuples(result) {
            let values = try (0..<count).map { try value(row, $0, of: types[Int($0)]) }
            guard try body(SQLRow(values, of: columns)) else { return }
        }
    }

    /// Decodes a value; the numbers of the types are those of PostgreSQL's `pg_type.dat`.
    private func value(_ row: CInt, _ column: CInt, of type: Oid) throws -> SQLValue {
        guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column) else { return .null }
        let length = Int(PQgetlength(result, row, column))
        return try start.withMemoryRebound(to: UInt8.self, capacity: length) { start in
            let bytes = UnsafeBufferPointer(start: start, count: length)
            switch (type, length) {
            case (16, 1): return .integer(bytes[0] == 0 ? 0 : 1)
            case (21, 2): return .integer(Int64(Int16(truncatingIfNeeded: Self.bits(bytes))))
            case (23, 4): return .integer(Int64(Int32(truncatingIfNeeded: Self.bits(bytes))))
            case (20, 8): return .integer(Int64(bitPattern: Self.bits(bytes)))
            case (26, 4): return .integer(Int64(Self.bits(bytes)))
            case (700, 4): return .real(Double(Float(bitPattern: UInt32(Self.bits(bytes)))))
            case (701, 8): return .real(Double(bitPattern: Self.bits(bytes)))
            case (1700, 8...): return Self.number(bytes)
            case (17, _): return .blob(Data(bytes))
            // text, varchar, bpchar, name, unknown
            case (25, _), (1043, _), (1042, _), (19, _), (705, _): return .text(PostgresText.text(bytes))
            // void
            case (2278, _): return .null
            default:
                let name = PQfname(result, column).map { String(cString: $0) } ?? ""
                throw PostgresError(message: "The column \(name) has a type that this program can't read (\(type)).")
            }
        }
    }

    private static func bits(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Decodes a `numeric`, such as the sum of a column: an integer if it has no fraction and fits, else a number of 53 bits.
    ///
    /// Its form is that of `numeric_send`: the number of digits of base 10,000, the weight of the first one, the sign, and the
    /// number of decimals, each of two bytes; and the digits.
    private static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> SQLValue {
        func half(_ index: Int) -> Int { Int(bytes[2 * index]) << 8 | Int(bytes[2 * index + 1]) }
        let count = min(half(0), bytes.count / 2 - 4)
        let weight = Int(Int16(truncatingIfNeeded: half(1)))
        let sign = half(2)
        // Not a number, and infinities.
        guard sign == 0 || sign == 0x4000 else {
            return .real(sign == 0xC000 ? .nan : sign == 0xD000 ? .infinity : -.infinity)
        }
        let digits = (0..<count).map { half(4 + $0) }
        var integer: Int64? = 0
        var real = 0.0
        for place in 0..<max(count, weight + 1) {
            let digit = place < count ? digits[place] : 0
            real += Double(digit) * pow(10_000, Double(weight - place))
            guard place <= weight else {
                if digit != 0 { integer = nil }
                continue
            }
            integer = integer.flatMap { number in
                let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10_000)
                let (sum, isSumTooLarge) = product.subtractingReportingOverflow(Int64(digit))
                return isTooLarge || isSumTooLarge ? nil : sum
            }
        }
        // Negative so far, because there is one more negative number.
        if let integer, sign == 0x4000 { return .integer(integer) }
        if let integer, integer > .min { return .integer(-integer) }
        return .real(sign == 0x4000 ? -real : real)
    }
}
