import CPostgreSQL
import Foundation
package import Persistence

/// Where a PostgreSQL database is, and who uses it.
package struct PostgresAddress: Sendable, CustomStringConvertible {
    /// The address as libpq reads it, which may contain a password.
    package let text: String
    /// How TLS is used, unless the address says so.
    ///
    /// libpq alone would connect without TLS, and wouldn't check the certificate: an attacker on the network could read the password.
    let tls: String
    /// The hosts, the port and the name of the database, for messages.
    package let description: String

    /// Checks an address.
    ///
    /// - Parameter text: `postgres://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETER=VALUE`; all parts may be missing, and there may
    ///   be several hosts: https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING
    ///   If a host isn't this computer, the connection uses TLS and checks the certificate, unless `sslmode` says otherwise.
    /// - Throws: ``StoreError`` with the code `invalidName` if it isn't one.
    package init(_ text: String) throws(StoreError) {
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else {
            throw StoreError(
                .invalidName,
                "The address of the database must begin with postgres://, as in postgres://user@host/database.")
        }
        guard !text.utf8.contains(0) else {
            throw StoreError(.invalidName, "The address of the database contains a null character.")
        }
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &message) else {
            defer { PQfreemem(message) }
            let reason = message.map { String(cString: $0).trimmingCharacters(in: .whitespacesAndNewlines) }
            // The reason may quote a part of the address, and so the password.
            throw StoreError(
                .invalidName,
                "The address of the database is invalid; it must have the form postgres://user@host/database.",
                cause: reason.map { PostgresError(message: $0) })
        }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            values[String(cString: keyword)] = option.pointee.val.map { String(cString: $0) }
            option += 1
        }
        let host = values["host"] ?? values["hostaddr"] ?? ""
        let port = values["port"].map { ":\($0)" } ?? ""
        let isLocal = host.split(separator: ",").allSatisfy {
            $0.hasPrefix("/") || ["localhost", "127.0.0.1", "::1"].contains($0)
        }
        tls = isLocal ? "prefer" : "verify-full"
        self.text = text
        description = "postgres://\(host)\(port)/\(values["dbname"] ?? "")"
    }
}
