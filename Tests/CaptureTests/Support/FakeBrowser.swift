import Foundation
import Futures
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

/// The browser's end of a DevTools connection, controlled by a test.
final class FakeBrowser: Sendable {
    let connection: DevToolsConnection
    private let socket: FileDescriptor
    /// The bytes received after the last message.
    ///
    /// Only one task of a test reads at a time.
    private let unread = Lock(Data())

    init(
        clock: any Clock<Duration> = ContinuousClock(), messageLimit: Int = DevToolsConnection.messageLimit
    ) throws {
        var ends: [CInt] = [-1, -1]
        #if canImport(Glibc)
            let kind = CInt(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        self.connection = DevToolsConnection(
            socket: FileDescriptor(rawValue: ends[0]), clock: clock, messageLimit: messageLimit)
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

    /// Waits for the next command.
    func nextCommand() async throws -> Command {
        try JSONDecoder().decode(Command.self, from: try await nextBytes())
    }

    /// Waits for the next message, unparsed.
    ///
    /// If the task is cancelled, because the test has exceeded its time limit, the browser exits.
    func nextBytes() async throws -> Data {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(with: Result { try self.readMessage() })
                }
            }
        } onCancel: {
            self.exit()
        }
    }

    private func readMessage() throws -> Data {
        var bytes = unread.withLock { $0 }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        var searched = 0
        while true {
            if let end = bytes.dropFirst(searched).firstIndex(of: 0) {
                let rest = bytes[bytes.index(after: end)...]
                unread.withLock { $0 = Data(rest) }
                return Data(bytes[..<end])
            }
            searched = bytes.count
            let count = try socket.read(into: buffer)
            guard count > 0 else { throw CancellationError() }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    func send(_ text: String) throws {
        _ = try socket.writeAll(Array(text.utf8) + [0])
    }

    func send(pieces: [String]) throws {
        for piece in pieces { _ = try socket.writeAll(Array(piece.utf8)) }
    }

    /// Closes the connection, like a browser that is killed.
    func exit() {
        _ = shutdown(socket.rawValue, CInt(SHUT_RDWR))
    }
}
