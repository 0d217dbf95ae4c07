#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A UDP port of 127.0.0.1 that counts the datagrams it receives.
final class DatagramSocket: Sendable {
    struct NoPort: Error {}

    let port: Int
    private let socket: CInt

    init() throws {
        #if canImport(Glibc)
            let kind = CInt(SOCK_DGRAM.rawValue)
            let socket = Glibc.socket(AF_INET, kind, 0)
        #elseif canImport(Musl)
            let socket = Musl.socket(AF_INET, SOCK_DGRAM, 0)
        #else
            let socket = Darwin.socket(AF_INET, SOCK_DGRAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failed = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(socket, pointer, length) != 0 || getsockname(socket, pointer, &length) != 0
            }
        }
        guard socket >= 0, !failed else { throw NoPort() }
        self.socket = socket
        self.port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit {
        close(socket)
    }

    /// The number of datagrams received since the last call.
    func receivedCount() -> Int {
        var buffer = [UInt8](repeating: 0, count: 2048)
        var count = 0
        while recv(socket, &buffer, buffer.count, CInt(MSG_DONTWAIT)) >= 0 { count += 1 }
        return count
    }
}
