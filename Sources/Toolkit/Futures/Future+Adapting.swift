/// What a callback can do that has no counterpart in a future.
public enum CallbackFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// It was called with neither a value nor an error.
    case neitherValueNorError
    /// The function released it without calling it.
    case neverCalled

    /// What happened.
    public var description: String {
        switch self {
        case .neitherValueNorError: "A callback was called with neither a value nor an error."
        case .neverCalled: "A callback was dropped without being called."
        }
    }
}

// Functions that take a callback, as futures. The callback may be called on any thread; only its first call counts. A
// callback with both a value and an error counts as the error.

extension Future {
    /// Calls a function that takes a callback with a value or an error.
    ///
    /// - Parameters:
    ///   - fault: Makes the error if the callback is called with neither, or is released without being called.
    ///   - function: Calls the function with the callback that it is given.
    /// - Returns: The future of the callback's value or error.
    public static func adapting(
        fault: @escaping @Sendable (CallbackFault) -> Failure,
        _ function: (@escaping @Sendable (Value?, Failure?) -> Void) -> Void
    ) -> Future {
        let promise = Promise<Value, Failure>(onAbandon: { fault(.neverCalled) })
        function { value, error in
            if let error {
                promise.reject(error)
            } else if let value {
                promise.resolve(value)
            } else {
                promise.reject(fault(.neitherValueNorError))
            }
        }
        return promise.future
    }

    /// Calls a function that takes a callback with a result.
    ///
    /// - Parameters:
    ///   - fault: Makes the error if the callback is released without being called.
    ///   - function: Calls the function with the callback that it is given.
    /// - Returns: The future of the callback's result.
    public static func adapting(
        fault: @escaping @Sendable (CallbackFault) -> Failure,
        _ function: (@escaping @Sendable (Result<Value, Failure>) -> Void) -> Void
    ) -> Future {
        let promise = Promise<Value, Failure>(onAbandon: { fault(.neverCalled) })
        function { promise.settle($0) }
        return promise.future
    }

    /// Calls a function that takes a callback that says whether something was done.
    ///
    /// - Parameters:
    ///   - fault: Makes the error if it was not done and there is no error, or if the callback is released without being
    ///     called.
    ///   - function: Calls the function with the callback that it is given.
    /// - Returns: The future of its being done.
    public static func adapting(
        fault: @escaping @Sendable (CallbackFault) -> Failure,
        _ function: (@escaping @Sendable (Bool, Failure?) -> Void) -> Void
    ) -> Future where Value == Void {
        let promise = Promise<Value, Failure>(onAbandon: { fault(.neverCalled) })
        function { isDone, error in
            if let error {
                promise.reject(error)
            } else if isDone {
                promise.resolve(())
            } else {
                promise.reject(fault(.neitherValueNorError))
            }
        }
        return promise.future
    }
}

// The type of the function that is passed tells the three apart, and callers write it.
// swift-format-ignore: AmbiguousTrailingClosureOverload
extension Future where Failure == any Error {
    /// Calls a function that takes a callback with a value or an error.
    ///
    ///     let text = Future<String, any Error>.adapting { api.fetch(completion: $0) }
    ///
    /// - Parameter function: Calls the function with the callback that it is given.
    /// - Returns: The future of the callback's value or error; a ``CallbackFault`` if the callback is called with neither,
    ///   or is released without being called.
    public static func adapting(_ function: (@escaping @Sendable (Value?, Failure?) -> Void) -> Void) -> Future {
        adapting(fault: { $0 }, function)
    }

    /// Calls a function that takes a callback with a result.
    ///
    /// - Parameter function: Calls the function with the callback that it is given.
    /// - Returns: The future of the callback's result; a ``CallbackFault`` if the callback is released without being called.
    public static func adapting(_ function: (@escaping @Sendable (Result<Value, Failure>) -> Void) -> Void) -> Future {
        adapting(fault: { $0 }, function)
    }

    /// Calls a function that takes a callback that says whether something was done.
    ///
    /// - Parameter function: Calls the function with the callback that it is given.
    /// - Returns: The future of its being done; a ``CallbackFault`` if it was not done and there is no error, or if the
    ///   callback is released without being called.
    public static func adapting(
        _ function: (@escaping @Sendable (Bool, Failure?) -> Void) -> Void
    ) -> Future where Value == Void {
        adapting(fault: { $0 }, function)
    }
}
