// Compatibility with code for the library Concurrency 2.0 by Jake Hawken: its extensions of `Result`, and its old
// names, which are deprecated so that the compiler offers the new ones.
@_exported public import Futures
@_exported public import FuturesFoundation

extension Promise {
    /// Creates a promise that stops the program, in every build, if it is released unsettled.
    ///
    /// Concurrency 2.0 left such a promise's future pending forever. This library settles the future; unless the
    /// error type can represent an abandoned promise, the caller must pass the error or the value.
    @available(*, deprecated, message: "Pass onAbandon: the error if the promise is released unsettled.")
    public convenience init(file: StaticString = #fileID, line: UInt = #line) {
        // An error of this type can't be created here, and without one an awaiting task would wait forever.
        self.init(onAbandon: { fatalError("\(AbandonedPromise(file: file, line: line))") })
    }
}

extension Future {
    /// The error, or `nil` if the future is pending or succeeded.
    @available(*, deprecated, renamed: "rejectedError")
    public var error: Failure? { rejectedError }

    /// Adds a callback that receives the error if the future fails.
    @available(*, deprecated, renamed: "onError(_:)")
    @discardableResult
    public func onFailure(_ block: @escaping ErrorBlock) -> Future { onError(block) }

    /// Returns a future with the mapped value.
    ///
    /// If the block returns `nil`, the future fails with the value that could not be mapped.
    @available(*, deprecated, renamed: "compactMap(_:)")
    @discardableResult
    public func flatMap<NewValue: Sendable>(
        _ map: @escaping @Sendable (Value) -> NewValue?
    ) -> Future<NewValue, MapError<Value, Failure, NewValue>> { compactMap(map) }

    /// Passes the value to the block, and returns a future that settles like the block's future.
    @available(*, deprecated, renamed: "flatMap(_:)")
    @discardableResult
    public func then<NewValue: Sendable>(
        _ next: @escaping @Sendable (Value) -> Future<NewValue, Failure>
    ) -> Future<NewValue, Failure> { flatMap(next) }

    /// Passes the value to a block whose future has another error type; the new future's error is a `ChainError`.
    @available(*, deprecated, renamed: "flatMap(_:)")
    @discardableResult
    public func then<NewValue: Sendable, NewFailure: Error>(
        _ next: @escaping @Sendable (Value) -> Future<NewValue, NewFailure>
    ) -> Future<NewValue, ChainError<Failure, NewFailure>> { flatMap(next) }

    /// Returns the first value, or, if all futures fail, the last error.
    ///
    /// - Parameter futures: The futures. If there are none, this stops the program: Concurrency 2.0 returned a future
    ///   that never settled.
    /// - Returns: The new future.
    @available(*, deprecated, message: "Pass onEmpty: the error if there are no futures.")
    public static func firstFinished(from futures: [Future]) -> Future {
        // An error of this type can't be created here, and without one the future would never settle.
        firstFinished(from: futures, onEmpty: { fatalError("firstFinished(from:) was called without futures.") })
    }
}

// MARK: - Results

// Declared here and not in Futures, so that a program that imports only Futures gets no second `Result.flatMap`, and no
// names that collide with other libraries' extensions of `Result`.

extension Result {
    /// Calls the block with the value, if this is a success.
    ///
    /// - Returns: This result, for chaining.
    @discardableResult
    public func onSuccess(_ block: (Success) -> Void) -> Result {
        if case .success(let value) = self { block(value) }
        return self
    }

    /// Calls the block with the error, if this is a failure.
    ///
    /// - Returns: This result, for chaining.
    @discardableResult
    public func onError(_ block: (Failure) -> Void) -> Result {
        if case .failure(let error) = self { block(error) }
        return self
    }

    /// The value; `nil` if this is a failure.
    public var success: Success? { try? get() }

    /// The error; `nil` if this is a success.
    public var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// Maps the value; if the block returns `nil`, the new result fails with the value that could not be mapped.
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

    /// Calls the block with the error, if this is a failure.
    @available(*, deprecated, renamed: "onError(_:)")
    @discardableResult
    public func onFailure(_ block: (Failure) -> Void) -> Result { onError(block) }
}
