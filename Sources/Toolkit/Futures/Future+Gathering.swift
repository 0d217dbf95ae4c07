// Futures that combine several others. As soon as a combined future settles, it drops the gathered results and stops
// waiting for the other inputs, so that work that nothing else waits for can be cancelled; see
// `Future.init(priority:cancelsWhenUnwanted:operation:)`.

// MARK: - All inputs

extension Future {
    /// Returns the values of all futures in the futures' order, or the first error as soon as one fails.
    ///
    /// The same future may occur several times. An empty array of futures gives an empty array of values at once.
    @inlinable
    public static func zip(_ futures: [Future]) -> Future<[Value], Failure> {
        gather(futures, of: Value.self, orElse: .success([])) { result, gathered in
            switch result {
            case .success(let value): gathered(value).map(Result.success)
            case .failure(let error): .failure(error)
            }
        }
    }

    /// Returns the values of futures of several types as a tuple, or the first error as soon as one fails.
    ///
    /// All futures must have the same error type; see ``mapError(_:)``.
    public static func zip<each Input: Sendable>(
        _ futures: repeat Future<each Input, Failure>
    ) -> Future<(repeat each Input), Failure> where Value == (repeat each Input) {
        let zipping = Zipping(repeat each futures)
        zipping.begin()
        return zipping.target
    }

    /// The value of a future that succeeded; throws if it hasn't.
    fileprivate func settledValue() throws -> Value {
        guard case .success(let value) = settledResult else { throw CancellationError() }
        return value
    }

    /// Returns the outcomes of all futures in the futures' order, when the last one has settled.
    @inlinable
    public static func allSettled(_ futures: [Future]) -> Future<[Result<Value, Failure>], Never> {
        Future<Result<Value, Failure>, Never>.zip(futures.map { future in future.mapResult { .success($0) } })
    }
}

// MARK: - One input

extension Future {
    /// Returns the first value, or, if all futures fail, their errors in the futures' order.
    @inlinable
    public static func any(_ futures: [Future]) -> Future<Value, AggregateError<Failure>> {
        gather(futures, of: Failure.self, orElse: .failure(AggregateError(errors: []))) { result, gathered in
            switch result {
            case .success(let value): .success(value)
            case .failure(let error): gathered(error).map { .failure(AggregateError(errors: $0)) }
            }
        }
    }

    /// Returns the first value, or, if all futures fail, the last error.
    ///
    /// For no futures, it fails with the error of `onEmpty` at once.
    @inlinable
    public static func firstFinished(from futures: [Future], onEmpty: () -> Failure) -> Future {
        gather(futures, of: Failure.self, orElse: .failure(onEmpty())) { result, gathered in
            switch result {
            case .success: result
            case .failure(let error): gathered(error).map { _ in result }
            }
        }
    }

    /// Returns the outcome of the future that settles first; for no futures, the error of `onEmpty`, at once.
    @inlinable
    public static func race(_ futures: [Future], onEmpty: () -> Failure) -> Future {
        gather(futures, of: Never.self, orElse: .failure(onEmpty())) { result, _ in result }
    }

    /// Returns a future that settles with the first outcome that `decide` returns.
    ///
    /// - Parameters:
    ///   - futures: The futures.
    ///   - type: The type of the gathered elements.
    ///   - outcome: The outcome if there are no futures.
    ///   - decide: Called with each future's outcome, and with a function that stores an element in the future's place
    ///     and returns all elements once every place is filled.
    /// - Returns: The new future.
    @inlinable
    static func gather<Gathered: Sendable, NewValue: Sendable, NewFailure: Error>(
        _ futures: [Future], of type: Gathered.Type, orElse outcome: @autoclosure () -> Result<NewValue, NewFailure>,
        _ decide:
            @escaping @Sendable (Result<Value, Failure>, (Gathered) -> [Gathered]?) -> Result<NewValue, NewFailure>?
    ) -> Future<NewValue, NewFailure> {
        if futures.isEmpty { return Future<NewValue, NewFailure>(settled: outcome()) }
        let target = Future<NewValue, NewFailure>()
        let gathering = Gathering<Gathered>(count: futures.count)
        let inputs = Inputs()
        for (index, future) in futures.enumerated() {
            inputs.add(future) { result in
                guard let outcome = decide(result, { gathering.add($0, at: index) }) else { return }
                gathering.clear()
                inputs.leave()
                target.settle(outcome)
            }
        }
        return target
    }
}

extension Future where Failure == any Error {
    /// Returns the first value, or, if all futures fail, the last error.
    ///
    /// For no futures, it fails with an ``AggregateError`` without errors.
    @inlinable
    public static func firstFinished(from futures: [Future]) -> Future {
        firstFinished(from: futures, onEmpty: { AggregateError<any Error>(errors: []) })
    }

    /// Returns the outcome of the future that settles first; for no futures, an ``AggregateError`` without errors.
    @inlinable
    public static func race(_ futures: [Future]) -> Future {
        race(futures, onEmpty: { AggregateError<any Error>(errors: []) })
    }
}

/// Waits for futures of several types until all have succeeded or one has failed.
///
/// A class, because the types must live as long as the callbacks: Swift 6.3 stores types that an escaping closure
/// captures as a parameter pack on the stack, and optimised builds read them after that memory has been reused.
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

    /// Called on each success; settles once all futures have their values, which are read from the futures themselves.
    private func finish() {
        guard let values = try? (repeat (each futures).settledValue()) else { return }
        inputs.leave()
        target.settle(.success(values))
    }
}

/// Collects an element of each of several futures, by place.
@usableFromInline
final class Gathering<Element: Sendable>: Sendable {
    @usableFromInline
    struct State: Sendable {
        @usableFromInline var elements: [Element?]
        @usableFromInline var missing: Int

        @inlinable
        init(count: Int) {
            self.elements = Array(repeating: nil, count: count)
            self.missing = count
        }
    }

    @usableFromInline let state: Lock<State>

    @inlinable
    init(count: Int) {
        self.state = Lock(State(count: count))
    }

    /// Stores an element in its place, which was empty.
    ///
    /// - Returns: All elements, if this was the last one missing and they weren't cleared.
    @inlinable
    func add(_ element: Element, at index: Int) -> [Element]? {
        state.withLock { state in
            guard !state.elements.isEmpty else { return nil }
            state.elements[index] = element
            state.missing -= 1
            guard state.missing == 0 else { return nil }
            var all: [Element?] = []
            swap(&all, &state.elements)
            return all.compactMap(\.self)
        }
    }

    /// Drops all elements, including those that are added later.
    @inlinable
    func clear() {
        // The elements are released after the lock is.
        _ = state.withLock { state in
            var elements: [Element?] = []
            swap(&elements, &state.elements)
            return elements
        }
    }
}

// MARK: - Cancellable waiting

extension Future {
    /// Adds a callback for either outcome that the caller can remove with ``leave(_:)``.
    ///
    /// - Returns: The ticket to leave with; `nil` if the future is settled.
    @inlinable
    func join(_ callback: @escaping @Sendable (Result<Value, Failure>) -> Void) -> Int? {
        switch transition({ $0.join(.either(callback)) }) {
        case .wait(let ticket):
            return ticket
        case .register:
            // Ordered with the other callbacks.
            whenSettled(callback)
            return nil
        }
    }

    /// Whether a callback or a task waits for the outcome, for tests.
    package var isAwaited: Bool { transition { !$0.waiting.isEmpty } }

    @usableFromInline
    func leave(_ ticket: Int) {
        // The callback is released after the lock is: it may retain many objects.
        let left = transition { $0.leave(ticket: ticket) }
        left?.onUnwanted?()
    }
}

/// The inputs of a combined future.
///
/// When the combined future settles, it leaves the inputs that haven't settled: a long-lived input then retains nothing
/// of the futures made from it, and work that nothing waits for is cancelled.
@usableFromInline
final class Inputs: Sendable {
    /// `nil` once ``leave()`` was called.
    private let leaving = Lock<[@Sendable () -> Void]?>([])

    @usableFromInline
    init() {}

    /// Adds a future to wait for.
    @inlinable
    func add<Value: Sendable, Failure: Error>(
        _ future: Future<Value, Failure>, _ callback: @escaping @Sendable (Result<Value, Failure>) -> Void
    ) {
        if let ticket = future.join(callback) { note { future.leave(ticket) } }
    }

    /// Stores how to stop waiting for an input; after ``leave()``, stops waiting at once.
    @usableFromInline
    func note(_ leave: @escaping @Sendable () -> Void) {
        if leaving.withLock({ $0?.append(leave) }) == nil { leave() }
    }

    /// Stops waiting for all inputs.
    @usableFromInline
    func leave() {
        let all = leaving.withLock { leaving in
            defer { leaving = nil }
            return leaving
        }
        for leave in all ?? [] { leave() }
    }
}
