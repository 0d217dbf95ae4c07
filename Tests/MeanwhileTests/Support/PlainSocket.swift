import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A connection of an attacker, or of a client that is measured: made by hand, so that thousands cost nothing.
final class PlainSocket {
    private let descriptor: CInt

    /// Connects to a port of this machine.
    ///
    /// - Parameters:
    ///   - port: The port.
    ///   - address: The address that it comes from, in 127.0.0.0/8.
    /// - Throws: An issue of the test, if it cannot connect.
    init(port: Int, from address: String = "127.0.0.1") throws {
        #if canImport(Glibc)
            let kind = CInt(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, kind | closeOnExec, 0)
        try #require(descriptor >= 0, "No socket: \(errno)")
        // A server that doesn't answer fails the test, and doesn't hold it up.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let isBound = Self.with(address, port: 0) { bind(descriptor, $0, $1) }
        try #require(isBound == 0, "Can't bind to \(address): \(errno)")
        let isConnected = Self.with("127.0.0.1", port: port) { connect(descriptor, $0, $1) }
        try #require(isConnected == 0, "Can't connect from \(address): \(errno)")
    }

    deinit {
        close(descriptor)
    }

    private static func with(
        _ address: String, port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) -> CInt {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = UInt16(port).bigEndian
        place.sin_addr.s_addr = inet_addr(address)
        return withUnsafePointer(to: place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Sends text, unless the server has closed the connection.
    func send(_ text: String) {
        sendBytes(of: text, to: descriptor)
    }

    /// Reads until the server closes the connection, or for a minute.
    func readAll() -> String {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &part, part.count, 0)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += part.prefix(count)
        }
    }

    /// Raises the limit of this process's descriptors as far as it goes; returns it.
    static func raiseLimit() -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return 256 }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(resource, &limit)
        return Int(clamping: limit.rlim_cur)
    }
}

/// `SOCK_CLOEXEC` on Linux, which is no number in every C library's module: children must not hold the connections.
private let closeOnExec: CInt = 0o2000000
/// `MSG_NOSIGNAL`, for the same reason.
private let noSignal: CInt = 0x4000

/// Outside of the class, which has a `send` of its own.
private func sendBytes(of text: String, to descriptor: CInt) {
    var text = text
    text.withUTF8 { _ = send(descriptor, $0.baseAddress, $0.count, noSignal) }
}
