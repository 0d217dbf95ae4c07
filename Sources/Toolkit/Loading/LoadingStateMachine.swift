/// The state of a value that is fetched repeatedly by work outside the machine.
///
/// Each fetch has a ``Generation``, which its reports name. Reports of older fetches change nothing, even if they have
/// the same source: after A, B and A again, the first response for A is as stale as that for B.
public struct LoadingStateMachine<Source, Value, Failure, Progress> {
    /// Identifies a fetch of one machine.
    public struct Generation: Hashable, Sendable {
        fileprivate var number: UInt64 = 0
    }

    /// The state of the value.
    public private(set) var state: LoadingState<Source, Value, Failure>

    /// The latest progress of the running fetch; `nil` if it hasn't reported any.
    public private(set) var progress: Progress?

    /// The generation of the last fetch: only its reports count.
    public private(set) var generation = Generation()

    /// Creates a machine.
    ///
    /// - Parameter state: The initial state. The fetch of a restored `fetching` state no longer runs: ``fetch(_:)``
    ///   starts a new one.
    public init(state: LoadingState<Source, Value, Failure> = .idle) {
        self.state = state
    }
}

extension LoadingStateMachine {
    /// Begins a fetch, from any state; the reports of all earlier fetches become stale.
    ///
    /// - Returns: The generation that this fetch's reports must name.
    public mutating func fetch(_ source: Source) -> Generation {
        generation.number += 1
        progress = nil
        state = .fetching(source, previous: state.value)
        return generation
    }

    /// Records the progress of a fetch.
    ///
    /// - Returns: Whether that fetch is running; if not, nothing changed.
    public mutating func progressed(_ progress: Progress, of generation: Generation) -> Bool {
        guard isRunning(generation) else { return false }
        self.progress = progress
        return true
    }

    /// Records the value of a fetch and ends it.
    ///
    /// - Returns: Whether that fetch was running; if not, nothing changed.
    public mutating func succeeded(_ value: Value, of generation: Generation) -> Bool {
        end(generation, as: .found(value))
    }

    /// Records the failure of a fetch and ends it; the previous value stays.
    ///
    /// - Returns: Whether that fetch was running; if not, nothing changed.
    public mutating func failed(_ reason: Failure, of generation: Generation) -> Bool {
        end(generation, as: .failed(reason, previous: state.value))
    }

    private func isRunning(_ generation: Generation) -> Bool { state.isFetching && generation == self.generation }

    private mutating func end(_ generation: Generation, as state: LoadingState<Source, Value, Failure>) -> Bool {
        guard isRunning(generation) else { return false }
        self.state = state
        progress = nil
        return true
    }
}

extension LoadingStateMachine: Sendable
where Source: Sendable, Value: Sendable, Failure: Sendable, Progress: Sendable {}
