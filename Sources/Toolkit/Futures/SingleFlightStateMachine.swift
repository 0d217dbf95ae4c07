/// Tracks the run of each key, the callers that wait for it, and its progress.
///
/// Each event is a mutating function that returns the action to take. A run that was forgotten, or whose last waiter
/// has left, no longer belongs to its key: the next caller starts another.
struct SingleFlightStateMachine<Key: Hashable & Sendable, Handle: Sendable, Waiter: Sendable, Report: Sendable>:
    Sendable
{
    /// Identifies a run.
    struct FlightID: Hashable, Sendable {
        fileprivate let number: Int
    }

    /// Identifies a waiter.
    struct WaiterID: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Flight: Sendable {
        let key: Key
        let handle: Handle
        var waiters: [WaiterID: Waiter] = [:]
        /// Whether the run has had several waiters.
        var isShared = false
        var priority: UInt8
        var progress: Report?
        var listeners: Set<WaiterID> = []
        /// The listeners that haven't received the newest progress.
        var pendingListeners: Set<WaiterID> = []
        /// Whether a thread is delivering progress to them.
        var isDelivering = false
    }

    private var flights: [FlightID: Flight] = [:]
    private var current: [Key: FlightID] = [:]
    private var flightOf: [WaiterID: FlightID] = [:]
    private var lastNumber = 0
    private var isClosed = false

    /// The keys whose runs can be joined.
    var keys: some Collection<Key> { current.keys }

    func waiterCount(_ key: Key) -> Int { current[key].flatMap { flights[$0]?.waiters.count } ?? 0 }

    /// Whether there are no runs and no waiters.
    var isEmpty: Bool { flights.isEmpty && current.isEmpty && flightOf.isEmpty }
}

extension SingleFlightStateMachine {
    enum JoinAction: Sendable {
        /// Start the run.
        case start(FlightID, WaiterID)
        /// Wait; raise the priority of `escalated`, and deliver progress with ``nextDelivery(_:)`` if `delivers`.
        case wait(FlightID, WaiterID, escalated: Handle?, delivers: Bool)
        /// The machine is closed and starts no runs.
        case closed
    }

    /// Joins the run of a key, or starts one with the handle; a waiter that `listens` receives progress.
    mutating func join(
        _ key: Key, _ waiter: Waiter, listens: Bool, priority: UInt8, new handle: Handle
    ) -> JoinAction {
        if isClosed { return .closed }
        let joined = current[key]
        let flightID = joined ?? add(key, handle, priority: priority)
        let id = WaiterID(number: newNumber())
        flightOf[id] = flightID
        var (escalated, delivers): (Handle?, Bool) = (nil, false)
        change(flightID) { flight in
            flight.waiters[id] = waiter
            flight.isShared = joined != nil
            if priority > flight.priority {
                flight.priority = priority
                escalated = flight.handle
            }
            guard listens else { return }
            flight.listeners.insert(id)
            guard flight.progress != nil else { return }
            flight.pendingListeners.insert(id)
            delivers = !flight.isDelivering
            flight.isDelivering = true
        }
        return joined == nil ? .start(flightID, id) : .wait(flightID, id, escalated: escalated, delivers: delivers)
    }

    /// Handles the escalation of a waiter's priority.
    ///
    /// - Returns: The handle whose priority to raise, unless it is that high already.
    mutating func escalate(_ id: WaiterID, to priority: UInt8) -> Handle? {
        guard let flightID = flightOf[id] else { return nil }
        var escalated: Handle?
        change(flightID) { flight in
            guard priority > flight.priority else { return }
            flight.priority = priority
            escalated = flight.handle
        }
        return escalated
    }

    /// Removes a cancelled waiter.
    ///
    /// - Returns: The waiter, and the handle to cancel if it was the last waiter; `nil` if it already has its outcome.
    mutating func leave(_ id: WaiterID) -> (waiter: Waiter, abandoned: Handle?)? {
        guard let flightID = flightOf.removeValue(forKey: id) else { return nil }
        var left: Waiter?
        var abandoned: Handle?
        change(flightID) { flight in
            left = flight.waiters.removeValue(forKey: id)
            flight.listeners.remove(id)
            if flight.waiters.isEmpty { abandoned = flight.handle }
        }
        if abandoned != nil { remove(flightID) }
        return left.map { ($0, abandoned) }
    }

    /// Ends a run: the next caller starts another.
    ///
    /// - Returns: The waiters that receive the outcome, and whether the run has had several.
    mutating func end(_ id: FlightID) -> (waiters: [Waiter], isShared: Bool) {
        guard let flight = flights[id] else { return ([], false) }
        for waiter in flight.waiters.keys { flightOf[waiter] = nil }
        remove(id)
        return (Array(flight.waiters.values), flight.isShared)
    }

    /// Detaches a run from its key: the next caller starts another, and this one continues for its waiters.
    mutating func forget(_ key: Key) {
        current[key] = nil
    }

    /// Closes the machine: no run is started from now on.
    ///
    /// - Returns: The handles to cancel; the waiters receive the runs' outcomes.
    mutating func close() -> [Handle] {
        isClosed = true
        return flights.values.map(\.handle)
    }

    private mutating func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private mutating func add(_ key: Key, _ handle: Handle, priority: UInt8) -> FlightID {
        let id = FlightID(number: newNumber())
        flights[id] = Flight(key: key, handle: handle, priority: priority)
        current[key] = id
        return id
    }

    /// Changes a flight in place: changing a copy would copy all its waiters.
    private mutating func change(_ id: FlightID, _ change: (inout Flight) -> Void) {
        guard let index = flights.index(forKey: id) else { return }
        change(&flights.values[index])
    }

    private mutating func remove(_ id: FlightID) {
        guard let flight = flights.removeValue(forKey: id) else { return }
        if current[flight.key] == id { current[flight.key] = nil }
    }
}

extension SingleFlightStateMachine {
    /// Stores the progress that a run has reported.
    ///
    /// - Returns: Whether the caller must deliver it with ``nextDelivery(_:)``; if not, another thread does, or there
    ///   are no listeners.
    mutating func progressed(_ id: FlightID, _ progress: Report) -> Bool {
        var delivers = false
        change(id) { flight in
            flight.progress = progress
            flight.pendingListeners = flight.listeners
            guard !flight.pendingListeners.isEmpty, !flight.isDelivering else { return }
            flight.isDelivering = true
            delivers = true
        }
        return delivers
    }

    /// Returns the waiters that haven't received the newest progress.
    ///
    /// One thread at a time delivers, and calls this until it returns `nil`, so that no waiter receives progress out of
    /// order.
    mutating func nextDelivery(_ id: FlightID) -> (waiters: [Waiter], progress: Report)? {
        var next: (waiters: [Waiter], progress: Report)?
        change(id) { flight in
            let waiters = flight.pendingListeners.compactMap { flight.waiters[$0] }
            flight.pendingListeners = []
            if let progress = flight.progress, !waiters.isEmpty {
                next = (waiters, progress)
            } else {
                flight.isDelivering = false
            }
        }
        return next
    }
}
