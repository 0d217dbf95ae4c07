/// The deadlines of all transfers, with one timer for all of them.
///
/// Pure: each event is a mutating function that returns the action to perform. Times are durations since the clock's
/// start. The timer is set for the earliest deadline. It isn't set again when a deadline moves later, because that
/// happens with every piece of a body that arrives.
struct DeadlineStateMachine<Handle: Sendable>: Sendable {
    /// Identifies a transfer.
    struct ID: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Entry: Sendable {
        let handle: Handle
        let whole: Duration
        var part: (limit: FetchLimit, end: Duration)?

        var end: Duration { min(part?.end ?? whole, whole) }
    }

    private var entries: [ID: Entry] = [:]
    private var reached: [ID: FetchLimit] = [:]
    private var lastNumber = 0
    /// The time that the timer is set for.
    private(set) var timer: Duration?

    /// The number of watched transfers.
    var count: Int { entries.count }

    enum TimerAction: Hashable, Sendable {
        /// The timer already fires early enough.
        case keep
        /// Set the timer for this time, in place of its current one.
        case set(Duration)
    }

    /// Starts watching a transfer that must end by the time `whole`.
    mutating func begin(_ handle: Handle, whole: Duration) -> (ID, TimerAction) {
        lastNumber += 1
        let id = ID(number: lastNumber)
        entries[id] = Entry(handle: handle, whole: whole)
        return (id, set(for: whole))
    }

    /// Starts a phase that must end by `end`, and ends the previous phase.
    mutating func enter(_ id: ID, _ limit: FetchLimit, until end: Duration) -> TimerAction {
        guard entries[id] != nil else { return .keep }
        entries[id]?.part = (limit, end)
        return set(for: end)
    }

    /// Ends the current phase, so that only the limit of the whole transfer applies.
    mutating func pause(_ id: ID) {
        entries[id]?.part = nil
    }

    /// Stops watching a transfer; returns the limit that it exceeded, if any.
    mutating func end(_ id: ID) -> FetchLimit? {
        entries[id] = nil
        return reached.removeValue(forKey: id)
    }

    /// The limit that a transfer exceeded, if any.
    func reached(_ id: ID) -> FetchLimit? { reached[id] }

    /// Handles the firing of the timer; returns the transfers to cancel, and the time to set the timer for, if any
    /// transfer is left.
    mutating func wake(at now: Duration) -> (cancel: [Handle], timer: Duration?) {
        var cancelled: [Handle] = []
        for (id, entry) in entries where entry.end <= now {
            reached[id] = if let part = entry.part, part.end <= entry.whole { part.limit } else { .whole }
            entries[id] = nil
            cancelled.append(entry.handle)
        }
        timer = entries.values.map(\.end).min()
        return (cancelled, timer)
    }

    private mutating func set(for end: Duration) -> TimerAction {
        if let timer, timer <= end { return .keep }
        timer = end
        return .set(end)
    }
}
