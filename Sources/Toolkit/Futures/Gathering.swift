/// What several futures bring, each to its place, until all is there.
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

    /// Lets go of everything, for good: nobody wants it any more.
    @inlinable
    func clear() {
        // Released after the lock is.
        let places = state.withLock { state in
            var places: [Element?] = []
            swap(&places, &state.places)
            return places
        }
        _ = places
    }
}
