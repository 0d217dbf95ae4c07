/// Which work is under way for each key, who waits for it, and how far it is.
///
/// Pure: every event is a mutating function that says what is to be done. Work whose last waiter has left is no longer the
/// key's: whoever asks then starts anew.
struct CoalescingStateMachine<Key: Hashable & Sendable, Handle: Sendable, Waiter: Sendable, Report: Sendable>: Sendable
{
    /// Tells flights of one key apart.
    struct FlightID: Hashable, Sendable {
        fileprivate let number: Int
    }

    /// Tells waiters apart; each has one of its own, for good.
    struct WaiterID: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Place: Sendable {
        var waiter: Waiter
        /// The number of the progress that it was told of last.
        var told = 0
    }

    private struct Flight: Sendable {
        let key: Key
        let handle: Handle
        var places: [WaiterID: Place] = [:]
        /// Whether it goes on though nobody waits for it.
        let isBackground: Bool
        var priority: UInt8
        var progress: Report?
        /// How many were reported.
        var count = 0
        /// Whether somebody is telling the waiters of it.
        var isTelling = false
    }

    private var flights: [FlightID: Flight] = [:]
    private var current: [Key: FlightID] = [:]
    private var flightOf: [WaiterID: FlightID] = [:]
    /// Who was cancelled before it had joined.
    private var leftEarly: Set<WaiterID> = []
    private var backgroundCount = 0
    private var lastNumber = 0
    private var isClosed = false

    func isUnderWay(_ key: Key) -> Bool { current[key] != nil }

    func waiterCount(_ key: Key) -> Int { current[key].flatMap { flights[$0]?.places.count } ?? 0 }

    /// Whether nothing is remembered of anyone.
    var isEmpty: Bool { flights.isEmpty && current.isEmpty && flightOf.isEmpty && leftEarly.isEmpty }

    mutating func newWaiter() -> WaiterID {
        lastNumber += 1
        return WaiterID(number: lastNumber)
    }
}

extension CoalescingStateMachine {
    enum JoinAction: Sendable {
        /// Start the work, which is now the key's.
        case start(FlightID)
        /// Wait; the handle is to be hurried, if there is one, and the waiters are to be told, if so it says.
        case wait(FlightID, hurry: Handle?, tell: Bool)
        /// It was cancelled before.
        case cancelled(Waiter)
        /// Nothing is started any more.
        case closed(Waiter)
    }

    mutating func join(_ key: Key, _ id: WaiterID, _ waiter: Waiter, priority: UInt8, new handle: Handle) -> JoinAction
    {
        if isClosed { return .closed(waiter) }
        if leftEarly.remove(id) != nil { return .cancelled(waiter) }
        if let flightID = current[key], var flight = flights[flightID] {
            flight.places[id] = Place(waiter: waiter)
            flightOf[id] = flightID
            let isMoreUrgent = priority > flight.priority
            if isMoreUrgent { flight.priority = priority }
            let tell = flight.count > 0 && !flight.isTelling
            if tell { flight.isTelling = true }
            flights[flightID] = flight
            return .wait(flightID, hurry: isMoreUrgent ? flight.handle : nil, tell: tell)
        }
        let flightID = add(key, handle, isBackground: false, priority: priority)
        flights[flightID]?.places[id] = Place(waiter: waiter)
        flightOf[id] = flightID
        return .start(flightID)
    }

    enum BackgroundAction: Sendable {
        /// Start the work; it goes on though nobody waits for it.
        case start(FlightID)
        /// It is under way, or there is too much of it already.
        case leave
    }

    mutating func joinInBackground(_ key: Key, limit: Int, new handle: Handle) -> BackgroundAction {
        guard !isClosed, current[key] == nil, backgroundCount < limit else { return .leave }
        backgroundCount += 1
        return .start(add(key, handle, isBackground: true, priority: 0))
    }

    private mutating func add(_ key: Key, _ handle: Handle, isBackground: Bool, priority: UInt8) -> FlightID {
        lastNumber += 1
        let id = FlightID(number: lastNumber)
        flights[id] = Flight(key: key, handle: handle, isBackground: isBackground, priority: priority)
        current[key] = id
        return id
    }
}

extension CoalescingStateMachine {
    /// A waiter has become more urgent.
    ///
    /// - Returns: What is to be hurried, if it is not hurrying already.
    mutating func escalate(_ id: WaiterID, to priority: UInt8) -> Handle? {
        guard let flightID = flightOf[id], var flight = flights[flightID], priority > flight.priority else {
            return nil
        }
        flight.priority = priority
        flights[flightID] = flight
        return flight.handle
    }

    enum LeaveAction: Sendable {
        /// It waits no more; the others do, or the work goes on without.
        case left(Waiter)
        /// It waits no more, and neither does anybody: cancel the work.
        case leftLast(Waiter, Handle)
        /// It had not joined yet, or it had its outcome.
        case none
    }

    /// A waiter was cancelled.
    mutating func leave(_ id: WaiterID) -> LeaveAction {
        guard let flightID = flightOf.removeValue(forKey: id) else {
            leftEarly.insert(id)
            return .none
        }
        guard var flight = flights[flightID], let place = flight.places.removeValue(forKey: id) else { return .none }
        flights[flightID] = flight
        guard flight.places.isEmpty, !flight.isBackground else { return .left(place.waiter) }
        remove(flightID)
        return .leftLast(place.waiter, flight.handle)
    }

    /// A waiter has gone, and nothing will be heard of it any more.
    mutating func forget(_ id: WaiterID) {
        leftEarly.remove(id)
    }

    /// The work is done: who comes now starts anew.
    ///
    /// - Returns: Who is to be told of the outcome.
    mutating func end(_ id: FlightID) -> [Waiter] {
        guard let flight = flights[id] else { return [] }
        for waiter in flight.places.keys { flightOf[waiter] = nil }
        remove(id)
        return flight.places.values.map(\.waiter)
    }

    /// Nothing is started from now on.
    ///
    /// - Returns: What is to be cancelled; its waiters will have its outcome.
    mutating func close() -> [Handle] {
        isClosed = true
        return flights.values.map(\.handle)
    }

    private mutating func remove(_ id: FlightID) {
        guard let flight = flights.removeValue(forKey: id) else { return }
        if flight.isBackground { backgroundCount -= 1 }
        if current[flight.key] == id { current[flight.key] = nil }
    }
}

extension CoalescingStateMachine {
    /// The work is so far.
    ///
    /// - Returns: Whether the waiters are to be told, with ``nextToTell(_:)``; if not, somebody does that already.
    mutating func progressed(_ id: FlightID, _ progress: Report) -> Bool {
        guard var flight = flights[id] else { return false }
        flight.progress = progress
        flight.count += 1
        let tell = !flight.isTelling
        flight.isTelling = true
        flights[id] = flight
        return tell
    }

    /// Who has not been told of the newest progress.
    ///
    /// One at a time asks, tells, and asks again until there is nobody: so that no waiter hears of an older one later.
    ///
    /// - Returns: Whom to tell what; `nil` when all know.
    mutating func nextToTell(_ id: FlightID) -> (waiters: [Waiter], progress: Report)? {
        guard var flight = flights[id] else { return nil }
        let waiters = flight.places.filter { $0.value.told < flight.count }
        guard let progress = flight.progress, !waiters.isEmpty else {
            flight.isTelling = false
            flights[id] = flight
            return nil
        }
        for waiter in waiters.keys { flight.places[waiter]?.told = flight.count }
        flights[id] = flight
        return (waiters.values.map(\.waiter), progress)
    }
}
