/// Decides what becomes of a value that is fetched again and again: pure, so that every order of events can be tested.
///
/// Each fetch has a ``Generation``, and whatever is reported names the one that it belongs to. Only the last fetch is
/// listened to: progress, success and failure of an older one change nothing. Comparing sources would not do: after
/// A, B and A again, the first answer of A is as stale as that of B.
///
/// The machine starts no work and cancels none; its owner does, after each change.
public struct LoadingStateMachine<Source, Value, Failure, Progress> {
    /// Which fetch something belongs to.
    ///
    /// Later ones are greater. Generations of different machines have nothing to do with one another.
    public struct Generation: Hashable, Comparable, Sendable {
        private var number: UInt64 = 0

        fileprivate init() {}

        fileprivate mutating func advance() {
            number += 1
        }

        /// Whether the first fetch began before the second.
        public static func < (first: Generation, second: Generation) -> Bool {
            first.number < second.number
        }
    }

    /// How far the value is.
    public private(set) var state: LoadingState<Source, Value, Failure>

    /// How far the fetch is; `nil` if there is none, or it has not said.
    public private(set) var progress: Progress?

    /// What was asked for last, whatever became of it; what ``retry()`` fetches again.
    public private(set) var source: Source?

    /// Where the value came from that can be shown; `nil` if there is none, or nobody has said.
    ///
    /// While something else is fetched, or could not be had, it is not ``source``.
    public private(set) var valueSource: Source?

    /// The generation that is listened to while something is fetched; every older one is stale.
    public private(set) var generation = Generation()

    /// Creates a machine.
    ///
    /// A state that was kept while it was `fetching` belongs to a fetch that is no more: ``cancel()`` leaves it, and
    /// ``fetch(_:)`` begins anew.
    ///
    /// - Parameters:
    ///   - state: The state to begin in, if there was one before.
    ///   - source: What was asked for last; what is being fetched, if the state says so and this does not. A value that was
    ///     found came from there.
    public init(state: LoadingState<Source, Value, Failure> = .none, source: Source? = nil) {
        self.state = state
        self.source = source ?? state.sourceBeingFetched
        switch state {
        case .found: self.valueSource = source
        case .none, .fetching, .failed: self.valueSource = nil
        }
    }
}

extension LoadingStateMachine {
    /// Begins a fetch, from any state.
    ///
    /// Every earlier one is stale from now on, that of the same source too.
    ///
    /// - Parameter source: Where the value is to come from.
    /// - Returns: What this fetch's reports must name.
    public mutating func fetch(_ source: Source) -> Generation {
        generation.advance()
        progress = nil
        self.source = source
        state = .fetching(source, previous: state.value)
        return generation
    }

    /// Fetches what was asked for last anew, whatever became of it.
    ///
    /// If a fetch was given up, that is what the value came from that is shown.
    ///
    /// - Returns: What to fetch, and what its reports must name; `nil` if nothing was ever asked for.
    public mutating func revalidate() -> (source: Source, generation: Generation)? {
        let source: Source?
        switch state {
        case .found: source = valueSource ?? self.source
        case .none, .fetching, .failed: source = self.source
        }
        guard let source else { return nil }
        return (source, fetch(source))
    }

    /// Fetches what failed once more.
    ///
    /// - Returns: What to fetch, and what its reports must name; `nil` if nothing has failed.
    public mutating func retry() -> (source: Source, generation: Generation)? {
        switch state {
        case .failed:
            guard let source else { return nil }
            return (source, fetch(source))
        case .none, .fetching, .found:
            return nil
        }
    }

    /// Gives up a fetch: the state is what it was before, without a failure that it may have begun from.
    ///
    /// - Returns: Whether there was a fetch to give up.
    public mutating func cancel() -> Bool {
        switch state {
        case .fetching(_, let previous):
            end(as: previous.map(LoadingState.found) ?? .none)
            // An answer that is already on its way must not find its generation again.
            generation.advance()
            return true
        case .none, .found, .failed:
            return false
        }
    }

    /// Forgets the value, the failure and the source.
    ///
    /// Whatever is still reported is stale.
    public mutating func reset() {
        end(as: .none)
        source = nil
        valueSource = nil
        generation.advance()
    }
}

extension LoadingStateMachine where Source: Equatable {
    /// Begins a fetch, unless the value is here already, or on its way.
    ///
    /// What has failed, or was given up, is fetched again; so is what is only the value from before.
    ///
    /// - Parameter source: Where the value is to come from.
    /// - Returns: What this fetch's reports must name; `nil` if there is nothing to do.
    public mutating func load(_ source: Source) -> Generation? {
        switch state {
        case .fetching(source, previous: _):
            self.source = source
            return nil
        case .found where valueSource == source:
            // Perhaps something else was asked for since, and given up.
            self.source = source
            return nil
        case .none, .fetching, .found, .failed:
            return fetch(source)
        }
    }
}

extension LoadingStateMachine {
    /// Notes how far a fetch is.
    ///
    /// - Parameters:
    ///   - progress: How far it is; `nil` if it begins once more.
    ///   - generation: The fetch that it is about.
    /// - Returns: Whether it is about the fetch that is under way; if not, nothing changed.
    public mutating func progressed(_ progress: Progress?, of generation: Generation) -> Bool {
        guard isUnderWay(generation) else { return false }
        self.progress = progress
        return true
    }

    /// Notes the value that a fetch has brought.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - generation: The fetch that brought it.
    /// - Returns: Whether it is the fetch that was under way; if not, nothing changed.
    public mutating func succeeded(_ value: Value, of generation: Generation) -> Bool {
        guard isUnderWay(generation) else { return false }
        end(as: .found(value))
        valueSource = source
        return true
    }

    /// Notes that a fetch has failed.
    ///
    /// The value from before stays.
    ///
    /// - Parameters:
    ///   - reason: Why it failed.
    ///   - generation: The fetch that failed.
    /// - Returns: Whether it is the fetch that was under way; if not, nothing changed.
    public mutating func failed(_ reason: Failure, of generation: Generation) -> Bool {
        guard isUnderWay(generation) else { return false }
        end(as: .failed(reason, previous: state.value))
        return true
    }

    private func isUnderWay(_ generation: Generation) -> Bool {
        state.isFetching && generation == self.generation
    }

    private mutating func end(as state: LoadingState<Source, Value, Failure>) {
        self.state = state
        progress = nil
    }
}

extension LoadingStateMachine: Sendable
where Source: Sendable, Value: Sendable, Failure: Sendable, Progress: Sendable {}

extension LoadingStateMachine: Equatable
where Source: Equatable, Value: Equatable, Failure: Equatable, Progress: Equatable {}

extension LoadingStateMachine: Hashable
where Source: Hashable, Value: Hashable, Failure: Hashable, Progress: Hashable {}
