import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

private struct PortError: Error, CustomStringConvertible {
    let description: String
}

/// The ports that have been returned.
private let used = Mutex<Set<UInt16>>([])

/// Finds a port of 127.0.0.1 that no program uses at the moment.
///
/// It is below 32768, so Linux never assigns it to an outgoing connection before the program listens on it.
///
/// - Returns: The port, another one for each call.
/// - Throws: An error if there is none, or no socket.
package func freePort() throws -> Int {
    for _ in 0..<100 {
        let port = UInt16.random(in: 20_000..<32_000)
        if try isFree(port), used.withLock({ $0.insert(port).inserted }) { return Int(port) }
    }
    throw PortError(description: "100 ports between 20000 and 31999 are in use.")
}

private func isFree(_ port: UInt16) throws -> Bool {
    #if canImport(Glibc)
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    #elseif canImport(Musl)
        let descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)
    #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw PortError(description: "No socket can be opened: error \(errno).") }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
            bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
}
