#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A loopback port that refuses every connection, and that no other process can bind meanwhile.
///
/// The socket is bound and never listens; it is closed with the last reference.
final class RefusingPort: Sendable {
    /// The number of the port.
    let number: Int
    private let socket: CInt

    /// Binds a free port of 127.0.0.1.
    ///
    /// - Throws: ``FixtureError`` when the system has none.
    init() throws {
        let socket = makeStreamSocket()
        guard socket >= 0 else { throw FixtureError("No socket for a refusing port: errno \(errno).") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failed = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(socket, pointer, length) != 0 || getsockname(socket, pointer, &length) != 0
            }
        }
        guard !failed else {
            close(socket)
            throw FixtureError("No free port to refuse connections at: errno \(errno).")
        }
        self.socket = socket
        self.number = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit {
        close(self.socket)
    }
}

/// Creates a socket, outside the type whose property shadows the function.
private func makeStreamSocket() -> CInt {
    #if canImport(Glibc)
        socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    #else
        socket(AF_INET, SOCK_STREAM, 0)
    #endif
}
