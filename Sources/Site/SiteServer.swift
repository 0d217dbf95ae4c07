import Foundation
import Futures
public import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
public import Logging
import NIOCore
public import ServiceLifecycle

/// The site's web server, as a service.
///
/// It listens on loopback, checks `Host` and `Origin`, shows errors as pages, and enforces ``SiteLimits``. A graceful
/// shutdown ends within a second, event streams included, but waits up to ``SiteLimits/shutdownTimeout`` for requests
/// in progress.
public struct SiteServer: Service {
    /// The address, apps and limits of the site.
    public let configuration: SiteConfiguration
    /// The method and path of each route, such as `GET /library/pages/{id}/view`.
    package let routes: [String]
    private let responder: RouterResponder<SiteContext>
    private let logger: Logger
    let limiter: ConnectionLimiter
    private let onReady: @Sendable (_ port: Int) async -> Void

    /// Creates the server and its routes.
    ///
    /// - Parameters:
    ///   - configuration: The address, apps and limits of the site.
    ///   - logger: The logger; the methods and paths of requests are logged at level `debug`, without queries and tokens.
    ///   - home: The modules whose apps' state the home page shows; `nil` for a home page that only lists the apps.
    ///   - onReady: Called once with the port, as soon as the server listens.
    ///   - routes: Adds the apps' routes to the router; their pages use the layout.
    /// - Throws: An error from `routes`, or from an invalid template.
    public init(
        configuration: SiteConfiguration, logger: Logger, home: SiteModules? = nil,
        onReady: @escaping @Sendable (_ port: Int) async -> Void = { _ in },
        routes: (SiteRouter, Layout) throws -> Void
    ) throws {
        let limiter = ConnectionLimiter(
            limits: configuration.limits, isPerAddress: configuration.knowsAddresses, proxies: configuration.proxies,
            isServer: { configuration.forwarding?.isServer($0) == true })
        let layout = try Layout(apps: configuration.apps, dataPage: configuration.dataPage)
        let router = SiteRouter(context: SiteContext.self, options: [.autoGenerateHeadEndpoints])
        if let metrics = configuration.metrics {
            router.add(middleware: RequestMetrics(metrics))
            limiter.addMetrics(to: metrics)
        }
        if let forwarding = configuration.forwarding {
            router.add(middleware: ForwardedRequests(forwarding: forwarding))
        }
        router.addMiddleware {
            PacedBodies()
            RequestLog(proxies: configuration.proxies)
            SecurityHeaders(usesHTTPS: configuration.usesHTTPS)
            SharedPathHeaders()
            ReaderFormatting()
            ProblemPages(layout: layout)
            HostAndOriginCheck(configuration: configuration)
            ConfiguredContext(configuration: configuration)
            EventStreamLimit(limiter: limiter)
            RequestRate(isPerPerson: false, knowsAddresses: configuration.knowsAddresses)
        }
        if let signIn = configuration.signIn {
            router.add(
                middleware: SignInGate(
                    signIn, tokenPaths: Set(configuration.apps.flatMap(\.tokenPaths)),
                    openPaths: Set(configuration.apps.flatMap(\.openPaths)), files: layout.files.path))
            router.add(middleware: RequestRate(isPerPerson: true, knowsAddresses: configuration.knowsAddresses))
            if configuration.forwarding != nil {
                let kinds = home?.shareableKinds ?? []
                router.add(
                    middleware: OwnerForwarding(
                        otherPaths: [SharedPath.prefix] + kinds.compactMap(\.peoplePath).map { "\($0)/" }
                            + configuration.apps.flatMap(\.tokenPaths)))
            }
            try SignInPages(signIn, layout: layout, knowsAddresses: configuration.knowsAddresses)
                .addRoutes(to: router)
            try APITokenPages(signIn.signIn, apps: configuration.apps, layout: layout).addRoutes(to: router)
        }
        if configuration.apps.contains(where: { $0.api != nil }) {
            let description = try APIDescription(of: configuration.apps)
            try APIPages(description, layout: layout).addRoutes(to: router)
        }
        if let audit = configuration.audit {
            router.add(middleware: AuditTrail(routes: configuration.auditedRoutes))
            try AuditPages(audit, layout: layout).addRoutes(to: router)
        }
        if let sharing = configuration.sharing {
            try SharePages(sharing, kinds: home?.shareableKinds ?? [], layout: layout).addRoutes(to: router)
        }
        layout.files.addRoutes(to: router)
        try HomePage(layout: layout, apps: configuration.apps, modules: home).addRoutes(to: router)
        HealthPages(obstacle: configuration.obstacle).addRoutes(to: router)
        FirstRunHints(apps: configuration.apps).addRoutes(to: router)
        try routes(router, layout)
        self.configuration = configuration
        self.routes = router.routes.map { "\($0.method) \($0.path)" }
        self.responder = router.buildResponder()
        self.logger = logger
        self.limiter = limiter
        self.onReady = onReady
    }
}

extension SiteServer: CustomStringConvertible {
    /// A short name: a `ServiceGroup` describes each of its services at once, and the routes hold all the site's files.
    public var description: String { "SiteServer" }
}

extension SiteServer {
    /// Returns the Hummingbird application; tests send their requests to it.
    public func application() -> some ApplicationProtocol {
        Application(
            responder: responder, server: builder,
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), serverName: nil, backlog: 1_024),
            onServerRunning: { channel in
                do {
                    try await channel.pipeline.addHandler(admission, position: .first).get()
                } catch {
                    // Never serve without the limits. This fails only if the server has been closed in the meantime.
                    channel.close(promise: nil)
                    return
                }
                await onReady(channel.localAddress?.port ?? configuration.port)
            },
            logger: logger)
    }

    private var admission: AdmissionHandler {
        AdmissionHandler(limiter: limiter, expectsTLS: configuration.certificate != nil, origin: configuration.origin)
    }

    /// The protocols: HTTP/1.1, or with a certificate HTTP/2 and HTTP/1.1 over TLS, as the client chooses.
    private var builder: HTTPServerBuilder {
        let limits = configuration.limits
        let http1 = HTTP1Channel.Configuration(
            additionalChannelHandlers: [DeadlineHandler(limiter: limiter)],
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.maximumHeaderFieldBytes,
                maxHeaderListSize: limits.maximumHeaderBytes,
                maxHeaderFieldCount: limits.maximumHeaderFields))
        guard let certificate = configuration.certificate else {
            return HTTPServerBuilder { responder in
                RetainedConnections(base: HTTP1Channel(responder: responder, configuration: http1))
            }
        }
        let http2 = HTTP2ChannelConfiguration(
            // A request may arrive just as an idle connection is being closed. It has no time limit for that: its own
            // deadlines apply, and a shutdown closes all connections.
            idleTimeout: limits.idleTimeout, gracefulCloseTimeout: nil, streamConfiguration: http1)
        return HTTPServerBuilder { responder in
            RetainedConnections(
                base: try HTTP2UpgradeChannel(
                    tlsConfiguration: certificate.configuration, configuration: http2, responder: responder))
        }
    }

    /// Serves requests until the task is cancelled or shut down gracefully.
    ///
    /// - Throws: ``SiteError`` if the server can't be started, or the error that ended it.
    public func run() async throws {
        // Without a required sign-in, only the person at this computer may reach the server.
        guard configuration.isLoopback || configuration.signIn?.isRequired == true else {
            throw SiteError(.notLoopback, SiteWords.notLoopback(configuration.host))
        }
        if let origin = configuration.origin, WebOrigin(origin.absoluteString) == nil {
            throw SiteError(.invalidOrigin, SiteWords.invalidOrigin(origin.absoluteString))
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

    /// Closes the remaining connections some time after a shutdown began, or immediately if the task is cancelled.
    ///
    /// Otherwise a client that reads nothing would delay the shutdown.
    private func closeConnectionsAfterShutdown() async {
        do {
            try await gracefulShutdown()
            try await Stopwatch(ContinuousClock()).sleep(until: configuration.limits.shutdownTimeout)
        } catch {
            // Cancelled: close them now.
        }
        limiter.closeAll()
    }

    private func cannotListen(_ error: IOError) -> SiteError {
        let port = configuration.port
        return switch error.errnoCode {
        case EADDRINUSE:
            SiteError(
                .portInUse, SiteWords.portInUse(port, another: port < 65_535 ? port + 1 : 8080), cause: error)
        case EACCES:
            SiteError(.portNotAllowed, SiteWords.portNotAllowed(port), cause: error)
        default:
            SiteError(
                .cannotListen,
                SiteWords.cannotListen(configuration.host, port: port, because: error.description),
                cause: error)
        }
    }
}

/// Adds two settings of the site to each request's context: the body limit, and whether the site uses HTTPS.
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
        context.publicOrigin = configuration.publicOrigin
        if let proxies = configuration.proxies, !context.isForwarded {
            context.clientAddress = proxies.client(behind: context.clientAddress, request.headers)
        }
        if let audit = configuration.audit {
            context.audit = audit
            context.device = Device.name(request.headers[.userAgent] ?? "")
        }
        return try await next(request, context)
    }
}
