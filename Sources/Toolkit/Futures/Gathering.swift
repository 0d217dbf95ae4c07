/// What several futures bring, each to its place, until all is there.
final class Gathering<Element: Sendable>: Sendable {
    private struct State: Sendable {
        var places: [Element?]
        var missing: Int
    }

    private let state: Lock<State>

    init(count: Int) {
        self.state = Lock(State(places: Array(repeating: nil, count: count), missing: count))
    }

    /// Puts something in its place, which was empty.
    ///
    /// - Returns: All of it, if this was the last that was missing and nothing was cleared.
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
