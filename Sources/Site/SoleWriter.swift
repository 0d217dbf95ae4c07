package import Hummingbird
package import NIOCore

/// Transfers a response writer to the one task that writes.
package struct SoleWriter: @unchecked Sendable {
    // Unchecked: only one task uses it, while the task that created it waits for that one.
    private let writer: any ResponseBodyWriter

    /// Takes the writer of a response.
    package init(_ writer: any ResponseBodyWriter) {
        self.writer = writer
    }

    /// Writes a part of the body; throws if the client has disconnected.
    @concurrent
    package func write(_ buffer: ByteBuffer) async throws {
        var writer = writer
        try await writer.write(buffer)
    }

    /// Writes a whole body with its end.
    @concurrent
    package func write(_ body: ResponseBody) async throws {
        try await body.write(writer)
    }

    /// Ends the body.
    @concurrent
    package func finish() async throws {
        try await writer.finish(nil)
    }
}
