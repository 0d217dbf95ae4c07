import Subprocess
import SystemPackage

/// A web server in a process of its own, the same for all who are compared; see `document_server.py`.
enum DocumentServer {
    /// Serves a folder on loopback for as long as something runs.
    ///
    /// - Parameters:
    ///   - folder: What is served. Symbolic links are followed.
    ///   - script: Where `document_server.py` is.
    ///   - body: What needs it; it is given the address that the folder has.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or why the server does not run.
    static func serving<Value: Sendable>(
        _ folder: String, script: String, _ body: (_ address: String) async throws -> Value
    ) async throws -> Value {
        try await run(
            .name("python3"), arguments: [script, folder], input: .inputWriter, output: .sequence,
            error: .currentStandardError
        ) { server in
            var lines = server.standardOutput.strings().makeAsyncIterator()
            guard let address = try await lines.next() else {
                throw Unfit("The web server did not start; what it said is above.")
            }
            // It ends with its input, which ends with this.
            return try await body(address)
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
