import Digests
import Hummingbird
import Logging
import Persistence

/// Gives each request an ID, and logs the request at level `debug` once its response begins.
///
/// The ID is that of the header `X-Request-ID` if a trusted proxy has sent it; the response has it, too. All lines that
/// the request causes are logged with it, also those of the processes that work for it; see ``RequestID``.
///
/// Nothing is logged that would let a reader of the log act as the sender: the path of a shared thing contains the token
/// of its link. The query of an invitation contains its token, and that of the page to which a provider returns contains
/// a code.
struct RequestLog: RouterMiddleware {
    typealias Context = SiteContext

    let proxies: TrustedProxies?

    @concurrent
    func handle(
        _ request: Request, context: SiteContext,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        let id = givenID(request, context) ?? String.randomHexadecimal(bytes: 8)
        let beganAt = ContinuousClock.now
        return try await RequestID.$current.withValue(id) {
            var response = try await next(request, context)
            response.headers[.xRequestID] = id
            context.logger.debug(
                "Request",
                metadata: [
                    "method": "\(request.method.rawValue)", "path": "\(SharedPath.redacted(request.uri.path))",
                    "status": "\(response.status.code)",
                    "milliseconds": "\((ContinuousClock.now - beganAt) / .milliseconds(1))",
                ])
            return response
        }
    }

    private func givenID(_ request: Request, _ context: SiteContext) -> String? {
        let given = request.headers[values: .xRequestID]
        guard given.count == 1, RequestID.isValid(given[0]), proxies?.contains(context.clientAddress) == true else {
            return nil
        }
        return given[0]
    }
}
