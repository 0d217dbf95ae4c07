// The names of the library Concurrency 2.0 by Jake Hawken, for code that was written for it: its extensions of `Result`, and names
// that changed, each deprecated so that the compiler offers the new one.
@_exported public import Futures
@_exported public import FuturesFoundation

extension Promise {
    /// Creates a promise that stops the program, in every build, if it is released unsettled.
    ///
    /// Concurrency 2.0 left such a promise's future pending forever. This library settles it, and needs to know how where
    /// the error's type can't say that the promise was abandoned.
    @available(*, deprecated, message: "Pass onAbandon: the error if the promise is released unsettled.")
    public convenience init(file: StaticString = #fileID, line: UInt = #line) {
        // No error of this type can be made: without an end, an awaiting task would wait forever.
        self.init(onAbandon: { fatalError("\(AbandonedPromise(file: file, line: line))") })
    }
}

extension Future {
    /// The error at this moment, or `nil` if the future is pending or has its value.
    @available(*, deprecated, renamed: "rejectedError")
    public var error: Failure? { rejectedError }

    /// Calls the block with the error when the future has failed.
    @available(*, deprecated, renamed: "onError(_:)")
    @discardableResult
    public func onFailure(_ block: @escaping ErrorBlock) -> Future { onError(block) }

    /// A future with the mapped value, if it has a counterpart.
    @available(*, deprecated, renamed: "compactMap(_:)")
    @discardableResult
    public func flatMap<NewValue: Sendable>(
        _ map: @escaping @Sendable (Value) -> NewValue?
    ) -> Future<NewValue, MapError<Value, Failure, NewValue>> { compactMap(map) }

    /// A future that goes on with another one, which is made of this one's value.
    @available(*, deprecated, renamed: "flatMap(_:)")
    @discardableResult
    public func then<NewValue: Sendable>(
        _ next: @escaping @Sendable (Value) -> Future<NewValue, Failure>
    ) -> Future<NewValue, Failure> { flatMap(next) }

    /// A future that goes on with another one, which fails with errors of another type.
    @available(*, deprecated, renamed: "flatMap(_:)")
    @discardableResult
    public func then<NewValue: Sendable, NewFailure: Error>(
        _ next: @escaping @Sendable (Value) -> Future<NewValue, NewFailure>
    ) -> Future<NewValue, ChainError<Failure, NewFailure>> { flatMap(next) }

    /// The first value; if no future has one, the last error.
    ///
    /// - Parameter futures: The futures. If there are none, this stops the program: Concurrency 2.0 returned a future that
    ///   never settled.
    /// - Returns: The new future.
    @available(*, deprecated, message: "Pass onEmpty: the error if there are no futures.")
    public static func firstFinished(from futures: [Future]) -> Future {
        // No error of this type can be made: the future would never settle.
        firstFinished(from: futures, onEmpty: { fatalError("firstFinished(from:) was called without futures.") })
    }
}

// MARK: - Results

// Here and not in Futures, so that a program that uses only that has no second meaning of `Result.flatMap` and of names that its
// other libraries add to `Result` too.

extension Result {
    /// Calls the block with the value, if this is one.
    ///
    /// - Returns: This result, for chaining.
    @discardableResult
    public func onSuccess(_ block: (Success) -> Void) -> Result {
        if case .success(let value) = self { block(value) }
        return self
    }

    /// Calls the block with the error, if this is one.
    ///
    /// - Returns: This result, for chaining.
    @discardableResult
    public func onError(_ block: (Failure) -> Void) -> Result {
        if case .failure(let error) = self { block(error) }
        return self
    }

    /// The value; `nil` if this is an error.
    public var success: Success? { try? get() }

    /// The error; `nil` if this is a value.
    public var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// The mapped value, or why there is none.
    ///
    /// - Returns: The new result, which fails with the original error, or with the value that could not be mapped.
    public func flatMap<NewSuccess>(
        _ map: (Success) -> NewSuccess?
    ) -> Result<NewSuccess, MapError<Success, Failure, NewSuccess>> where Success: Sendable {
        switch self {
        case .success(let value): map(value).map(Result<NewSuccess, _>.success) ?? .failure(.mappingError(value))
        case .failure(let error): .failure(.originalError(error))
        }
    }

    /// Calls the block with the error, if this is one.
    @available(*, deprecated, renamed: "onError(_:)")
    @discardableResult
    public func onFailure(_ block: (Failure) -> Void) -> Result { onError(block) }
}
