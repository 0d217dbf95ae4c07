import Foundation
public import Hummingbird
public import Logging
import NIOCore
public import ServiceLifecycle

/// The web server of the site, as a service.
///
/// It answers on loopback, checks `Host` and `Origin`, shows errors as pages, and ends within a second at a graceful
/// shutdown, event streams too; a request that is being answered is waited for.
public struct SiteServer: Service {
    /// Where the site is.
    public let configuration: SiteConfiguration
    /// The method and path of each route, such as `GET /library/pages/{id}/view`.
    package let routes: [String]
    private let responder: RouterResponder<SiteContext>
    private let logger: Logger
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
        let layout = try Layout(apps: configuration.apps, dataPage: configuration.dataPage)
        let router = SiteRouter(context: SiteContext.self, options: [.autoGenerateHeadEndpoints])
        router.addMiddleware {
            LogRequestsMiddleware<SiteContext>(.debug)
            SecurityHeaders(usesHTTPS: configuration.usesHTTPS)
            ProblemPages(layout: layout)
            HostAndOriginCheck(configuration: configuration)
            ConfiguredContext(configuration: configuration)
        }
        try HomePage(layout: layout, apps: configuration.apps).addRoutes(to: router)
        try routes(router, layout)
        self.configuration = configuration
        self.routes = router.routes.map { "\($0.method) \($0.path)" }
        self.responder = router.buildResponder()
        self.logger = logger
        self.onReady = onReady
    }
}

extension SiteServer {
    /// The application, as Hummingbird has it; tests send their requests to it.
    ///
    /// - Returns: The application.
    public func application() -> some ApplicationProtocol {
        Application(
            responder: responder,
            // A connection on which nothing is asked for, or a request that does not end, is not kept for ever.
            server: .http1(configuration: .init(idleTimeout: .seconds(60))),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), serverName: nil),
            onServerRunning: { channel in await onReady(channel.localAddress?.port ?? configuration.port) },
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
            try await application().run()
        } catch let error as IOError {
            throw cannotListen(error)
        }
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
