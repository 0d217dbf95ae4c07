import CPostgreSQL
import Foundation
package import PostgreSQL

/// A connection of libpq without anything around it, which waits for each statement: the peer of figures.
package final class BareConnection {
    private let connection: OpaquePointer?
    private var names: [String: String] = [:]
    /// The error of the first statement that failed.
    package private(set) var failure: String?

    /// Connects to a server.
    package init(_ address: PostgresAddress) { connection = PQconnectdb(address.text) }

    deinit { PQfinish(connection) }

    /// Runs a prepared statement; returns the first value in text form.
    @discardableResult
    package func run(_ sql: String, _ arguments: [String?] = []) -> String? {
        let name = names[sql] ?? "bare\(names.count)"
        if names.updateValue(name, forKey: sql) == nil { PQclear(PQprepare(connection, name, sql, 0, nil)) }
        let values = arguments.map { $0.flatMap { strdup($0) } }
        defer {
            for value in values { free(value) }
        }
        let result = PQexecPrepared(
            connection, name, CInt(values.count), values.map { UnsafePointer($0) }, nil, nil, 0)
        defer { PQclear(result) }
        if ![PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)), failure == nil {
            failure = "\(sql): \(String(cString: PQerrorMessage(connection)))"
        }
        return PQntuples(result) > 0 ? String(cString: PQgetvalue(result, 0, 0)) : nil
    }
}
