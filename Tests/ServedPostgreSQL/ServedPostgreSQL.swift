import Foundation
import Futures
import Persistence
package import PostgreSQL
import StoreTesting

/// PostgreSQL servers for the tests of this process, which end with the process.
package enum ServedPostgreSQL {
    /// A server that accepts connections only with TLS and a password.
    package struct Secured: Sendable {
        package let port: Int
        /// The path of the server's certificate, for `localhost`.
        package let certificate: String
    }

    private struct ServerError: Error, CustomStringConvertible {
        let description: String
    }

    private enum Kind: Hashable, CustomStringConvertible {
        case plain, promoted
        case secured(port: Int)

        var description: String {
            switch self {
            case .plain: ""
            case .promoted: "promoted"
            case .secured(let port): "\(port)"
            }
        }
    }

    private static let servers = Lock<[Kind: Task<String, any Error>]>([:])
    private static let schemas = Lock<[String: Task<PostgresAddress, any Error>]>([:])
}

extension ServedPostgreSQL {
    /// Long limits for busy machines.
    package static var limits: PostgresLimits {
        var limits = PostgresLimits()
        (limits.waiting, limits.statement, limits.retrying) = (.seconds(600), .seconds(600), .seconds(600))
        return limits
    }

    /// The folder of the server's socket; the first call starts the server.
    package static func folder() async throws -> String { try await folder(of: .plain) }

    /// The folder of the socket of another server, which was a standby and has become a primary.
    package static func promotedFolder() async throws -> String { try await folder(of: .promoted) }

    /// The address of the schema that belongs to a path, which need not exist; the first call for a path creates the schema.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - isShared: Whether a file beside the path names the schema to other processes of a test.
    /// - Returns: The address.
    /// - Throws: An error of the server's start.
    package static func schema(for path: String, isShared: Bool = false) async throws -> PostgresAddress {
        let task = schemas.withLock { schemas in
            if let task = schemas[path] { return task }
            let task = Task {
                guard isShared else { return try await newSchema() }
                let file = "\(path).postgresql"
                if let text = try? String(contentsOfFile: file, encoding: .utf8) { return try PostgresAddress(text) }
                let address = try await newSchema()
                try address.text.write(toFile: file, atomically: true, encoding: .utf8)
                return address
            }
            schemas[path] = task
            return task
        }
        return try await task.value
    }

    /// The address of a new schema; with an encoding, in a new database.
    package static func newSchema(encoding: String? = nil) async throws -> PostgresAddress {
        let server = "postgres://postgres@/postgres?connect_timeout=60&host=\(try await folder())"
        let schema = "test_\(UUID().uuidString.lowercased().replacing("-", with: "_"))"
        let administration = try await PostgresDatabase.open(
            PostgresAddress(server), limits: limits, migrations: [])
        defer { administration.close() }
        if let encoding {
            try await run("createdb", "--encoding", encoding, "--template", "template0", "--locale", "C", schema)
            return try PostgresAddress(server.replacing("/postgres?", with: "/\(schema)?"))
        }
        try await administration.writeRows(locking: []) { _ = try $0.execute("CREATE SCHEMA \(schema)") }
        return try PostgresAddress(
            "\(server)&application_name=\(schema)&options=-csearch_path%3D\(schema)%20-csynchronous_commit%3Doff")
    }

    /// A server with TLS, and the user `anna`, whose password is `right`.
    package static func secured() async throws -> Secured {
        let port = try freePort()
        let folder = try await folder(of: .secured(port: port))
        return Secured(port: port, certificate: "\(folder)/data/server.crt")
    }

    private static func folder(of kind: Kind) async throws -> String {
        let task = servers.withLock { servers in
            if let task = servers[kind] { return task }
            let task = Task { try await start(kind) }
            servers[kind] = task
            return task
        }
        return try await task.value
    }
}

// MARK: - Processes

extension ServedPostgreSQL {
    /// Runs a command of PostgreSQL as the server's administrator.
    private static func run(_ command: String...) async throws {
        let folder = try await folder()
        let output = try await output(
            of: #"PATH=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1):$PATH "$@" 2>&1 || echo "failed: $1""#,
            command + ["--host", folder, "--username", "postgres"], isEnded: true)
        if output.contains("failed") { throw ServerError(description: output) }
    }

    /// Starts a server; returns the folder of its socket.
    private static func start(_ kind: Kind) async throws -> String {
        let process = "\(ProcessInfo.processInfo.processIdentifier)"
        let folder = try await output(of: script, [process, kind.description], isEnded: false)
        guard folder.hasPrefix("/") else {
            throw ServerError(description: "PostgreSQL can't be started. Run script/bootstrap. \(folder)")
        }
        return folder
    }

    /// Runs a script of bash, and returns what it prints first, or until its end.
    private static func output(of script: String, _ arguments: [String], isEnded: Bool) async throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", script, "bash"] + arguments
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let file = output.fileHandleForReading
                let data = isEnded ? (try? file.readToEnd()) : file.availableData
                continuation.resume(
                    returning: String(decoding: data ?? Data(), as: UTF8.self)
                        .trimmingCharacters(in: .whitespacesAndNewlines))
            }
        }
    }

    /// Prints the folder of the socket once the server accepts connections, or why it doesn't.
    ///
    /// The server ends with the process whose ID is the first argument. The second one is the port of a server with
    /// TLS, or `promoted`.
    ///
    /// The folder isn't in `TMPDIR`, which the server's user may not be able to reach, and whose path may be too long for a socket.
    /// `initdb` and `postgres` refuse to run as root.
    private static let script = #"""
        folder=$(mktemp -d /tmp/meanwhile-postgresql-XXXXXX)
        trap 'rm -rf "$folder"' EXIT
        as_server=()
        if [[ $EUID == 0 ]]; then
            chown postgres "$folder"
            as_server=(setpriv --reuid=postgres --regid=postgres --clear-groups)
        fi
        chmod 755 "$folder"
        PATH=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1):$PATH
        cd "$folder"
        if ! "${as_server[@]}" initdb --pgdata data --username postgres --auth-local trust --auth-host scram-sha-256 \
            --encoding UTF8 --locale C.UTF-8 --no-sync --allow-group-access >"$folder/initdb" 2>&1; then
            echo "initdb failed: $(tail -3 "$folder/initdb" | tr '\n' ' ')"
            exit 1
        fi
        options=(-D data -k "$folder" -c fsync=off -c max_connections=400 -c password_encryption=scram-sha-256)
        port=5432
        if [[ $2 == promoted ]]; then
            "${as_server[@]}" touch data/standby.signal
            options+=(-c listen_addresses=)
        elif [[ $2 ]]; then
            port=$2
            "${as_server[@]}" openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
                -addext subjectAltName=DNS:localhost -keyout data/server.key -out data/server.crt >"$folder/log" 2>&1
            "${as_server[@]}" chmod 600 data/server.key
            options+=(-c listen_addresses=localhost -c "port=$2" -c ssl=on)
        else
            options+=(-c listen_addresses=)
        fi
        "${as_server[@]}" postgres "${options[@]}" >>"$folder/log" 2>&1 &
        server=$!
        for ((i = 0; i < 600; i++)); do
            if "${as_server[@]}" pg_isready --quiet --host "$folder" --port "$port"; then
                if [[ $2 == promoted ]]; then
                    psql --quiet --host "$folder" --username postgres --command "SELECT pg_promote()" >>"$folder/log" 2>&1
                elif [[ $2 ]]; then
                    chmod 755 data
                    psql --quiet --host "$folder" --port "$2" --username postgres --command \
                        "CREATE ROLE anna LOGIN PASSWORD 'right'" --command "CREATE SCHEMA anna AUTHORIZATION anna" \
                        >>"$folder/log" 2>&1
                fi
                echo "$folder"
                tail --pid "$1" -f /dev/null
                kill -QUIT $server
                wait $server
                exit
            fi
            kill -0 $server 2>/dev/null || break
            sleep 0.1
        done
        echo "postgres doesn't start: $(tail -3 "$folder/log" | tr '\n' ' ')"
        """#
}
