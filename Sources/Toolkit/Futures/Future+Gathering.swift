// Futures that are made of several others. As soon as one of them settles it drops what it has gathered and leaves the others, so
// that work that nothing else waits for can be cancelled; see `Future.init(priority:cancelsWhenUnwanted:operation:)`.

// MARK: - All of them

extension Future {
    /// The values of all futures, in the futures' order; the first error, as soon as one fails.
    ///
    /// A future may be in the array several times. Of no futures, the values are an empty array at once.
    @inlinable
    public static func zip(_ futures: [Future]) -> Future<[Value], Failure> {
        gather(futures, of: Value.self, orElse: .success([])) { result, gathered in
            switch result {
            case .success(let value): gathered(value).map(Result.success)
            case .failure(let error): .failure(error)
            }
        }
    }

    /// The values of futures of several types, as a tuple; the first error, as soon as one fails.
    ///
    /// All fail with errors of the same type; see ``mapError(_:)``.
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

    /// The outcomes of all futures, in the futures' order, when the last has settled.
    @inlinable
    public static func allSettled(_ futures: [Future]) -> Future<[Result<Value, Failure>], Never> {
        Future<Result<Value, Failure>, Never>.zip(futures.map { future in future.mapResult { .success($0) } })
    }
}

// MARK: - One of them

extension Future {
    /// The first value; if there is none, the errors of all futures, in the futures' order.
    @inlinable
    public static func any(_ futures: [Future]) -> Future<Value, AggregateError<Failure>> {
        gather(futures, of: Failure.self, orElse: .failure(AggregateError(errors: []))) { result, gathered in
            switch result {
            case .success(let value): .success(value)
            case .failure(let error): gathered(error).map { .failure(AggregateError(errors: $0)) }
            }
        }
    }

    /// The first value; if no future has one, the last error; if there are no futures, the error of `onEmpty`, at once.
    @inlinable
    public static func firstFinished(from futures: [Future], onEmpty: () -> Failure) -> Future {
        gather(futures, of: Failure.self, orElse: .failure(onEmpty())) { result, gathered in
            switch result {
            case .success: result
            case .failure(let error): gathered(error).map { _ in result }
            }
        }
    }

    /// The outcome of the future that settles first; if there are no futures, the error of `onEmpty`, at once.
    @inlinable
    public static func race(_ futures: [Future], onEmpty: () -> Failure) -> Future {
        gather(futures, of: Never.self, orElse: .failure(onEmpty())) { result, _ in result }
    }

    /// A future that settles with the first outcome that `decide` returns.
    ///
    /// - Parameters:
    ///   - futures: The futures.
    ///   - type: The type of what is gathered.
    ///   - outcome: The outcome if there are no futures.
    ///   - decide: Called with each future's outcome, and with a function that puts something in the future's place and returns
    ///     everything when each place has something.
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
        for (place, future) in futures.enumerated() {
            inputs.add(future) { result in
                guard let outcome = decide(result, { gathering.add($0, at: place) }) else { return }
                gathering.clear()
                inputs.leave()
                target.settle(outcome)
            }
        }
        return target
    }
}

extension Future where Failure == any Error {
    /// The first value; if no future has one, the last error; of no futures, an ``AggregateError`` without errors.
    @inlinable
    public static func firstFinished(from futures: [Future]) -> Future {
        firstFinished(from: futures, onEmpty: { AggregateError<any Error>(errors: []) })
    }

    /// The outcome of the future that settles first; of no futures, an ``AggregateError`` without errors.
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

/// What several futures bring, each to its place.
@usableFromInline
final class Gathering<Element: Sendable>: Sendable {
    @usableFromInline
    struct State: Sendable {
        @usableFromInline var places: [Element?]
        @usableFromInline var missing: Int

        @inlinable
        init(count: Int) {
            self.places = Array(repeating: nil, count: count)
            self.missing = count
        }
    }

    @usableFromInline let state: Lock<State>

    @inlinable
    init(count: Int) {
        self.state = Lock(State(count: count))
    }

    /// Puts something in its place, which was empty.
    ///
    /// - Returns: All of it, if this was the last that was missing and nothing was cleared.
    @inlinable
    func add(_ element: Element, at place: Int) -> [Element]? {
        state.withLock { state in
            guard !state.places.isEmpty else { return nil }
            state.places[place] = element
            state.missing -= 1
            guard state.missing == 0 else { return nil }
            var all: [Element?] = []
            swap(&all, &state.places)
            return all.compactMap(\.self)
        }
    }

    /// Drops everything; what is added later is dropped too.
    @inlinable
    func clear() {
        // Released after the lock is.
        _ = state.withLock { state in
            var places: [Element?] = []
            swap(&places, &state.places)
            return places
        }
    }
}

// MARK: - Waiting that ends early

extension Future {
    /// Calls back when there is an outcome, unless the caller leaves before; at once, if there is one.
    ///
    /// - Returns: The ticket to leave with; `nil` if there is nothing to wait for.
    @inlinable
    func join(_ callback: @escaping @Sendable (Result<Value, Failure>) -> Void) -> Int? {
        switch transition({ $0.join(.either(callback)) }) {
        case .wait(let ticket):
            return ticket
        case .register:
            // Among the others, in its turn.
            whenSettled(callback)
            return nil
        }
    }

    /// Whether a callback or a task waits for the outcome, for tests.
    package var isAwaited: Bool { transition { !$0.waiting.isEmpty } }

    @usableFromInline
    func leave(_ ticket: Int) {
        // The callback is released after the lock is: it may hold much.
        let left = transition { $0.leave(ticket: ticket) }
        left?.onUnwanted?()
    }
}

/// The futures that another one is made of.
///
/// It leaves those that haven't settled when it has: so that a future that lives long keeps nothing of the many that were made of
/// it, and work that nothing waits for is cancelled.
@usableFromInline
final class Inputs: Sendable {
    /// `nil` once it waits for none of them any more.
    private let leaving = Lock<[@Sendable () -> Void]?>([])

    @usableFromInline
    init() {}

    /// Waits for a future too.
    @inlinable
    func add<Value: Sendable, Failure: Error>(
        _ future: Future<Value, Failure>, _ callback: @escaping @Sendable (Result<Value, Failure>) -> Void
    ) {
        if let ticket = future.join(callback) { note { future.leave(ticket) } }
    }

    @usableFromInline
    func note(_ leave: @escaping @Sendable () -> Void) {
        if leaving.withLock({ $0?.append(leave) }) == nil { leave() }
    }

    /// Waits for none of them any more.
    @usableFromInline
    func leave() {
        let all = leaving.withLock { leaving in
            defer { leaving = nil }
            return leaving
        }
        for leave in all ?? [] { leave() }
    }
}
