import NIOCore

/// The limits of the site's connections: what hostile or slow clients can take.
public struct ConnectionLimits: Sendable {
    /// How many connections there may be at a time; further ones are closed at once.
    public var connections = 2_000
    /// How many connections one client address may have; `nil` for any number.
    ///
    /// A browser has six to a host, and one more for each window that prints or downloads. Behind a proxy all clients have its
    /// address, so there is no limit then.
    public var connectionsPerAddress: Int? = 100
    /// How many event streams there may be at a time; further ones are answered with status 503.
    public var eventStreams = 1_000
    /// How many event streams one client address may have; `nil` for any number.
    ///
    /// An open page has one or two.
    public var eventStreamsPerAddress: Int? = 60
    /// How long a connection may be without a request: before the end of a request's head, and between requests.
    public var idleTimeout: Duration = .seconds(60)
    /// The slowest that the body of a request may arrive, in bytes a second, on average over ``bodyInterval``.
    ///
    /// A line of 10 kbit/s is faster.
    public var slowestBody = 1_000
    /// The time over which the speed of a body is measured.
    public var bodyInterval: Duration = .seconds(20)
    /// How long a client may read nothing of a response that is ready.
    public var readTimeout: Duration = .seconds(30)
    /// How long a connection may last after the server began to shut down.
    public var shutdownTimeout: Duration = .seconds(4)
    /// How many bytes of responses may wait in memory for their readers; a connection that would exceed it is closed.
    ///
    /// Files are not among them: they are read as the client reads.
    public var waitingBytes = 256 << 20

    /// Creates the default limits.
    public init() {}
}
