import Foundation
import SystemPackage
import Testing

@testable import Capture

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The other end of a DevTools connection, in the hands of a test.
final class FakeBrowser: Sendable {
    let connection: DevToolsConnection
    private let socket: FileDescriptor

    init(clock: any Clock<Duration> = ContinuousClock()) throws {
        var ends: [CInt] = [-1, -1]
        #if canImport(Darwin)
            let kind = SOCK_STREAM
        #else
            let kind = CInt(SOCK_STREAM.rawValue)
        #endif
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        self.connection = DevToolsConnection(socket: FileDescriptor(rawValue: ends[0]), clock: clock)
        self.socket = FileDescriptor(rawValue: ends[1])
    }

    deinit {
        try? socket.close()
    }

    struct Command: Decodable {
        var id: Int
        var method: String
        var sessionId: String?
    }

    /// The next command. Blocks its thread until there is one: for use off the tasks' own threads.
    func nextCommand() async throws -> Command {
        try JSONDecoder().decode(Command.self, from: try await nextBytes())
    }

    /// The next message as it came.
    func nextBytes() async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { [socket] in
                continuation.resume(with: Result { try Self.readMessage(from: socket) })
            }
        }
    }

    private static func readMessage(from socket: FileDescriptor) throws -> Data {
        var message = Data()
        let byte = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        defer { byte.deallocate() }
        while try socket.read(into: byte) == 1 {
            if byte[0] == 0 { return message }
            message.append(byte[0])
        }
        throw CancellationError()
    }

    func say(_ text: String) throws {
        _ = try socket.writeAll(Array(text.utf8) + [0])
    }

    func say(pieces: [String]) throws {
        for piece in pieces { _ = try socket.writeAll(Array(piece.utf8)) }
    }

    /// Exits, as a browser that is killed.
    func exit() {
        _ = shutdown(socket.rawValue, CInt(SHUT_RDWR))
    }
}
