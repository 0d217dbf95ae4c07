/// The error of a failed mapping: the source failed, or the value could not be mapped.
public enum MapError<Source: Sendable, SourceError: Error, Target>: Error {
    /// The error of the source.
    case originalError(SourceError)
    /// The value that could not be mapped.
    case mappingError(Source)
}

extension MapError: Equatable where Source: Equatable, SourceError: Equatable {}
extension MapError: Hashable where Source: Hashable, SourceError: Hashable {}

extension MapError: CustomStringConvertible {
    /// The value and the type that it could not be mapped to, or the original error's description.
    public var description: String {
        switch self {
        case .originalError(let error): "\(error)"
        case .mappingError(let value): "Could not map value: (\(value)) to output type: \(Target.self)."
        }
    }
}

/// Which of two futures in a chain failed.
public enum ChainError<First: Error, Second: Error>: Error {
    /// The first failed, so the second was never made.
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

/// The error when none of several futures succeeds: each failed, or there were none.
public struct AggregateError<Failure: Error>: Error, CustomStringConvertible {
    /// The futures' errors, in the order of the futures.
    public let errors: [Failure]

    /// Creates an error from the errors of all futures.
    public init(errors: [Failure]) {
        self.errors = errors
    }

    /// All errors, one after another.
    public var description: String {
        errors.isEmpty
            ? "There were no futures, so none could succeed."
            : "None of \(errors.count) succeeded: " + errors.map { "\($0)" }.joined(separator: "; ")
    }
}

extension AggregateError: Equatable where Failure: Equatable {}
extension AggregateError: Hashable where Failure: Hashable {}

/// The error of a future that was made to follow itself.
public struct WaitsForItself: Error, CustomStringConvertible {
    /// What happened and what to do.
    public var description: String {
        "A future waits for itself, and would never settle: the block of `flatMap` returned the future that `flatMap` "
            + "made. Return another one."
    }
}

/// The error of a future whose promise was released before it was resolved or rejected.
public struct AbandonedPromise: Error, CustomStringConvertible {
    /// The file that created the promise, as module and file name.
    public let file: String
    /// The line that created the promise.
    public let line: UInt

    package init(file: StaticString, line: UInt) {
        self.file = "\(file)"
        self.line = line
    }

    /// Where the promise was created, what happened to it, and what to do.
    public var description: String {
        "The promise made at \(file):\(line) was dropped without resolve or reject. "
            + "Store it until its work is done, or pass onAbandon to choose the error."
    }
}

/// The error of a function that misuses its callback.
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
