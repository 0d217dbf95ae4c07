import Hummingbird
import NIOCore

/// Delays each part of a response's body until the connection's event loop has received the part before.
///
/// NIO's asynchronous writers pass parts to the event loop without waiting for it, and suspend only once the loop has
/// found that the client reads too slowly. While the loop has no processor, or is occupied by other connections, a route
/// that reads a file would write much of the file to memory. The sum could exceed ``SiteLimits/maximumBufferedBytes``,
/// which closes connections although their clients keep reading.
struct PacedBodies: RouterMiddleware {
    typealias Context = SiteContext

    @concurrent
    func handle(
        _ request: Request, context: SiteContext,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard let eventLoop = context.eventLoop else { return response }
        let body = response.body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            try await body.write(
                writer.map { part in
                    // The loop runs its tasks in order, so that it has received the part before.
                    try await eventLoop.submit {}.get()
                    return part
                })
        }
        return response
    }
}
