import Subprocess
import SystemPackage

/// A web server of its own process, the same for all who are compared.
enum DocumentServer {
    /// Serves a folder on loopback for as long as something runs.
    ///
    /// - Parameters:
    ///   - folder: What is served. Symbolic links are followed.
    ///   - body: What needs it; it is given the address that the folder has.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or why the server does not run.
    static func serving<Value: Sendable>(
        _ folder: String, _ body: (_ address: String) async throws -> Value
    ) async throws -> Value {
        let arguments: Arguments = ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder]
        return try await run(
            .name("python3"), arguments: arguments, input: .none, output: .sequence, error: .discarded
        ) { server in
            var lines = server.standardOutput.strings().makeAsyncIterator()
            // Serving HTTP on 127.0.0.1 port 40001 (http://127.0.0.1:40001/) ...
            guard let said = try await lines.next(), let open = said.firstIndex(of: "("),
                let close = said[open...].firstIndex(of: ")")
            else { throw Unfit("python3 -m http.server did not start.") }
            defer { try? server.send(signal: .terminate) }
            return try await body(String(said[said.index(after: open)..<close]))
        }.closureResult
    }
}

/// Why there are no figures.
struct Unfit: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
