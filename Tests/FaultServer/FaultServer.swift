public import Foundation
import Futures
import NIOCore
import NIOPosix
import NIOSSL

/// A server on 127.0.0.1 that says, byte for byte, what a test wants, and counts who asks.
///
/// What it does about a path is a ``Route``, which writes raw bytes: so that it can also be wrong, slow, or silent. Slow is
/// never a matter of time: a route waits at a ``Gate`` that the test opens.
public final class FaultServer: Sendable {
    /// What is done about the requests for a path.
    public typealias Route = @Sendable (FaultRequest, FaultConnection) async throws -> Void

    private struct State: Sendable {
        var routes: [String: Route] = [:]
        var requests: [FaultRequest] = []
        var connections = 0
        var open = 0
        var tasks: [Int: Task<Void, Never>] = [:]
        var listener: (any Channel)?
        var isClosed = false
    }

    private let state: Lock<State>

    private init(_ routes: [String: Route]) {
        self.state = Lock(State(routes: routes))
    }

    deinit {
        state.withLock { $0.listener }?.close(promise: nil)
    }
}

extension FaultServer {
    /// Starts a server.
    ///
    /// - Parameters:
    ///   - routes: What is done about which path; every other is answered with 404.
    ///   - identity: What it speaks TLS with; `nil` to speak without.
    /// - Returns: The server: close it.
    /// - Throws: What the system says, if it cannot listen.
    public static func start(
        _ routes: [String: Route] = [:], identity: TestCertificate? = nil
    ) async throws -> FaultServer {
        let server = FaultServer(routes)
        let secure = try identity.map { try NIOSSLContext(configuration: $0.configuration()) }
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { [weak server] channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let server else { throw ChannelError.inputClosed }
                    if let secure {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: secure))
                    }
                    // At once: NIO traps when such a channel is forgotten before it is executed.
                    server.serve(try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.state.withLock { $0.listener = listener }
        return server
    }

    /// The port that it listens at.
    public var port: Int { state.withLock { $0.listener?.localAddress?.port ?? 0 } }

    /// Says what is done about a path from now on.
    public func on(_ path: String, _ route: @escaping Route) {
        state.withLock { $0.routes[path] = route }
    }

    /// An address of it.
    ///
    /// - Parameters:
    ///   - path: The path, with its query.
    ///   - host: What it is called.
    ///   - scheme: How it is asked.
    /// - Returns: The address.
    public func url(_ path: String, host: String = "127.0.0.1", scheme: String = "http") -> URL {
        URL(string: "\(scheme)://\(host):\(port)\(path)") ?? URL(filePath: path)
    }

    /// All requests so far, of one path if one is given.
    public func requests(_ path: String? = nil) -> [FaultRequest] {
        state.withLock { state in state.requests.filter { path == nil || $0.path == path } }
    }

    /// How many connections there were.
    public var connectionCount: Int { state.withLock { $0.connections } }

    /// How many connections there are.
    public var openConnectionCount: Int { state.withLock { $0.open } }

    /// Ends all connections, and the server.
    public func close() async {
        let (tasks, listener) = state.withLock { state in
            state.isClosed = true
            return (Array(state.tasks.values), state.listener)
        }
        for task in tasks { task.cancel() }
        try? await listener?.close()
        for task in tasks { await task.value }
    }
}

extension FaultServer {
    private func serve(_ channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>) {
        let number = state.withLock { state in
            state.connections += 1
            state.open += 1
            return state.connections
        }
        channel.channel.closeFuture.whenComplete { [weak self] _ in
            self?.state.withLock { $0.open -= 1 }
        }
        // Owned by the server, whose end cancels it.
        let task = Task { [weak self] in
            try? await channel.executeThenClose { inbound, outbound in
                var reader = RequestReader(pieces: inbound.makeAsyncIterator(), connection: number)
                let connection = FaultConnection(outbound: outbound, channel: channel.channel)
                while let request = try await reader.next() {
                    guard let route = self?.take(request) else { break }
                    try await route(request, connection)
                    if connection.isEnded { break }
                }
            }
            self?.state.withLock { _ = $0.tasks.removeValue(forKey: number) }
        }
        let isClosed = state.withLock { state in
            state.tasks[number] = task
            return state.isClosed
        }
        if isClosed { task.cancel() }
    }

    private func take(_ request: FaultRequest) -> Route? {
        state.withLock { state in
            state.requests.append(request)
            return state.routes[request.path] ?? { _, connection in try await connection.answer(404, "not here") }
        }
    }
}
