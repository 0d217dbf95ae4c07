import HTTPTypes
public import Hummingbird
import NIOCore

/// Turns each error into a page, or into problem JSON if the client prefers that or uses the API; see ``Problem``.
///
/// An error that isn't a ``PresentableError`` and has no HTTP status is logged; the client sees only its reference.
public struct ProblemPages: RouterMiddleware {
    /// The context of the site's requests.
    public typealias Context = SiteContext

    private let layout: Layout

    /// Creates the middleware.
    public init(layout: Layout) {
        self.layout = layout
    }

    /// Passes the request on, and turns an error into a problem.
    @concurrent
    public func handle(
        _ request: Request, context: SiteContext,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async -> Response {
        do {
            return try await next(request, context)
        } catch {
            let problem = Problem(error, in: request, context: context)
            let isJSON = request.prefersJSON || APIPath.isForScripts(request.uri.path)
            var response = isJSON ? json(problem) : page(problem, request)
            for field in problem.headers { response.headers.append(field) }
            response.headers[.vary] = "Accept"
            if APIPath.isForScripts(request.uri.path) { response.headers[.cacheControl] = "no-store" }
            // The response to HEAD has no body: a client would read one as the beginning of the next response.
            return request.method == .head ? response.createHeadResponse() : response
        }
    }

    private func json(_ problem: Problem) -> Response {
        Response(
            status: problem.status,
            headers: [.contentType: "application/problem+json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: problem.json)))
    }

    private func page(_ problem: Problem, _ request: Request) -> Response {
        layout.page(problem, path: request.uri.path)
    }

    /// Returns whether an `Accept` header names JSON with at least the weight of HTML.
    ///
    /// `*/*` names neither, and gets HTML.
    static func prefersJSON(_ accept: [String]) -> Bool {
        var json = 0.0
        var html = 0.0
        for range in accept.joined(separator: ",").split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let type = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            switch type {
            case "application/problem+json", "application/json": json = max(json, weight)
            case "text/html", "application/xhtml+xml": html = max(html, weight)
            default: continue
            }
        }
        return json > 0 && json >= html
    }
}

extension Request {
    /// Whether the client, such as one of the site's scripts, prefers problem JSON to a page.
    ///
    /// An app that shows a form again with the user's input does so only if this is `false`.
    public var prefersJSON: Bool { ProblemPages.prefersJSON(headers[values: .accept]) }
}
