public import Foundation

/// Where the site is, and which apps it names.
public struct SiteConfiguration: Sendable {
    /// The address to listen at: `127.0.0.1`, `::1` or `localhost`.
    ///
    /// There is no sign-in, so no other is accepted.
    public var host: String
    /// The port to listen at; 0 for one that is free.
    public var port: Int
    /// The address that people use, where a tunnel or a proxy stands in front: `https://pages.example.com`.
    public var origin: URL?
    /// The apps, in the order that the home page and the navigation name them in.
    public var apps: [SiteApp]
    /// The largest form that is read, in bytes: forms are decoded on the threads of all requests, in a few milliseconds.
    public var maximumBodyBytes: Int
    /// The path of the page “Your data”, which the footer of each page links to; `nil` for no link.
    public var dataPage: String?
    /// The limits of connections, requests and responses.
    public var limits: SiteLimits

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - host: The loopback address to listen at.
    ///   - port: The port to listen at; 0 for one that is free.
    ///   - origin: The public address, where there is one.
    ///   - apps: The apps that the site names.
    ///   - maximumBodyBytes: The largest form, in bytes.
    ///   - dataPage: The path of the page “Your data”.
    ///   - limits: The limits of connections, requests and responses.
    public init(
        host: String = "127.0.0.1", port: Int = 8080, origin: URL? = nil, apps: [SiteApp] = [],
        maximumBodyBytes: Int = 250_000, dataPage: String? = nil,
        limits: SiteLimits = SiteLimits()
    ) {
        self.host = host
        self.port = port
        self.origin = origin
        self.apps = apps
        self.maximumBodyBytes = maximumBodyBytes
        self.dataPage = dataPage
        self.limits = limits
    }
}

extension SiteConfiguration {
    /// Whether browsers reach the site by HTTPS: a tunnel or a proxy in front of it answers them.
    ///
    /// Also for what is asked for on loopback, because a proxy need not pass the name on that it was asked by. Browsers ignore
    /// `Strict-Transport-Security` there, and take a `Secure` cookie from `localhost`, but for Safari.
    var usesHTTPS: Bool { origin?.scheme?.lowercased() == "https" }
}

/// An app as the home page and the navigation name it.
public struct SiteApp: Sendable, Hashable {
    /// The app's name.
    public var name: String
    /// Where it begins: `/library/`.
    public var path: String
    /// What it does, in one sentence.
    public var summary: String
    /// False for one that is on its way: it is named, and not linked to.
    public var isReady: Bool
    /// Its static files by name, such as `board.js`.
    public var files: [String: [UInt8]]

    /// Creates an app.
    ///
    /// - Parameters:
    ///   - name: The app's name.
    ///   - path: Where it begins, with a slash at both ends.
    ///   - summary: What it does, in one sentence.
    ///   - isReady: False for one that is on its way.
    ///   - files: Its static files by name.
    public init(
        name: String, path: String, summary: String, isReady: Bool = true, files: [String: [UInt8]] = [:]
    ) {
        self.name = name
        self.path = path
        self.summary = summary
        self.isReady = isReady
        self.files = files
    }
}
