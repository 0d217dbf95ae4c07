/// The write side of a ``Future``: resolves it with a value or rejects it with an error, once.
///
/// Everything here may be called from any thread. If several calls race, the first settles the future; each call
/// returns whether it did.
///
/// No future stays pending after its promise is released. If a promise is released unsettled, in debug and release
/// builds alike, its future fails with the error that `onAbandon` makes, or succeeds with the value that
/// `valueOnAbandon` makes. Two kinds of promise need neither: where `Failure` is `any Error`, the future fails with an
/// ``AbandonedPromise``; a `Promise<Void, Never>`, which is a signal without content, is resolved.
public final class Promise<Value: Sendable, Failure: Error>: Sendable {
    /// The future that this promise settles.
    public let future: Future<Value, Failure>

    // At most one of these closures is set, and none if the error is an `AbandonedPromise`. They aren't the cases of an
    // enum, because that would make releasing the generic object slower: see `Future`.
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
    /// - Parameter valueOnAbandon: Makes the value that the future succeeds with if the promise is released unsettled.
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

    /// Creates a promise that is already resolved.
    @inlinable
    public convenience init(value: Value) {
        self.init(future: .preResolved(value: value))
    }

    /// Creates a promise that is already rejected.
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
    /// Creates a promise whose future fails with an ``AbandonedPromise`` if the promise is released unsettled.
    @inlinable
    public convenience init(file: StaticString = #fileID, line: UInt = #line) {
        self.init(future: Future(), file: file, line: line)
    }
}

extension Promise where Value == Void, Failure == Never {
    /// Creates a promise whose future is resolved if the promise is released unsettled.
    @inlinable
    public convenience init() {
        self.init(valueOnAbandon: {})
    }
}

extension Promise {
    /// Resolves the future and runs its callbacks, unless it is already settled.
    ///
    /// - Returns: Whether this call settled the future.
    @inlinable
    @discardableResult
    public func resolve(_ value: Value) -> Bool {
        future.settle(.success(value))
    }

    /// Rejects the future and runs its callbacks, unless it is already settled.
    ///
    /// - Returns: Whether this call settled the future.
    @inlinable
    @discardableResult
    public func reject(_ error: Failure) -> Bool {
        future.settle(.failure(error))
    }

    /// Settles the future with a result and runs its callbacks, unless it is already settled.
    ///
    /// - Returns: Whether this call settled the future.
    @inlinable
    @discardableResult
    public func settle(_ result: Result<Value, Failure>) -> Bool {
        future.settle(result)
    }

    /// Settles this promise's future with the outcome of another future, as soon as that settles.
    ///
    /// If this promise is settled first in another way, that outcome stays. The other future retains this promise until
    /// the other future settles.
    ///
    /// - Parameter other: The future to follow. A promise that follows its own future, which would wait for itself,
    ///   counts as abandoned.
    public func completeOn(future other: Future<Value, Failure>) {
        if other === future {
            abandon()
        } else {
            other.whenSettled { self.settle($0) }
        }
    }

    /// Settles the future with the outcome for an abandoned promise, because nothing else can settle it any more.
    @usableFromInline
    func abandon() {
        if let errorOnAbandon {
            future.settle(.failure(errorOnAbandon()))
        } else if let valueOnAbandon {
            future.settle(.success(valueOnAbandon()))
        } else if let error = AbandonedPromise(file: file, line: line) as? Failure {
            future.settle(.failure(error))
        } else {
            preconditionFailure("Without `onAbandon` or `valueOnAbandon`, the error type must be `any Error`.")
        }
    }
}
