public import Accounts
import HTTPTypes
import Hummingbird
public import Persistence

/// What a route does, for the audit log.
public struct AuditedRoute: Sendable {
    /// What happened when a request has succeeded.
    public var action: AuditAction
    /// What was affected, such as “Saved page”.
    public var subject: String

    /// Creates the description of a route.
    public init(_ action: AuditAction, _ subject: String) {
        (self.action, self.subject) = (action, subject)
    }
}

extension SiteContext {
    /// Records an event in the audit log, with the person, the browser and the address of the request.
    ///
    /// It neither waits nor fails. Without an audit log it does nothing.
    ///
    /// - Parameters:
    ///   - action: What happened.
    ///   - subject: What was affected, such as the name of a board; never a secret.
    ///   - owner: The person whom it concerns; `nil` for the owner of the request.
    public func record(_ action: AuditAction, _ subject: String = "", of owner: OwnerID? = nil) {
        audit?.record(
            AuditEvent(
                action, of: owner ?? self.owner, subject: subject, session: person?.session.id, device: device,
                address: clientAddress))
    }

    /// Records a failed attempt to sign in.
    func recordFailure(_ action: AuditAction, ofAccountNamed name: AccountName?) {
        audit?.record(AuditEvent(action, ofAccountNamed: name, device: device, address: clientAddress))
    }
}

/// Records the requests that have succeeded, of routes that are audited.
struct AuditTrail: RouterMiddleware {
    typealias Context = SiteContext

    /// The routes, such as `POST /library/pages/{id}/delete`.
    let routes: [String: AuditedRoute]

    @concurrent
    func handle(
        _ request: Request, context: SiteContext,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        if response.status.code < 400, let path = context.endpointPath,
            let route = routes["\(request.method) \(path)"]
        {
            context.record(route.action, route.subject)
        }
        return response
    }
}
