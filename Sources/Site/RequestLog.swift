import Digests
import Hummingbird
import Logging
import Persistence

/// Gives each request an ID, and logs the request at level `debug` once its response begins.
///
/// If a trusted proxy, or another server of the site, has sent the header `X-Request-ID`, the ID is its value. The
/// response has the same header. This process, the worker and the job's process log the lines that the request causes
/// with the ID; see ``RequestID``.
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
        var context = context
        // Hummingbird's own ID, which would be another one.
        context.logger[metadataKey: "hb.request.id"] = "\(id)"
        return try await RequestID.$current.withValue(id) { [context] in
            let metadata: Logger.Metadata = [
                "method": "\(request.method.rawValue)", "path": "\(SharedPath.redacted(request.uri.path))",
            ]
            context.logger.trace("Request begins", metadata: metadata)
            var response = try await next(request, context)
            response.headers[.xRequestID] = id
            let body = response.body
            response.body = ResponseBody(contentLength: body.contentLength) { writer in
                try await RequestID.$current.withValue(id) { try await body.write(writer) }
            }
            context.logger.debug(
                "Request",
                metadata: metadata.merging([
                    "status": "\(response.status.code)",
                    "milliseconds": "\((ContinuousClock.now - beganAt) / .milliseconds(1))",
                ]) { $1 })
            return response
        }
    }

    private func givenID(_ request: Request, _ context: SiteContext) -> String? {
        let given = request.headers[values: .xRequestID]
        guard given.count == 1, RequestID.isValid(given[0]),
            context.isForwarded || proxies?.contains(context.clientAddress) == true
        else {
            return nil
        }
        return given[0]
    }
}
