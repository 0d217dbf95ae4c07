import Hummingbird
import Logging

/// Logs each request at level `debug`, without anything that would let a reader of the log act as the sender.
///
/// The path of a shared thing contains the token of its link. The query of an invitation contains its token, and that of
/// the page to which a provider returns contains a code.
struct RequestLog: RouterMiddleware {
    typealias Context = SiteContext

    @concurrent
    func handle(
        _ request: Request, context: SiteContext,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        context.logger.debug(
            "Request",
            metadata: ["method": "\(request.method.rawValue)", "path": "\(SharedPath.redacted(request.uri.path))"])
        return try await next(request, context)
    }
}
