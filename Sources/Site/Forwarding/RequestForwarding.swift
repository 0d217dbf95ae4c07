package import HTTPTypes
package import Hummingbird
package import Persistence

/// Sends requests to the server that holds their owner's data in memory, for a site with several servers.
package protocol RequestForwarding: Sendable {
    /// Lets another server answer a request, if the owner belongs to that server.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The request's context.
    ///   - owner: The owner of the data that the request reads or changes.
    /// - Returns: The response of the other server; `nil` if this server answers the request.
    /// - Throws: A ``Problem`` of status 503 if the other server can't be reached, or this one may have been replaced.
    func response(to request: Request, _ context: SiteContext, of owner: OwnerID) async throws -> Response?

    /// Finds the client of a request that another server of this site has forwarded.
    ///
    /// - Parameter value: The request's header ``HTTPTypes/HTTPField/Name/meanwhileForwarded``.
    /// - Returns: The client's address; `nil` for any other request.
    func client(ofForwarded value: String) -> String?

    /// Whether an IP address is that of another server of this site.
    func isServer(_ address: String) -> Bool
}

extension HTTPField.Name {
    /// Proves that another server of the site has forwarded the request, and names its client.
    package static let meanwhileForwarded = Self.known("Meanwhile-Forwarded")
}

extension SiteContext {
    /// Lets the server of an owner answer a request; `nil` if that is this server.
    package func forwarded(_ request: Request, of owner: OwnerID) async throws -> Response? {
        try await forwarding?.response(to: request, self, of: owner)
    }
}

/// Recognises requests that another server of the site has forwarded.
///
/// It comes first: the other server has checked the request already, and knows its client.
struct ForwardedRequests: RouterMiddleware {
    typealias Context = SiteContext

    let forwarding: any RequestForwarding

    @concurrent
    func handle(
        _ request: Request, context: SiteContext,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.forwarding = forwarding
        let values = request.headers[values: .meanwhileForwarded]
        if values.count == 1, let client = forwarding.client(ofForwarded: values[0]) {
            (context.isForwarded, context.clientAddress) = (true, client)
        }
        return try await next(request, context)
    }
}

/// Lets the server of the signed-in person answer the person's requests.
struct OwnerForwarding: RouterMiddleware {
    typealias Context = SiteContext

    /// The beginnings of the paths whose routes find out the owner themselves: those of shared things and of uploads.
    let otherPaths: [String]

    @concurrent
    func handle(
        _ request: Request, context: SiteContext,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        if context.owner != SiteContext.noOwner, !otherPaths.contains(where: path.hasPrefix),
            let response = try await context.forwarded(request, of: context.owner)
        {
            return response
        }
        return try await next(request, context)
    }
}
