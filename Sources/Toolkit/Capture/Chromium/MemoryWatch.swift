import Futures

/// Ends a browser whose processes take more memory than they may, while captures run in it.
final class MemoryWatch: Sendable {
    /// What a browser was ended for.
    struct Excess: Sendable {
        /// How much memory it took, in bytes.
        var bytes: Int
        /// How many captures ran in it.
        var captures: Int
    }

    private struct State {
        var captures = 0
        var excess: Excess?
        var sampling: Task<Void, Never>?
    }

    /// The time between two samples.
    ///
    /// A page can exceed the limit by what it allocates in this time.
    static let interval = Duration.milliseconds(250)

    /// How much memory there may be, in bytes; `nil` for any amount.
    let limit: Int?
    private let memory: BrowserMemory
    private let endBrowser: @Sendable () -> Void
    private let state = Lock(State())

    /// - Parameters:
    ///   - group: The browser's process group.
    ///   - limit: How much memory there may be, in bytes; `nil` for any amount.
    ///   - endBrowser: Ends the browser, without waiting for it.
    init(group: Int32, limit: Int?, endBrowser: @escaping @Sendable () -> Void) {
        self.memory = BrowserMemory(group: group)
        self.limit = limit
        self.endBrowser = endBrowser
    }

    deinit {
        state.withLock { $0.sampling }?.cancel()
    }

    /// Why the browser was ended; `nil` if it was not for its memory.
    var excess: Excess? { state.withLock { $0.excess } }

    /// Samples while there is at least one capture.
    func captureBegan() {
        state.withLock { state in
            state.captures += 1
            // It chose this browser before it knew of its end.
            state.excess?.captures += 1
            guard let limit, state.captures == 1, state.excess == nil else { return }
            // Owned by this watch, which cancels it when the last capture has ended. The memory is real, so the time is too.
            state.sampling = Task { [weak self] in
                await Stopwatch(ContinuousClock()).tick(every: Self.interval) { self?.sample(limit: limit) }
            }
        }
    }

    /// Stops sampling after the last capture.
    func captureEnded() {
        let sampling: Task<Void, Never>? = state.withLock { state in
            state.captures -= 1
            guard state.captures == 0 else { return nil }
            defer { state.sampling = nil }
            return state.sampling
        }
        sampling?.cancel()
    }

    private func sample(limit: Int) {
        guard excess == nil, let bytes = memory.bytes(above: limit) else { return }
        state.withLock { $0.excess = Excess(bytes: bytes, captures: $0.captures) }
        endBrowser()
    }
}
