import HTTPTypes
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
package import PrometheusMetrics
import ServiceLifecycle

/// Serves metrics to a program on this computer, on a port of its own.
///
/// It listens on 127.0.0.1 only, and needs no sign-in: metrics name routes and numbers, but no people and no contents. A
/// page of another site can't read them, because `Host` must be a loopback address.
package struct MetricsServer: Service {
    /// A program asks every few seconds, on one connection.
    private static let maximumConnections = 16
    private static let idleTimeout = TimeAmount.seconds(120)

    private let port: Int
    private let metrics: PrometheusMetrics
    private let logger: Logger
    private let onReady: @Sendable (_ port: Int) async -> Void

    /// Creates the server.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for any free port.
    ///   - metrics: The metrics.
    ///   - logger: The logger.
    ///   - onReady: Called once with the port, as soon as the server listens.
    package init(
        port: Int, metrics: PrometheusMetrics, logger: Logger,
        onReady: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        (self.port, self.metrics, self.logger, self.onReady) = (port, metrics, logger, onReady)
    }

    /// Serves until the task is cancelled or shut down gracefully.
    ///
    /// - Throws: ``SiteError`` if it can't listen on the port, or the error that ended it.
    package func run() async throws {
        let router = Router(context: BasicRequestContext.self)
        router.get("/metrics") { [metrics] request, _ in
            guard Self.isLoopback(request.head.authority) else { throw HTTPError(.misdirectedRequest) }
            return Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: await metrics.text())))
        }
        var configuration = ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
        configuration.availableConnectionsDelegate = MaximumAvailableConnections(Self.maximumConnections)
        let application = Application(
            router: router, server: .http1(configuration: .init(idleTimeout: Self.idleTimeout)),
            configuration: configuration, onServerRunning: { await onReady($0.localAddress?.port ?? port) },
            logger: logger)
        do {
            try await application.run()
        } catch let error as IOError {
            throw SiteError(
                .cannotListen, SiteWords.cannotServeMetrics(port, because: error.description), cause: error)
        }
    }

    /// Whether a `Host` names this computer: a name that leads here by DNS is a page's of another site.
    private static func isLoopback(_ host: String?) -> Bool {
        guard let host, let origin = WebOrigin("http://\(host)") else { return false }
        return origin.isLoopback
    }
}

extension MetricsServer: CustomStringConvertible {
    /// A short name: a `ServiceGroup` describes each of its services at once.
    package var description: String { "MetricsServer" }
}
