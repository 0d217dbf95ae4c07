/// The side of a ``Future`` that settles it: resolves it with a value or rejects it with an error, once.
///
/// Everything here may be called from any thread; of several calls that race, the first wins, and each is told whether
/// it has won.
///
/// A future never waits for a promise that no longer exists. If a promise is released unsettled, its future is settled in
/// that moment, in debug and release builds alike: it fails with the error that `onAbandon` makes, or has the value that
/// `valueOnAbandon` makes. Only two kinds of promise need neither: where `Failure` is `any Error`, the future fails with an
/// ``AbandonedPromise``; a `Promise<Void, Never>`, which is a signal without content, is resolved.
public final class Promise<Value: Sendable, Failure: Error>: Sendable {
    /// The future that this promise settles.
    public let future: Future<Value, Failure>

    // Of these two closures at most one is set; neither, where an `AbandonedPromise` is the error. Not an enum of both:
    // see `Future` on what the release of a generic object costs.
    @usableFromInline let errorOnAbandon: (@Sendable () -> Failure)?
    @usableFromInline let valueOnAbandon: (@Sendable () -> Value)?
    @usableFromInline let file: StaticString
    @usableFromInline let line: UInt

    /// Creates a promise whose future is pending.
    ///
    /// - Parameter onAbandon: Makes the error that the future fails with if the promise is released unsettled.
    @inlinable
    public convenience init(onAbandon: @escaping @Sendable () -> Failure) {
        self.init(future: Future(), errorOnAbandon: onAbandon)
    }

    /// Creates a promise whose future is pending.
    ///
    /// - Parameter valueOnAbandon: Makes the value that the future has if the promise is released unsettled.
    @inlinable
    public convenience init(valueOnAbandon: @escaping @Sendable () -> Value) {
        self.init(future: Future(), valueOnAbandon: valueOnAbandon)
    }

    @inlinable
    init(
        future: Future<Value, Failure>, errorOnAbandon: (@Sendable () -> Failure)? = nil,
        valueOnAbandon: (@Sendable () -> Value)? = nil, file: StaticString = #fileID, line: UInt = #line
    ) {
        self.future = future
        self.errorOnAbandon = errorOnAbandon
        self.valueOnAbandon = valueOnAbandon
        self.file = file
        self.line = line
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
        if !future.isComplete { abandon() }
    }
}

extension Promise where Failure == any Error {
    /// Creates a promise whose future is pending, and fails with an ``AbandonedPromise`` if the promise is released
    /// unsettled.
    @inlinable
    public convenience init(file: StaticString = #fileID, line: UInt = #line) {
        self.init(future: Future(), file: file, line: line)
    }
}

extension Promise where Value == Void, Failure == Never {
    /// Creates a promise whose future is pending, and is resolved if the promise is released unsettled.
    @inlinable
    public convenience init() {
        self.init(valueOnAbandon: {})
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
    /// The first settlement counts, whichever it is. The other future stores this promise until it is settled.
    ///
    /// - Parameter other: Not this promise's own future, which would wait for itself: the promise counts as abandoned then.
    public func completeOn(future other: Future<Value, Failure>) {
        if other === future {
            abandon()
        } else {
            other.whenSettled { self.settle($0) }
        }
    }

    /// Settles the future of a promise that nothing else can settle any more.
    @usableFromInline
    func abandon() {
        if let errorOnAbandon {
            future.settle(.failure(errorOnAbandon()))
        } else if let valueOnAbandon {
            future.settle(.success(valueOnAbandon()))
        } else if let error = AbandonedPromise(file: file, line: line) as? Failure {
            future.settle(.failure(error))
        } else {
            preconditionFailure("Only a promise that can fail with any error may be made without a policy.")
        }
    }
}
