/// The size and time limits of a fetch.
///
/// ```swift
/// let limits = FetchLimits { $0.bytes = 20 << 20 }
/// ```
public struct FetchLimits: Sendable, Hashable {
    /// The maximum size of the content in bytes, both as received and after decompression.
    ///
    /// The limits of a single request can't raise it for compressed content: a connection decompresses up to the
    /// fetcher's value.
    public var bytes: Int = 64 << 20
    /// The maximum size of a response's header fields in bytes; values over 2 MiB have no further effect.
    public var headerBytes: Int = 64 << 10
    /// The maximum number of redirects.
    ///
    /// Browsers allow 20: https://fetch.spec.whatwg.org/#http-redirect-fetch
    public var redirects: Int = 20
    /// The maximum time to connect to one address of a host.
    ///
    /// The limits of a single request don't change it: all connections use the fetcher's value.
    public var connecting: Duration = .seconds(10)
    /// The maximum time until a response begins, counted anew for each redirect.
    public var firstByte: Duration = .seconds(30)
    /// The maximum time between two pieces of a response.
    public var idle: Duration = .seconds(30)
    /// The maximum time of the whole fetch.
    public var total: Duration = .seconds(300)
    /// The maximum number of times that a broken transfer is resumed.
    public var resumptions: Int = 3

    /// Creates the default limits and applies changes to them.
    public init(_ change: (inout FetchLimits) -> Void = { _ in }) { change(&self) }
}

/// One of the ``FetchLimits``.
public enum FetchLimit: String, Sendable, Hashable, CaseIterable {
    /// The size of the content.
    case bytes
    /// The size of the header fields.
    case headerBytes
    /// The time to connect to a host.
    case connecting
    /// The time until the response begins.
    case firstByte
    /// The time between two pieces of the response.
    case idle
    /// The time of the whole fetch.
    case total
}

/// The connection settings of an ``HTTPFetcher``.
public struct FetcherSettings: Sendable, Hashable {
    /// The `User-Agent` of requests without one.
    public var userAgent: String = "Meanwhile"
    /// The maximum number of concurrent connections to one host.
    public var connectionsPerHost: Int = 8
    /// How long an unused connection stays open.
    public var idleConnections: Duration = .seconds(30)
    /// The maximum number of hosts whose connections stay open; each address of a host counts.
    public var hosts: Int = 64
    /// How long resolved addresses are cached; zero to resolve the host for each fetch.
    public var addressLifetime: Duration = .seconds(30)
    /// The path of a PEM file with certificates to trust in addition to the system's.
    public var trustedCertificates: String?

    /// Creates the default settings and applies changes to them.
    public init(_ change: (inout FetcherSettings) -> Void = { _ in }) { change(&self) }
}
