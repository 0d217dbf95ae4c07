/// How an ``HTTPFetcher`` connects.
public struct FetcherSettings: Sendable, Hashable {
    /// What it calls itself.
    public var userAgent: String
    /// How many connections there may be to one host at a time.
    public var connectionsPerHost: Int
    /// For how long a connection is kept that nobody uses.
    public var idleConnections: Duration
    /// How many hosts' connections are kept.
    public var hosts: Int
    /// For how long the addresses of a host are used that were looked up and checked; zero to look them up for each fetch.
    public var addressLifetime: Duration
    /// A file with certificates, in PEM, that are trusted besides those of the system.
    public var trustedCertificates: String?

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - userAgent: What it calls itself.
    ///   - connectionsPerHost: How many connections there may be to one host at a time.
    ///   - idleConnections: For how long a connection is kept that nobody uses.
    ///   - hosts: How many hosts' connections are kept.
    ///   - addressLifetime: For how long the addresses of a host are used that were looked up and checked.
    ///   - trustedCertificates: A file with certificates, in PEM, that are trusted besides those of the system.
    public init(
        userAgent: String = "Meanwhile", connectionsPerHost: Int = 8, idleConnections: Duration = .seconds(30),
        hosts: Int = 64, addressLifetime: Duration = .seconds(30), trustedCertificates: String? = nil
    ) {
        self.userAgent = userAgent
        self.connectionsPerHost = connectionsPerHost
        self.idleConnections = idleConnections
        self.hosts = hosts
        self.addressLifetime = addressLifetime
        self.trustedCertificates = trustedCertificates
    }
}
