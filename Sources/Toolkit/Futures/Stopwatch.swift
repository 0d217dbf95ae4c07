/// Measures the time since its creation, on a clock of any type, and sleeps until a given time has elapsed.
///
/// It expresses timers as deadlines. In the code that arms a timer, create the stopwatch or compute the deadline from
/// ``elapsed``, and pass that to the task that sleeps. A task that sleeps *for* a duration starts counting when it
/// first runs, which on a busy machine is later than the moment for which the duration was computed.
package struct Stopwatch: Sendable {
    private let readElapsed: @Sendable () -> Duration
    private let sleepUntil: @Sendable (Duration) async throws -> Void

    /// Starts measuring.
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
    /// The time since creation.
    package var elapsed: Duration { readElapsed() }

    /// Sleeps until this time after creation, or returns at once if it has passed; throws the clock's error.
    package func sleep(until deadline: Duration) async throws {
        try await sleepUntil(deadline)
    }

    /// Calls a closure once per interval, until the task is cancelled or the clock throws.
    ///
    /// Each deadline is one interval after the previous one, however late the task woke up. If the closure, or a late
    /// wake-up, takes longer than an interval, the missed ticks are dropped, and the next one is an interval later.
    package func tick(every interval: Duration, _ body: () async -> Void) async {
        var deadline = elapsed + interval
        while (try? await sleep(until: deadline)) != nil {
            await body()
            deadline += interval
            if deadline < elapsed { deadline = elapsed + interval }
        }
    }
}
