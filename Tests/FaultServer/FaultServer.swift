public import Foundation
import Futures
import NIOCore
import NIOPosix
import NIOSSL

/// A server on 127.0.0.1 whose responses a test controls byte by byte, and which records its requests.
///
/// A ``Route`` writes raw bytes, so it can also send invalid, slow or no responses. Slowness doesn't depend on time: a
/// route waits at a ``Gate`` until the test opens it.
public final class FaultServer: Sendable {
    /// Responds to the requests for a path.
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
    ///   - routes: The routes by path; other paths respond with status 404.
    ///   - identity: The certificate for TLS; `nil` for a server without TLS.
    /// - Returns: The server, which the caller must close.
    /// - Throws: The system's error, if the server can't listen.
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
                    // Served at once, because NIO traps if an async channel is deallocated before `executeThenClose`.
                    server.serve(try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.state.withLock { $0.listener = listener }
        return server
    }

    /// The port that the server listens on.
    public var port: Int { state.withLock { $0.listener?.localAddress?.port ?? 0 } }

    /// Sets the route for a path.
    public func setRoute(_ path: String, _ route: @escaping Route) {
        state.withLock { $0.routes[path] = route }
    }

    /// Returns the URL of a path on this server.
    ///
    /// - Parameters:
    ///   - path: The path, with its query.
    ///   - host: The host's name or address.
    ///   - scheme: The scheme.
    /// - Returns: The URL.
    public func url(_ path: String, host: String = "127.0.0.1", scheme: String = "http") -> URL {
        URL(string: "\(scheme)://\(host):\(port)\(path)") ?? URL(filePath: path)
    }

    /// All requests so far, optionally only those for one path.
    public func requests(_ path: String? = nil) -> [FaultRequest] {
        state.withLock { state in state.requests.filter { path == nil || $0.path == path } }
    }

    /// The number of connections accepted so far.
    public var connectionCount: Int { state.withLock { $0.connections } }

    /// The number of open connections.
    public var openConnectionCount: Int { state.withLock { $0.open } }

    /// Closes all connections, and stops listening.
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
        // The server owns this task and cancels it when it closes.
        let task = Task { [weak self] in
            try? await channel.executeThenClose { inbound, outbound in
                var reader = RequestReader(pieces: inbound.makeAsyncIterator(), connection: number)
                let connection = FaultConnection(outbound: outbound, channel: channel.channel)
                while let request = try await reader.next() {
                    guard let route = self?.recordAndRoute(request) else { break }
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

    private func recordAndRoute(_ request: FaultRequest) -> Route? {
        state.withLock { state in
            state.requests.append(request)
            return state.routes[request.path] ?? { _, connection in try await connection.respond(404, "not here") }
        }
    }
}
