import Futures

/// Ends a browser whose processes take more memory than they may, while captures run in it.
///
/// Where the browser has a ``BrowserCgroup``, the kernel enforces the limit, and this reads how many processes it has killed: at the end
/// of each capture, before the result is judged, and four times a second, which is one small file. Of some kills no capture would be
/// told: those of frames, and of helper processes that Chromium replaces in silence, so that a picture would lack what they held or
/// a page would wait for it until its deadline. Without a cgroup, the memory is sampled at that rate.
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
        /// How many processes had been killed before the present captures.
        var earlierKills = 0
    }

    /// The time between two samples.
    ///
    /// Without a cgroup, a page can exceed the limit by what it allocates in this time.
    static let interval = Duration.milliseconds(250)

    /// How much memory there may be, in bytes; `nil` for any amount.
    let limit: Int?
    /// By what the kernel enforces the limit; `nil` if this samples.
    let cgroup: BrowserCgroup?
    private let memory: BrowserMemory
    private let endBrowser: @Sendable () -> Void
    private let state = Lock(State())

    init(group: Int32, limit: Int?, cgroup: BrowserCgroup?, endBrowser: @escaping @Sendable () -> Void) {
        self.memory = BrowserMemory(group: group)
        self.limit = limit
        self.cgroup = cgroup
        self.endBrowser = endBrowser
    }

    deinit {
        state.withLock { $0.sampling }?.cancel()
    }

    /// Why the browser was ended; `nil` if it was not for its memory.
    var excess: Excess? { state.withLock { $0.excess } }

    /// Samples while there is at least one capture.
    func captureBegan() {
        let kills = cgroup?.kills.count ?? 0
        state.withLock { state in
            state.captures += 1
            // It chose this browser before it knew of its end.
            state.excess?.captures += 1
            guard let limit, state.captures == 1, state.excess == nil else { return }
            // What was killed while there was no capture is nothing that a page did to this one.
            state.earlierKills = kills
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

    /// Looks whether the kernel has killed a process of the browser since the present captures began, and ends the browser then.
    ///
    /// - Returns: Whether it has; `false` without a cgroup.
    func findsKill() -> Bool {
        guard let kills = cgroup?.kills, state.withLock({ kills.count > $0.earlierKills }) else { return false }
        end(bytes: kills.peak)
        return true
    }

    private func sample(limit: Int) {
        if cgroup != nil {
            _ = findsKill()
        } else if excess == nil, let bytes = memory.bytes(above: limit) {
            end(bytes: bytes)
        }
    }

    /// Ends the browser, once.
    private func end(bytes: Int) {
        let isFirst = state.withLock { state in
            guard state.excess == nil else { return false }
            state.excess = Excess(bytes: bytes, captures: state.captures)
            return true
        }
        if isFirst { endBrowser() }
    }
}
