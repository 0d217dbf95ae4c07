import Accounts
import HTTPTypes
public import Hummingbird

/// An app's part of the API: its name in paths and scopes, and its description.
public struct SiteAPI: Sendable, Hashable {
    /// The name, such as `coffee`: the app's routes begin with `/api/v1/coffee`, and its scopes are `coffee:read` and
    /// `coffee:write`.
    public var name: String
    /// The app's paths and schemas, as an object of OpenAPI with `paths` and `schemas`, in JSON.
    public var description: [UInt8]

    /// Creates an app's part of the API.
    public init(name: String, description: [UInt8]) {
        (self.name, self.description) = (name, description)
    }

    /// The path of the app's routes.
    public var path: String { "\(APIPath.version)/\(name)" }
}

/// The paths of the API.
enum APIPath {
    /// The page for people.
    static let page = "/api"
    /// The description of all routes.
    static let description = "/api/openapi.json"
    /// What the path of each route begins with.
    static let version = "/api/v1"

    /// Whether a path belongs to scripts, and not to the page for people.
    ///
    /// The router ignores empty components, too, and decodes nothing.
    static func isForScripts(_ path: String) -> Bool {
        let components = path.split(separator: "/", maxSplits: 2)
        return components.count > 1 && components[0] == "api"
    }
}

extension SiteContext {
    /// What a request may do by the token that it has.
    enum Access: Sendable {
        /// The site has no tokens: everything belongs to one person.
        case unrestricted
        /// The request has no token, so that it may do nothing in the API.
        case none
        /// The request has this token.
        case token(APIToken)
    }
}

/// Lets only requests pass whose token allows reading or changing an app's data.
///
/// It belongs to the app's routes and not to paths, so that no spelling of a path leads around it.
struct APIAccess: RouterMiddleware {
    typealias Context = SiteContext

    let app: String

    @concurrent
    func handle(
        _ request: Request, context: SiteContext,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        switch context.access {
        case .unrestricted: break
        case .none: throw Problem.noToken
        case .token(let token):
            let isReading = request.method == .get || request.method == .head
            let scope = APIScope(app: app, allowsWriting: !isReading)
            guard token.allows(scope) else { throw Problem.wrongScope(scope) }
        }
        return try await next(request, context)
    }
}

extension RouterMethods where Context == SiteContext {
    /// The routes of an app's API, whose requests have a token with the app's scope.
    ///
    /// - Parameters:
    ///   - api: The app's part of the API.
    ///   - isRepeatable: Whether requests may have the header `Idempotency-Key`. Their bodies are then received in memory, up to
    ///     the size of a form.
    /// - Returns: A group of routes.
    public func api(_ api: SiteAPI, isRepeatable: Bool = true) -> RouterGroup<SiteContext> {
        let group = group(RouterPath(api.path)).add(middleware: APIAccess(app: api.name))
        return isRepeatable ? group.add(middleware: RepeatableRequests()) : group
    }
}

extension Problem {
    private static func unauthorized(_ detail: String, _ challenge: String) -> Problem {
        Problem(
            .unauthorized, title: SiteWords.tokenNeeded, detail: detail,
            headers: [.wwwAuthenticate: "Bearer realm=\"Meanwhile\"\(challenge)", .cacheControl: "no-store"])
    }

    static let noToken = unauthorized(SiteWords.tokenNeededDetail, "")
    static let wrongToken = unauthorized(SiteWords.wrongToken, ", error=\"invalid_token\"")

    static func wrongScope(_ scope: APIScope) -> Problem {
        Problem(
            .forbidden, title: SiteWords.wrongScopeTitle, detail: SiteWords.wrongScope("\(scope)"),
            headers: [.wwwAuthenticate: "Bearer realm=\"Meanwhile\", error=\"insufficient_scope\", scope=\"\(scope)\""])
    }
}
