/// How much of a value has arrived.
public struct FetchProgress: Sendable, Hashable, Codable {
    /// The bytes that have arrived.
    public var received: Int64
    /// The bytes that there will be; `nil` if nobody has said.
    public var expected: Int64?

    /// Creates a progress.
    ///
    /// - Parameters:
    ///   - received: The bytes that have arrived.
    ///   - expected: The bytes that there will be; `nil` if nobody has said.
    public init(received: Int64, expected: Int64? = nil) {
        self.received = received
        self.expected = expected
    }
}

extension FetchProgress {
    /// The share that has arrived, from 0 to 1; `nil` if nobody has said how much there will be, or that is not so.
    public var fraction: Double? {
        guard let expected, expected > 0, received >= 0, received <= expected else { return nil }
        return Double(received) / Double(expected)
    }
}
