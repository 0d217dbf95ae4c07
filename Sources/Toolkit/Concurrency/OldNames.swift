// The names of the library Concurrency 2.0 by Jake Hawken, for code that was written for it. Each is deprecated, and the
// compiler offers the new name.
@_exported public import Futures
@_exported public import FuturesFoundation

extension Promise {
    /// Creates a promise that stops the program, in every build, if it is released unsettled.
    ///
    /// Concurrency 2.0 left such a promise's future pending forever. This library settles it, and needs to know how where
    /// the error's type can't say that the promise was abandoned.
    ///
    /// - Parameters:
    ///   - file: The place that the message names.
    ///   - line: The place that the message names.
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

    /// Calls the block with the error when the future has failed; never, if it succeeds.
    ///
    /// - Parameter block: Called once at most.
    /// - Returns: This future, for chaining.
    @available(*, deprecated, renamed: "onError(_:)")
    @discardableResult
    public func onFailure(_ block: @escaping ErrorBlock) -> Future { onError(block) }

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

extension Result {
    /// Calls the block with the error, if this is one.
    ///
    /// - Parameter block: Called once at most, before this returns.
    /// - Returns: This result, for chaining.
    @available(*, deprecated, renamed: "onError(_:)")
    @discardableResult
    public func onFailure(_ block: (Failure) -> Void) -> Result { onError(block) }
}
