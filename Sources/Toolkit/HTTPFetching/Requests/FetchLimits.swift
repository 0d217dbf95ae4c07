/// What a fetch may take, in bytes and in time.
///
/// Each part is a promise that nothing hangs: a server that says nothing, that says it slowly, or that never ends, comes to
/// an end all the same.
public struct FetchLimits: Sendable, Hashable {
    /// The bytes of the content, as they arrive and after decompression.
    public var bytes: Int
    /// The bytes of an answer's header fields.
    public var headerBytes: Int
    /// How often a server may lead elsewhere.
    public var redirects: Int
    /// For how long one address of a host may not answer at all.
    public var connecting: Duration
    /// For how long a server may think before an answer begins, at each address that it leads to.
    public var firstByte: Duration
    /// For how long nothing may arrive in the middle of an answer.
    public var idle: Duration
    /// For how long the whole of it may take.
    public var whole: Duration
    /// How often a transfer that broke is taken up again where it broke.
    public var resumptions: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the content, as they arrive and after decompression.
    ///   - headerBytes: The bytes of an answer's header fields; more than 2 MiB is never taken.
    ///   - redirects: How often a server may lead elsewhere. 20 is what browsers allow:
    ///     https://fetch.spec.whatwg.org/#http-redirect-fetch
    ///   - connecting: For how long one address of a host may not answer at all.
    ///   - firstByte: For how long a server may think before an answer begins.
    ///   - idle: For how long nothing may arrive in the middle of an answer.
    ///   - whole: For how long the whole of it may take.
    ///   - resumptions: How often a transfer that broke is taken up again where it broke.
    public init(
        bytes: Int = 64 << 20, headerBytes: Int = 64 << 10, redirects: Int = 20, connecting: Duration = .seconds(10),
        firstByte: Duration = .seconds(30), idle: Duration = .seconds(30), whole: Duration = .seconds(300),
        resumptions: Int = 3
    ) {
        self.bytes = bytes
        self.headerBytes = headerBytes
        self.redirects = redirects
        self.connecting = connecting
        self.firstByte = firstByte
        self.idle = idle
        self.whole = whole
        self.resumptions = resumptions
    }

    /// What is usual.
    public static let standard = FetchLimits()
}

/// One of the ``FetchLimits``.
public enum FetchLimit: String, Sendable, Hashable, CaseIterable {
    /// The bytes of the content.
    case bytes
    /// The bytes of the header fields.
    case headerBytes
    /// The time until a host takes the connection.
    case connecting
    /// The time until an answer begins.
    case firstByte
    /// The time in which nothing arrives.
    case idle
    /// The time that the whole of it takes.
    case whole
}
