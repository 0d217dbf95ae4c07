/// The loading state of a value.
///
/// The states `fetching` and `failed` include the previous value, so that it can still be shown.
public enum LoadingState<Source, Value, Failure> {
    /// No value was found, and none is being fetched.
    case idle
    /// The value of a source is being fetched.
    case fetching(Source, previous: Value?)
    /// The value was found.
    case found(Value)
    /// The fetch failed.
    case failed(Failure, previous: Value?)

    // Stored states encode `idle` as `none`.
    private enum CodingKeys: String, CodingKey {
        case idle = "none"
        case fetching, found, failed
    }
}

extension LoadingState {
    /// The value to show: the one that was found, or the previous one.
    public var value: Value? {
        switch self {
        case .idle: nil
        case .fetching(_, let previous), .failed(_, let previous): previous
        case .found(let value): value
        }
    }

    /// Whether a value is being fetched.
    public var isFetching: Bool {
        switch self {
        case .fetching: true
        case .idle, .found, .failed: false
        }
    }

    /// The source that is being fetched; `nil` if there is none.
    public var sourceBeingFetched: Source? {
        switch self {
        case .fetching(let source, _): source
        case .idle, .found, .failed: nil
        }
    }

    /// Why the last fetch failed; `nil` in any other state.
    public var failureReason: Failure? {
        switch self {
        case .failed(let reason, _): reason
        case .idle, .fetching, .found: nil
        }
    }
}

extension LoadingState: Sendable where Source: Sendable, Value: Sendable, Failure: Sendable {}

extension LoadingState: Equatable where Source: Equatable, Value: Equatable, Failure: Equatable {}

extension LoadingState: Hashable where Source: Hashable, Value: Hashable, Failure: Hashable {}

extension LoadingState: Encodable where Source: Encodable, Value: Encodable, Failure: Encodable {}

extension LoadingState: Decodable where Source: Decodable, Value: Decodable, Failure: Decodable {}
