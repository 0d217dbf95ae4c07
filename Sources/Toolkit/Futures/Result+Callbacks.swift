extension Result {
    /// Calls the block with the value, if this is one.
    ///
    /// - Returns: This result, for chaining.
    @inlinable
    @discardableResult
    public func onSuccess(_ block: (Success) -> Void) -> Result {
        if case .success(let value) = self { block(value) }
        return self
    }

    /// Calls the block with the error, if this is one.
    ///
    /// - Returns: This result, for chaining.
    @inlinable
    @discardableResult
    public func onError(_ block: (Failure) -> Void) -> Result {
        if case .failure(let error) = self { block(error) }
        return self
    }

    /// The value; `nil` if this is an error.
    @inlinable public var success: Success? {
        switch self {
        case .success(let value): value
        case .failure: nil
        }
    }

    /// The error; `nil` if this is a value.
    @inlinable public var failure: Failure? {
        switch self {
        case .success: nil
        case .failure(let error): error
        }
    }

    /// Maps the value to one of another type, where that is possible.
    ///
    /// - Parameter map: Returns `nil` for a value that has no counterpart.
    /// - Returns: What it has been mapped to; or the original error, or the value that could not be mapped.
    public func flatMap<Target>(
        _ map: (Success) -> Target?
    ) -> Result<Target, MapError<Success, Failure, Target>> where Success: Sendable {
        switch self {
        case .success(let value): map(value).map(Result<Target, _>.success) ?? .failure(.mappingError(value))
        case .failure(let error): .failure(.originalError(error))
        }
    }
}
