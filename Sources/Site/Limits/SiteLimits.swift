/// The web server's limits for clients that are slow, greedy or hostile.
///
/// | limit | effect when it is exceeded |
/// |---|---|
/// | connections per address | that address's longest idle connection is closed; if none is idle, the new one is |
/// | connections in total | the same, for the address that has the most connections |
/// | event streams | status 429 per address, 503 in total, with `Retry-After` |
/// | buffered responses | the connection whose client has read nothing for the longest time is closed |
/// | times, rates | the connection is closed |
/// | header | status 400, and the connection is closed |
public struct SiteLimits: Sendable, Equatable {
    /// The maximum number of open connections: enough for 200 people with five tabs each, and half of them for pages.
    public var maximumConnections = 3_000
    /// The maximum number of connections per address; not enforced behind a proxy, whose clients share its address.
    public var maximumConnectionsPerAddress = 750
    /// The maximum number of concurrent event streams; a page has one or two.
    public var maximumEventStreams = 1_500
    /// The maximum number of event streams per address; not enforced behind a proxy.
    public var maximumEventStreamsPerAddress = 100
    /// The maximum total of response bytes that wait in memory for clients to read them.
    public var maximumBufferedBytes = 64_000_000
    /// The time from connecting to the end of the first request's header; received bytes don't extend it.
    public var requestTimeout = Duration.seconds(20)
    /// The time from a response to the end of the next request's header; received bytes don't extend it.
    public var idleTimeout = Duration.seconds(60)
    /// How long a client may send or read nothing while the server waits for it.
    ///
    /// Each body and each response starts with this time. Waiting consumes it, and bytes replenish it at
    /// ``minimumBytesPerSecond``, so that a slow transfer continues and a trickle is cut off.
    public var transferAllowance = Duration.seconds(60)
    /// The lowest average speed of a body or a response, in bytes per second.
    public var minimumBytesPerSecond = 500
    /// The maximum size of a header field or of a request's URI, in bytes.
    public var maximumHeaderFieldBytes = 16_384
    /// The maximum size of a header, in bytes.
    public var maximumHeaderBytes = 32_768
    /// The maximum number of fields in a header.
    public var maximumHeaderFields = 100
    /// The chunk size for reading a file into a response, in bytes: a few chunks wait in memory for a slow client.
    public static let fileChunkBytes = 65_536
    /// How long requests may take to finish after a shutdown has begun.
    public var shutdownTimeout = Duration.seconds(3)

    /// Creates the default limits.
    public init() {}
}

extension SiteLimits {
    /// The file descriptors reserved for databases, jobs and files.
    static let reservedDescriptors = 256

    /// The number of file descriptors that the process needs: each connection may also read a file.
    public var neededDescriptors: Int { maximumConnections * 2 + Self.reservedDescriptors }

    /// Returns limits lowered so that the given number of file descriptors suffices.
    public func fitting(descriptors count: Int) -> SiteLimits {
        var limits = self
        limits.maximumConnections = min(maximumConnections, max(8, (count - Self.reservedDescriptors) / 2))
        // The greediest address must leave room for others.
        limits.maximumConnectionsPerAddress = min(
            maximumConnectionsPerAddress, max(1, limits.maximumConnections / 4))
        limits.maximumEventStreams = min(maximumEventStreams, max(1, limits.maximumConnections / 2))
        limits.maximumEventStreamsPerAddress = min(
            maximumEventStreamsPerAddress, max(1, limits.maximumConnectionsPerAddress / 2))
        return limits
    }
}
