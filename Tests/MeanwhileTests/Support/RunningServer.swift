import BrowserDriver
import FixtureSite
import Foundation
import Subprocess
import SystemPackage
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A server's response.
struct Response: Sendable {
    var status: Int
    var type: String
    var body: Data

    var text: String { String(decoding: body, as: UTF8.self) }
}

/// A running `meanwhile serve`.
struct RunningServer: Sendable {
    let program: RunningProgram
    let workspace: Workspace
    let port: Int
    /// The file into which curl writes the server's event stream.
    let eventFile: String

    var origin: String { "http://127.0.0.1:\(port)" }

    /// The events that a tab has received since the start of the server.
    var events: String {
        FileManager.default.contents(atPath: eventFile).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Sends a request, with additional options for curl.
    func get(_ path: String, _ options: String...) async throws -> Response {
        try await curl([origin + path] + options)
    }

    /// Submits a form as a page of the site does.
    func post(_ path: String, _ form: String...) async throws -> Response {
        try await curl(
            [origin + path, "--request", "POST", "--header", "Origin: \(origin)"]
                + form.flatMap { ["--data-urlencode", $0] })
    }

    /// Saves a page in every format, also if it is already saved.
    func save(_ address: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let answer = try await post(
            "/library/pages", "address=\(address)", "again=\(address)", "png=on", "pdf=on", "webarchive=on")
        #expect(answer.status == 303, "\(answer.text)", sourceLocation: sourceLocation)
    }

    /// Returns the peak memory use of the server process, in bytes.
    func peakMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(program.processID)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.split(separator: " ").dropLast().last ?? "")) * 1_024
    }

    /// Waits until the tab has received a text.
    func wait(untilReceived text: String) async throws {
        try await program.wait(until: "the tab receives: \(text)") { events.contains(text) }
    }

    /// Waits until the list shows the given number of saved pages.
    func wait(untilSaved count: Int) async throws {
        try await program.wait(until: "\(count) pages are saved") {
            let list = events.components(separatedBy: "event: list").last ?? ""
            return list.components(separatedBy: "page.webarchive?download").count - 1 == count
        }
    }
}

/// Sends a request by curl.
func curl(_ arguments: [String]) async throws -> Response {
    let result = try await run(
        .name("curl"),
        arguments: Arguments(
            ["--silent", "--show-error", "--max-time", "600", "--write-out", "\n%{http_code}\n%{content_type}"]
                + arguments), output: .data(limit: 100_000_000), error: .string(limit: 100_000))
    try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
    let parts = result.standardOutput.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let fields = parts.suffix(2).map { String(decoding: $0, as: UTF8.self) }
    let length = fields.reduce(0) { $0 + $1.utf8.count + 1 }
    return Response(
        status: try #require(Int(fields[0])), type: fields[1], body: result.standardOutput.dropLast(length))
}

extension Workspace {
    /// The data folder of this workspace's servers.
    var data: String { root + "/data" }

    /// Runs `meanwhile serve` on a free port with this workspace's data folder, and follows its events like a tab.
    ///
    /// - Parameters:
    ///   - arguments: Additional options; include `--port` only for another port.
    ///   - environment: Additional environment variables.
    ///   - sourceLocation: The location for issues.
    ///   - body: Runs once the server listens. Afterwards the server receives SIGTERM if it is still running.
    /// - Returns: The outcome of the run.
    /// - Throws: The body's error, after killing the server.
    @discardableResult
    func serve(
        _ arguments: String..., environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation, while body: (RunningServer) async throws -> Void
    ) async throws -> Outcome {
        let run = UInt32.random(in: 0...UInt32.max)
        let outputFile = "\(root)/output-\(run)"
        let options =
            (arguments.contains("--port") || environment["MEANWHILE_PORT"] != nil ? [] : ["--port", "0"])
            + (arguments.contains("--data") || environment["MEANWHILE_DATA"] != nil ? [] : ["--data", data])
            // A busy machine may take long to save a page.
            + (arguments.contains("--capture-timeout") ? [] : ["--capture-timeout", "600"])
        let outcome = try await self.run(
            ["/bin/sh", "-c", #"output=$1; shift; exec "$@" >"$output""#, "sh", outputFile, Program.path, "serve"]
                + options
                + arguments, environment: environment, sourceLocation: sourceLocation
        ) { program in
            let port = try await port(of: program, in: outputFile)
            let eventFile = "\(root)/events-\(run)"
            try Data().write(to: URL(filePath: eventFile))
            let server = RunningServer(program: program, workspace: self, port: port, eventFile: eventFile)
            // The event stream ends with the server, however that ends.
            async let tab: Void = follow(server.origin + "/library/events", into: eventFile)
            try await server.wait(untilReceived: "retry:")
            try await body(server)
            if !program.hasEnded { try program.send(SIGTERM) }
            try await tab
        }
        // The worker of a killed server exits by itself, and ends its jobs.
        if outcome.signal != nil {
            try await eventually("the server's workers have ended") {
                let remaining = workers
                let ofServer = remaining.filter { $0.commandLine.contains("--name serve-") }
                return ofServer.isEmpty && (!remaining.isEmpty || jobProcesses.isEmpty)
            }
        }
        return outcome
    }

    func port(of program: RunningProgram, in outputFile: String) async throws -> Int {
        let beginning = "Meanwhile is at http://127.0.0.1:"
        var text = ""
        try await program.wait(until: "the server prints its address") {
            text = (try? String(contentsOfFile: outputFile, encoding: .utf8)) ?? ""
            return text.hasSuffix("\n")
        }
        try #require(text.hasPrefix(beginning) && text.count(where: \.isNewline) == 1, "\(text)")
        return try #require(Int(text.dropFirst(beginning.count).dropLast()))
    }

    /// Follows an event stream until it ends.
    func follow(_ address: String, cookie: String = "", into file: String) async throws {
        _ = try await Subprocess.run(
            .name("curl"), arguments: ["--silent", "--no-buffer", "--cookie", cookie, "--output", file, address],
            output: .discarded, error: .discarded)
    }
}

// MARK: - Data folder

extension Workspace {
    /// Queries the database with the `sqlite3` program, and returns a line for each row.
    func sqlite(_ statement: String) async throws -> [String] {
        let result = try await Subprocess.run(
            .name("sqlite3"), arguments: ["-cmd", ".timeout 120000", "\(data)/meanwhile.sqlite", statement],
            output: .string(limit: 10_000_000), error: .string(limit: 100_000))
        try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
        return result.standardOutput.split(separator: "\n").map(String.init)
    }

    /// Sets the files of a page to the given size, and updates their rows.
    func makeFilesLarge(of page: String, bytes: Int) async throws {
        let files = "library_file WHERE page = (SELECT number FROM library_page WHERE id = '\(page)')"
        for blob in try await sqlite("SELECT blob FROM \(files)") {
            try #require(truncate("\(data)/blobs/\(blob.prefix(2))/\(blob)", off_t(bytes)) == 0)
        }
        _ = try await sqlite("UPDATE \(files.replacing("library_file", with: "library_file SET bytes = \(bytes)"))")
    }

    /// The worker processes of this workspace's servers.
    var workers: [ProcessEntry] { processes.filter { $0.commandLine.contains("meanwhile worker ") } }

    /// The job processes of this workspace's servers.
    var jobProcesses: [ProcessEntry] { processes.filter { $0.commandLine.hasPrefix("meanwhile job") } }

    /// The names of the job output files that aren't stored as blobs yet.
    var jobOutputFiles: [String] { names(in: "\(data)/jobs").flatMap { names(in: "\(data)/jobs/\($0)") } }

    /// The names of the staged blobs, which aren't committed yet.
    var stagedBlobs: [String] { names(in: "\(data)/blobs/.staged") }

    /// Checks that the database is intact, and that each file that it refers to exists unchanged.
    func expectIntactData(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        #expect(try await sqlite("PRAGMA integrity_check") == ["ok"], sourceLocation: sourceLocation)
        #expect(try await sqlite("PRAGMA foreign_key_check").isEmpty, sourceLocation: sourceLocation)
        let incomplete = try await sqlite(
            """
            SELECT id FROM library_page WHERE (state = 'found') !=
                (EXISTS (SELECT 1 FROM library_file WHERE page = number AND kind = 'webarchive'))
            """)
        #expect(incomplete.isEmpty, "Incomplete pages: \(incomplete)", sourceLocation: sourceLocation)
        let miscounted = try await sqlite(
            """
            SELECT id FROM blob WHERE "references" != (SELECT count(*) FROM library_file
                JOIN library_page ON number = page WHERE blob = blob.id AND deleted_at IS NULL)
                + (SELECT count(*) FROM blob_piece WHERE piece = blob.id)
            """)
        #expect(miscounted.isEmpty, "Wrong reference counts: \(miscounted)", sourceLocation: sourceLocation)
        for blob in try await sqlite("SELECT id FROM blob WHERE id NOT IN (SELECT blob FROM blob_piece)") {
            let path = "\(data)/blobs/\(blob.prefix(2))/\(blob)"
            let result = try await Subprocess.run(
                .name("sha256sum"), arguments: [path], output: .string(limit: 1000), error: .string(limit: 1000))
            #expect(result.standardOutput.hasPrefix(blob), "\(result.standardError)", sourceLocation: sourceLocation)
        }
    }

    /// Runs the body while another process holds a write lock on the database.
    func whileDatabaseIsLocked(_ body: () async throws -> Void) async throws {
        let commands = try NamedPipe("\(root)/commands")
        defer {
            commands.close()
            try? FileManager.default.removeItem(atPath: commands.path)
        }
        let answers = try makeFile("answers")
        async let locking = Subprocess.run(
            .path("/bin/sh"),
            arguments: [
                "-c", #"exec sqlite3 "$1" <"$2" >"$3""#, "sh", "\(data)/meanwhile.sqlite", commands.path, answers,
            ], output: .discarded, error: .string(limit: 10_000))
        try commands.write(".timeout 120000\nBEGIN IMMEDIATE;\nSELECT 'locked';\n")
        try await eventually("the database is locked", within: .seconds(150)) {
            try String(contentsOfFile: answers, encoding: .utf8).contains("locked")
        }
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body())
        } catch {
            outcome = .failure(error)
        }
        try commands.write("ROLLBACK;\n.quit\n")
        let result = try await locking
        try outcome.get()
        try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
    }
}
