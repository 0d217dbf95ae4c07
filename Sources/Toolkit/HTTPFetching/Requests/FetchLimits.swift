/// What a fetch may take, in bytes and in time.
///
/// ```swift
/// let limits = FetchLimits { $0.bytes = 20 << 20 }
/// ```
public struct FetchLimits: Sendable, Hashable {
    /// The bytes of the content, as they arrive and after decompression.
    public var bytes: Int = 64 << 20
    /// The bytes of a response's header fields; more than 2 MiB is never taken.
    public var headerBytes: Int = 64 << 10
    /// The number of redirects.
    ///
    /// 20 is what browsers allow: https://fetch.spec.whatwg.org/#http-redirect-fetch
    public var redirects: Int = 20
    /// How long one address of a host may take to accept a connection.
    public var connecting: Duration = .seconds(10)
    /// How long a server may take to begin a response, at each address that it redirects to.
    public var firstByte: Duration = .seconds(30)
    /// How long nothing may arrive in the middle of a response.
    public var idle: Duration = .seconds(30)
    /// How long the whole fetch may take.
    public var whole: Duration = .seconds(300)
    /// How often a transfer that broke is resumed.
    public var resumptions: Int = 3

    /// Creates the usual limits, and changes some.
    public init(_ change: (inout FetchLimits) -> Void = { _ in }) { change(&self) }
}

/// One of the ``FetchLimits``.
public enum FetchLimit: String, Sendable, Hashable, CaseIterable {
    /// The bytes of the content.
    case bytes
    /// The bytes of the header fields.
    case headerBytes
    /// The time until a host accepts the connection.
    case connecting
    /// The time until a response begins.
    case firstByte
    /// The time in which nothing arrives.
    case idle
    /// The time of the whole fetch.
    case whole
}

/// How an ``HTTPFetcher`` connects.
public struct FetcherSettings: Sendable, Hashable {
    /// The `User-Agent` of requests that name none.
    public var userAgent: String = "Meanwhile"
    /// How many connections there may be to one host at a time.
    public var connectionsPerHost: Int = 8
    /// How long an unused connection stays open.
    public var idleConnections: Duration = .seconds(30)
    /// How many hosts' connections stay open.
    public var hosts: Int = 64
    /// How long a host's addresses are used after they were looked up; zero to look them up for each fetch.
    public var addressLifetime: Duration = .seconds(30)
    /// A PEM file with certificates that are trusted besides the system's.
    public var trustedCertificates: String?

    /// Creates the usual settings, and changes some.
    public init(_ change: (inout FetcherSettings) -> Void = { _ in }) { change(&self) }
}
