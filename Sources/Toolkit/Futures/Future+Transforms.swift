// Futures that are made of one other. Each settles when the other does, on the same thread, at once if that has an outcome. The
// blocks run in the order in which the futures were made, among the other's callbacks.

extension Future {
    /// A future that settles as the block says once this one has settled.
    ///
    /// - Parameter map: Makes the new outcome, whichever the old one is.
    /// - Returns: The new future.
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
    ///
    /// - Parameter map: Makes the new value.
    /// - Returns: The new future.
    @inlinable
    @discardableResult
    public func mapValue<NewValue: Sendable>(
        _ map: @escaping @Sendable (Value) -> NewValue
    ) -> Future<NewValue, Failure> {
        mapResult { $0.map(map) }
    }

    /// A future with this one's value, or the mapped error.
    ///
    /// - Parameter map: Makes the new error.
    /// - Returns: The new future.
    @inlinable
    @discardableResult
    public func mapError<NewFailure: Error>(
        _ map: @escaping @Sendable (Failure) -> NewFailure
    ) -> Future<Value, NewFailure> {
        mapResult { $0.mapError(map) }
    }

    /// A future with the mapped value, if it has a counterpart.
    ///
    /// - Parameter map: Returns `nil` for a value that has no counterpart.
    /// - Returns: The new future, which fails with the original error, or with the value that could not be mapped.
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
    /// A future that goes on with another one, which is made of this one's value.
    ///
    /// - Parameter next: Makes the next future. It isn't called if this one fails.
    /// - Returns: The new future, which settles as the next one does, or fails as this one does.
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

    /// A future that goes on with another one, which is made of this one's value and fails with errors of another type.
    ///
    /// - Parameter next: Makes the next future. It is not called if this one fails.
    /// - Returns: The new future, which settles as the next one does, or fails as this one does; its error says which.
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

    /// A future that goes on with another one if this one fails.
    ///
    /// - Parameter next: Makes the next future of the error. It is not called if this one has its value.
    /// - Returns: The new future, which has this one's value, or settles as the next one does.
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

    /// A future that has a value in any case.
    ///
    /// - Parameter value: Makes a value of the error.
    /// - Returns: The new future.
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
