import Dispatch
import Foundation
import Interleaving
import Testing

/// A construct that makes tasks runnable; across schedules, its two operations must run in more than one order.
struct Construct: Sendable, CustomTestStringConvertible {
    let name: String
    /// Runs two operations, each of which calls `note` with its number.
    let body: @Sendable (_ note: @escaping @Sendable (Int) -> Void) async throws -> Void

    var testDescription: String { name }

    init(
        _ name: String, _ body: @escaping @Sendable (_ note: @escaping @Sendable (Int) -> Void) async throws -> Void
    ) {
        self.name = name
        self.body = body
    }

    static let all = [
        Construct("nonisolated async functions") { note in
            @Sendable func work(_ number: Int) async {
                await Task.yield()
                note(number)
            }
            async let first: Void = work(1)
            async let second: Void = work(2)
            _ = await (first, second)
        },
        Construct("async let") { note in
            async let first: Void = note(1)
            async let second: Void = note(2)
            _ = await (first, second)
        },
        Construct("task groups") { note in
            await withTaskGroup(of: Void.self) { group in
                for number in 1...2 { group.addTask { note(number) } }
            }
        },
        Construct("discarding task groups") { note in
            await withDiscardingTaskGroup { group in
                for number in 1...2 { group.addTask { note(number) } }
            }
        },
        Construct("Task") { note in
            let tasks = (1...2).map { number in Task { note(number) } }
            for task in tasks { await task.value }
        },
        Construct("Task.detached") { note in
            let tasks = (1...2).map { number in Task.detached { note(number) } }
            for task in tasks { await task.value }
        },
        Construct("default actors") { note in
            let actors = [Plain(), Plain()]
            await withTaskGroup(of: Void.self) { group in
                for (number, actor) in actors.enumerated() { group.addTask { await actor.note(number, note) } }
            }
        },
        Construct("one default actor, uncontended") { note in
            let actor = Plain()
            async let first: Void = actor.note(1, note)
            async let second: Void = actor.note(2, note)
            _ = await (first, second)
        },
        Construct("custom executors") { note in
            let actor = Queued()
            async let first: Void = actor.note(1, note)
            async let second: Void = actor.note(2, note)
            _ = await (first, second)
        },
        Construct("global actors") { note in
            async let first: Void = onStage(1, note)
            async let second: Void = onStage(2, note)
            _ = await (first, second)
        },
        Construct("the main actor") { note in
            async let first: Void = onMain(1, note)
            async let second: Void = onMain(2, note)
            _ = await (first, second)
        },
        Construct("AsyncStream") { note in
            let (values, continuation) = AsyncStream.makeStream(of: Int.self)
            async let first: Void = { _ = continuation.yield(1) }()
            async let second: Void = { _ = continuation.yield(2) }()
            _ = await (first, second)
            continuation.finish()
            for await value in values { note(value) }
        },
        Construct("Task.sleep, due at one instant") { note in
            await withTaskGroup(of: Void.self) { group in
                for number in 1...2 {
                    group.addTask {
                        try? await Task.sleep(for: .seconds(1))
                        note(number)
                    }
                }
            }
        },
        Construct("Task.yield") { note in
            let tasks = (1...2).map { number in
                Task {
                    await Task.yield()
                    note(number)
                }
            }
            for task in tasks { await task.value }
        },
        Construct("cancellation") { note in
            let sleeper = Task {
                try? await Task.sleep(for: .seconds(1))
                note(1)
            }
            let canceller = Task {
                sleeper.cancel()
                await Task.yield()
                note(2)
            }
            await sleeper.value
            await canceller.value
        },
        Construct("task-local values") { note in
            await Local.$number.withValue(1) {
                async let first: Void = note(Local.number)
                async let second: Void = Local.$number.withValue(2) { await Task { note(Local.number) }.value }
                _ = await (first, second)
            }
        },
        Construct("continuations") { note in
            let waiting = Shared<[CheckedContinuation<Void, Never>]>([])
            let tasks = (1...2).map { number in
                Task {
                    await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
                    note(number)
                }
            }
            await waitForOtherTasks()
            for continuation in waiting.withLock({ $0 }) { continuation.resume() }
            for task in tasks { await task.value }
        },
    ]
}

private actor Plain: TwoSteps {
    func note(_ number: Int, _ note: @Sendable (Int) -> Void) {
        assertIsolated()
        note(number)
    }
}

private protocol TwoSteps: Actor {}

extension TwoSteps {
    func first(_ steps: Shared<[String]>) async {
        if isBegun(steps) { return }
        await second(steps)
    }

    func second(_ steps: Shared<[String]>) async {
        steps.withLock { $0.append("begun") }
        await Task.yield()
    }
}

@Stage private func firstOnStage(_ steps: Shared<[String]>) async {
    if isBegun(steps) { return }
    await secondOnStage(steps)
}

@Stage private func secondOnStage(_ steps: Shared<[String]>) async {
    steps.withLock { $0.append("begun") }
    await Task.yield()
}

@MainActor private func firstOnMain(_ steps: Shared<[String]>) async {
    if isBegun(steps) { return }
    await secondOnMain(steps)
}

@MainActor private func secondOnMain(_ steps: Shared<[String]>) async {
    steps.withLock { $0.append("begun") }
    await Task.yield()
}

private func isBegun(_ steps: Shared<[String]>) -> Bool {
    steps.withLock { $0.contains("begun") }
}

private final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "queue")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

private actor Queued: TwoSteps {
    private let executor = QueueExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func note(_ number: Int, _ note: @Sendable (Int) -> Void) {
        assertIsolated()
        note(number)
    }
}

@globalActor private actor Stage {
    static let shared = Stage()
}

@Stage private func onStage(_ number: Int, _ note: @Sendable (Int) -> Void) {
    Stage.assertIsolated()
    note(number)
}

@MainActor private func onMain(_ number: Int, _ note: @Sendable (Int) -> Void) {
    MainActor.assertIsolated()
    note(number)
}

private enum Local {
    @TaskLocal static var number = 0
}

@Suite(.timeLimit(.minutes(20))) struct CoverageTests {
    @Test(arguments: Construct.all) func constructRunsInSeveralOrders(_ construct: Construct) {
        let orders = Shared<Set<[Int]>>([])
        let thread = pthread_self()
        explore(schedules: 200) {
            let order = Shared<[Int]>([])
            try await construct.body { number in
                check(pthread_equal(thread, pthread_self()) != 0, "it ran on another thread")
                order.withLock { $0.append(number) }
            }
            orders.withLock { orders in
                let order = order.withLock { $0 }
                _ = orders.insert(order)
            }
        }
        #expect(orders.withLock { $0.count } >= 2, "\(orders.withLock { $0 })")
    }

    @Test func taskResumedByAnotherThreadRunsOnTheExplorationsThread() {
        let thread = pthread_self()
        // A separate queue, because explorations occupy the threads of the global queues, one per processor.
        let queue = DispatchQueue(label: "elsewhere")
        let explored = exploration(schedules: 5, hangTimeout: .seconds(600)) {
            await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
            check(pthread_equal(thread, pthread_self()) != 0, "it ran on another thread")
            await Task { @MainActor in
                await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
                MainActor.assertIsolated()
            }.value
        }
        #expect(explored.outcome == .passed, "\(explored.report)")
        // A continuation that is resumed before its task suspends isn't counted as a foreign resume.
        #expect((0...10).contains(explored.foreignResumes))
    }

    /// A call within an actor starts the called function at once: no other job runs in between.
    @Test(arguments: ["default actor", "custom executor", "global actor", "main actor"])
    func callWithinOneActorIsNotASchedulingPoint(_ kind: String) {
        let completed = Shared(0)
        explore(schedules: 1_000) {
            let work: [@Sendable () async -> Void]
            let steps = Shared<[String]>([])
            switch kind {
            case "default actor":
                let actor = Plain()
                work = (0..<3).map { _ in { await actor.first(steps) } }
            case "custom executor":
                let actor = Queued()
                work = (0..<3).map { _ in { await actor.first(steps) } }
            case "global actor": work = (0..<3).map { _ in { await firstOnStage(steps) } }
            default: work = (0..<3).map { _ in { await firstOnMain(steps) } }
            }
            let others = Task { @MainActor in for _ in 0..<5 { await firstOnMain(Shared(["begun"])) } }
            let tasks = work.map { work in Task { await Task { await work() }.value } } + [others]
            for task in tasks { await task.value }
            let begun = steps.withLock { $0.count { $0 == "begun" } }
            check(begun == 1, "\(begun) have begun")
            completed.withLock { $0 += 1 }
        }
        #expect(completed.withLock { $0 } == 1_000)
    }

    @Test func mainActorRunsJobsInFIFOOrder() {
        explore(schedules: 500) {
            let order = Shared<[Int]>([])
            let tasks = await MainActor.run {
                (0..<3).map { number in Task { @MainActor in order.withLock { $0.append(number) } } }
            }
            for task in tasks { await task.value }
            let seen = order.withLock { $0 }
            check(seen == [0, 1, 2], "\(seen)")
        }
    }
}
