import Futures

/// A clock whose time passes only when a test advances it.
public final class ManualClock: Clock, Sendable {
    /// A time since the clock's creation.
    public struct Instant: InstantProtocol {
        /// The time elapsed since the clock's creation.
        public var offset = Duration.zero

        /// The instant after a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// The duration until another instant.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether the first instant is earlier.
        public static func < (first: Instant, second: Instant) -> Bool { first.offset < second.offset }
    }

    private struct State {
        var now = Instant()
        var lastID = 0
        var sleepers: [Int: (Instant, Promise<Bool, Never>)] = [:]
        var countWaiters: [(Int, Promise<Void, any Error>)] = []
    }

    private let state = Lock(State())
    private let (sleeps, slept) = AsyncStream.makeStream(of: Void.self)

    /// Creates a clock.
    public init() {}

    /// The current time.
    public var now: Instant { state.withLock { $0.now } }

    /// A nominal resolution: time passes only by ``advance(by:)``.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The number of sleeping tasks.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }
}

extension ManualClock {
    /// Sleeps until the clock reaches the deadline, or the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let wakeUp = Promise<Bool, Never>(valueOnAbandon: { false })
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let wokenByTime = await withTaskCancellationHandler {
            register(id, until: deadline, wakeUp)
            return await wakeUp.future.value
        } onCancel: {
            _ = state.withLock { $0.sleepers.removeValue(forKey: id) != nil }
            wakeUp.resolve(false)
        }
        if !wokenByTime { throw CancellationError() }
    }

    /// Registers a sleeper, unless its deadline has passed or its task is cancelled.
    private func register(_ id: Int, until deadline: Instant, _ wakeUp: Promise<Bool, Never>) {
        let reached = state.withLock { state -> [Promise<Void, any Error>]? in
            // If the task is cancelled after this check, the cancellation handler removes the sleeper.
            guard deadline > state.now, !Task.isCancelled else { return nil }
            state.sleepers[id] = (deadline, wakeUp)
            let reached = state.countWaiters.filter { $0.0 <= state.sleepers.count }.map(\.1)
            state.countWaiters.removeAll { $0.0 <= state.sleepers.count }
            return reached
        }
        guard let reached else {
            wakeUp.resolve(!Task.isCancelled)
            return
        }
        for waiter in reached { waiter.resolve(()) }
        slept.yield()
    }

    /// Advances the time, and wakes the sleepers that are due, the earliest first.
    public func advance(by duration: Duration) {
        let due = state.withLock { state -> [(Instant, Promise<Bool, Never>)] in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.0 <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.sorted { $0.0 < $1.0 }
        }
        for (_, wakeUp) in due { wakeUp.resolve(true) }
    }
}

extension ManualClock {
    /// Returns when at least `count` tasks sleep, or when the current task is cancelled, as when a test exceeds its
    /// time limit.
    public func waitForSleepers(_ count: Int) async {
        let reached = Promise<Void, any Error>()
        let isReached = state.withLock { state in
            if state.sleepers.count >= count { return true }
            state.countWaiters.append((count, reached))
            return false
        }
        if isReached { reached.resolve(()) }
        try? await reached.future.value
    }

    /// Returns once for each sleep that has begun, even before the call; waits if there is none.
    ///
    /// A sleep counts even if it has ended meanwhile, or was counted by ``waitForSleepers(_:)``.
    public func awaitSleeper() async {
        _ = await sleeps.first { true }
    }
}
