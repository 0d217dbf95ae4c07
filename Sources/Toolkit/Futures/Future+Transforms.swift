// Futures that are made of one other. Each settles when the other does, on the same thread, at once if that has an outcome. The
// blocks run in the order in which the futures were made, among the other's callbacks.

extension Future {
    /// A future with the outcome that the block makes of this one's.
    @inlinable
    @discardableResult
    public func mapResult<NewValue: Sendable, NewFailure: Error>(
        _ map: @escaping @Sendable (Result<Value, Failure>) -> Result<NewValue, NewFailure>
    ) -> Future<NewValue, NewFailure> {
        let target = Future<NewValue, NewFailure>()
        whenSettled { target.settle(map($0)) }
        return target
    }

    /// A future with the mapped value, or this one's error.
    @inlinable
    @discardableResult
    public func mapValue<NewValue: Sendable>(
        _ map: @escaping @Sendable (Value) -> NewValue
    ) -> Future<NewValue, Failure> {
        mapResult { $0.map(map) }
    }

    /// A future with this one's value, or the mapped error.
    @inlinable
    @discardableResult
    public func mapError<NewFailure: Error>(
        _ map: @escaping @Sendable (Failure) -> NewFailure
    ) -> Future<Value, NewFailure> {
        mapResult { $0.mapError(map) }
    }

    /// A future with the mapped value; where the block returns `nil`, it fails with the value that could not be mapped.
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

    /// A future without its types, for lists of futures of several kinds.
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

// MARK: - One after another

extension Future {
    /// A future that goes on with another one, which is made of this one's value, or fails as this one does.
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

    /// A future that goes on with another one, which fails with errors of another type; its error says which of the two failed.
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

    /// A future with this one's value, which goes on with another future if this one fails.
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

    /// A future with this one's value, or the value that the block makes of the error.
    @discardableResult
    public func recover(_ value: @escaping @Sendable (Failure) -> Value) -> Future<Value, Never> {
        mapResult { result in
            switch result {
            case .success(let value): .success(value)
            case .failure(let error): .success(value(error))
            }
        }
    }

    /// Settles as another future does.
    ///
    /// A future that follows itself would never settle. It fails with ``WaitsForItself`` where `Failure` is `any Error`, and
    /// stops the program, in every build, where its error's type can't say that.
    @usableFromInline
    func follow(_ other: Future) {
        if other !== self {
            other.whenSettled { self.settle($0) }
        } else if let error = WaitsForItself() as? Failure {
            settle(.failure(error))
        } else {
            // A mistake in the program, for which its error type has no case: every waiter would wait forever.
            fatalError("\(WaitsForItself())")
        }
    }
}
