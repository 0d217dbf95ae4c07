import Accounts
public import Hummingbird
import NIOCore
public import Persistence

/// The router of the site's requests.
public typealias SiteRouter = Router<SiteContext>

/// The context of a request, which the site's routes receive with the request.
///
/// `request.decode(as:context:)` reads a form; see ``FormDecoder``.
public struct SiteContext: RequestContext {
    /// Hummingbird's own storage for the request.
    public var coreContext: CoreRequestContextStorage
    /// The maximum size of a form, in bytes; a larger one throws a ``Problem`` of status 413.
    public var maximumBodyBytes = 250_000
    /// Whether browsers reach the site by HTTPS; cookies must then be `Secure`.
    public var usesHTTPS = false
    /// The public address, if there is one.
    var publicOrigin: WebOrigin?
    /// The owner of the data that the request may read and change.
    public var owner = OwnerID.local
    /// Whether the request may use what belongs to the whole server, such as its backups.
    public var isAdministrator = true
    /// The signed-in person; `nil` if there are no accounts, and on pages that need no sign-in.
    public internal(set) var person: SignedInPerson?
    /// The audit log; `nil` if nothing is recorded.
    var audit: AuditLog?
    /// Sends requests to other servers of the site; `nil` if this is the only one.
    var forwarding: (any RequestForwarding)?
    /// Whether another server of the site has checked and forwarded the request.
    package internal(set) var isForwarded = false
    /// The browser and the system of the client, such as “Firefox on Linux”.
    var device = ""
    /// What the request may do in the API.
    var access = Access.unrestricted
    /// The requests that scripts may repeat; `nil` if the site has no tokens.
    var requests: (any APIRequestStore)?
    /// The event loop of the connection; `nil` in tests without a socket.
    let eventLoop: (any EventLoop)?
    /// The local port of the connection; `nil` in tests without a socket.
    let port: Int?
    /// The local address of the connection; `nil` in tests without a socket.
    let localAddress: String?
    /// The address of the client, as far as it is known: the proxy's, if there is one that isn't trusted; empty in tests
    /// without a socket.
    package internal(set) var clientAddress: String

    /// Creates the context of a request.
    public init(source: ApplicationRequestContextSource) {
        self.coreContext = CoreRequestContextStorage(source: source)
        self.eventLoop = source.channel.localAddress == nil ? nil : source.channel.eventLoop
        self.port = source.channel.localAddress?.port
        self.localAddress = source.channel.localAddress?.ipAddress
        self.clientAddress = source.channel.remoteAddress?.ipAddress ?? ""
    }

    /// The address by which the browser has reached the site: `https://pages.example.com`.
    ///
    /// A request for a loopback host has the public address if there is one, because some proxies don't forward the
    /// original host. The check of hosts has accepted any other host as one of this site's.
    public func siteAddress(in request: Request) -> String {
        let address = "\(usesHTTPS ? "https" : "http")://\(request.head.authority ?? "")"
        guard let publicOrigin, WebOrigin(address)?.isLoopback == true else { return address }
        return publicOrigin.description
    }

    /// The maximum size of a form, in bytes.
    public var maxUploadSize: Int { maximumBodyBytes }

    /// The decoder of request bodies.
    public var requestDecoder: FormDecoder { FormDecoder() }
}
