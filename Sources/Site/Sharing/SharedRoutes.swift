public import Accounts
import Foundation
import HTTPTypes
public import Hummingbird

/// Adds the routes of a kind of shared thing, each at two paths.
///
/// | path | for |
/// |---|---|
/// | `/shared/TOKEN/board/…` | those who have the link |
/// | `/art/shared/ID/…` | the signed-in person with whom the board is shared |
///
/// A route receives the share, which names the one thing of the owner that the request may reach. The owner in the
/// request's context is another: that of the visitor.
public struct SharedRoutes: Sendable {
    /// Responds to a request by a share.
    public typealias Handler =
        @Sendable (_ request: Request, _ context: SiteContext, _ access: SharedAccess) async throws -> Response

    private let sharing: SiteSharing
    private let kind: String
    private let peoplePath: String?

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - sharing: What is shared.
    ///   - kind: The kind of thing.
    public init(_ sharing: SiteSharing, of kind: ShareableKind) {
        (self.sharing, self.kind, self.peoplePath) = (sharing, kind.kind, kind.peoplePath)
    }

    /// Adds a route that only reads.
    ///
    /// - Parameters:
    ///   - path: The path below that of the shared thing; empty for the thing's page.
    ///   - router: The site's router.
    ///   - handler: Responds to requests.
    public func get(_ path: String, on router: SiteRouter, _ handler: @escaping Handler) {
        add(.get, path, needsEditing: false, to: router, handler)
    }

    /// Adds a route that changes the shared thing, unless the right to edit isn't needed.
    ///
    /// - Parameters:
    ///   - path: The path below that of the shared thing.
    ///   - needsEditing: Whether the share must allow editing.
    ///   - router: The site's router.
    ///   - handler: Responds to requests.
    public func post(
        _ path: String, needsEditing: Bool = true, on router: SiteRouter, _ handler: @escaping Handler
    ) {
        add(.post, path, needsEditing: needsEditing, to: router, handler)
    }

    private func add(
        _ method: HTTPRequest.Method, _ path: String, needsEditing: Bool, to router: SiteRouter,
        _ handler: @escaping Handler
    ) {
        let (sharing, kind) = (sharing, kind)
        router.on(RouterPath("\(SharedPath.prefix):token/\(kind)\(path)"), method: method) { request, context in
            guard let text = context.parameters.get("token"), let token = RandomToken(text),
                let share = try await sharing.store.share(tokenHash: token.hash, at: sharing.now()),
                share.item.kind == kind
            else { throw Problem.notShared }
            let access = SharedAccess(share, path: "\(SharedPath.prefix)\(token.text)/\(kind)")
            return try await respond(request, context, share, access, needsEditing: needsEditing, handler)
        }
        guard let peoplePath else { return }
        router.on(RouterPath("\(peoplePath)/:share\(path)"), method: method) { request, context in
            guard let person = context.person?.account.owner, let id = context.parameters.get("share"),
                let share = try await sharing.store.share(id, with: person, at: sharing.now()),
                share.item.kind == kind
            else { throw Problem.notShared }
            let access = SharedAccess(share, path: "\(peoplePath)/\(share.id)")
            return try await respond(request, context, share, access, needsEditing: needsEditing, handler)
        }
    }

    private func respond(
        _ request: Request, _ context: SiteContext, _ share: Share, _ access: SharedAccess, needsEditing: Bool,
        _ handler: Handler
    ) async throws -> Response {
        if needsEditing, !share.allowsEditing { throw Problem.viewOnly }
        if let response = try await context.forwarded(request, of: share.owner) { return response }
        let now = sharing.now()
        if now.timeIntervalSince(share.usedAt ?? .distantPast) >= SessionPolicy.accuracy {
            try await sharing.store.use(share.id, at: now)
        }
        var response = try await handler(request, context, access)
        // What is no longer shared must not be shown from a cache.
        response.headers[.cacheControl] = "no-store"
        response.headers[.eTag] = nil
        response.endStream(
            after: { [store = sharing.store] in store.changes() },
            if: { [sharing] in try await !sharing.store.isValid(share.id, at: sharing.now()) })
        return response
    }
}

/// Adds the headers of all responses below `/shared/`, errors included.
///
/// The address is the secret, so that no other site may learn it, and no search engine may list it.
struct SharedPathHeaders: RouterMiddleware {
    typealias Context = SiteContext

    @concurrent
    func handle(
        _ request: Request, context: SiteContext,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard request.uri.path.hasPrefix(SharedPath.prefix) else { return response }
        response.headers[.referrerPolicy] = "no-referrer"
        response.headers[.cacheControl] = "no-store"
        response.headers[.xRobotsTag] = "noindex"
        return response
    }
}

extension Response {
    /// Ends an event stream when the right to read it ends.
    ///
    /// - Parameters:
    ///   - changes: Makes a stream of the moments at which the right may have ended.
    ///   - hasEnded: Whether the right has ended; after an error, it's asked again at the next moment.
    mutating func endStream(
        after changes: @escaping @Sendable () -> AsyncStream<Void>,
        if hasEnded: @escaping @Sendable () async throws -> Bool
    ) {
        guard headers[.contentType] == EventStream.mediaType else { return }
        let body = body
        self.body = ResponseBody(contentLength: body.contentLength) { writer in
            let client = SoleWriter(writer)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await client.write(body)
                    return true
                }
                group.addTask {
                    for await _ in changes() where (try? await hasEnded()) == true { break }
                    return false
                }
                // A stream that is cancelled throws, which closes the connection.
                _ = try await group.next()
                group.cancelAll()
                while try await group.next() != nil {}
            }
        }
    }
}

extension Problem {
    static let notShared = Problem(.notFound, title: SiteWords.notSharedTitle, detail: SiteWords.notShared)
    static let viewOnly = Problem(.forbidden, title: SiteWords.viewOnlyTitle, detail: SiteWords.viewOnly)
}

extension ShareError: PresentableError {
    /// The page that shows the error.
    public var problem: Problem {
        switch self {
        case .tooMany: Problem(.conflict, title: SiteWords.notSharedNow, detail: "\(self)")
        case .noSuchPerson, .ownAccount:
            Problem(.unprocessableContent, title: SiteWords.checkName, detail: "\(self)", field: "name")
        case .storage: Problem(.internalServerError, title: SiteWords.serverError, detail: "\(self)")
        }
    }
}
