/// Which run of an operation is under way for each key, which callers wait for it, and how far it is.
///
/// Every event is a mutating function that returns what is to be done. A run that is forgotten, or whose last waiter has left, is
/// no longer the key's: the next caller starts another.
struct SingleFlightStateMachine<Key: Hashable & Sendable, Handle: Sendable, Waiter: Sendable, Report: Sendable>:
    Sendable
{
    /// Tells flights of one key apart.
    struct FlightID: Hashable, Sendable {
        fileprivate let number: Int
    }

    /// Tells waiters apart; each has one of its own, for good.
    struct WaiterID: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Flight: Sendable {
        let key: Key
        let handle: Handle
        var waiters: [WaiterID: Waiter] = [:]
        /// Whether it goes on though nobody waits for it.
        let isBackground: Bool
        /// Whether it has had several waiters.
        var isShared = false
        var priority: UInt8
        var progress: Report?
        /// Who wants to be told how far it is.
        var listeners: Set<WaiterID> = []
        /// Who has not been told of the newest progress: all listeners, or a few who came since.
        var areAllBehind = false
        var behind: [WaiterID] = []
        /// Whether somebody is telling them.
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

    /// Whether a run can be joined.
    func isUnderWay(_ key: Key) -> Bool { current[key] != nil }

    /// The keys whose runs can be joined.
    var keys: some Collection<Key> { current.keys }

    func waiterCount(_ key: Key) -> Int { current[key].flatMap { flights[$0]?.waiters.count } ?? 0 }

    /// Whether nothing is remembered of anyone.
    var isEmpty: Bool { flights.isEmpty && current.isEmpty && flightOf.isEmpty && leftEarly.isEmpty }

    mutating func newWaiter() -> WaiterID {
        lastNumber += 1
        return WaiterID(number: lastNumber)
    }
}

extension SingleFlightStateMachine {
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

    /// Somebody wants the work done.
    ///
    /// - Parameters:
    ///   - key: What tells work apart.
    ///   - id: Who it is.
    ///   - waiter: What is to be told of the outcome.
    ///   - listens: Whether it is to be told how far the work is.
    ///   - priority: How urgent it is.
    ///   - handle: What cancels and hurries the work, if it is new.
    /// - Returns: What to do.
    mutating func join(
        _ key: Key, _ id: WaiterID, _ waiter: Waiter, listens: Bool, priority: UInt8, new handle: Handle
    ) -> JoinAction {
        if isClosed { return .closed(waiter) }
        if leftEarly.remove(id) != nil { return .cancelled(waiter) }
        let flightID: FlightID
        let isNew: Bool
        if let current = current[key] {
            (flightID, isNew) = (current, false)
        } else {
            (flightID, isNew) = (add(key, handle, isBackground: false, priority: priority), true)
        }
        flightOf[id] = flightID
        var (hurry, tell): (Handle?, Bool) = (nil, false)
        change(flightID) { flight in
            flight.waiters[id] = waiter
            flight.isShared = !isNew
            if priority > flight.priority {
                flight.priority = priority
                hurry = flight.handle
            }
            guard listens else { return }
            flight.listeners.insert(id)
            guard flight.progress != nil else { return }
            flight.behind.append(id)
            tell = !flight.isTelling
            flight.isTelling = true
        }
        return isNew ? .start(flightID) : .wait(flightID, hurry: hurry, tell: tell)
    }

    /// Changes a flight where it is: taken out and put back, all its waiters would be copied each time.
    private mutating func change(_ id: FlightID, _ change: (inout Flight) -> Void) {
        guard let index = flights.index(forKey: id) else { return }
        change(&flights.values[index])
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

extension SingleFlightStateMachine {
    /// A waiter has become more urgent.
    ///
    /// - Returns: What is to be hurried, if it is not hurrying already.
    mutating func escalate(_ id: WaiterID, to priority: UInt8) -> Handle? {
        guard let flightID = flightOf[id] else { return nil }
        var hurry: Handle?
        change(flightID) { flight in
            guard priority > flight.priority else { return }
            flight.priority = priority
            hurry = flight.handle
        }
        return hurry
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
        var left: Waiter?
        var abandoned: Handle?
        change(flightID) { flight in
            left = flight.waiters.removeValue(forKey: id)
            flight.listeners.remove(id)
            if flight.waiters.isEmpty, !flight.isBackground { abandoned = flight.handle }
        }
        guard let left else { return .none }
        guard let abandoned else { return .left(left) }
        remove(flightID)
        return .leftLast(left, abandoned)
    }

    /// A waiter has gone, and nothing will be heard of it any more.
    mutating func forget(_ id: WaiterID) {
        leftEarly.remove(id)
    }

    /// The run has ended: the next caller starts another.
    ///
    /// - Returns: The waiters that get the outcome, and whether there have been several.
    mutating func end(_ id: FlightID) -> (waiters: [Waiter], isShared: Bool) {
        guard let flight = flights[id] else { return ([], false) }
        for waiter in flight.waiters.keys { flightOf[waiter] = nil }
        remove(id)
        return (Array(flight.waiters.values), flight.isShared)
    }

    /// The next caller of a key starts another run; this one goes on for those who wait.
    mutating func forget(_ key: Key) {
        current[key] = nil
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

extension SingleFlightStateMachine {
    /// The work is so far.
    ///
    /// - Returns: Whether the waiters are to be told, with ``nextToTell(_:)``; if not, somebody does that already.
    mutating func progressed(_ id: FlightID, _ progress: Report) -> Bool {
        var tell = false
        change(id) { flight in
            flight.progress = progress
            flight.areAllBehind = true
            guard !flight.listeners.isEmpty, !flight.isTelling else { return }
            flight.isTelling = true
            tell = true
        }
        return tell
    }

    /// Who has not been told of the newest progress.
    ///
    /// One at a time asks, tells, and asks again until there is nobody: so that no waiter hears of an older one later.
    ///
    /// - Returns: Whom to tell what; `nil` when all know.
    mutating func nextToTell(_ id: FlightID) -> (waiters: [Waiter], progress: Report)? {
        var next: (waiters: [Waiter], progress: Report)?
        change(id) { flight in
            let behind = flight.areAllBehind ? Array(flight.listeners) : flight.behind
            flight.areAllBehind = false
            flight.behind = []
            let waiters = behind.compactMap { flight.waiters[$0] }
            if let progress = flight.progress, !waiters.isEmpty {
                next = (waiters, progress)
            } else {
                flight.isTelling = false
            }
        }
        return next
    }
}
