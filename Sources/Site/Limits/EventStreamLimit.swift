import HTTPTypes
import Hummingbird

/// Limits the number of concurrent event streams.
struct EventStreamLimit: RouterMiddleware {
    typealias Context = SiteContext

    let limiter: ConnectionLimiter

    @concurrent
    func handle(
        _ request: Request, context: SiteContext,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard response.headers[.contentType] == "text/event-stream" else { return response }
        let lease = try limiter.openStream(from: context.clientAddress)
        // The closure retains the lease, so that it is released even if the body is never sent, as in a response to
        // HEAD.
        let body = response.body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            defer { withExtendedLifetime(lease) {} }
            try await body.write(writer)
        }
        return response
    }
}
