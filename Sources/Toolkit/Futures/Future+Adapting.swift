// Adapts functions that take a callback to futures. The callback may be called on any thread; only its first call
// counts. If that call passes both a value and an error, the future fails with the error.

extension Future {
    /// Calls a function that takes a callback with a value or an error.
    ///
    /// `fault` makes the error if the callback is called with neither, or is released without being called.
    public static func adapting(
        fault: @escaping @Sendable (CallbackFault) -> Failure,
        _ function: (@escaping @Sendable (Value?, Failure?) -> Void) -> Void
    ) -> Future {
        adapting(fault: fault) { (callback: @escaping @Sendable (Result<Value, Failure>) -> Void) in
            function { value, error in
                if let error {
                    callback(.failure(error))
                } else {
                    callback(value.map(Result.success) ?? .failure(fault(.neitherValueNorError)))
                }
            }
        }
    }

    /// Calls a function that takes a callback with a result.
    ///
    /// `fault` makes the error if the callback is released without being called.
    public static func adapting(
        fault: @escaping @Sendable (CallbackFault) -> Failure,
        _ function: (@escaping @Sendable (Result<Value, Failure>) -> Void) -> Void
    ) -> Future {
        let promise = Promise<Value, Failure>(onAbandon: { fault(.neverCalled) })
        function { promise.settle($0) }
        return promise.future
    }

    /// Calls a function whose callback receives a success flag and an error.
    ///
    /// `fault` makes the error if the flag is `false` without an error, or if the callback is released without being called.
    public static func adapting(
        fault: @escaping @Sendable (CallbackFault) -> Failure,
        _ function: (@escaping @Sendable (Bool, Failure?) -> Void) -> Void
    ) -> Future where Value == Void {
        adapting(fault: fault) { (callback: @escaping @Sendable (Void?, Failure?) -> Void) in
            function { isDone, error in callback(isDone ? () : nil, error) }
        }
    }
}

// The overloads differ in the type of the passed function, which callers spell out.
// swift-format-ignore: AmbiguousTrailingClosureOverload
extension Future where Failure == any Error {
    /// Calls a function that takes a callback with a value or an error; faults are errors of the type ``CallbackFault``.
    ///
    ///     let text = Future<String, any Error>.adapting { api.fetch(completion: $0) }
    public static func adapting(_ function: (@escaping @Sendable (Value?, Failure?) -> Void) -> Void) -> Future {
        adapting(fault: { $0 }, function)
    }

    /// Calls a function that takes a callback with a result; faults are errors of the type ``CallbackFault``.
    public static func adapting(_ function: (@escaping @Sendable (Result<Value, Failure>) -> Void) -> Void) -> Future {
        adapting(fault: { $0 }, function)
    }

    /// Calls a function whose callback receives a success flag and an error; faults are errors of the type ``CallbackFault``.
    public static func adapting(
        _ function: (@escaping @Sendable (Bool, Failure?) -> Void) -> Void
    ) -> Future where Value == Void {
        adapting(fault: { $0 }, function)
    }
}
