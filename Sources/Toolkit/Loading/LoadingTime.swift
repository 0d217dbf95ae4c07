/// A clock, without its type.
struct LoadingTime: Sendable {
    /// How long after the beginning it is.
    let now: @Sendable () -> Duration
    /// Waits, unless the task is cancelled.
    let sleep: @Sendable (Duration) async throws -> Void

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        self.now = { start.duration(to: clock.now) }
        self.sleep = { try await clock.sleep(for: $0) }
    }
}
