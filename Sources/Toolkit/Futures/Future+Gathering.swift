// Futures that are made of several others. What they gather, and the others, are let go of as soon as they have settled:
// work of the others that nobody else waits for may be cancelled then; see `Future.init(priority:cancelsWhenUnwanted:operation:)`.

// MARK: - All of them

extension Future {
    /// The values of all futures, in the futures' order; the first error, as soon as one fails.
    ///
    /// - Parameter futures: The same one may be in it several times. Of none, the values are an empty array at once.
    /// - Returns: The new future.
    @inlinable
    public static func zip(_ futures: [Future]) -> Future<[Value], Failure> {
        if futures.isEmpty { return .preResolved(value: []) }
        let target = Future<[Value], Failure>()
        let values = Gathering<Value>(count: futures.count)
        let inputs = Inputs()
        for (place, future) in futures.enumerated() {
            inputs.add(future) { result in
                switch result {
                case .success(let value):
                    guard let all = values.add(value, at: place) else { return }
                    inputs.leave()
                    target.settle(.success(all))
                case .failure(let error):
                    values.clear()
                    inputs.leave()
                    target.settle(.failure(error))
                }
            }
        }
        return target
    }

    /// The values of futures of several types, as a tuple; the first error, as soon as one fails.
    ///
    /// - Parameter futures: The futures, which all fail with errors of the same type; see ``mapError(_:)``.
    /// - Returns: The new future.
    public static func zip<each Input: Sendable>(
        _ futures: repeat Future<each Input, Failure>
    ) -> Future<(repeat each Input), Failure> where Value == (repeat each Input) {
        let zipping = Zipping(repeat each futures)
        zipping.begin()
        return zipping.target
    }

    /// The value, which has arrived.
    fileprivate func arrived() throws -> Value {
        guard case .success(let value) = settledResult else { throw CancellationError() }
        return value
    }

    /// The values of all futures: `zip` of an array, by the name that other languages have for it.
    @inlinable
    public static func all(_ futures: [Future]) -> Future<[Value], Failure> {
        zip(futures)
    }

    /// The outcomes of all futures, in the futures' order, when the last has settled.
    ///
    /// - Parameter futures: The futures. Of none, the outcomes are an empty array at once.
    /// - Returns: The new future.
    @inlinable
    public static func allSettled(_ futures: [Future]) -> Future<[Result<Value, Failure>], Never> {
        Future<Result<Value, Failure>, Never>.zip(futures.map { future in future.mapResult { .success($0) } })
    }
}

// MARK: - One of them

extension Future {
    /// The first value; if there is none, the errors of all futures, in the futures' order.
    ///
    /// - Parameter futures: The futures. Of none, the error says at once that there was none.
    /// - Returns: The new future.
    @inlinable
    public static func any(_ futures: [Future]) -> Future<Value, AggregateError<Failure>> {
        if futures.isEmpty { return .preRejected(error: AggregateError(errors: [])) }
        let target = Future<Value, AggregateError<Failure>>()
        let errors = Gathering<Failure>(count: futures.count)
        let inputs = Inputs()
        for (place, future) in futures.enumerated() {
            inputs.add(future) { result in
                switch result {
                case .success(let value):
                    errors.clear()
                    inputs.leave()
                    target.settle(.success(value))
                case .failure(let error):
                    guard let all = errors.add(error, at: place) else { return }
                    inputs.leave()
                    target.settle(.failure(AggregateError(errors: all)))
                }
            }
        }
        return target
    }

    /// The first value; if no future has one, the last error.
    ///
    /// - Parameters:
    ///   - futures: The futures.
    ///   - onEmpty: Makes the error if there are no futures: the new future fails with it at once.
    /// - Returns: The new future.
    @inlinable
    public static func firstFinished(from futures: [Future], onEmpty: () -> Failure) -> Future {
        if futures.isEmpty { return .preRejected(error: onEmpty()) }
        let target = Future()
        let errors = Gathering<Failure>(count: futures.count)
        let inputs = Inputs()
        for (place, future) in futures.enumerated() {
            inputs.add(future) { result in
                switch result {
                case .success(let value):
                    errors.clear()
                    inputs.leave()
                    target.settle(.success(value))
                case .failure(let error):
                    guard errors.add(error, at: place) != nil else { return }
                    inputs.leave()
                    target.settle(.failure(error))
                }
            }
        }
        return target
    }

    /// The outcome of the future that settles first, value or error.
    ///
    /// - Parameters:
    ///   - futures: The futures.
    ///   - onEmpty: Makes the error if there are no futures: the new future fails with it at once.
    /// - Returns: The new future.
    @inlinable
    public static func race(_ futures: [Future], onEmpty: () -> Failure) -> Future {
        if futures.isEmpty { return .preRejected(error: onEmpty()) }
        let target = Future()
        let inputs = Inputs()
        for future in futures {
            inputs.add(future) { result in
                inputs.leave()
                target.settle(result)
            }
        }
        return target
    }
}

extension Future where Failure == any Error {
    /// The first value; if no future has one, the last error.
    ///
    /// - Parameter futures: The futures. If there are none, the new future fails at once with an ``AggregateError``
    ///   without errors.
    /// - Returns: The new future.
    @inlinable
    public static func firstFinished(from futures: [Future]) -> Future {
        firstFinished(from: futures, onEmpty: { AggregateError<any Error>(errors: []) })
    }

    /// The outcome of the future that settles first, value or error.
    ///
    /// - Parameter futures: The futures. If there are none, the new future fails at once with an ``AggregateError``
    ///   without errors.
    /// - Returns: The new future.
    @inlinable
    public static func race(_ futures: [Future]) -> Future {
        race(futures, onEmpty: { AggregateError<any Error>(errors: []) })
    }
}

/// Futures of several types, until all have their values, or one has failed.
///
/// An object, because the types must live as long as the callbacks do: Swift 6.3 keeps those that an escaping closure
/// captures as a parameter pack on the stack, where an optimised build finds something else later.
private final class Zipping<Failure: Error, each Input: Sendable>: Sendable {
    let target = Future<(repeat each Input), Failure>()
    private let futures: (repeat Future<each Input, Failure>)
    private let inputs = Inputs()

    init(_ futures: repeat Future<each Input, Failure>) {
        self.futures = (repeat each futures)
    }

    func begin() {
        repeat wait(for: each futures)
    }

    private func wait<Value: Sendable>(for future: Future<Value, Failure>) {
        inputs.add(future) { [self] result in
            switch result {
            case .success: finish()
            case .failure(let error):
                inputs.leave()
                target.settle(.failure(error))
            }
        }
    }

    /// Each that succeeds asks for all values; the last finds them, in the futures themselves.
    private func finish() {
        guard let values = try? (repeat (each futures).arrived()) else { return }
        inputs.leave()
        target.settle(.success(values))
    }
}
