/// The side of a ``Future`` that settles it: resolves it with a value or rejects it with an error, once.
///
/// Everything here may be called from any thread; of several calls that race, the first wins.
///
/// A promise that goes away unsettled would leave its waiters waiting for ever. Say with `onAbandon` what they get
/// then; without it, dropping a promise that somebody waits for stops a debug build at the line that made the promise.
public final class Promise<Value: Sendable, Failure: Error>: Sendable {
    /// The future that this promise settles.
    public let future: Future<Value, Failure>

    private let onAbandon: (@Sendable () -> Failure)?
    private let file: StaticString
    private let line: UInt

    /// Creates a promise whose future is pending.
    ///
    /// - Parameters:
    ///   - onAbandon: Makes the error that the future fails with if the promise goes away unsettled.
    ///   - file: Where the promise was made, for the report of a dropped one.
    ///   - line: Where the promise was made, for the report of a dropped one.
    public init(
        onAbandon: (@Sendable () -> Failure)? = nil, file: StaticString = #fileID, line: UInt = #line
    ) {
        self.future = Future(machine: FutureStateMachine())
        self.onAbandon = onAbandon
        self.file = file
        self.line = line
    }

    private init(future: Future<Value, Failure>) {
        self.future = future
        self.onAbandon = nil
        self.file = #fileID
        self.line = #line
    }

    /// Creates a promise that is resolved from the start.
    public convenience init(value: Value) {
        self.init(future: .preResolved(value: value))
    }

    /// Creates a promise that is rejected from the start.
    public convenience init(error: Failure) {
        self.init(future: .preRejected(error: error))
    }

    deinit {
        if let onAbandon, !future.isComplete {
            _ = future.settle(.failure(onAbandon()))
        } else if future.abandon() {
            assertionFailure(
                "A promise was dropped without resolve or reject while somebody waited for its future.",
                file: file, line: line)
        }
    }
}

extension Promise {
    /// Gives the future its value and runs its callbacks, unless it is settled already.
    ///
    /// - Returns: Whether this call settled the future.
    @discardableResult
    public func resolve(_ value: Value) -> Bool {
        future.settle(.success(value))
    }

    /// Fails the future and runs its callbacks, unless it is settled already.
    ///
    /// - Returns: Whether this call settled the future.
    @discardableResult
    public func reject(_ error: Failure) -> Bool {
        future.settle(.failure(error))
    }
}
