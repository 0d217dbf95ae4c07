/// Why none of several futures has a value: each failed, or there was none.
public struct AggregateError<Failure: Error>: Error, CustomStringConvertible {
    /// The error of each, in the order of the futures.
    public let errors: [Failure]

    /// Gathers errors.
    public init(errors: [Failure]) {
        self.errors = errors
    }

    /// All of the errors, one after another.
    public var description: String {
        errors.isEmpty
            ? "There was no future that could have succeeded."
            : "None of \(errors.count) succeeded: " + errors.map { "\($0)" }.joined(separator: "; ")
    }
}

extension AggregateError: Equatable where Failure: Equatable {}
extension AggregateError: Hashable where Failure: Hashable {}
