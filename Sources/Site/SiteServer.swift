import Foundation
import Futures
public import Hummingbird
public import Logging
import NIOCore
public import ServiceLifecycle

/// The web server of the site, as a service.
///
/// It answers on loopback, checks `Host` and `Origin`, shows errors as pages, holds clients to ``SiteLimits``, and ends within a
/// second at a graceful shutdown, event streams too; a request that is being answered is waited for, within a limit.
public struct SiteServer: Service {
    /// Where the site is.
    public let configuration: SiteConfiguration
    /// The method and path of each route, such as `GET /library/pages/{id}/view`.
    package let routes: [String]
    private let responder: RouterResponder<SiteContext>
    private let logger: Logger
    let limiter: ConnectionLimiter
    private let onReady: @Sendable (_ port: Int) async -> Void

    /// Puts the site together.
    ///
    /// - Parameters:
    ///   - configuration: Where the site is, and which apps it names.
    ///   - logger: Where to log to: requests at `debug`.
    ///   - onReady: Called with the port, once, as soon as the server listens.
    ///   - routes: Adds the apps' routes, to the router, for pages made with the layout.
    /// - Throws: What `routes` throws, or what is wrong with a template.
    public init(
        configuration: SiteConfiguration, logger: Logger,
        onReady: @escaping @Sendable (_ port: Int) async -> Void = { _ in },
        routes: (SiteRouter, Layout) throws -> Void
    ) throws {
        // Behind a proxy, all clients have its address.
        let limiter = ConnectionLimiter(limits: configuration.limits, isPerAddress: configuration.origin == nil)
        let layout = try Layout(apps: configuration.apps, dataPage: configuration.dataPage)
        let router = SiteRouter(context: SiteContext.self, options: [.autoGenerateHeadEndpoints])
        router.addMiddleware {
            LogRequestsMiddleware<SiteContext>(.debug)
            SecurityHeaders(usesHTTPS: configuration.usesHTTPS)
            ProblemPages(layout: layout)
            HostAndOriginCheck(configuration: configuration)
            EventStreamLimit(limiter: limiter)
            ConfiguredContext(configuration: configuration)
        }
        layout.files.addRoutes(to: router)
        try HomePage(layout: layout, apps: configuration.apps).addRoutes(to: router)
        try routes(router, layout)
        self.configuration = configuration
        self.routes = router.routes.map { "\($0.method) \($0.path)" }
        self.responder = router.buildResponder()
        self.logger = logger
        self.limiter = limiter
        self.onReady = onReady
    }
}

extension SiteServer {
    /// The application, as Hummingbird has it; tests send their requests to it.
    ///
    /// - Returns: The application.
    public func application() -> some ApplicationProtocol {
        let limits = configuration.limits
        return Application(
            responder: responder,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [DeadlineHandler(limiter: limiter)],
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: limits.maximumHeaderFieldBytes,
                        maxHeaderListSize: limits.maximumHeaderBytes,
                        maxHeaderFieldCount: limits.maximumHeaderFields))),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), serverName: nil, backlog: 1_024),
            onServerRunning: { channel in
                do {
                    try await channel.pipeline.addHandler(AdmissionHandler(limiter: limiter), position: .first).get()
                } catch {
                    // Without the limits it must not serve. This fails only if the server has been closed meanwhile.
                    channel.close(promise: nil)
                    return
                }
                await onReady(channel.localAddress?.port ?? configuration.port)
            },
            logger: logger)
    }

    /// Serves until the task is cancelled, or shut down gracefully.
    ///
    /// - Throws: ``SiteError`` where the server cannot be started, or what ends it.
    public func run() async throws {
        guard ["127.0.0.1", "::1", "localhost"].contains(configuration.host) else {
            throw SiteError(
                .notLoopback,
                """
                The site cannot be at \(configuration.host): there is no sign-in, so it is only for this machine. Use \
                127.0.0.1, and let a proxy that asks who is there stand in front (--origin).
                """)
        }
        if let origin = configuration.origin, WebOrigin(origin.absoluteString) == nil {
            throw SiteError(
                .invalidOrigin,
                """
                \(origin.absoluteString) is not the address of a site. Give --origin a scheme and a host, and nothing \
                after them: https://pages.example.com
                """)
        }
        do {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await application().run()
                    return true
                }
                group.addTask {
                    await closeConnectionsAfterShutdown()
                    return false
                }
                for try await hasEnded in group where hasEnded { group.cancelAll() }
            }
        } catch let error as IOError {
            throw cannotListen(error)
        }
    }

    /// Closes what is still open some time after the shutdown began, or at once if the task is cancelled: a client that
    /// takes no bytes would otherwise hold the server up.
    private func closeConnectionsAfterShutdown() async {
        do {
            try await gracefulShutdown()
            try await Stopwatch(ContinuousClock()).sleep(until: configuration.limits.shutdownTimeout)
        } catch {
            // Cancelled: now.
        }
        limiter.closeAll()
    }

    private func cannotListen(_ error: IOError) -> SiteError {
        let port = configuration.port
        return switch error.errnoCode {
        case EADDRINUSE:
            SiteError(
                .portInUse,
                """
                Port \(port) is in use by another program, perhaps by this one, started before. Stop that one, or \
                choose another port, as in: --port \(port < 65_535 ? port + 1 : 8080)
                """, cause: error)
        case EACCES:
            SiteError(
                .portNotAllowed,
                "Port \(port) is kept for the system. Choose one above 1023, as in: --port 8080", cause: error)
        default:
            SiteError(
                .cannotListen,
                "The server cannot listen at \(configuration.host), port \(port): \(error.description). Choose another --port.",
                cause: error)
        }
    }
}

/// Tells each request how large its body may be, and whether the site is reached by HTTPS.
private struct ConfiguredContext: RouterMiddleware {
    typealias Context = SiteContext

    let configuration: SiteConfiguration

    @concurrent
    func handle(
        _ request: Request, context: SiteContext,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.maximumBodyBytes = configuration.maximumBodyBytes
        context.usesHTTPS = configuration.usesHTTPS
        return try await next(request, context)
    }
}
