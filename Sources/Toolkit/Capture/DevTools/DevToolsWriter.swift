import Dispatch
import Foundation
import Futures
import SystemPackage

/// Writes whole messages of a DevTools connection in order, without blocking any task.
final class DevToolsWriter: Sendable {
    private let socket: FileDescriptor
    private let queue = DispatchQueue(label: "meanwhile.devtools.writer")
    /// Guards the descriptor: once it's closed, the system may give its number to another file.
    private let isOpen = Lock(true)

    init(socket: FileDescriptor) {
        self.socket = socket
    }

    /// Writes a message, including its terminator, after earlier messages; calls `failed` if the other end is closed.
    func write(_ message: Data, failed: @escaping @Sendable () -> Void) {
        queue.async {
            // Closing also runs on this queue, so the descriptor stays open during this closure.
            guard self.isOpen.withLock({ $0 }) else { return failed() }
            var rest = message[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { sendBytes($0, to: self.socket.rawValue) }
                if count < 0 {
                    if errno == EINTR { continue }
                    return failed()
                }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Shuts down both directions immediately, which also ends a blocked write; the reader then sees the end of the
    /// stream.
    func shutDown() {
        isOpen.withLock { isOpen in
            if isOpen { _ = shutdown(socket.rawValue, CInt(SHUT_RDWR)) }
        }
    }

    /// Closes the descriptor after all queued writes.
    ///
    /// The reader calls this when it has seen the end of the stream.
    func close() {
        queue.async {
            self.isOpen.withLock { isOpen in
                guard isOpen else { return }
                isOpen = false
                try? self.socket.close()
            }
        }
    }
}

private func sendBytes(_ bytes: UnsafeRawBufferPointer, to socket: CInt) -> Int {
    #if canImport(Darwin)
        send(socket, bytes.baseAddress, bytes.count, 0)
    #else
        // A write to a closed socket must not end this process with SIGPIPE.
        send(socket, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
    #endif
}
