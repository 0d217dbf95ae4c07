/// The progress of a fetch.
public struct FetchProgress: Sendable, Hashable, Codable {
    /// The number of bytes received.
    public var received: Int64
    /// The number of bytes expected in total; `nil` if unknown.
    public var expected: Int64?

    /// Creates a progress value.
    public init(received: Int64, expected: Int64? = nil) {
        self.received = received
        self.expected = expected
    }
}

extension FetchProgress {
    /// The fraction received, from 0 to 1; `nil` if the total is unknown, or if more was received.
    public var fraction: Double? {
        guard let expected, expected > 0, received >= 0, received <= expected else { return nil }
        return Double(received) / Double(expected)
    }
}
