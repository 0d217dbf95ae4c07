public import Hummingbird

/// What the routes of the site are added to.
public typealias SiteRouter = Router<SiteContext>

/// What a route of the site knows of its request, besides the request.
///
/// `request.decode(as:context:)` reads a form; see ``FormDecoder``.
public struct SiteContext: RequestContext {
    /// What Hummingbird keeps for each request.
    public var coreContext: CoreRequestContextStorage
    /// The largest form that is read, in bytes; a larger one ends in a ``Problem`` of status 413.
    public var maximumBodyBytes = 250_000
    /// Whether browsers reach the site by HTTPS; a cookie must be `Secure` then.
    public var usesHTTPS = false
    /// The port that the request came in at; nil in tests without a socket.
    let port: Int?
    /// The address of the client, or of the proxy in front; empty in tests without a socket.
    let clientAddress: String

    /// Creates the context of a request.
    public init(source: ApplicationRequestContextSource) {
        self.coreContext = CoreRequestContextStorage(source: source)
        self.port = source.channel.localAddress?.port
        self.clientAddress = source.channel.remoteAddress?.ipAddress ?? ""
    }

    /// The largest form that is read, in bytes.
    public var maxUploadSize: Int { maximumBodyBytes }

    /// What reads the body of a request.
    public var requestDecoder: FormDecoder { FormDecoder() }
}
