import Futures

/// A clock that stands still until it is told to go on.
final class ManualClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var nextID = 0
        var sleepers: [Int: (Instant, Promise<Bool, Never>)] = [:]
        var countWaiters: [(Int, Promise<Void, Never>)] = []
    }

    private let state = Lock(State())

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let wakeUp = Promise<Bool, Never>()
        let (id, ready) = state.withLock { state -> (Int?, [Promise<Void, Never>]) in
            guard deadline > state.now else { return (nil, []) }
            state.nextID += 1
            state.sleepers[state.nextID] = (deadline, wakeUp)
            let reached = state.countWaiters.filter { $0.0 <= state.sleepers.count }.map(\.1)
            state.countWaiters.removeAll { $0.0 <= state.sleepers.count }
            return (state.nextID, reached)
        }
        for waiter in ready { waiter.resolve(()) }
        guard let id else { return }
        let wokenByTime = await withTaskCancellationHandler {
            await wakeUp.future.value
        } onCancel: {
            _ = state.withLock { $0.sleepers.removeValue(forKey: id) != nil }
            wakeUp.resolve(false)
        }
        if !wokenByTime { throw CancellationError() }
    }

    /// Returns when so many sleep.
    func waitForSleepers(_ count: Int) async {
        let reached = Promise<Void, Never>()
        let isReached = state.withLock { state in
            if state.sleepers.count >= count { return true }
            state.countWaiters.append((count, reached))
            return false
        }
        if isReached { reached.resolve(()) }
        await reached.future.value
    }

    /// Lets time pass; wakes those whose time has come, the earliest first.
    func advance(by duration: Duration) {
        let due = state.withLock { state -> [(Instant, Promise<Bool, Never>)] in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.0 <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.sorted { $0.0 < $1.0 }
        }
        for (_, wakeUp) in due { wakeUp.resolve(true) }
    }
}
