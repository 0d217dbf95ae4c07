import Interleaving
import Synchronization
import Testing

/// swift-clocks and TCA: a test advances a clock, or looks at the state, before the code under test waits for it.
///
/// <https://github.com/pointfreeco/swift-clocks/pull/27>,
/// <https://github.com/pointfreeco/swift-composable-architecture/pull/1369>. `TestClock.advance` and `TestStore.receive`
/// yield a number of times, so that other tasks can reach their next wait, and then go on whether they have or not. No
/// number is enough: the explorer finds an order for each. A main serial executor, as #27 proposes, hides these orders:
/// with one fixed order the test passes.
///
/// The explorer needs detached tasks, and `Task.yield()` as a point of choice.
@Suite struct TestClockHunts {
    private let clock = KnownBug(reference: "swift-clocks#27", property: "a sleeper wakes when the clock advances")
    private let store = KnownBug(
        reference: "swift-composable-architecture#1369", property: "the effect's action is received")

    @Test(arguments: [1, 20, 60]) func yieldsDoNotWaitForTheSleeper(yields: Int) {
        clock.isFound("hung") {
            await advance { _ in await yieldRepeatedly(yields) }
        }
    }

    /// One order, as with a main serial executor.
    @Test func fixedOrderHidesTheBug() {
        #expect(
            exploration(.inOrder) {
                await advance { _ in await yieldRepeatedly(20) }
            }.outcome == .passed)
    }

    @Test func advanceAfterTheSleeperIsRegistered() {
        clock.isAbsent {
            await advance { await $0.waitForSleepers(1) }
        }
    }

    @Test(arguments: [1, 20, 60]) func yieldsDoNotWaitForTheEffect(yields: Int) {
        store.isFound("received nothing") {
            await receive { await yieldRepeatedly(yields) }
        }
    }

    @Test func waitForOtherTasksWaitsForTheEffect() {
        store.isAbsent {
            await receive { await waitForOtherTasks() }
        }
    }
}

private func advance(after prepare: @Sendable (ManualClock) async -> Void) async {
    let clock = ManualClock()
    let feature = Task { await clock.sleep(1) }
    await prepare(clock)
    clock.advance(1)
    await feature.value
}

private func receive(after prepare: () async -> Void) async {
    let store = Store()
    let effect = store.send()
    await prepare()
    let count = await store.count
    check(count == 1, "received nothing")
    await effect.value
}

/// Yields in tasks of low priority, so that others run first on an idle machine.
private func yieldRepeatedly(_ count: Int) async {
    for _ in 0..<count {
        await Task.detached(priority: .background) { await Task.yield() }.value
    }
}

/// A clock that only a test advances.
private final class ManualClock: Sendable {
    private struct State {
        var now = 0
        var sleepers: [(deadline: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var observers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    func sleep(_ seconds: Int) async {
        await withCheckedContinuation { continuation in
            let satisfied = state.withLock { state in
                state.sleepers.append((state.now + seconds, continuation))
                let satisfied = state.observers.filter { $0.count <= state.sleepers.count }
                state.observers.removeAll { $0.count <= state.sleepers.count }
                return satisfied.map(\.continuation)
            }
            for observer in satisfied { observer.resume() }
        }
    }

    func advance(_ seconds: Int) {
        let due = state.withLock { state in
            state.now += seconds
            let due = state.sleepers.filter { $0.deadline <= state.now }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due.map(\.continuation)
        }
        for sleeper in due { sleeper.resume() }
    }

    func waitForSleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isSatisfied = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.observers.append((count, continuation))
                return false
            }
            if isSatisfied { continuation.resume() }
        }
    }
}

/// A store with one effect, which sends an action when it has loaded.
@MainActor private final class Store {
    private(set) var count = 0

    nonisolated init() {}

    nonisolated func send() -> Task<Void, Never> {
        Task {
            await Task.yield()
            await increment()
        }
    }

    private func increment() { count += 1 }
}
