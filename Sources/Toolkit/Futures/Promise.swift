/// The side of a ``Future`` that settles it: resolves it with a value or rejects it with an error, once.
///
/// Everything here may be called from any thread; of several calls that race, the first wins, and each is told whether
/// it has won.
///
/// A promise that goes away unsettled would leave its waiters waiting for ever. Say with `onAbandon` what they get
/// then. Without it, they get an ``AbandonedPromise`` where any error will do (`Failure` is `any Error`); where no error
/// can be made up, dropping a promise that somebody waits for is reported with the line that made the promise, and stops
/// a debug build.
public final class Promise<Value: Sendable, Failure: Error>: Sendable {
    /// The future that this promise settles.
    public let future: Future<Value, Failure>

    @usableFromInline let onAbandon: (@Sendable () -> Failure)?
    @usableFromInline let file: StaticString
    @usableFromInline let line: UInt

    /// Creates a promise whose future is pending.
    ///
    /// - Parameters:
    ///   - onAbandon: Makes the error that the future fails with if the promise goes away unsettled.
    ///   - file: Where the promise was made, for the report of a dropped one.
    ///   - line: Where the promise was made, for the report of a dropped one.
    @inlinable
    public init(
        onAbandon: (@Sendable () -> Failure)? = nil, file: StaticString = #fileID, line: UInt = #line
    ) {
        self.future = Future()
        self.onAbandon = onAbandon
        self.file = file
        self.line = line
    }

    @inlinable
    init(future: Future<Value, Failure>) {
        self.future = future
        self.onAbandon = nil
        self.file = #fileID
        self.line = #line
    }

    /// Creates a promise that is resolved from the start.
    @inlinable
    public convenience init(value: Value) {
        self.init(future: .preResolved(value: value))
    }

    /// Creates a promise that is rejected from the start.
    @inlinable
    public convenience init(error: Failure) {
        self.init(future: .preRejected(error: error))
    }

    @inlinable
    deinit {
        if !future.isComplete {
            Self.dropped(future, onAbandon: onAbandon, file: file, line: line)
        }
    }
}

extension Promise {
    /// Gives the future its value and runs its callbacks, unless it is settled already.
    ///
    /// - Returns: Whether this call settled the future.
    @inlinable
    @discardableResult
    public func resolve(_ value: Value) -> Bool {
        future.settle(.success(value))
    }

    /// Fails the future and runs its callbacks, unless it is settled already.
    ///
    /// - Returns: Whether this call settled the future.
    @inlinable
    @discardableResult
    public func reject(_ error: Failure) -> Bool {
        future.settle(.failure(error))
    }

    /// Settles the future as the result says, unless it is settled already.
    ///
    /// - Returns: Whether this call settled the future.
    @inlinable
    @discardableResult
    public func settle(_ result: Result<Value, Failure>) -> Bool {
        future.settle(result)
    }

    /// Settles this promise's future as soon as another one is settled, and in the same way.
    ///
    /// Whatever else settles it before is what it stays. The promise is kept for as long as the other future is pending.
    ///
    /// - Parameter other: Not this promise's own future, which would wait for itself: that is reported as a promise that
    ///   was dropped.
    public func completeOn(future other: Future<Value, Failure>) {
        if other === future {
            Self.dropped(future, onAbandon: onAbandon, file: file, line: line)
        } else {
            other.whenSettled { self.settle($0) }
        }
    }
}

// MARK: - Promises that go away

extension Promise {
    @usableFromInline
    static func dropped(
        _ future: Future<Value, Failure>, onAbandon: (@Sendable () -> Failure)?, file: StaticString, line: UInt
    ) {
        if let onAbandon {
            future.settle(.failure(onAbandon()))
        } else if let error = AbandonedPromise(file: file, line: line) as? Failure {
            future.settle(.failure(error))
        } else if future.abandon() {
            DroppedPromises.report(
                "A promise was dropped without resolve or reject while somebody waited for its future.",
                file: file, line: line)
        }
    }
}

/// What a future fails with whose promise went away before it was resolved or rejected.
public struct AbandonedPromise: Error, CustomStringConvertible {
    /// The file that made the promise: its module and name.
    public let file: String
    /// The line that made the promise.
    public let line: UInt

    init(file: StaticString, line: UInt) {
        self.file = "\(file)"
        self.line = line
    }

    /// Where the promise was made, and what happened to it.
    public var description: String {
        "The promise made at \(file):\(line) was dropped without resolve or reject. "
            + "Keep it until its work is done, or say with onAbandon what its waiters get."
    }
}
