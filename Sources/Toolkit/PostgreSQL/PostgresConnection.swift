import CPostgreSQL
import Foundation
import Persistence

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How long a database may take.
package struct PostgresLimits: Sendable {
    /// The longest time until a connection to one host is open.
    package var connecting = Duration.seconds(5)
    /// The longest time of a statement, including its wait for locks.
    package var statement = Duration.seconds(30)
    /// How long transactions are repeated after conflicts and while no server can be reached.
    package var retrying = Duration.seconds(30)
    /// How long an operation waits for a connection that others use.
    package var waiting = Duration.seconds(30)
    /// How long the connection for notifications may be unused before it is checked.
    package var quiet = Duration.seconds(30)
    /// The number of connections, apart from the one for notifications.
    package var connections = 8

    package init() {}
}

/// A connection to a PostgreSQL server, in libpq's pipeline mode.
///
/// Several statements can be sent without waiting for the results in between:
/// https://www.postgresql.org/docs/15/libpq-pipeline-mode.html
///
/// It is safe to send it to another thread, because only one thread uses it at a time: ``PostgresPool`` lends it to one piece of
/// work until that ends. Its calls block that thread, up to the limit of a statement.
final class PostgresConnection: @unchecked Sendable {
    /// A statement to send.
    struct Command {
        var sql: String
        var arguments = SQLArguments([])
        /// Whether the statement is prepared once, and then only named.
        var isPrepared = true
    }

    private let connection: OpaquePointer
    private let limits: PostgresLimits
    /// The names of the prepared statements, by their SQL.
    private var prepared: [String: String] = [:]
    private var preparedCount = 0
    /// The first statements of reads, by their SQL, and whether each was always the only one.
    var loneReads: [String: Bool] = [:]
    /// The number of statements whose results haven't been read yet, each followed by that of its synchronisation.
    private var unread = 0
    /// Whether an error has made the connection useless.
    private(set) var isBroken = false
    /// The timeline of the server's log: a standby that becomes the primary begins a new one.
    private(set) var timeline = ""
    /// The ID of the database when the connection was opened.
    var instanceID = UUID()

    private static let maximumPrepared = 500
    /// How much longer than a statement may take its answer may take.
    private static let grace = Duration.seconds(1)

    /// Connects, and waits until the connection is open.
    init(to address: PostgresAddress, _ limits: PostgresLimits) throws(PostgresError) {
        self.limits = limits
        connection = try Self.open(address, limits)
        // If this throws, `deinit` closes the connection.
        timeline =
            try Self.execute(
                "SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)", on: connection,
                until: .now + limits.statement + Self.grace
            ).firstText ?? ""
        guard PQenterPipelineMode(connection) == 1 else { throw lastError() }
    }

    deinit { PQfinish(connection) }
}

// MARK: - Opening

extension PostgresConnection {
    /// Opens a connection without pipeline mode, for migrations and notifications; the caller must close it.
    static func open(_ address: PostgresAddress, _ limits: PostgresLimits) throws(PostgresError) -> OpaquePointer {
        // A parameter of the address replaces one before it; the last two can't be replaced.
        let parameters: [(String, String)] = [
            ("application_name", "meanwhile"),
            ("connect_timeout", "\(max(2, limits.connecting.components.seconds))"),
            ("target_session_attrs", "read-write"), ("sslmode", address.tls),
            // Looking for tickets of Kerberos takes time, and isn't safe while the process exits.
            ("gssencmode", "disable"),
            ("tcp_user_timeout", "\(max(1_000, Int(limits.statement / .milliseconds(1))))"),
            ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("dbname", address.text),
            ("client_encoding", "UTF8"),
        ]
        let keywords = parameters.map { strdup($0.0) }
        let values = parameters.map { strdup($0.1) }
        defer {
            for pointer in keywords + values { free(pointer) }
        }
        let connection = PQconnectdbParams(
            keywords.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
        guard let connection else { throw .connectionLost("There isn't enough memory for a connection.") }
        guard PQstatus(connection) == CONNECTION_OK else {
            let message = String(cString: PQerrorMessage(connection))
            PQfinish(connection)
            throw .refusal(of: message.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
        PQsetnonblocking(connection, 1)
        let milliseconds = max(1, Int(limits.statement / .milliseconds(1)))
        // The server ends a transaction whose program is suspended, because it may hold locks that all others wait for.
        let settings = """
            SET statement_timeout = \(milliseconds); SET idle_in_transaction_session_timeout = \(milliseconds);
            SET default_transaction_isolation = 'read committed'
            """
        do throws(PostgresError) {
            try execute(settings, on: connection, until: .now + limits.statement + grace)
        } catch {
            PQfinish(connection)
            throw error
        }
        return connection
    }

    /// Runs statements on a connection that isn't in pipeline mode.
    ///
    /// libpq's own function for that has no time limit: a proxy can keep a connection open whose server has gone.
    ///
    /// - Returns: The result of the last statement; with arguments, there is only one.
    @discardableResult
    static func execute(
        _ sql: String, _ arguments: [String] = [], on connection: OpaquePointer, until deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> PostgresResult {
        let pointers = arguments.map { strdup($0) }
        defer {
            for pointer in pointers { free(pointer) }
        }
        let isSent =
            arguments.isEmpty
            ? PQsendQuery(connection, sql)
            : PQsendQueryParams(
                connection, sql, CInt(arguments.count), nil, pointers.map { UnsafePointer($0) }, nil, nil, 0)
        guard isSent == 1 else { throw error(of: connection) }
        try flush(connection, until: deadline)
        var last: PostgresResult?
        var failure: PostgresError?
        while let result = try takeResult(of: connection, until: deadline) {
            failure = failure ?? result.error
            last = result
        }
        if PQstatus(connection) == CONNECTION_BAD {
            throw .connectionLost(failure?.message ?? "The connection was lost.")
        }
        if let failure { throw failure }
        guard let last else { throw error(of: connection) }
        return last
    }

    private static func error(of connection: OpaquePointer) -> PostgresError {
        .connectionLost(String(cString: PQerrorMessage(connection)).trimmingCharacters(in: .whitespacesAndNewlines))
    }

    private func lastError() -> PostgresError {
        isBroken = true
        return Self.error(of: connection)
    }
}

// MARK: - Statements

extension PostgresConnection {
    /// Sends statements together, and waits for all their results.
    ///
    /// - Returns: A result for each.
    /// - Throws: The error of the first that failed; those after it were not run.
    func run(_ commands: [Command]) throws(PostgresError) -> [PostgresResult] {
        var new: [String: String] = [:]
        for command in commands where command.isPrepared && prepared[command.sql] == nil && new[command.sql] == nil {
            preparedCount += 1
            new[command.sql] = "s\(preparedCount)"
        }
        return try send(commands, preparing: new)
    }

    private func send(
        _ commands: [Command], preparing new: [String: String]
    ) throws(PostgresError) -> [PostgresResult] {
        guard !isBroken else { throw .connectionLost("The connection was lost.") }
        // Later than the server's own limit, after which the connection can still be used.
        let deadline = ContinuousClock.now + limits.statement + Self.grace
        var unprepared = new
        for command in commands {
            // Not all of them first: preparing some statements begins a transaction, which `BEGIN` couldn't change any more.
            if command.isPrepared, let name = unprepared.removeValue(forKey: command.sql) {
                try check(PQsendPrepare(connection, name, PostgresStatement.translate(command.sql), 0, nil))
            }
            try send(command, name: command.isPrepared ? prepared[command.sql] ?? new[command.sql] : nil)
        }
        try check(PQpipelineSync(connection))
        try flush(until: deadline)
        var failure: PostgresError?
        while unread > 0 {
            if let error = try nextResult(until: deadline).error { failure = failure ?? error }
            _ = try nextResult(until: deadline)
            unread -= 1
        }
        unprepared = new
        var results: [PostgresResult] = []
        for command in commands {
            if command.isPrepared, let name = unprepared.removeValue(forKey: command.sql) {
                let result = try nextResult(until: deadline)
                if let error = result.error { failure = failure ?? error } else { prepared[command.sql] = name }
            }
            let result = try nextResult(until: deadline)
            if let error = result.error { failure = failure ?? error }
            results.append(result)
        }
        _ = try nextResult(until: deadline)
        if let failure {
            if failure.endsConnection { isBroken = true }
            throw failure
        }
        return results
    }

    /// Forgets the prepared statements if there are many; not within a transaction, which may have failed.
    func tidy() {
        guard prepared.count > Self.maximumPrepared, !isBroken else { return }
        (prepared, loneReads) = ([:], [:])
        if (try? send([Command(sql: "DEALLOCATE ALL", isPrepared: false)], preparing: [:])) == nil { isBroken = true }
    }

    /// Ends a transaction without its changes.
    func rollBack() {
        guard !isBroken else { return }
        // Otherwise the next transaction would fail.
        if (try? send([Command(sql: "ROLLBACK", isPrepared: false)], preparing: [:])) == nil { isBroken = true }
    }

    /// Sends a statement whose result isn't needed; if it fails, the next one does.
    func runLater(_ sql: String) throws(PostgresError) {
        guard !isBroken else { throw .connectionLost("The connection was lost.") }
        try send(Command(sql: sql, isPrepared: false), name: nil)
        try check(PQpipelineSync(connection))
        unread += 1
        try flush(until: .now + limits.statement + Self.grace)
    }

    /// Sends a statement whose numbers and texts are in text form, so that the server determines their types.
    private func send(_ command: Command, name: String?) throws(PostgresError) {
        let values = command.arguments.values
        var bytes: [UInt8] = []
        var offsets: [Int?] = []
        var lengths: [CInt] = []
        var formats: [CInt] = []
        for value in values {
            let start = bytes.count
            offsets.append(value == .null ? nil : start)
            switch value {
            case .null: break
            case .integer(let number): bytes += Array("\(number)".utf8)
            case .real(let number): bytes += Array("\(number)".utf8)
            case .text(let text): PostgresText.append(text, to: &bytes)
            case .blob(let data): bytes += data
            }
            guard let length = CInt(exactly: bytes.count - start) else {
                // Statements before it are sent already, and have no end.
                isBroken = true
                throw PostgresError(sqlState: "54000", message: "A value is larger than 2 GB.")
            }
            lengths.append(length)
            if case .blob = value { formats.append(1) } else { formats.append(0) }
            bytes.append(0)
        }
        let count = CInt(values.count)
        let isSent = bytes.withUnsafeBytes { buffer in
            let start = buffer.bindMemory(to: CChar.self).baseAddress
            let pointers = offsets.map { offset in offset.flatMap { start?.advanced(by: $0) } }
            return if let name {
                PQsendQueryPrepared(connection, name, count, pointers, lengths, formats, 1)
            } else {
                PQsendQueryParams(
                    connection, PostgresStatement.translate(command.sql), count, nil, pointers, lengths, formats, 1)
            }
        }
        try check(isSent)
    }

    private func check(_ isSent: CInt) throws(PostgresError) {
        if isSent != 1 { throw lastError() }
    }

    private func flush(until deadline: ContinuousClock.Instant) throws(PostgresError) {
        try breaking { () throws(PostgresError) in try Self.flush(connection, until: deadline) }
    }

    /// Sends what libpq has collected.
    private static func flush(
        _ connection: OpaquePointer, until deadline: ContinuousClock.Instant
    ) throws(PostgresError) {
        while true {
            switch PQflush(connection) {
            case 0: return
            case 1:
                // The server may wait for its results to be read.
                try wait(for: Int16(POLLIN | POLLOUT), connection, until: deadline)
                guard PQconsumeInput(connection) == 1 else { throw error(of: connection) }
            default: throw error(of: connection)
            }
        }
    }

    /// Makes the connection useless if the body fails.
    private func breaking<Value>(_ body: () throws(PostgresError) -> Value) throws(PostgresError) -> Value {
        do {
            return try body()
        } catch {
            isBroken = true
            throw error
        }
    }

    /// The result of the next statement or synchronisation.
    private func nextResult(until deadline: ContinuousClock.Instant) throws(PostgresError) -> PostgresResult {
        let result = try takeResult(until: deadline)
        guard let result else { throw lastError() }
        // The result of a statement is followed by none.
        if result.status != PGRES_PIPELINE_SYNC, try takeResult(until: deadline) != nil { throw lastError() }
        return result
    }

    private func takeResult(until deadline: ContinuousClock.Instant) throws(PostgresError) -> PostgresResult? {
        try breaking { () throws(PostgresError) in
            let result = try Self.takeResult(of: connection, until: deadline)
            if PQstatus(connection) == CONNECTION_BAD {
                throw .connectionLost(result?.error?.message ?? "The connection was lost.")
            }
            return result
        }
    }

    private static func takeResult(
        of connection: OpaquePointer, until deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> PostgresResult? {
        while PQisBusy(connection) == 1 {
            try wait(for: Int16(POLLIN), connection, until: deadline)
            guard PQconsumeInput(connection) == 1 else { throw error(of: connection) }
        }
        return PQgetResult(connection).map(PostgresResult.init)
    }

    private static func wait(
        for events: Int16, _ connection: OpaquePointer, until deadline: ContinuousClock.Instant
    ) throws(PostgresError) {
        while true {
            let remaining = (deadline - .now) / .milliseconds(1)
            guard remaining > 0 else { throw .connectionLost("The server didn't answer in time.") }
            var descriptor = pollfd(fd: PQsocket(connection), events: events, revents: 0)
            let count = poll(&descriptor, 1, CInt(min(remaining.rounded(.up), 60_000)))
            if count > 0 { return }
            if count < 0, errno != EINTR { throw error(of: connection) }
        }
    }
}
