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

/// One end of the socket between the server and a child: messages of bounded length, and with a message an open file.
///
/// Each message is its length, four bytes with the lowest first, and as many bytes. Reading waits, so each end reads on a thread
/// of its own.
final class JobSocket: Sendable {
    /// The longest message, in bytes: a result of 256 kB in base 64, and what belongs to it.
    private static let longest = 512 << 10

    private let descriptor: CInt
    private let isOpen = Lock(true)

    /// - Parameter descriptor: The socket, which is closed with this object.
    init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Both ends of a new socket, closed in programs that this process starts.
    static func pair() throws(Errno) -> (ours: JobSocket, theirs: FileDescriptor) {
        var ends: [CInt] = [-1, -1]
        #if canImport(Darwin)
            guard socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0 else { throw Errno(rawValue: errno) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #else
            let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
            guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Errno(rawValue: errno) }
        #endif
        return (JobSocket(ends[0]), FileDescriptor(rawValue: ends[1]))
    }

    /// Says nothing more: the other end reads that this is the end.
    func finish() {
        _ = shutdown(descriptor, CInt(SHUT_WR))
    }

    /// Sends a message.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - file: An open file that goes with it; it stays open here.
    /// - Throws: `messageTooLong`, or what the system says.
    func send(_ message: some Encodable, with file: FileDescriptor? = nil) throws {
        let bytes = try JSONEncoder().encode(message)
        guard bytes.count <= Self.longest else { throw Errno.messageTooLong }
        var length = UInt32(bytes.count).littleEndian
        let frame = withUnsafeBytes(of: &length) { Data($0) } + bytes
        // Messages of several threads don't mix.
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
    /// - Returns: The message, and the file that came with it; `nil` at the end, or for a message that is too long.
    func receive() -> (message: Data, file: FileDescriptor?)? {
        var file: CInt = -1
        guard let head = bytes(4, &file) else { return nil }
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
            var more: CInt = -1
            let part = data.withUnsafeMutableBytes { buffer in
                meanwhile_receive(
                    descriptor, buffer.baseAddress?.advanced(by: received), UInt(count - received), &more)
            }
            if more >= 0 {
                if file >= 0 { close(file) }
                file = more
            }
            guard part > 0 else { return nil }
            received += part
        }
        return data
    }
}
