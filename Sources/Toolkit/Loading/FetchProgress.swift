/// How much of a value has arrived.
public struct FetchProgress: Sendable, Hashable, Codable {
    /// The bytes that have arrived.
    public var received: Int64
    /// The bytes that there will be; `nil` if that is unknown.
    public var expected: Int64?

    /// Creates a progress.
    public init(received: Int64, expected: Int64? = nil) {
        self.received = received
        self.expected = expected
    }
}

extension FetchProgress {
    /// The share that has arrived, from 0 to 1; `nil` if it is unknown how much there will be, or more has arrived.
    public var fraction: Double? {
        guard let expected, expected > 0, received >= 0, received <= expected else { return nil }
        return Double(received) / Double(expected)
    }
}
