/// The limits of the web server against clients that are slow, greedy or hostile.
///
/// | limit | what happens above it |
/// |---|---|
/// | connections of an address | its connection that has been idle for longest is closed; if none is idle, the new one is |
/// | connections in total | the same, for the address that has the most connections |
/// | event streams | status 429 for an address, 503 in total, with `Retry-After` |
/// | memory of responses | the connection whose client has taken nothing for longest is closed |
/// | times, rates | the connection is closed |
/// | header | status 400, and the connection is closed |
public struct SiteLimits: Sendable, Equatable {
    /// The connections that are open at the same time.
    public var maximumConnections = 1_000
    /// The connections of one address; not enforced behind a proxy, whose clients all have its address.
    public var maximumConnectionsPerAddress = 250
    /// The event streams that are open at the same time; a page has one or two.
    public var maximumEventStreams = 300
    /// The event streams of one address; not enforced behind a proxy.
    public var maximumEventStreamsPerAddress = 100
    /// The bytes of responses that wait in memory for clients to read them, in total.
    public var maximumBufferedBytes = 64_000_000
    /// The time from the connection to the end of its first request's header; bytes do not extend it.
    public var requestTimeout = Duration.seconds(20)
    /// The time from a response to the end of the next request's header; bytes do not extend it.
    public var idleTimeout = Duration.seconds(60)
    /// How long a client may send or take nothing while the server waits for it.
    ///
    /// A body and a response begin with this time. Waiting uses it up, and bytes replenish it at
    /// ``minimumBytesPerSecond``, so that a slow transfer goes on and a trickle ends.
    public var transferAllowance = Duration.seconds(60)
    /// The lowest average speed of a body or a response, in bytes a second.
    public var minimumBytesPerSecond = 500
    /// The largest field of a header, and the longest address, in bytes.
    public var maximumHeaderFieldBytes = 16_384
    /// The largest header, in bytes.
    public var maximumHeaderBytes = 32_768
    /// The most fields that a header has.
    public var maximumHeaderFields = 100
    /// The piece in which a file is read for a response, in bytes: SwiftNIO reads eight pieces ahead of a client that reads slowly.
    public static let fileChunkBytes = 32_768
    /// How long requests may take to end after the server is told to shut down.
    public var shutdownTimeout = Duration.seconds(3)

    /// Creates the standard limits.
    public init() {}
}

extension SiteLimits {
    /// The descriptors that stay for databases, jobs and files.
    static let reservedDescriptors = 256

    /// The descriptors that the process needs: each connection may read a file.
    public var neededDescriptors: Int { maximumConnections * 2 + Self.reservedDescriptors }

    /// Lowers the limits of connections so that some descriptors suffice.
    ///
    /// - Returns: The limits.
    public func fitting(descriptors count: Int) -> SiteLimits {
        var limits = self
        limits.maximumConnections = min(maximumConnections, max(8, (count - Self.reservedDescriptors) / 2))
        // Another address must have room beside the greediest one.
        limits.maximumConnectionsPerAddress = min(
            maximumConnectionsPerAddress, max(1, limits.maximumConnections / 4))
        limits.maximumEventStreams = min(maximumEventStreams, max(1, limits.maximumConnections / 2))
        limits.maximumEventStreamsPerAddress = min(
            maximumEventStreamsPerAddress, max(1, limits.maximumConnectionsPerAddress / 2))
        return limits
    }
}
