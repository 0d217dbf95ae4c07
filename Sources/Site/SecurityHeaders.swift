import HTTPTypes
public import Hummingbird

/// Adds security headers to each response, which restrict browsers to what the site needs.
///
/// Headers that a response already has are preserved: a route that shows outside content sets a stricter
/// `Content-Security-Policy`, and one that is framed by the site's own pages sets `frame-ancestors 'self'`.
public struct SecurityHeaders: RouterMiddleware {
    /// The context of the site's requests.
    public typealias Context = SiteContext

    /// The default policy of all pages.
    ///
    /// `wasm-unsafe-eval` lets our own scripts compile WebAssembly, and nothing else.
    public static let contentSecurityPolicy = """
        default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' blob:; object-src 'none'; \
        base-uri 'none'; form-action 'self'; \
        frame-ancestors 'none'
        """

    private static let fields: [(HTTPField.Name, String)] = [
        (.contentSecurityPolicy, contentSecurityPolicy),
        (.xContentTypeOptions, "nosniff"),
        // With `no-referrer`, forms would be sent with `Origin: null`, which HostAndOriginCheck rejects.
        (.referrerPolicy, "same-origin"),
        (.permissionsPolicy, "camera=(), geolocation=(), microphone=()"),
        (.crossOriginOpenerPolicy, "same-origin"),
        (.crossOriginResourcePolicy, "same-origin"),
    ]

    /// How long browsers use only HTTPS for the host: a year, in seconds.
    ///
    /// Subdomains are not included, because they may belong to others.
    private static let strictTransport = "max-age=31536000"

    private let usesHTTPS: Bool

    /// Creates the middleware.
    ///
    /// - Parameter usesHTTPS: Whether browsers reach the site by HTTPS, and should then never use HTTP.
    public init(usesHTTPS: Bool = false) {
        self.usesHTTPS = usesHTTPS
    }

    /// Passes the request on, and adds missing headers to the response.
    ///
    /// - Returns: The response with the headers.
    /// - Throws: An error from `next`.
    @concurrent
    public func handle(
        _ request: Request, context: SiteContext,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        for (name, value) in Self.fields where !response.headers.contains(name) {
            response.headers[name] = value
        }
        if usesHTTPS { response.headers[.strictTransportSecurity] = Self.strictTransport }
        return response
    }
}
