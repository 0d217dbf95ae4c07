import CProcessControl
import Foundation
import Futures
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One end of the socket between this process and a child or parent process.
///
/// It carries messages in JSON, optionally with open files.
///
/// A message consists of its length (four bytes, little-endian) and its bytes. Reads block, so each process reads on
/// a dedicated thread.
final class JobSocket: Sendable {
    /// The size limit of a message, in bytes.
    private static let longest = 512 << 10
    /// The size of a message's length prefix, in bytes.
    static let headBytes = 4
    /// How often a child process reports that it is running.
    static let reportInterval = Duration.seconds(2)

    private let descriptor: CInt
    private let isOpen = Lock(true)

    /// - Parameter descriptor: The socket; it is closed when this object is deallocated.
    init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Whether a descriptor is a socket.
    static func isSocket(_ descriptor: CInt) -> Bool {
        (try? FileDescriptor(rawValue: descriptor).stat())?.type == .socket
    }

    /// Ends this side's messages, so that the other process reads the end of the stream.
    func finish() {
        _ = shutdown(descriptor, CInt(SHUT_WR))
    }

    /// Reports that this process is running, by an empty message.
    ///
    /// - Throws: The system's error.
    func reportLiveness() throws {
        try send(bytes: Data(), with: nil)
    }

    /// Sends a message.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - file: An open file to send with it; the caller closes its own descriptor.
    /// - Throws: `messageTooLong`, or the system's error.
    func send(_ message: some Encodable, with file: FileDescriptor? = nil) throws {
        try send(bytes: try JSONEncoder().encode(message), with: file)
    }

    private func send(bytes: Data, with file: FileDescriptor?) throws {
        guard bytes.count <= Self.longest else { throw Errno.messageTooLong }
        var length = UInt32(bytes.count).littleEndian
        let frame = withUnsafeBytes(of: &length) { Data($0) } + bytes
        // The lock prevents messages from several threads from interleaving.
        try isOpen.withLock { isOpen in
            guard isOpen else { throw Errno.brokenPipe }
            var (sent, file) = (0, file?.rawValue ?? -1)
            while sent < frame.count {
                let count = frame.withUnsafeBytes { buffer in
                    meanwhile_send(descriptor, buffer.baseAddress?.advanced(by: sent), UInt(frame.count - sent), file)
                }
                guard count > 0 else {
                    isOpen = false
                    throw Errno(rawValue: errno)
                }
                (sent, file) = (sent + count, -1)
            }
        }
    }

    /// Waits for a message.
    ///
    /// - Returns: The message, empty if it only reports liveness, and the file sent with it; `nil` at the end of the
    ///   stream or if the message is too long.
    func receive() -> (message: Data, file: FileDescriptor?)? {
        var file: CInt = -1
        guard let head = bytes(Self.headBytes, &file) else { return nil }
        let length = head.reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= Self.longest, let message = bytes(length, &file) else {
            if file >= 0 { close(file) }
            return nil
        }
        return (message, file < 0 ? nil : FileDescriptor(rawValue: file))
    }

    private func bytes(_ count: Int, _ file: inout CInt) -> Data? {
        var data = Data(count: count)
        var received = 0
        while received < count {
            var newFile: CInt = -1
            let part = data.withUnsafeMutableBytes { buffer in
                meanwhile_receive(
                    descriptor, buffer.baseAddress?.advanced(by: received), UInt(count - received), &newFile)
            }
            if newFile >= 0 {
                if file >= 0 { close(file) }
                file = newFile
            }
            guard part > 0 else { return nil }
            received += part
        }
        return data
    }
}
