import Foundation

extension FixtureSite {
    /// Runs the body while a server with a self-signed certificate answers HTTPS on a port of 127.0.0.1.
    ///
    /// The server is `openssl s_server -www`, which answers each request with a page about the connection. The child
    /// ends with the body, and also if this process dies, because it watches its standard input.
    ///
    /// - Parameter body: What to do while the server answers; it gets the port.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or ``FixtureError`` when `openssl` cannot be run.
    package static func runSelfSignedTLS<R>(_ body: (Int) async throws -> R) async throws -> R {
        let child = Process()
        let (input, output) = (Pipe(), Pipe())
        child.executableURL = URL(fileURLWithPath: "/bin/sh")
        child.arguments = ["-c", script]
        child.standardInput = input
        child.standardOutput = output
        child.standardError = FileHandle.nullDevice

        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        child.terminationHandler = { _ in end.finish() }
        do {
            try child.run()
        } catch {
            throw FixtureError("Cannot run /bin/sh for openssl: \(error)")
        }
        let result: Result<R, any Error>
        do {
            guard let port = await listeningPort(in: output.fileHandleForReading) else {
                try Task.checkCancellation()
                throw FixtureError("openssl didn't report its port. Is it installed?")
            }
            // Closing the pipe isn't enough: another child of this process may have inherited its write end. The shell
            // reads as soon as its server listens, so this raises no SIGPIPE.
            defer { try? input.fileHandleForWriting.write(contentsOf: Data("\n".utf8)) }
            result = .success(try await body(port))
        } catch {
            result = .failure(error)
        }
        try input.fileHandleForWriting.close()
        // An unstructured task, so that cancellation doesn't cut the wait for the child short.
        await Task { for await _ in ended {} }.value
        return try result.get()
    }
}

/// Creates a key and a certificate in a temporary folder, serves, and ends at a line or the end of its input.
private let script = """
    folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 1
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
        -keyout key.pem -out certificate.pem || exit 1
    openssl s_server -accept 127.0.0.1:0 -www -key key.pem -cert certificate.pem </dev/null &
    server=$!
    read -r line
    kill "$server"
    wait "$server"
    """

/// Reads openssl's output until it names its port: `ACCEPT 127.0.0.1:38045`.
private func listeningPort(in handle: FileHandle) async -> Int? {
    let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
    handle.readabilityHandler = { handle in
        let data = handle.availableData
        if data.isEmpty {
            handle.readabilityHandler = nil
            continuation.finish()
        } else {
            continuation.yield(data)
        }
    }
    var text = ""
    for await piece in pieces {
        text += String(decoding: piece, as: UTF8.self)
        for line in text.split(separator: "\n").dropLast(text.hasSuffix("\n") ? 0 : 1) where line.hasPrefix("ACCEPT ") {
            // The handler stays installed: otherwise the pipe would fill up and block the server.
            return line.split(separator: ":").last.flatMap { Int($0) }
        }
    }
    return nil
}
