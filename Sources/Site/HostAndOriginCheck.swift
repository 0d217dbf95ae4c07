import Foundation
import HTTPTypes
public import Hummingbird

/// Rejects requests that a page of another site may have made.
///
/// - `Host` must be `127.0.0.1`, `localhost` or `[::1]` with the server's port, the address to which the client has
///   connected if the server listens on others, or the public address: 421 otherwise.
///   A page whose domain was pointed at this machine (DNS rebinding) sends its own name there.
/// - A request that may change something (any but GET and HEAD) must come from one of the site's own pages: 403
///   otherwise.
///
/// | `Origin` | `Sec-Fetch-Site` | `X-Requested-With` | |
/// |---|---|---|---|
/// | own | any | any | accepted |
/// | any other, or `null` | any | any | rejected |
/// | none | `same-origin`, `none` | any | accepted |
/// | none | any other | any | rejected |
/// | none | none | anything | accepted: a script; a page of another site needs a CORS preflight to send it |
/// | none | none | none | rejected: it may be an old browser |
///
/// A request to one of the apps' ``SiteApp/tokenPaths`` needs no origin if it has a bearer token: a page of another site
/// needs a CORS preflight to send one, which is never granted. Neither does a request to the API, which nothing but a token
/// opens.
public struct HostAndOriginCheck: RouterMiddleware {
    /// The context of the site's requests.
    public typealias Context = SiteContext

    private let configuredPort: Int
    private let publicOrigin: WebOrigin?
    private let tokenPaths: Set<String>
    /// Whether the API needs a token.
    private let hasTokens: Bool
    /// Whether the server listens on addresses that other computers can reach.
    private let acceptsOwnAddress: Bool
    /// The scheme that the server itself speaks.
    private let scheme: String

    /// Creates the check.
    public init(configuration: SiteConfiguration) {
        self.configuredPort = configuration.port
        self.publicOrigin = configuration.publicOrigin
        self.acceptsOwnAddress = !configuration.isLoopback
        self.scheme = configuration.certificate == nil ? "http" : "https"
        self.hasTokens = configuration.signIn != nil
        self.tokenPaths = Set(configuration.apps.flatMap(\.tokenPaths))
    }
}

extension HostAndOriginCheck {
    /// Passes the request on, or rejects it.
    ///
    /// - Returns: The response.
    /// - Throws: A ``Problem`` of status 400, 403 or 421, or an error from `next`.
    @concurrent
    public func handle(
        _ request: Request, context: SiteContext,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        // The other server has checked it, whose address the request was for.
        if context.isForwarded { return try await next(request, context) }
        let port = context.port ?? configuredPort
        try checkHost(of: request, port: port, listening: context.localAddress)
        if request.method != .get && request.method != .head, !needsNoOrigin(request) {
            try checkOrigin(of: request, port: port, listening: context.localAddress)
        }
        return try await next(request, context)
    }

    private func checkHost(of request: Request, port: Int, listening address: String?) throws(Problem) {
        // The first `Host` is the authority. A second one stays among the headers; which one counts is ambiguous.
        guard let host = request.head.authority, !host.isEmpty, !request.headers.contains(.hostField) else {
            throw Problem(
                .badRequest, title: SiteWords.noHost, detail: SiteWords.noHostDetail)
        }
        guard isOwn(host: host, port: port, listening: address) else {
            throw Problem(
                .misdirectedRequest, title: SiteWords.anotherAddress,
                detail: SiteWords.anotherAddressDetail(shortened(host), own: self.address(port: port)))
        }
    }

    private func checkOrigin(of request: Request, port: Int, listening address: String?) throws(Problem) {
        let isAccepted =
            if let origin = request.headers[.origin] {
                isOwn(origin: origin, port: port, listening: address)
            } else if let site = request.headers[.secFetchSite] {
                site == "same-origin" || site == "none"
            } else {
                request.headers.contains(.xRequestedWith)
            }
        guard isAccepted else {
            throw Problem(
                .forbidden, title: SiteWords.anotherSite,
                detail: SiteWords.anotherSiteDetail(own: self.address(port: port)))
        }
    }

    private func needsNoOrigin(_ request: Request) -> Bool {
        hasTokens && APIPath.isForScripts(request.uri.path)
            || tokenPaths.contains(request.uri.path) && request.bearerToken != nil
    }

    private func isOwn(host: String, port: Int, listening address: String?) -> Bool {
        if let origin = WebOrigin("\(scheme)://\(host)"), isLocal(origin, port: port, listening: address) {
            return true
        }
        guard let publicOrigin else { return false }
        return WebOrigin("\(publicOrigin.scheme)://\(host)") == publicOrigin
    }

    private func isOwn(origin: String, port: Int, listening address: String?) -> Bool {
        guard let origin = WebOrigin(origin) else { return false }
        return origin == publicOrigin || origin.scheme == scheme && isLocal(origin, port: port, listening: address)
    }

    /// Whether an origin is this computer by a loopback name, or by the address to which the client has connected.
    ///
    /// No name leads to an address in a `Host` header, so that DNS rebinding can't use it.
    private func isLocal(_ origin: WebOrigin, port: Int, listening address: String?) -> Bool {
        guard origin.port == port else { return false }
        return origin.isLoopback || acceptsOwnAddress && address.map { [$0, "[\($0)]"].contains(origin.host) } == true
    }

    private func address(port: Int) -> String {
        publicOrigin.map(\.description) ?? WebOrigin(scheme: scheme, host: "127.0.0.1", port: port).description
    }

    private func shortened(_ text: String) -> String {
        text.count > 100 ? "\(text.prefix(100))…" : text
    }
}

/// Scheme, host and port, as in an `Origin` header.
struct WebOrigin: Hashable, CustomStringConvertible {
    let scheme: String
    let host: String
    let port: Int

    init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// Parses an origin, optionally followed by a slash and nothing else.
    init?(_ text: String) {
        let text = text.lowercased()
        guard let colon = text.firstRange(of: "://") else { return nil }
        let scheme = String(text[..<colon.lowerBound])
        guard let standardPort = ["http": 80, "https": 443][scheme] else { return nil }
        var host = text[colon.upperBound...]
        if host.last == "/" { host.removeLast() }
        var port = standardPort
        // The colons of an IPv6 address are inside the brackets.
        if let colon = host.lastIndex(of: ":"), host.last != "]" {
            let digits = host[host.index(after: colon)...]
            guard digits.count <= 5, digits.allSatisfy({ ("0"..."9").contains($0) }), let number = Int(digits) else {
                return nil
            }
            port = number
            host = host[..<colon]
        }
        guard !host.isEmpty, !host.contains(where: { "/?#@\\ ".contains($0) }) else { return nil }
        self.init(scheme: scheme, host: String(host), port: port)
    }

    var isLoopback: Bool { host == "127.0.0.1" || host == "localhost" || host == "[::1]" }

    var description: String {
        let isStandard = port == (scheme == "https" ? 443 : 80)
        return isStandard ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }
}
