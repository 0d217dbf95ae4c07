import HTTPTypes
public import Hummingbird

/// Gives each answer the headers that keep a browser from doing more than the site needs.
///
/// A header that an answer has already is left alone: a route that shows what comes from outside sets a stricter
/// `Content-Security-Policy` of its own, and one that is framed by a page of ours one with `frame-ancestors 'self'`.
public struct SecurityHeaders: RouterMiddleware {
    /// What the routes know of a request.
    public typealias Context = SiteContext

    /// The policy of every page that does not bring its own.
    public static let contentSecurityPolicy = """
        default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; \
        frame-ancestors 'none'
        """

    private static let fields: [(HTTPField.Name, String)] = [
        (.contentSecurityPolicy, contentSecurityPolicy),
        (.xContentTypeOptions, "nosniff"),
        // With `no-referrer` a form would be sent with `Origin: null`, which HostAndOriginCheck refuses.
        (.referrerPolicy, "same-origin"),
        (.permissionsPolicy, "camera=(), geolocation=(), microphone=()"),
        (.crossOriginOpenerPolicy, "same-origin"),
        (.crossOriginResourcePolicy, "same-origin"),
    ]

    /// For how long a browser uses HTTPS alone for the host, in seconds: a year.
    ///
    /// Not for hosts below it, which may be others'.
    private static let strictTransport = "max-age=31536000"

    private let usesHTTPS: Bool

    /// Creates the middleware.
    ///
    /// - Parameter usesHTTPS: Whether browsers reach the site by HTTPS: they are then asked never to use anything else.
    public init(usesHTTPS: Bool = false) {
        self.usesHTTPS = usesHTTPS
    }

    /// Answers the request, and adds what headers are missing.
    ///
    /// - Returns: The answer, with the headers.
    /// - Throws: What `next` throws.
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
