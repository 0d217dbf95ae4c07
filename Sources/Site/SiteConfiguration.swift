public import Accounts
public import Foundation
package import PrometheusMetrics

/// The address, apps and limits of the site.
public struct SiteConfiguration: Sendable {
    /// The address to listen on: `127.0.0.1`, `::1` or `localhost`; any other one needs ``signIn``.
    public var host: String
    /// The port to listen on; 0 for any free port.
    public var port: Int
    /// The public address, if the site is behind a tunnel or a proxy: `https://pages.example.com`.
    public var origin: URL?
    /// The apps, in the order of the home page and the navigation.
    public var apps: [SiteApp]
    /// The maximum size of a form, in bytes: forms are decoded on the threads that serve all requests, within a few
    /// milliseconds.
    public var maximumBodyBytes: Int
    /// The path of the page “Your data”, which the footer of each page links to; `nil` for no link.
    public var dataPage: String?
    /// The limits of connections, requests and responses.
    public var limits: SiteLimits
    /// How people sign in; `nil` for a site that belongs to one person.
    public var signIn: SiteSignIn?
    /// The certificate of a site that speaks HTTPS itself; `nil` for HTTP.
    public var certificate: SiteCertificate?
    /// The proxies in front of the site, whose word about their clients' addresses counts; `nil` if none is named.
    public var proxies: TrustedProxies?
    /// The log of sign-ins, changes of access and deletions; `nil` to record nothing.
    public var audit: AuditLog?
    /// The routes whose successful requests are recorded, such as `POST /library/pages/{id}/delete`.
    public var auditedRoutes: [String: AuditedRoute] = [:]
    /// What people share; `nil` for a site on which nothing is shared.
    public var sharing: SiteSharing?
    /// Where requests are counted and timed; `nil` to measure nothing.
    package var metrics: PrometheusMetrics?
    /// Sends requests to other servers of the site; `nil` if this is the only one.
    package var forwarding: (any RequestForwarding)?
    /// Returns the name of a part of the server that can't work now, for `/readyz`; `nil` if all can.
    package var obstacle: (@Sendable () async -> String?)?

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - host: The address to listen on; any but a loopback address needs `signIn`.
    ///   - port: The port to listen on; 0 for any free port.
    ///   - origin: The public address, if there is one.
    ///   - apps: The apps of the site.
    ///   - maximumBodyBytes: The maximum size of a form, in bytes.
    ///   - dataPage: The path of the page “Your data”.
    ///   - limits: The limits of connections, requests and responses.
    ///   - signIn: How people sign in; `nil` for a site that belongs to one person.
    ///   - sharing: What people share; `nil` for a site on which nothing is shared.
    public init(
        host: String = "127.0.0.1", port: Int = 8080, origin: URL? = nil, apps: [SiteApp] = [],
        maximumBodyBytes: Int = 250_000, dataPage: String? = nil,
        limits: SiteLimits = SiteLimits(), signIn: SiteSignIn? = nil, sharing: SiteSharing? = nil
    ) {
        self.host = host
        self.port = port
        self.origin = origin
        self.apps = apps
        self.maximumBodyBytes = maximumBodyBytes
        self.dataPage = dataPage
        self.limits = limits
        self.signIn = signIn
        self.sharing = sharing
    }
}

extension SiteConfiguration {
    /// The public address, if there is one.
    var publicOrigin: WebOrigin? { origin.flatMap { WebOrigin($0.absoluteString) } }

    /// Whether browsers reach the site by HTTPS, through a tunnel or a proxy.
    ///
    /// This also applies to requests for a loopback host, because some proxies don't forward the original host.
    /// Browsers ignore `Strict-Transport-Security` there, and all but Safari accept a `Secure` cookie from `localhost`.
    var usesHTTPS: Bool { certificate != nil || origin?.scheme?.lowercased() == "https" }

    /// Whether the addresses of clients are known; otherwise all of them have a proxy's.
    var knowsAddresses: Bool { proxies != nil || certificate != nil || origin == nil }
}

extension SiteConfiguration {
    /// Whether only programs on this computer can connect.
    var isLoopback: Bool { ["127.0.0.1", "::1", "localhost"].contains(host) }
}

/// An app's entry on the home page and in the navigation.
public struct SiteApp: Sendable, Hashable {
    /// The app's name.
    public var name: String
    /// The path of the app's first page: `/library/`.
    public var path: String
    /// A one-sentence description of the app.
    public var summary: String
    /// Whether the app is available; otherwise it is listed without a link.
    public var isReady: Bool
    /// A tip for new users on the app's first page, until they dismiss it; `nil` for none.
    public var hint: String?
    /// The app's static files by name, such as `board.js`.
    public var files: [String: [UInt8]]
    /// The path of the manifest by which browsers install the app; `nil` if it can't be installed.
    public var manifest: String?
    /// The paths that accept requests of other sites and of browser extensions if they have an `Authorization` header
    /// with a bearer token, which the app checks.
    public var tokenPaths: [String] = []
    /// The app's part of the API; `nil` if it has none.
    public var api: SiteAPI?
    /// The paths of files that are the same for everyone, and that pages shared by a link need.
    public var openPaths: [String] = []

    /// Creates an app.
    ///
    /// - Parameters:
    ///   - name: The app's name.
    ///   - path: The path of the app's first page, with a slash at both ends.
    ///   - summary: A one-sentence description of the app.
    ///   - isReady: Whether the app is available; otherwise it is listed without a link.
    ///   - hint: A tip for new users on the app's first page, until they dismiss it.
    ///   - files: The app's static files by name.
    ///   - manifest: The path of the manifest by which browsers install the app, if it can be installed.
    public init(
        name: String, path: String, summary: String, isReady: Bool = true, hint: String? = nil,
        files: [String: [UInt8]] = [:], manifest: String? = nil
    ) {
        self.name = name
        self.path = path
        self.summary = summary
        self.isReady = isReady
        self.hint = hint
        self.files = files
        self.manifest = manifest
    }
}
