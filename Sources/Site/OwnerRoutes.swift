import Futures
public import HTTPTypes
public import Hummingbird
public import Persistence

/// The routes of an app for one owner.
///
/// An app's pages belong to one owner and know no other, so that no route can reach another owner's data. The app adds its
/// routes once for each owner, with `addOwnerRoutes(like:of:)`.
public final class OwnerRoutes: RouterMethods, Sendable {
    /// The context of the site's requests.
    public typealias Context = SiteContext

    struct Route: Sendable {
        let path: RouterPath
        let method: HTTPRequest.Method
        let responder: any HTTPResponder<SiteContext>
    }

    private struct State {
        var routes: [Route] = []
        var middlewares: [any MiddlewareProtocol<Request, Response, SiteContext>] = []
    }

    private let state = Lock(State())

    init() {}

    var routes: [Route] { state.withLock(\.routes) }

    /// Adds a route.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - method: The method.
    ///   - responder: Responds to the requests of the owner.
    /// - Returns: These routes.
    @discardableResult
    public func on<Responder: HTTPResponder>(
        _ path: RouterPath, method: HTTPRequest.Method, responder: Responder
    ) -> Self where Responder.Context == SiteContext {
        var chain: any HTTPResponder<SiteContext> = responder
        for middleware in state.withLock(\.middlewares).reversed() {
            let next = chain
            chain = CallbackResponder { request, context in
                try await middleware.handle(request, context: context) { try await next.respond(to: $0, context: $1) }
            }
        }
        let route = Route(path: path, method: method, responder: chain)
        state.withLock { $0.routes.append(route) }
        return self
    }

    /// Adds a middleware for the routes that are added afterwards.
    @discardableResult
    public func add(middleware: any MiddlewareProtocol<Request, Response, SiteContext>) -> Self {
        state.withLock { $0.middlewares.append(middleware) }
        return self
    }
}

extension SiteRouter {
    /// Adds the routes of an app, whose requests are answered by the pages of their owner.
    ///
    /// - Parameters:
    ///   - prototype: Adds the routes of any owner, of which only the paths are used.
    ///   - add: Adds an owner's routes, in the same order. It is called before the first request of each owner; its error is
    ///     the response to this request.
    public func addOwnerRoutes(
        like prototype: (OwnerRoutes) -> Void,
        of add: @escaping @Sendable (_ owner: OwnerID, _ routes: OwnerRoutes) async throws -> Void
    ) {
        let known = Lock<[OwnerID: [any HTTPResponder<SiteContext>]]>([:])
        @Sendable func responders(of owner: OwnerID) async throws -> [any HTTPResponder<SiteContext>] {
            if let responders = known.withLock({ $0[owner] }) { return responders }
            let routes = OwnerRoutes()
            try await add(owner, routes)
            let responders = routes.routes.map(\.responder)
            known.withLock { $0[owner] = responders }
            return responders
        }
        let routes = OwnerRoutes()
        prototype(routes)
        for (index, route) in routes.routes.enumerated() {
            on(route.path, method: route.method) { request, context in
                try await responders(of: context.owner)[index].respond(to: request, context: context)
            }
        }
    }
}
