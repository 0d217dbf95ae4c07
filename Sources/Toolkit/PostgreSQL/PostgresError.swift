import Persistence

/// An error that the PostgreSQL server or libpq has reported.
///
/// The SQLSTATE codes: https://www.postgresql.org/docs/15/errcodes-appendix.html
struct PostgresError: Error, CustomStringConvertible {
    /// The code of five characters; `nil` if the error isn't the server's.
    var sqlState: String?
    /// The message of the server or libpq.
    var message: String
    /// Whether the connection can't be used any more.
    var isConnectionLost = false

    var description: String { message }

    /// The connection was lost, or could not be opened.
    static func connectionLost(_ message: String) -> PostgresError {
        PostgresError(message: message, isConnectionLost: true)
    }

    /// A connection could not be opened.
    ///
    /// libpq 15 has no code for that. What another attempt can't mend is recognised by its message, unless the server writes that in
    /// another language; then the attempts are repeated.
    static func refusal(of message: String) -> PostgresError {
        let refusals = [
            "password authentication failed", "no password supplied", "no pg_hba.conf entry", "does not exist",
            "certificate verify failed", "root certificate file", "server certificate for", "does not support SSL",
            "channel binding", "invalid sslmode", "invalid connection option",
        ]
        guard refusals.contains(where: message.contains) else { return .connectionLost(message) }
        // invalid_authorization_specification
        return PostgresError(sqlState: "28000", message: message)
    }
}

extension PostgresError {
    /// Whether the transaction may succeed if it is run again, perhaps by another server.
    var isWorthRetrying: Bool {
        if isConnectionLost { return true }
        return switch sqlState {
        // Conflicts: serialization_failure, deadlock_detected.
        case "40001", "40P01": true
        // Ends of servers and connections: admin_shutdown, crash_shutdown, cannot_connect_now, idle sessions that were ended,
        // and too_many_connections.
        case "57P01", "57P02", "57P03", "57P05", "25P03", "53300": true
        // This server has become, or still is, a standby: read_only_sql_transaction.
        case "25006": true
        // A statement was prepared before a migration: "cached plan must not change result type".
        case "0A000": message.contains("cached plan")
        // Not a lost connection, but a statement with too few arguments: protocol_violation.
        case "08P01": false
        case let state?: state.hasPrefix("08")
        case nil: false
        }
    }

    /// Whether a new connection is needed before anything can succeed.
    var endsConnection: Bool {
        isConnectionLost || isWorthRetrying && sqlState != "40001" && sqlState != "40P01"
    }
}

extension StoreError {
    /// Creates the error of a failed transaction in a PostgreSQL database.
    ///
    /// - Parameters:
    ///   - error: The error; a ``StoreError`` is copied unchanged.
    ///   - name: The database's name.
    init(_ error: any Error, ofPostgreSQLDatabase name: String) {
        switch error {
        case let error as StoreError: self = error
        case let error as PostgresError: self.init(error, of: name)
        case is SQLDecodingError:
            self.init(
                .queryFailed,
                "A row of \(name) is damaged: no version of this program writes such a row. Nothing was changed. Restore a "
                    + "backup.", cause: error)
        case is CancellationError:
            self.init(.cancelled, "The task was cancelled. Nothing was written.", cause: error)
        default:
            self.init(.abandoned, "A change of the database was abandoned: \(error)", cause: error)
        }
    }

    private init(_ error: PostgresError, of name: String) {
        if error.sqlState == DatabaseMoveMark.sqlState, let message = DatabaseMoveMark.refusal(in: error.message) {
            self.init(.notWritable, message, cause: error)
            return
        }
        let (code, text): (Code, String) =
            switch error.sqlState {
            case nil where error.isConnectionLost:
                (
                    .inputOutput,
                    "\(name) can't be reached. Check that the server runs, then try again. Nothing was written."
                )
            // disk_full, out_of_memory
            case "53100", "53200":
                (.diskFull, "\(name) cannot grow: the server's disk or memory is full. Nothing was written.")
            // query_canceled (by its time limit), lock_not_available
            case "57014", "55P03":
                (.locked, "\(name) was busy for too long. Try again. Nothing was written.")
            case "25006":
                (.notWritable, "\(name) can only be read now: the server is a standby. Name the primary server.")
            // data_corrupted, index_corrupted
            case "XX001", "XX002":
                (.corrupt, "\(name) is damaged. Restore a backup.")
            // invalid_password, invalid_authorization, insufficient_privilege, undefined database
            case "28P01", "28000", "42501", "3D000":
                (
                    .notWritable,
                    "\(name) refused this program. Check the name of the database, the user, the password, and the certificate."
                )
            case _ where error.isWorthRetrying:
                (.locked, "\(name) was busy for too long. Try again. Nothing was written.")
            default:
                (.queryFailed, "\(name) rejected a statement. Nothing was written.")
            }
        self.init(code, "\(text) (\(error.message))", cause: error)
    }
}
