import HTTPTypes
public import Hummingbird
import NIOCore

/// Makes of every error a page, or problem JSON for who prefers that; see ``Problem``.
///
/// An error that is no ``PresentableError`` and has no HTTP status is logged, and shown as a reference only.
public struct ProblemPages: RouterMiddleware {
    /// What the routes know of a request.
    public typealias Context = SiteContext

    private let layout: Layout

    /// Creates the middleware.
    public init(layout: Layout) {
        self.layout = layout
    }

    /// Answers the request, with a problem where there is an error.
    ///
    /// - Returns: The answer.
    @concurrent
    public func handle(
        _ request: Request, context: SiteContext,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async -> Response {
        do {
            return try await next(request, context)
        } catch {
            let problem = Problem(error, in: request, context: context)
            var response = request.prefersJSON ? json(problem) : page(problem, request)
            for field in problem.headers { response.headers.append(field) }
            response.headers[.vary] = "Accept"
            // A body would be taken for the beginning of the next answer.
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

    /// Whether JSON is named, and is as welcome as HTML or more.
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
    /// Whether whoever asks wants a problem as JSON, as the script of our pages does, and not as a page.
    ///
    /// An app that shows a form again with what was typed into it does so for the others alone.
    public var prefersJSON: Bool { ProblemPages.prefersJSON(headers[values: .accept]) }
}
