// Waiting for a future until nobody wants its outcome any more.

/// Something that one can wait for and leave again.
@usableFromInline
protocol Leavable: Sendable {
    /// Ends the waiting, unless it is over.
    func leave(_ ticket: Int)
}

extension Future: Leavable {
    /// Calls back when there is an outcome, unless one leaves before; at once, if there is one.
    ///
    /// - Returns: What to leave with; `nil` if there is nothing to wait for.
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

    /// Whether a callback or a task waits for the outcome, for the tests.
    package var isAwaited: Bool { transition { !$0.waiting.isEmpty } }

    @usableFromInline
    func leave(_ ticket: Int) {
        switch transition({ $0.leave(ticket: ticket) }) {
        case .left(let callback, let onUnwanted):
            onUnwanted?()
            // Released after the lock is: there may be much behind it.
            _ = callback
        case .tooLate:
            break
        }
    }
}

/// The futures that another one is made of, for as long as it wants to know of them.
///
/// It leaves those that have not settled when it has: so that a future that lives long keeps nothing of the many that were
/// once made of it, that dropping what nobody wants any more is no fault, and that work nobody waits for is cancelled.
@usableFromInline
final class Inputs: Sendable {
    private struct State: Sendable {
        var places: [(future: any Leavable, ticket: Int)] = []
        var isDone = false
    }

    private let state = Lock(State())

    @usableFromInline
    init() {}

    /// Waits for a future too.
    @inlinable
    func add<Value: Sendable, Failure: Error>(
        _ future: Future<Value, Failure>, _ callback: @escaping @Sendable (Result<Value, Failure>) -> Void
    ) {
        if let ticket = future.join(callback) { note(future, ticket) }
    }

    @usableFromInline
    func note(_ future: any Leavable, _ ticket: Int) {
        let isDone = state.withLock { state in
            if !state.isDone { state.places.append((future, ticket)) }
            return state.isDone
        }
        if isDone { future.leave(ticket) }
    }

    /// Waits for none of them any more.
    @usableFromInline
    func leave() {
        let places = state.withLock { state in
            state.isDone = true
            var places: [(future: any Leavable, ticket: Int)] = []
            swap(&places, &state.places)
            return places
        }
        for place in places { place.future.leave(place.ticket) }
    }
}
