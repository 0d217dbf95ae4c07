/// What a callback can do that has no counterpart in a future.
public enum CallbackFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// It was called with neither a value nor an error.
    case neitherValueNorError
    /// Whoever was to call it has let go of it.
    case neverCalled

    /// What happened.
    public var description: String {
        switch self {
        case .neitherValueNorError: "A callback was called with neither a value nor an error."
        case .neverCalled: "A callback was dropped without being called."
        }
    }
}

// Functions that take a callback, as futures. The callback may come on any thread; only its first call counts. Where a
// value comes together with an error, the error counts: none is dropped.

extension Future {
    /// Calls a function that takes a callback with a value or an error.
    ///
    ///     let text = Future<String, any Error>.adapting { api.fetch(completion: $0) }
    ///
    /// - Parameters:
    ///   - fault: Makes the error where the callback comes with neither, or never. May be left out where any error will
    ///     do (`Failure` is `any Error`); elsewhere that is a promise that was dropped.
    ///   - file: The place that a report of that names.
    ///   - line: The place that a report of that names.
    ///   - function: Calls the function with the callback it is given.
    /// - Returns: The future of what the callback gets.
    public static func adapting(
        fault: (@Sendable (CallbackFault) -> Failure)? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ function: (@escaping @Sendable (Value?, Failure?) -> Void) -> Void
    ) -> Future {
        let promise = adaptingPromise(fault, file, line)
        function { value, error in
            if let error {
                promise.reject(error)
            } else if let value {
                promise.resolve(value)
            } else {
                promise.fail(fault)
            }
        }
        return promise.future
    }

    /// Calls a function that takes a callback with a result.
    ///
    /// - Parameters:
    ///   - fault: Makes the error where the callback never comes.
    ///   - file: The place that a report of that names.
    ///   - line: The place that a report of that names.
    ///   - function: Calls the function with the callback it is given.
    /// - Returns: The future of what the callback gets.
    public static func adapting(
        fault: (@Sendable (CallbackFault) -> Failure)? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ function: (@escaping @Sendable (Result<Value, Failure>) -> Void) -> Void
    ) -> Future {
        let promise = adaptingPromise(fault, file, line)
        function { promise.settle($0) }
        return promise.future
    }

    /// Calls a function that takes a callback that says whether something was done.
    ///
    /// - Parameters:
    ///   - fault: Makes the error where it was not done and there is no error, or where the callback never comes.
    ///   - file: The place that a report of that names.
    ///   - line: The place that a report of that names.
    ///   - function: Calls the function with the callback it is given.
    /// - Returns: The future of its being done.
    public static func adapting(
        fault: (@Sendable (CallbackFault) -> Failure)? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ function: (@escaping @Sendable (Bool, Failure?) -> Void) -> Void
    ) -> Future where Value == Void {
        let promise = adaptingPromise(fault, file, line)
        function { isDone, error in
            if let error {
                promise.reject(error)
            } else if isDone {
                promise.resolve(())
            } else {
                promise.fail(fault)
            }
        }
        return promise.future
    }

    private static func adaptingPromise(
        _ fault: (@Sendable (CallbackFault) -> Failure)?, _ file: StaticString, _ line: UInt
    ) -> Promise<Value, Failure> {
        Promise(onAbandon: onAbandon(fault), file: file, line: line)
    }

    private static func onAbandon(_ fault: (@Sendable (CallbackFault) -> Failure)?) -> (@Sendable () -> Failure)? {
        if let fault { return { fault(.neverCalled) } }
        guard let error = CallbackFault.neverCalled as? Failure else { return nil }
        return { error }
    }
}

extension Promise {
    fileprivate func fail(_ fault: (@Sendable (CallbackFault) -> Failure)?) {
        if let fault {
            reject(fault(.neitherValueNorError))
        } else if let error = CallbackFault.neitherValueNorError as? Failure {
            reject(error)
        }
        // Otherwise no error can be made up: the promise goes, and that is reported.
    }
}
