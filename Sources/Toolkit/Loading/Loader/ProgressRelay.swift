import Futures

/// Brings the progress of one transfer from any thread to where it is shown: the newest, and not too often.
///
/// A report costs a lock. The first one is shown at once; while one is being shown, and for a while after, newer ones
/// replace each other.
final class ProgressRelay: Sendable {
    private struct State: Sendable {
        /// The newest, if it was not shown.
        var latest: FetchProgress?
        var isDelivering = false
        var isFinished = false
        var delivery: Task<Void, Never>?

        /// Whether somebody has to begin to deliver.
        mutating func reported(_ progress: FetchProgress) -> Bool {
            guard !isFinished else { return false }
            latest = progress
            guard !isDelivering else { return false }
            isDelivering = true
            return true
        }

        mutating func take() -> FetchProgress? {
            guard let latest, !isFinished else {
                isDelivering = false
                delivery = nil
                return nil
            }
            self.latest = nil
            return latest
        }

        /// Whether it is not wanted any more.
        mutating func began(_ task: Task<Void, Never>) -> Bool {
            guard !isFinished else { return true }
            delivery = task
            return false
        }

        mutating func finish() -> (latest: FetchProgress?, delivery: Task<Void, Never>?) {
            isFinished = true
            defer { latest = nil }
            return (latest, delivery)
        }
    }

    private let state = Lock(State())
    private let interval: Duration
    private let time: Stopwatch
    private let show: @Sendable (FetchProgress) async -> Void

    init(interval: Duration, time: Stopwatch, show: @escaping @Sendable (FetchProgress) async -> Void) {
        self.interval = interval
        self.time = time
        self.show = show
    }
}

extension ProgressRelay {
    /// Takes a report, from any thread.
    func report(_ progress: FetchProgress) {
        guard state.withLock({ $0.reported(progress) }) else { return }
        let delivery = Task { await deliver() }
        if state.withLock({ $0.began(delivery) }) { delivery.cancel() }
    }

    /// Ends it: what is reported from now on is dropped, and nothing is being shown any more.
    ///
    /// - Returns: The newest, if it was not shown.
    func finish() async -> FetchProgress? {
        let (latest, delivery) = state.withLock { $0.finish() }
        if let delivery {
            delivery.cancel()
            // What it is about to show must not come after what is shown last.
            await delivery.value
        }
        return latest
    }

    private func deliver() async {
        while let progress = state.withLock({ $0.take() }) {
            await show(progress)
            // A clock that refuses to wait makes it show more often.
            try? await time.sleep(until: time.elapsed + interval)
        }
    }
}
