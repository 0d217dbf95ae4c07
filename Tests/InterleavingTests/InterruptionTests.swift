import Foundation
import Interleaving
import Synchronization
import Testing

/// Tests explorations that interrupt running jobs at locks.
@Suite(.timeLimit(.minutes(20))) struct InterruptionTests {
    private func explored(
        _ strategy: Strategy = .portfolio, schedules: Int = 2_000, preemptsAtLocks: Bool = true,
        _ body: @escaping @Sendable () async throws -> Void
    ) -> Exploration {
        exploration(
            strategy, schedules: schedules, hangTimeout: .milliseconds(50), preemptsAtLocks: preemptsAtLocks, body)
    }

    // MARK: - Locks

    @Test(arguments: [false, true]) func updateInTwoSectionsIsLostOnlyIfJobsAreInterrupted(preemptsAtLocks: Bool) {
        let found = explored(preemptsAtLocks: preemptsAtLocks) {
            let balance = Locked(100)
            await inTwoTasks {
                let before = balance.withLock { $0 }
                balance.withLock { $0 = before - 1 }
            }
            let rest = balance.withLock { $0 }
            check(rest == 98, "lost update")
        }
        #expect(found.outcome == (preemptsAtLocks ? .failed("lost update") : .passed), "\(found.report)")
        if preemptsAtLocks { #expect(found.schedules < 20) }
    }

    @Test func updateInOneSectionIsNeverLost() {
        let found = explored(.exhaustive(preemptions: nil), schedules: 100_000) {
            let balance = Locked(100)
            await inTwoTasks { for _ in 0..<2 { balance.withLock { $0 -= 1 } } }
            let rest = balance.withLock { $0 }
            check(rest == 96, "\(rest)")
        }
        #expect(found.outcome == .passed && found.isExhausted, "\(found.report)")
    }

    @Test func locksInOppositeOrderHang() {
        let found = explored {
            let locks = [Locked(1), Locked(2)]
            let isFirst = Locked(true)
            await inTwoTasks {
                let order = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst ? [0, 1] : [1, 0]
                }
                locks[order[0]].withLock { outer in
                    locks[order[1]].withLock { inner in swap(&inner, &outer) }
                }
            }
        }
        guard case .hung(let tasks) = found.outcome else {
            Issue.record("\(found.report)")
            return
        }
        // Each of the two waits for the other, and the body's task for one of them.
        let waits = Set(tasks.compactMap { task in task.waitsFor.map { [task.number, $0] } })
        #expect(waits.contains { waits.contains([$0[1], $0[0]]) }, "\(found.report)")
        let again = explored(.replay(found.replayCode ?? "")) {}
        #expect(again.outcome == .passed)
    }

    @Test func lockThatItsOwnerTakesAgainHangs() {
        let found = explored {
            let lock = Locked(1)
            lock.withLock { _ in lock.withLock { _ in } }
        }
        guard case .hung = found.outcome else {
            Issue.record("\(found.report)")
            return
        }
        #expect(found.schedules == 1)
    }

    /// An interrupted job keeps a `Mutex` that another one wants.
    ///
    /// The explorer sees that a job waits for a `Mutex`, but not that it takes one.
    @Test func interruptedHolderOfAMutexLetsOthersWait() {
        let orders = Shared<Set<[Int]>>([])
        let found = explored {
            let mutex = Mutexed<[Int]>([])
            let lock = Locked(0)
            await inTwoTasks {
                mutex.mutex.withLock { order in
                    let turn = lock.withLock { number in
                        number += 1
                        return number
                    }
                    order.append(turn)
                    lock.withLock { $0 += 10 }
                    order.append(turn)
                }
            }
            let order = mutex.mutex.withLock { $0 }
            check(order.count == 4 && order[0] == order[1] && order[2] == order[3], "\(order)")
            orders.withLock { _ = $0.insert(order) }
        }
        #expect(found.outcome == .passed, "\(found.report)")
    }

    /// Resuming a task waits for a thread that cancels it, whose handler waits for the lock that the first one holds.
    @Test func resumingUnderALockThatTheCancellationHandlerTakesHangs() {
        let found = explored(schedules: 20_000) {
            let readers = Locked<[AsyncStream<Int>.Continuation]>([])
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            continuation.onTermination = { _ in readers.withLock { $0.removeAll() } }
            readers.withLock { $0.append(continuation) }
            let reader = Task { for await _ in stream {} }
            let sender = Task { readers.withLock { for reader in $0 { reader.yield(1) } } }
            let canceller = Task { reader.cancel() }
            for task in [reader, sender, canceller] { await task.value }
        }
        guard case .hung = found.outcome else {
            Issue.record("\(found.report)")
            return
        }
    }

    /// Jobs that are stuck keep locks, which later schedules wait for.
    @Test func locksThatOutliveTheBodyHang() {
        let locks = [Locked(1), Locked(2)]
        let found = explored {
            let isFirst = Locked(true)
            await inTwoTasks {
                let order = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst ? [0, 1] : [1, 0]
                }
                locks[order[0]].withLock { _ in locks[order[1]].withLock { _ in } }
            }
        }
        guard case .hung = found.outcome else {
            Issue.record("\(found.report)")
            return
        }
    }

    @Test func mutexHeldByAnotherThreadIsAwaited() {
        let mutex = Mutexed(0)
        let isHeld = DispatchSemaphore(value: 0)
        let release = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            mutex.mutex.withLock { _ in
                isHeld.signal()
                release.wait()
            }
        }
        block(on: isHeld)
        let found = exploration(schedules: 3, hangTimeout: .seconds(600), preemptsAtLocks: true) {
            // The thread of this semaphore isn't explored, and releases the mutex while the body waits for it.
            Thread.detachNewThread { release.signal() }
            mutex.mutex.withLock { $0 += 1 }
        }
        #expect(found.outcome == .passed, "\(found.report)")
    }

    /// The runtime waits for the lock of a task that is being cancelled, also while it makes a hop.
    @Test func cancellationIsInterruptedWhileItsTaskHops() {
        let found = explored(schedules: 3_000) {
            let gate = Locked(0)
            let tasks = (1...2).map { _ in
                let holder = Holder(gate)
                let other = Task { await holder.start().value }
                return Task {
                    await withTaskCancellationHandler {
                        await holder.get()
                    } onCancel: {
                        holder.touch()
                    }
                    await other.value
                }
            }
            for task in tasks { task.cancel() }
            for task in tasks { await task.value }
        }
        #expect(found.outcome == .passed, "\(found.report)")
    }

    @Test func reductionIsRefusedWithInterruptions() {
        let found = explored(.partialOrder) {}
        #expect(found.schedules == 0)
        #expect(found.outcome != .passed)
    }

    @Test func endlessUseOfALockStopsAtTheStepLimit() {
        let found = exploration(schedules: 1, stepLimit: 500, preemptsAtLocks: true) {
            let isDone = Locked(false)
            while !isDone.withLock({ $0 }) {}
        }
        #expect(found.outcome == .stepLimit(500))
    }

    @Test func traceNamesTheFunctionThatIsInterrupted() {
        let found = explored {
            let account = Account()
            await inTwoTasks { account.withdrawCarelessly() }
            check(account.balance == 98, "lost update")
        }
        #expect(found.report.contains("Account.withdrawCarelessly"), "\(found.report)")
    }

    @Test func theSameSeedGivesTheSameSchedules() {
        let hashes = (0..<2).map { _ in
            explored(schedules: 300) {
                let sum = Locked(0)
                await inTwoTasks { for _ in 0..<5 { sum.withLock { $0 += 1 } } }
            }.hash
        }
        #expect(hashes[0] == hashes[1])
    }

    // MARK: - What makes another job ready

    @Test(arguments: ["task", "continuation", "cancellation", "stream", "queue"])
    func jobIsInterruptedAfterItHasMadeAnotherReady(_ means: String) {
        let found = explored {
            let isRegistered = Locked(false)
            @Sendable func checkOrder() {
                let isRegistered = isRegistered.withLock { $0 }
                check(isRegistered, "ran before")
            }
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            let (waiting, waiter) = AsyncStream.makeStream(of: CheckedContinuation<Void, Never>.self)
            let task: Task<Void, Never>
            switch means {
            case "task": task = Task { checkOrder() }
            case "continuation":
                task = Task {
                    await withCheckedContinuation { _ = waiter.yield($0) }
                    checkOrder()
                }
                for await waiting in waiting {
                    waiting.resume()
                    break
                }
            case "cancellation":
                task = Task {
                    try? await Task.sleep(for: .seconds(1))
                    checkOrder()
                }
                await waitForOtherTasks()
                task.cancel()
            case "stream":
                task = Task {
                    for await _ in stream {
                        checkOrder()
                        break
                    }
                }
                await waitForOtherTasks()
                continuation.yield()
            default:
                task = Task { for await _ in stream {} }
                DispatchQueue(label: "queue").async {
                    checkOrder()
                    continuation.finish()
                }
            }
            isRegistered.withLock { $0 = true }
            await task.value
        }
        #expect(found.outcome == .failed("ran before"), "\(found.report)")
        #expect(found.schedules < 200)
    }

    /// A job of an actor whose executor is a queue runs on that queue.
    @Test(arguments: [false, true]) func queueOfAnActorRunsItsJobs(preemptsAtLocks: Bool) {
        let found = explored(schedules: 500, preemptsAtLocks: preemptsAtLocks) {
            let owner = Owner()
            async let first: Void = owner.add(1)
            async let second: Void = owner.add(2)
            _ = await (first, second)
            let sum = await owner.sum
            check(sum == 3, "\(sum)")
        }
        #expect(found.outcome == .passed, "\(found.report)")
        #expect(found.foreignResumes == 0)
    }

    // MARK: - Other things that block

    @Test func conditionWaitsAndIsSignalled() {
        let found = explored {
            let gate = Gate()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 { group.addTask { gate.wait() } }
                group.addTask { gate.open() }
            }
        }
        #expect(found.outcome == .passed, "\(found.report)")
    }

    @Test func conditionTimesOutInVirtualTime() {
        let found = explored(schedules: 20) {
            let start = ContinuousClock.now
            let isOpen = Gate().wait(seconds: 3600)
            check(!isOpen, "it was signalled")
            let duration = ContinuousClock.now - start
            check(abs(duration / .seconds(1) - 3600) < 1, "it took \(duration)")
        }
        #expect(found.outcome == .passed, "\(found.report)")
    }

    @Test func semaphoreIsAnotherTasksToSignal() {
        let found = explored {
            let semaphore = DispatchSemaphore(value: 0)
            let order = Locked<[Int]>([])
            async let signal: Void = {
                order.withLock { $0.append(1) }
                semaphore.signal()
            }()
            async let wait: Void = {
                block(on: semaphore)
                order.withLock { $0.append(2) }
            }()
            _ = await (signal, wait)
            let seen = order.withLock { $0 }
            check(seen == [1, 2], "\(seen)")
        }
        #expect(found.outcome == .passed, "\(found.report)")
    }

    @Test func blockingSleepTakesNoRealTime() {
        let found = explored(schedules: 20) {
            let start = ContinuousClock.now
            async let other: Void = sleep(seconds: 1800)
            sleep(seconds: 3600)
            await other
            let duration = ContinuousClock.now - start
            check(abs(duration / .seconds(1) - 3600) < 1, "it took \(duration)")
        }
        #expect(found.outcome == .passed, "\(found.report)")
    }

    // MARK: - Dispatch

    @Test(arguments: [false, true]) func serialQueueKeepsItsOrder(preemptsAtLocks: Bool) {
        let found = explored(preemptsAtLocks: preemptsAtLocks) {
            let queue = DispatchQueue(label: "queue")
            let order = Locked<[Int]>([])
            for number in 1...3 {
                queue.async {
                    dispatchPrecondition(condition: .onQueue(queue))
                    order.withLock { $0.append(number) }
                    order.withLock { $0.append(number) }
                }
            }
            queue.sync { order.withLock { $0.append(4) } }
            let seen = order.withLock { $0 }
            check(seen == [1, 1, 2, 2, 3, 3, 4], "\(seen)")
        }
        #expect(found.outcome == .passed, "\(found.report)")
        #expect(found.foreignResumes == 0)
    }

    @Test(arguments: [false, true]) func concurrentQueueRunsInSeveralOrders(preemptsAtLocks: Bool) {
        let orders = Shared<Set<[Int]>>([])
        let found = explored(schedules: 300, preemptsAtLocks: preemptsAtLocks) {
            let queue = DispatchQueue(label: "queue", attributes: .concurrent)
            let order = Shared<[Int]>([])
            await withCheckedContinuation { continuation in
                for number in 1...2 { queue.async { order.withLock { $0.append(number) } } }
                queue.async(flags: .barrier) {
                    order.withLock { $0.append(3) }
                    continuation.resume()
                }
            }
            let seen = order.withLock { $0 }
            orders.withLock { _ = $0.insert(seen) }
        }
        #expect(found.outcome == .passed, "\(found.report)")
        #expect(orders.withLock { $0 } == [[1, 2, 3], [2, 1, 3]])
    }

    @Test func delayedBlocksRunInVirtualTime() {
        let found = explored(schedules: 20, preemptsAtLocks: false) {
            let start = ContinuousClock.now
            let order = Shared<[Int]>([])
            await withCheckedContinuation { continuation in
                DispatchQueue.global().asyncAfter(deadline: .now() + 3600) {
                    order.withLock { $0.append(2) }
                    continuation.resume()
                }
                DispatchQueue.main.asyncAfter(wallDeadline: .now() + 1800) {
                    MainActor.assumeIsolated { order.withLock { $0.append(1) } }
                }
            }
            let seen = order.withLock { $0 }
            let duration = ContinuousClock.now - start
            check(seen == [1, 2], "\(seen)")
            check(abs(duration / .seconds(1) - 3600) < 1, "it took \(duration)")
        }
        #expect(found.outcome == .passed, "\(found.report)")
    }

    @Test(arguments: [false, true]) func groupNotifiesAfterItsLastBlock(preemptsAtLocks: Bool) {
        let found = explored(preemptsAtLocks: preemptsAtLocks) {
            let group = DispatchGroup()
            let count = Locked(0)
            for _ in 0..<2 {
                DispatchQueue.global().async(group: group) { count.withLock { $0 += 1 } }
            }
            await withCheckedContinuation { continuation in
                group.notify(queue: .main) { continuation.resume() }
            }
            let seen = count.withLock { $0 }
            check(seen == 2, "notified after \(seen) of 2")
        }
        #expect(found.outcome == .passed, "\(found.report)")
    }

    /// Blocks run on the thread that waits for them, so waiting must run them.
    @Test(arguments: [false, true], ["semaphore", "group"]) func blockIsAwaited(preemptsAtLocks: Bool, _ means: String)
    {
        let found = explored(schedules: 50, preemptsAtLocks: preemptsAtLocks) {
            let semaphore = DispatchSemaphore(value: 0)
            let group = DispatchGroup()
            DispatchQueue.global().async(group: group) { semaphore.signal() }
            if means == "group" { block(on: group) } else { block(on: semaphore) }
        }
        #expect(found.outcome == .passed, "\(found.report)")
    }

    @Test(arguments: [false, true]) func readerFollowsABarrier(preemptsAtLocks: Bool) {
        let found = explored(schedules: 300, preemptsAtLocks: preemptsAtLocks) {
            let queue = DispatchQueue(label: "queue", attributes: .concurrent)
            let value = Locked(0)
            queue.async(flags: .barrier) {
                value.withLock { $0 = 1 }
                value.withLock { $0 = 2 }
            }
            await inTwoTasks {
                let seen = queue.sync { value.withLock { $0 } }
                check(seen == 2, "read \(seen) after the barrier")
            }
        }
        #expect(found.outcome == .passed, "\(found.report)")
    }

    @Test func synchronousBlockPrecedesLaterOnes() {
        let found = explored(schedules: 5, preemptsAtLocks: false) {
            let queue = DispatchQueue(label: "queue")
            let isStopped = Locked(false)
            @Sendable func goOn() { queue.async { if !isStopped.withLock({ $0 }) { goOn() } } }
            goOn()
            queue.sync { isStopped.withLock { $0 = true } }
        }
        #expect(found.outcome == .passed, "\(found.report)")
    }

    /// The main queue's blocks and the main actor's jobs run one at a time, in the order in which they were added.
    @Test func mainQueueIsTheMainActor() {
        let found = explored {
            let order = Shared<[Int]>([])
            await MainActor.run {
                DispatchQueue.main.async { order.withLock { $0.append(1) } }
                Task { @MainActor in order.withLock { $0.append(2) } }
                DispatchQueue.main.async { order.withLock { $0.append(3) } }
            }
            await waitForOtherTasks()
            let seen = order.withLock { $0 }
            check(seen == [1, 2, 3], "\(seen)")
        }
        #expect(found.outcome == .passed, "\(found.report)")
    }
}

@Sendable private func inTwoTasks(_ work: @escaping @Sendable () -> Void) async {
    let tasks = (0..<2).map { _ in Task { work() } }
    for task in tasks { await task.value }
}

/// A value behind a lock that the explorer sees.
private final class Locked<Value>: @unchecked Sendable {
    // Unchecked: `value` is accessed only while the lock is held.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Outcome>(_ body: (inout Value) -> Outcome) -> Outcome {
        lock.withLock { body(&value) }
    }
}

/// A value behind a lock whose taking the explorer doesn't see.
private final class Mutexed<Value: Sendable>: Sendable {
    let mutex: Mutex<Value>

    init(_ value: Value) { mutex = Mutex(value) }
}

private actor Holder {
    private let gate: Locked<Int>

    init(_ gate: Locked<Int>) { self.gate = gate }

    nonisolated func touch() { gate.withLock { $0 += 1 } }

    func start() -> Task<Void, Never> {
        let task = Task<Void, Never> {}
        touch()
        return task
    }

    func get() {}
}

private final class QueueExecutor: SerialExecutor {
    let queue = DispatchQueue(label: "owner")

    func enqueue(_ job: UnownedJob) { queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) } }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

private actor Owner {
    private let executor = QueueExecutor()
    private(set) var sum = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func add(_ number: Int) async {
        dispatchPrecondition(condition: .onQueue(executor.queue))
        assertIsolated()
        await Task.yield()
        dispatchPrecondition(condition: .onQueue(executor.queue))
        sum += number
    }
}

private final class Account: Sendable {
    private let current = Locked(100)

    var balance: Int { current.withLock { $0 } }

    func withdrawCarelessly() {
        let before = current.withLock { $0 }
        current.withLock { $0 = before - 1 }
    }
}

/// Blocks callers until it is open.
private final class Gate: Sendable {
    private let condition = NSCondition()
    private let isOpen = Shared(false)

    func open() {
        condition.withLock {
            isOpen.withLock { $0 = true }
            condition.broadcast()
        }
    }

    func wait() {
        condition.withLock { while !isOpen.withLock({ $0 }) { condition.wait() } }
    }

    /// Waits once; returns whether it was signalled.
    func wait(seconds: Double) -> Bool {
        condition.withLock { condition.wait(until: Date(timeIntervalSinceNow: seconds)) }
    }
}

private func block(on semaphore: DispatchSemaphore) { semaphore.wait() }

private func block(on group: DispatchGroup) { group.wait() }

private func sleep(seconds: Double) { Thread.sleep(forTimeInterval: seconds) }
