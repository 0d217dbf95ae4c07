/// How far a value is that is being fetched.
///
/// A fetch and a failure keep the value that was there before, so that it can be shown meanwhile.
public enum LoadingState<Source, Value, Failure> {
    /// Nothing was fetched, and nothing is.
    case none
    /// A value is on its way from there.
    case fetching(Source, previous: Value?)
    /// The value is here.
    case found(Value)
    /// The value could not be had.
    case failed(Failure, previous: Value?)
}

extension LoadingState {
    /// The value that can be shown: the one that was found, or the one from before.
    public var value: Value? {
        switch self {
        case .none: nil
        case .fetching(_, let previous): previous
        case .found(let value): value
        case .failed(_, let previous): previous
        }
    }

    /// Whether a value is on its way.
    public var isFetching: Bool {
        switch self {
        case .fetching: true
        case .none, .found, .failed: false
        }
    }

    /// Where the value that is on its way comes from; `nil` if none is.
    public var sourceBeingFetched: Source? {
        switch self {
        case .fetching(let source, _): source
        case .none, .found, .failed: nil
        }
    }

    /// Why the value could not be had; `nil` unless the last fetch failed.
    public var failureReason: Failure? {
        switch self {
        case .failed(let reason, _): reason
        case .none, .fetching, .found: nil
        }
    }
}

extension LoadingState: Sendable where Source: Sendable, Value: Sendable, Failure: Sendable {}

extension LoadingState: Equatable where Source: Equatable, Value: Equatable, Failure: Equatable {}

extension LoadingState: Hashable where Source: Hashable, Value: Hashable, Failure: Hashable {}

extension LoadingState: Encodable where Source: Encodable, Value: Encodable, Failure: Encodable {}

extension LoadingState: Decodable where Source: Decodable, Value: Decodable, Failure: Decodable {}
