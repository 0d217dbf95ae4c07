/// Which transfer must be where by when.
///
/// Pure: every event is a mutating function that says what is to be done. Times are durations since the clock was begun to
/// be used. One timer serves all: it is set for the earliest deadline that there was when it was set, and is not set anew
/// as deadlines move on, which they do with every piece that arrives.
struct DeadlineStateMachine<Handle: Sendable>: Sendable {
    /// Tells transfers apart.
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
    /// What the timer is set for.
    private(set) var timer: Duration?

    /// How many are watched.
    var count: Int { entries.count }

    enum TimerAction: Hashable, Sendable {
        /// It is set early enough.
        case keep
        /// Set it for then, instead of what it may be set for.
        case set(Duration)
    }

    /// A transfer begins, and must end by then.
    mutating func begin(_ handle: Handle, whole: Duration) -> (ID, TimerAction) {
        lastNumber += 1
        let id = ID(number: lastNumber)
        entries[id] = Entry(handle: handle, whole: whole)
        return (id, set(for: whole))
    }

    /// A part of it begins, and must end by then; the part before has ended.
    mutating func enter(_ id: ID, _ limit: FetchLimit, until end: Duration) -> TimerAction {
        guard entries[id] != nil else { return .keep }
        entries[id]?.part = (limit, end)
        return set(for: end)
    }

    /// Nothing but the whole is limited for now.
    mutating func pause(_ id: ID) {
        entries[id]?.part = nil
    }

    /// The transfer is over; returns the limit that it had reached, if it had.
    mutating func end(_ id: ID) -> FetchLimit? {
        entries[id] = nil
        return reached.removeValue(forKey: id)
    }

    /// The limit that a transfer has reached, if it has.
    func reached(_ id: ID) -> FetchLimit? { reached[id] }

    /// The timer has gone off; returns what to cancel, and what to set the timer for, if for anything.
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
