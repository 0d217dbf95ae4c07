import NIOCore
import NIOPosix
import Testing

/// Sends requests as a browser without scripts does.
struct Browser: Sendable {
    let port: Int

    func page() async throws -> String { try await send("GET", "/checklist/") }

    /// The address of the page's first form whose address ends with the given text.
    func form(_ ending: String) async throws -> String {
        let forms = try await page().matches(of: /action="([^"]*)"/).map { String($0.output.1) }
        return try #require(forms.first { $0.hasSuffix(ending) })
    }

    /// Submits a form, which must be accepted.
    func submit(_ path: String, _ fields: String = "") async throws {
        let response = try await send("POST", path, fields)
        #expect(response.hasPrefix("HTTP/1.1 303 "), "\(response)")
    }

    /// Sends a request on a connection of its own.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path.
    ///   - fields: The fields of a form.
    ///   - end: The text after which the connection is closed; by default, the server closes it.
    ///   - start: The text after which the action runs.
    ///   - action: An action that runs once, while the response is still being received.
    /// - Returns: The response, as far as it was received.
    /// - Throws: An error of the connection or the action.
    func send(
        _ method: String, _ path: String, _ fields: String = "", until end: String? = nil, after start: String = "",
        _ action: @Sendable () async throws -> Void = {}
    ) async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let request = """
            \(method) \(path) HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            Origin: http://127.0.0.1:\(port)\r
            Connection: close\r
            Content-Type: application/x-www-form-urlencoded\r
            Content-Length: \(fields.utf8.count)\r
            \r
            \(fields)
            """
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var response = ""
            var hasActed = false
            for try await buffer in inbound {
                response += String(buffer: buffer)
                if !hasActed, response.contains(start) {
                    hasActed = true
                    try await action()
                }
                if let end, response.contains(end) { break }
            }
            return response
        }
    }
}
