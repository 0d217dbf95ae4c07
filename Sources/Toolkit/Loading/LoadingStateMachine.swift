/// The state of a value that is fetched again and again by work that runs outside.
///
/// Each fetch has a ``Generation``, and each report names its own. Reports of older fetches change nothing, also if they are of the
/// same source: after A, B and A again, the first answer of A is as stale as that of B.
public struct LoadingStateMachine<Source, Value, Failure, Progress> {
    /// Identifies a fetch of one machine.
    public struct Generation: Hashable, Sendable {
        fileprivate var number: UInt64 = 0
    }

    /// The state of the value.
    public private(set) var state: LoadingState<Source, Value, Failure>

    /// The progress of the fetch that runs, as far as it was reported.
    public private(set) var progress: Progress?

    /// The last fetch: only its reports count.
    public private(set) var generation = Generation()

    /// Creates a machine.
    ///
    /// - Parameter state: The state to begin with. The fetch of a stored `fetching` state no longer runs: ``fetch(_:)`` begins anew.
    public init(state: LoadingState<Source, Value, Failure> = .idle) {
        self.state = state
    }
}

extension LoadingStateMachine {
    /// Begins a fetch, from any state; the reports of all earlier ones are stale from now on.
    ///
    /// - Returns: What this fetch's reports must name.
    public mutating func fetch(_ source: Source) -> Generation {
        generation.number += 1
        progress = nil
        state = .fetching(source, previous: state.value)
        return generation
    }

    /// Notes the progress of a fetch.
    ///
    /// - Returns: Whether it is the fetch that runs; if not, nothing changed.
    public mutating func progressed(_ progress: Progress, of generation: Generation) -> Bool {
        guard isRunning(generation) else { return false }
        self.progress = progress
        return true
    }

    /// Notes the value that a fetch has brought.
    ///
    /// - Returns: Whether it is the fetch that runs; if not, nothing changed.
    public mutating func succeeded(_ value: Value, of generation: Generation) -> Bool {
        end(generation, as: .found(value))
    }

    /// Notes that a fetch has failed; the value from before stays.
    ///
    /// - Returns: Whether it is the fetch that runs; if not, nothing changed.
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
