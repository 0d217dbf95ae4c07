import Subprocess
import SystemPackage

/// A web server in a separate process, shared by all contestants; see `document_server.py`.
enum DocumentServer {
    /// Serves a folder on loopback while `body` runs.
    ///
    /// - Parameters:
    ///   - folder: The folder to serve. Symbolic links are followed.
    ///   - script: The path of `document_server.py`.
    ///   - body: Receives the folder's address.
    /// - Returns: The body's result.
    /// - Throws: The body's error, or an error if the server doesn't start.
    static func serving<Value: Sendable>(
        _ folder: String, script: String, _ body: (_ address: String) async throws -> Value
    ) async throws -> Value {
        try await run(
            .name("python3"), arguments: [script, folder], input: .inputWriter, output: .sequence,
            error: .currentStandardError
        ) { server in
            var lines = server.standardOutput.strings().makeAsyncIterator()
            guard let address = try await lines.next() else {
                throw MeasurementError("The web server did not start; its output is above.")
            }
            // The server exits when its standard input is closed, which happens when this closure returns.
            return try await body(address)
        }.closureResult
    }
}

/// Why a measurement is invalid.
struct MeasurementError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
