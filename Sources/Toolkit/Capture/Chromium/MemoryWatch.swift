import Futures

/// Ends a browser that exceeds its memory limit during captures.
///
/// If the browser has a ``BrowserCgroup``, the kernel enforces the limit, and this class reads the number of killed
/// processes from a small file: four times a second, and at the end of each capture, before its result is used. A
/// capture wouldn't notice some kills: those of frames, and of helper processes that Chromium restarts silently. Its
/// picture would then lack content, or its page would wait until the deadline. Without a cgroup, memory is sampled
/// four times a second.
final class MemoryWatch: Sendable {
    /// The reason why a browser was ended.
    struct Excess: Sendable {
        /// The memory use in bytes.
        var bytes: Int
        /// The number of captures that ran in the browser.
        var captures: Int
    }

    private struct State {
        var captures = 0
        var excess: Excess?
        var sampling: Task<Void, Never>?
        /// The number of processes killed before the current captures.
        var earlierKills = 0
    }

    /// The interval between samples.
    ///
    /// Without a cgroup, a page can exceed the limit by the memory that it allocates in this time.
    static let interval = Duration.milliseconds(250)

    /// The maximum memory in bytes; `nil` for no limit.
    let limit: Int?
    /// The cgroup that enforces the limit; `nil` if memory is sampled.
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

    /// The excess that the browser was ended for; `nil` if there was none.
    var excess: Excess? { state.withLock { $0.excess } }

    /// Registers a capture; sampling runs while there is at least one.
    func captureBegan() {
        let kills = cgroup?.kills.count ?? 0
        state.withLock { state in
            state.captures += 1
            // This capture chose the browser before the browser was ended, so it counts too.
            state.excess?.captures += 1
            guard let limit, state.captures == 1, state.excess == nil else { return }
            // Kills from a time without captures aren't caused by the current pages.
            state.earlierKills = kills
            // This object owns the task and cancels it when the last capture ends. It uses real time, because a test's
            // virtual clock doesn't slow down what the browser allocates.
            state.sampling = Task { [weak self] in
                await Stopwatch(ContinuousClock()).tick(every: Self.interval) { self?.sample(limit: limit) }
            }
        }
    }

    /// Unregisters a capture, and stops sampling after the last.
    func captureEnded() {
        let sampling: Task<Void, Never>? = state.withLock { state in
            state.captures -= 1
            guard state.captures == 0 else { return nil }
            defer { state.sampling = nil }
            return state.sampling
        }
        sampling?.cancel()
    }

    /// Checks whether the kernel has killed a process since the current captures began, and ends the browser if so.
    ///
    /// - Returns: Whether it has; `false` without a cgroup.
    func detectKill() -> Bool {
        guard let kills = cgroup?.kills, state.withLock({ kills.count > $0.earlierKills }) else { return false }
        end(bytes: kills.peak)
        return true
    }

    private func sample(limit: Int) {
        if cgroup != nil {
            _ = detectKill()
        } else if excess == nil, let bytes = memory.bytes(above: limit) {
            end(bytes: bytes)
        }
    }

    /// Ends the browser once.
    private func end(bytes: Int) {
        let isFirst = state.withLock { state in
            guard state.excess == nil else { return false }
            state.excess = Excess(bytes: bytes, captures: state.captures)
            return true
        }
        if isFirst { endBrowser() }
    }
}
