// Futures that are derived from another one. The block runs on the thread that settles the other future, or at once if
// that is already settled. It runs among the other future's callbacks, in the order in which they were added.

extension Future {
    /// Returns a future with the outcome that the block makes from this one's outcome.
    @inlinable
    @discardableResult
    public func mapResult<NewValue: Sendable, NewFailure: Error>(
        _ map: @escaping @Sendable (Result<Value, Failure>) -> Result<NewValue, NewFailure>
    ) -> Future<NewValue, NewFailure> {
        let target = Future<NewValue, NewFailure>()
        whenSettled { target.settle(map($0)) }
        return target
    }

    /// Returns a future with the mapped value, or this one's error.
    @inlinable
    @discardableResult
    public func mapValue<NewValue: Sendable>(
        _ map: @escaping @Sendable (Value) -> NewValue
    ) -> Future<NewValue, Failure> {
        mapResult { $0.map(map) }
    }

    /// Returns a future with this one's value, or the mapped error.
    @inlinable
    @discardableResult
    public func mapError<NewFailure: Error>(
        _ map: @escaping @Sendable (Failure) -> NewFailure
    ) -> Future<Value, NewFailure> {
        mapResult { $0.mapError(map) }
    }

    /// Returns a future with the mapped value; if the block returns `nil`, it fails with the original value.
    @discardableResult
    public func compactMap<NewValue: Sendable>(
        _ map: @escaping @Sendable (Value) -> NewValue?
    ) -> Future<NewValue, MapError<Value, Failure, NewValue>> {
        mapResult { result in
            switch result {
            case .success(let value): map(value).map(Result.success) ?? .failure(.mappingError(value))
            case .failure(let error): .failure(.originalError(error))
            }
        }
    }

    /// Returns a type-erased future, for lists of futures of several types.
    @discardableResult
    public func typeErased() -> Future<any Sendable, any Error> {
        mapResult { result in
            switch result {
            case .success(let value): .success(value)
            case .failure(let error): .failure(error)
            }
        }
    }
}

// MARK: - Chaining

extension Future {
    /// Returns a future with the outcome of the block's future; the block gets this one's value.
    ///
    /// If this future fails, the block isn't called, and the returned future fails with the same error.
    @inlinable
    @discardableResult
    public func flatMap<NewValue: Sendable>(
        _ next: @escaping @Sendable (Value) -> Future<NewValue, Failure>
    ) -> Future<NewValue, Failure> {
        let target = Future<NewValue, Failure>()
        whenSettled { result in
            switch result {
            case .success(let value): target.follow(next(value))
            case .failure(let error): target.settle(.failure(error))
            }
        }
        return target
    }

    /// Returns a future that follows a future of another error type; the error says which of the two failed.
    @inlinable
    @discardableResult
    public func flatMap<NewValue: Sendable, NewFailure: Error>(
        _ next: @escaping @Sendable (Value) -> Future<NewValue, NewFailure>
    ) -> Future<NewValue, ChainError<Failure, NewFailure>> {
        let target = Future<NewValue, ChainError<Failure, NewFailure>>()
        whenSettled { result in
            switch result {
            case .success(let value):
                next(value).whenSettled { target.settle($0.mapError(ChainError.second)) }
            case .failure(let error): target.settle(.failure(.first(error)))
            }
        }
        return target
    }

    /// Returns a future with this one's value; if this one fails, with the outcome of the block's future.
    ///
    /// The block gets the error.
    @discardableResult
    public func flatMapError<NewFailure: Error>(
        _ next: @escaping @Sendable (Failure) -> Future<Value, NewFailure>
    ) -> Future<Value, NewFailure> {
        let target = Future<Value, NewFailure>()
        whenSettled { result in
            switch result {
            case .success(let value): target.settle(.success(value))
            case .failure(let error): target.follow(next(error))
            }
        }
        return target
    }

    /// Returns a future with this one's value, or the value that the block makes from the error.
    @discardableResult
    public func recover(_ value: @escaping @Sendable (Failure) -> Value) -> Future<Value, Never> {
        mapResult { result in
            switch result {
            case .success(let value): .success(value)
            case .failure(let error): .success(value(error))
            }
        }
    }

    /// Settles with the outcome of another future.
    ///
    /// A future that follows itself would never settle. It fails with ``WaitsForItself`` where `Failure` is
    /// `any Error`, and stops the program, in every build, where its error type can't represent that.
    @usableFromInline
    func follow(_ other: Future) {
        if other !== self {
            other.whenSettled { self.settle($0) }
        } else if let error = WaitsForItself() as? Failure {
            settle(.failure(error))
        } else {
            // A programming error that the error type can't represent: every waiter would wait forever.
            fatalError("\(WaitsForItself())")
        }
    }
}
