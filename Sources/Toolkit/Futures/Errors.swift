/// Why there is no mapped value: there was an error before, or the value has no counterpart.
public enum MapError<Source: Sendable, SourceError: Error, Target>: Error {
    /// The error instead of a value.
    case originalError(SourceError)
    /// The value that could not be mapped.
    case mappingError(Source)
}

extension MapError: Equatable where Source: Equatable, SourceError: Equatable {}
extension MapError: Hashable where Source: Hashable, SourceError: Hashable {}

extension MapError: CustomStringConvertible {
    /// The value and the type that it could not be mapped to; or the original error's description.
    public var description: String {
        switch self {
        case .originalError(let error): "\(error)"
        case .mappingError(let value): "Could not map value: (\(value)) to output type: \(Target.self)."
        }
    }
}

/// Which of two futures in a chain failed.
public enum ChainError<First: Error, Second: Error>: Error {
    /// The first failed, so that the second was never made.
    case first(First)
    /// The second failed.
    case second(Second)
}

extension ChainError: Equatable where First: Equatable, Second: Equatable {}
extension ChainError: Hashable where First: Hashable, Second: Hashable {}

extension ChainError: CustomStringConvertible {
    /// The error's description.
    public var description: String {
        switch self {
        case .first(let error): "\(error)"
        case .second(let error): "\(error)"
        }
    }
}

/// Why none of several futures has a value: each failed, or there was none.
public struct AggregateError<Failure: Error>: Error, CustomStringConvertible {
    /// The error of each, in the order of the futures.
    public let errors: [Failure]

    /// Gathers errors.
    public init(errors: [Failure]) {
        self.errors = errors
    }

    /// All errors, one after another.
    public var description: String {
        errors.isEmpty
            ? "There was no future that could have succeeded."
            : "None of \(errors.count) succeeded: " + errors.map { "\($0)" }.joined(separator: "; ")
    }
}

extension AggregateError: Equatable where Failure: Equatable {}
extension AggregateError: Hashable where Failure: Hashable {}

/// The error of a future that was told to settle as it does itself.
public struct WaitsForItself: Error, CustomStringConvertible {
    /// What happened and what to do.
    public var description: String {
        "A future waits for itself, and would forever: the block of `flatMap` must return another future than `flatMap` made."
    }
}

/// The error of a future whose promise was released before it was resolved or rejected.
public struct AbandonedPromise: Error, CustomStringConvertible {
    /// The file that made the promise: its module and name.
    public let file: String
    /// The line that made the promise.
    public let line: UInt

    /// Names a place.
    package init(file: StaticString, line: UInt) {
        self.file = "\(file)"
        self.line = line
    }

    /// Where the promise was made, and what happened to it.
    public var description: String {
        "The promise made at \(file):\(line) was dropped without resolve or reject. "
            + "Store it until its work is done, or pass onAbandon to choose the error."
    }
}

/// A mistake of a function that takes a callback.
public enum CallbackFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// It called the callback with neither a value nor an error.
    case neitherValueNorError
    /// It released the callback without calling it.
    case neverCalled

    /// What happened.
    public var description: String {
        switch self {
        case .neitherValueNorError: "A callback was called with neither a value nor an error."
        case .neverCalled: "A callback was dropped without being called."
        }
    }
}
