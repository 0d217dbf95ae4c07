import Foundation
import Futures
import Persistence
package import PostgreSQL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Forwards connections to the PostgreSQL server, until it is told to harm one.
package final class CuttingProxy: Sendable {
    /// What happens to a connection when the client sends something.
    package enum Harm: Sendable {
        /// It is closed before the server receives that.
        case cutBefore
        /// It is closed when the server has answered, and the client doesn't receive the answer.
        case cutAfter
        /// Nothing is forwarded any more, but the connection stays open.
        case silence
    }

    private struct State {
        var harm: Harm?
        var text = Data()
        /// How many connections are still to be harmed.
        var times = 0
        /// How many connections were harmed.
        var count = 0
        /// The folder of the server's socket.
        var server: String
        /// The connections that stay open in silence.
        var silent: [Pair] = []
    }

    /// The two sockets of a connection, which are closed with this object.
    private final class Pair: Sendable {
        let client, upstream: CInt

        init(_ client: CInt, _ upstream: CInt) { (self.client, self.upstream) = (client, upstream) }

        deinit {
            close(client)
            close(upstream)
        }

        func end() {
            shutdown(client, CInt(SHUT_RDWR))
            shutdown(upstream, CInt(SHUT_RDWR))
        }
    }

    private let folder: String
    private let server: String
    private let listener: CInt
    private let state: Lock<State>

    /// Listens in a new folder.
    package init(to server: String) throws {
        self.server = server
        state = Lock(State(server: server))
        var template = Array("/tmp/meanwhile-proxy-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let listener = socket(AF_UNIX, Self.stream, 0)
        self.listener = listener
        let isListening = Self.with(folder) { bind(listener, $0, $1) } == 0 && listen(listener, 64) == 0
        guard isListening else { throw POSIXError(.EIO) }
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let proxy = self else { return }
                proxy.forward(client, proxy.state.withLock(\.server))
            }
        }
    }

    deinit {
        shutdown(listener, CInt(SHUT_RDWR))
        close(listener)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The address of a schema through this proxy.
    package func address(of schema: PostgresAddress) throws -> PostgresAddress {
        try PostgresAddress(schema.text.replacing(server, with: folder))
    }

    /// Harms the next connections that send anything, or a text.
    package func harm(_ harm: Harm, at text: String = "", times: Int = 1) {
        state.withLock { ($0.harm, $0.text, $0.times) = (harm, Data(text.utf8), times) }
    }

    /// Forwards later connections to another server.
    package func redirect(to server: String) {
        state.withLock { $0.server = server }
    }

    /// How many connections were harmed.
    package var count: Int { state.withLock(\.count) }

    #if canImport(Glibc)
        private static let stream = CInt(SOCK_STREAM.rawValue)
        private static let noSignal = CInt(MSG_NOSIGNAL)
    #else
        private static let stream = SOCK_STREAM
        private static let noSignal: CInt = 0
    #endif

    private static func with<Result>(
        _ folder: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array("\(folder)/.s.PGSQL.5432".utf8)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }

    private func forward(_ client: CInt, _ server: String) {
        let pair = Pair(client, socket(AF_UNIX, Self.stream, 0))
        guard Self.with(server, { connect(pair.upstream, $0, $1) }) == 0 else { return }
        // What the connection has come to.
        let harm = Lock<Harm?>(nil)
        Thread.detachNewThread { [self] in
            Self.copy(pair.client, pair.upstream) { bytes in
                let found = state.withLock { state -> Harm? in
                    // An earlier connection may end now, by the message Terminate:
                    // https://www.postgresql.org/docs/15/protocol-message-formats.html
                    let isTermination = bytes == Data([0x58, 0, 0, 0, 4])
                    guard let harm = state.harm, state.times > 0, !isTermination,
                        state.text.isEmpty || bytes.range(of: state.text) != nil
                    else { return nil }
                    state.times -= 1
                    state.count += 1
                    return harm
                }
                guard let found else { return true }
                harm.withLock { $0 = found }
                return found == .cutAfter
            }
            switch harm.withLock(\.self) {
            case .silence: state.withLock { $0.silent.append(pair) }
            case .cutAfter: break
            case .cutBefore, nil: pair.end()
            }
        }
        Thread.detachNewThread {
            Self.copy(pair.upstream, pair.client) { _ in harm.withLock { $0 == nil } }
            if harm.withLock(\.self) != .silence { pair.end() }
        }
    }

    /// Copies bytes until the end, or until the closure returns `false` for some.
    private static func copy(_ source: CInt, _ target: CInt, while isForwarded: (Data) -> Bool) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0, isForwarded(Data(buffer[0..<count])) else { return }
            var sent = 0
            while sent < count {
                // Without a signal if the peer has gone.
                let written = buffer[sent..<count].withUnsafeBytes { send(target, $0.baseAddress, $0.count, noSignal) }
                guard written > 0 else { return }
                sent += written
            }
        }
    }
}
