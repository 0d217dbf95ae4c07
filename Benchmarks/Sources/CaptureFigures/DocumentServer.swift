import Subprocess
import SystemPackage

/// A web server in a separate process, shared by all contestants; see `document_server.py`.
enum DocumentServer {
    /// Serves folders on loopback while `body` runs.
    ///
    /// - Parameters:
    ///   - folder: The folder to serve as the root. Symbolic links are followed.
    ///   - others: Further folders, by the names below which they are served.
    ///   - script: The path of `document_server.py`.
    ///   - body: Receives the root's address.
    /// - Returns: The body's result.
    /// - Throws: The body's error, or an error if the server doesn't start.
    static func serving<Value: Sendable>(
        _ folder: String, others: [String: String], script: String, _ body: (_ address: String) async throws -> Value
    ) async throws -> Value {
        try await run(
            .name("python3"), arguments: Arguments([script, folder] + others.map { "\($0.key)=\($0.value)" }),
            input: .inputWriter, output: .sequence, error: .currentStandardError
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
