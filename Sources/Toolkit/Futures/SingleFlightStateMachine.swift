/// Which work is under way for each key, and how many wait for it.
///
/// Pure: every event is a mutating function that says what is to be done. A flight that is forgotten, or whose last
/// waiter has left, is no longer the key's: whoever asks then starts a new one.
struct SingleFlightStateMachine<Key: Hashable & Sendable, Work: Sendable>: Sendable {
    /// Tells flights of one key apart.
    struct FlightID: Hashable, Sendable {
        fileprivate let number: Int
    }

    typealias Cancel = @Sendable () -> Void

    private struct Flight: Sendable {
        let key: Key
        let work: Work
        var waiters = 1
        var isShared = false
        var cancel: Cancel?
    }

    /// All that are waited for or that run; of each key, one at the most is current.
    private var flights: [FlightID: Flight] = [:]
    private var current: [Key: FlightID] = [:]
    private var lastNumber = 0

    /// The keys whose work others may join.
    var keys: some Collection<Key> { current.keys }

    func waiterCount(_ key: Key) -> Int {
        current[key].flatMap { flights[$0]?.waiters } ?? 0
    }

    enum JoinAction: Sendable {
        /// Wait for this work.
        case wait(FlightID, Work)
        /// Start the work, which is now the key's.
        case start(FlightID)
    }

    mutating func join(_ key: Key, new work: Work) -> JoinAction {
        if let id = current[key], var flight = flights[id] {
            flight.waiters += 1
            flight.isShared = true
            flights[id] = flight
            return .wait(id, flight.work)
        }
        lastNumber += 1
        let id = FlightID(number: lastNumber)
        flights[id] = Flight(key: key, work: work)
        current[key] = id
        return .start(id)
    }

    enum StartedAction: Sendable {
        /// It is wanted.
        case run
        /// All have left before it had begun.
        case cancel
    }

    /// Notes how a flight is cancelled.
    mutating func started(_ id: FlightID, cancel: @escaping Cancel) -> StartedAction {
        guard flights[id] != nil else { return .cancel }
        flights[id]?.cancel = cancel
        return .run
    }

    /// A waiter was cancelled.
    ///
    /// - Returns: What cancels the work, if nobody waits for it any more.
    mutating func leave(_ id: FlightID) -> Cancel? {
        guard var flight = flights[id] else { return nil }
        flight.waiters -= 1
        flights[id] = flight
        guard flight.waiters == 0 else { return nil }
        remove(id)
        return flight.cancel
    }

    /// The work is done: who comes now starts anew.
    ///
    /// - Returns: Whether several waited for it.
    mutating func end(_ id: FlightID) -> Bool {
        defer { remove(id) }
        return flights[id]?.isShared ?? false
    }

    /// Who comes now starts anew; the work goes on for those who wait.
    mutating func forget(_ key: Key) {
        current[key] = nil
    }

    private mutating func remove(_ id: FlightID) {
        guard let flight = flights.removeValue(forKey: id) else { return }
        if current[flight.key] == id { current[flight.key] = nil }
    }
}
