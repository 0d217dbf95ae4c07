import Interleaving
import Testing

/// apple/container: `stop` and `shutdown` of a sandbox change its state while `start` is suspended.
///
/// <https://github.com/apple/container/pull/684>. The service is an actor. Each operation suspends between reading the
/// state and changing it, and some operations do this under an asynchronous lock. `stop` set `stopping` before it
/// acquired the lock, so it ran while `start` was suspended under the lock; `start` then set `running` for a container
/// that was being stopped. In the same way, `stop` overwrote the `shuttingDown` that `shutdown` had set. The fix makes
/// every transition under the lock.
///
/// The explorer needs nothing but calls of actors.
@Suite struct ContainerReentrancyHunts {
    private let startedWhileStopping = KnownBug(
        reference: "apple/container#684", property: "a container that is being stopped isn't started")
    private let revivedByStop = KnownBug(
        reference: "apple/container#684", property: "a sandbox that shuts down stays shut down")

    @Test func startOverwritesStopping() {
        startedWhileStopping.isFound("stopping → running") { await startAndStop(isLocked: false) }
    }

    @Test func lockedStopWaitsForStart() {
        startedWhileStopping.isAbsent { await startAndStop(isLocked: true) }
    }

    @Test func stopOverwritesShuttingDown() {
        revivedByStop.isFound("shuttingDown → stopped") { await stopAndShutDown(isLocked: false) }
    }

    @Test func lockedShutdownWaitsForStop() {
        revivedByStop.isAbsent { await stopAndShutDown(isLocked: true) }
    }
}

private func startAndStop(isLocked: Bool) async {
    let sandbox = Sandbox(state: .booted, isLocked: isLocked)
    async let start: Void = sandbox.start()
    async let stop: Void = sandbox.stop()
    _ = await (start, stop)
}

private func stopAndShutDown(isLocked: Bool) async {
    let sandbox = Sandbox(state: .running, isLocked: isLocked)
    async let stop: Void = sandbox.stop()
    async let shutdown: Void = sandbox.shutDown()
    _ = await (stop, shutdown)
}

private actor Sandbox {
    enum State: Equatable {
        case booted
        case running
        case stopping
        case stopped
        case shuttingDown
    }

    private var state: State
    private let isLocked: Bool
    private let lock = AsyncLock()
    private let machine = Machine()

    init(state: State, isLocked: Bool) {
        self.state = state
        self.isLocked = isLocked
    }

    func start() async {
        await lock.acquire()
        if state == .booted {
            await machine.run()
            change(to: .running)
        }
        await lock.release()
    }

    func stop() async {
        if isLocked { await lock.acquire() }
        if state == .booted || state == .running {
            change(to: .stopping)
            await machine.halt()
            if !isLocked { await lock.acquire() }
            change(to: .stopped)
            if !isLocked { await lock.release() }
        }
        if isLocked { await lock.release() }
    }

    func shutDown() async {
        if isLocked { await lock.acquire() }
        if state == .stopping || state == .stopped { change(to: .shuttingDown) }
        if isLocked { await lock.release() }
    }

    private func change(to next: State) {
        let isAllowed =
            switch (state, next) {
            case (.stopping, .running), (.shuttingDown, _): false
            default: true
            }
        check(isAllowed, "\(state) → \(next)")
        state = next
    }
}

private actor Machine {
    private var isRunning = false

    func run() { isRunning = true }
    func halt() { isRunning = false }
}

/// A lock that tasks hold across suspensions.
private actor AsyncLock {
    private var isHeld = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    func acquire() async {
        guard isHeld else {
            isHeld = true
            return
        }
        await withCheckedContinuation { waiters.append($0) }
    }

    func release() {
        guard let next = waiters.first else {
            isHeld = false
            return
        }
        waiters.removeFirst()
        next.resume()
    }
}
