import Dispatch
import Foundation
import Futures
import SystemPackage

/// The one writer of a DevTools connection: messages leave whole and in order, and blocking here blocks no task.
final class DevToolsWriter: Sendable {
    private let socket: FileDescriptor
    private let queue = DispatchQueue(label: "meanwhile.devtools.writer")
    /// Guards the descriptor's number: once closed, it may be that of another file.
    private let isOpen = Lock(true)

    init(socket: FileDescriptor) {
        self.socket = socket
    }

    /// Writes a message with its end mark, after those before it; calls `failed` if the other side takes no more.
    func write(_ message: Data, failed: @escaping @Sendable () -> Void) {
        queue.async {
            // Closing happens on this queue too, so the descriptor stays open for as long as this runs.
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

    /// Ends both directions at once, also a write that blocks; the reader sees the end.
    func shutDown() {
        isOpen.withLock { isOpen in
            if isOpen { _ = shutdown(socket.rawValue, CInt(SHUT_RDWR)) }
        }
    }

    /// Closes the descriptor after what is queued.
    ///
    /// For the reader, when it has seen the end.
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
        // A browser that has gone must not end this process by SIGPIPE.
        send(socket, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
    #endif
}
