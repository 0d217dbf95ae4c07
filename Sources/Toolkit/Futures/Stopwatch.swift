/// Measures the time since it was created, on a clock of any type, and sleeps until points of that time.
///
/// Timers are deadlines. Create the stopwatch, or compute the deadline from ``elapsed``, where a timer is armed, and pass it
/// to the task that sleeps. A task that sleeps *for* a duration begins to count when it first runs, which on a busy machine
/// is later than the moment that the duration was computed for.
package struct Stopwatch: Sendable {
    private let readElapsed: @Sendable () -> Duration
    private let sleepUntil: @Sendable (Duration) async throws -> Void

    /// Starts to measure.
    package init(_ clock: any Clock<Duration>) {
        self.init(opening: clock)
    }

    private init(opening clock: some Clock<Duration>) {
        let start = clock.now
        self.readElapsed = { start.duration(to: clock.now) }
        self.sleepUntil = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }
}

extension Stopwatch {
    /// The time since it was created.
    package var elapsed: Duration { readElapsed() }

    /// Returns when so much time has passed since it was created, at once if it has; throws what the clock throws.
    package func sleep(until deadline: Duration) async throws {
        try await sleepUntil(deadline)
    }

    /// Calls a closure once per interval until the task is cancelled or the clock refuses to wait.
    ///
    /// Each deadline is one interval after the one before, however late the task woke up. Where the closure or the machine
    /// took longer than an interval, the missed ticks are dropped, and the next one comes an interval later.
    package func tick(every interval: Duration, _ body: () async -> Void) async {
        var deadline = elapsed + interval
        while (try? await sleep(until: deadline)) != nil {
            await body()
            deadline += interval
            if deadline < elapsed { deadline = elapsed + interval }
        }
    }
}
