import Interleaving

// Bugs of real programs, each in as few lines as possible.

extension Bug {
    static let fromRealPrograms = [
        Bug("a pool hands one connection out twice", faulty: pool(isAtomic: false), correct: pool(isAtomic: true)),
        Bug("check, then act across await", faulty: cache(isShared: false), correct: cache(isShared: true)),
        Bug(
            "a cancelled waiter keeps its permit", faulty: semaphore(releasesPermit: false),
            correct: semaphore(releasesPermit: true)
        ),
        Bug("a priority queue drained by two", faulty: drain(isAtomic: false), correct: drain(isAtomic: true)),
        Bug("cancel races completion", faulty: cancelRace(isAtomic: false), correct: cancelRace(isAtomic: true)),
        Bug(
            "a stream finished before its last value", faulty: stream(isOrdered: false),
            correct: stream(isOrdered: true)),
        Bug("A, B, A shows the first A", faulty: refresh(byAddress: true), correct: refresh(byAddress: false)),
        Bug(
            "a throttle emits after it finished", faulty: throttle(isStopped: false), correct: throttle(isStopped: true)
        ),
        Bug("a leaked child task", faulty: leak(isAwaited: false), correct: leak(isAwaited: true)),
        Bug("a lock without defer", faulty: unlocking(always: false), correct: unlocking(always: true)),
        Bug("a timeout fires after success", faulty: timeout(isCancelled: false), correct: timeout(isCancelled: true)),
        Bug("a retry runs twice", faulty: retry(isSingle: false), correct: retry(isSingle: true)),
    ]
}

// MARK: - Resources

private actor Pool {
    private var free = [1, 2]

    var next: Int? { free.last }
    func remove(_ connection: Int) { free.removeAll { $0 == connection } }
    func take() -> Int? { free.popLast() }
}

private func pool(isAtomic: Bool) -> Bug.Body {
    {
        let pool = Pool()
        @Sendable func take() async -> Int? {
            if isAtomic { return await pool.take() }
            guard let connection = await pool.next else { return nil }
            keepActorHop()
            await pool.remove(connection)
            return connection
        }
        async let first = take()
        async let second = take()
        let (one, other) = await (first, second)
        check(one == nil || one != other, "both have connection \(one ?? 0)")
    }
}

private actor Cache {
    private var value: Int?
    private var loading: Task<Int, Never>?
    private(set) var loads = 0

    private func load() async -> Int {
        loads += 1
        await Task.yield()
        return 42
    }

    func value(isShared: Bool) async -> Int {
        if let value { return value }
        if !isShared {
            let loaded = await load()
            value = loaded
            return loaded
        }
        if let loading { return await loading.value }
        let task = Task { await load() }
        loading = task
        let loaded = await task.value
        value = loaded
        return loaded
    }
}

private func cache(isShared: Bool) -> Bug.Body {
    {
        let cache = Cache()
        async let first = cache.value(isShared: isShared)
        async let second = cache.value(isShared: isShared)
        _ = await (first, second)
        let loads = await cache.loads
        check(loads == 1, "loaded \(loads) times")
    }
}

private actor Semaphore {
    private var permits: Int
    private var waiters: [(id: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    private var cancelled: Set<Int> = []

    init(_ permits: Int) { self.permits = permits }

    /// Returns whether the caller has a permit; one that was cancelled first has none.
    func wait(_ id: Int, releasesPermit: Bool) async -> Bool {
        if permits > 0 {
            permits -= 1
            return true
        }
        let hasPermit = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if cancelled.contains(id) {
                    continuation.resume(returning: false)
                } else {
                    waiters.append((id, continuation))
                }
            }
        } onCancel: {
            Task { await cancel(id) }
        }
        // The task was handed a permit after it was cancelled.
        if hasPermit, Task.isCancelled, releasesPermit {
            signal()
            return false
        }
        return hasPermit && !Task.isCancelled
    }

    private func cancel(_ id: Int) {
        cancelled.insert(id)
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
        waiters.remove(at: index).continuation.resume(returning: false)
    }

    func signal() {
        if waiters.isEmpty { permits += 1 } else { waiters.removeFirst().continuation.resume(returning: true) }
    }

    var free: Int { permits }
}

private func semaphore(releasesPermit: Bool) -> Bug.Body {
    {
        let semaphore = Semaphore(1)
        _ = await semaphore.wait(0, releasesPermit: releasesPermit)
        let waiter = Task {
            if await semaphore.wait(1, releasesPermit: releasesPermit) { await semaphore.signal() }
        }
        let releaser = Task { await semaphore.signal() }
        waiter.cancel()
        await releaser.value
        await waiter.value
        await waitForOtherTasks()
        let free = await semaphore.free
        check(free == 1, "\(free) of 1 permits are free")
    }
}

private actor Heap {
    private var jobs = [3, 2, 1]

    var top: Int? { jobs.last }
    func removeTop() { _ = jobs.popLast() }
    func pop() -> Int? { jobs.popLast() }
}

private func drain(isAtomic: Bool) -> Bug.Body {
    {
        let heap = Heap()
        let done = Shared<[Int]>([])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    while let job = isAtomic ? await heap.pop() : await heap.top {
                        keepActorHop()
                        if !isAtomic { await heap.removeTop() }
                        done.withLock { $0.append(job) }
                    }
                }
            }
        }
        let jobs = done.withLock { $0.sorted() }
        check(jobs == [1, 2, 3], "done: \(jobs)")
    }
}

// MARK: - Once, and not after the end

private actor Operation {
    private var isOver = false
    private(set) var ends: [String] = []
    private let audit = AsyncLock()

    func end(_ how: String, isAtomic: Bool) async {
        if isOver { return }
        if isAtomic { isOver = true }
        await audit.lock()
        isOver = true
        ends.append(how)
        await audit.unlock()
    }
}

private func cancelRace(isAtomic: Bool) -> Bug.Body {
    {
        let operation = Operation()
        async let completed: Void = operation.end("completed", isAtomic: isAtomic)
        async let cancelled: Void = operation.end("cancelled", isAtomic: isAtomic)
        _ = await (completed, cancelled)
        let ends = await operation.ends
        check(ends.count == 1, "it was \(ends.joined(separator: " and "))")
    }
}

private actor Producer {
    private let continuation: AsyncStream<Int>.Continuation
    private var rest = 2

    init(_ continuation: AsyncStream<Int>.Continuation) { self.continuation = continuation }

    func produce(_ value: Int, isOrdered: Bool) async {
        if !isOrdered {
            rest -= 1
            // Finished by the last producer to begin instead of the last one to yield.
            let isLast = rest == 0
            await Task.yield()
            continuation.yield(value)
            if isLast { continuation.finish() }
        } else {
            await Task.yield()
            continuation.yield(value)
            rest -= 1
            if rest == 0 { continuation.finish() }
        }
    }
}

private func stream(isOrdered: Bool) -> Bug.Body {
    {
        let (values, continuation) = AsyncStream.makeStream(of: Int.self)
        let producer = Producer(continuation)
        async let first: Void = producer.produce(1, isOrdered: isOrdered)
        async let second: Void = producer.produce(2, isOrdered: isOrdered)
        var sum = 0
        for await value in values { sum += value }
        _ = await (first, second)
        check(sum == 3, "the values add up to \(sum), not 3")
    }
}

private actor Server {
    private var version = 0

    func page(_ address: String) -> String {
        version += 1
        return "\(address)\(version)"
    }
}

@MainActor
private final class Viewer {
    private var address = ""
    private var generation = 0
    private(set) var shown = ""
    private(set) var newest = ""
    private let server = Server()

    func load(_ address: String, byAddress: Bool) async {
        self.address = address
        generation += 1
        let own = generation
        let page = await server.page(address)
        await Task.yield()
        if own == generation { newest = page }
        guard byAddress ? self.address == address : own == generation else { return }
        shown = page
    }
}

private func refresh(byAddress: Bool) -> Bug.Body {
    {
        let viewer = Viewer()
        await withTaskGroup(of: Void.self) { group in
            for address in ["A", "B", "A"] { group.addTask { await viewer.load(address, byAddress: byAddress) } }
        }
        let (shown, newest) = await (viewer.shown, viewer.newest)
        check(shown == newest, "\(shown) is shown instead of \(newest)")
    }
}

private actor Throttle {
    private var pending: Task<Void, Never>?
    private(set) var isFinished = false
    private(set) var emittedLate = false

    func send() {
        pending = Task {
            try? await Task.sleep(for: .seconds(1))
            emit()
        }
    }

    private func emit() {
        if Task.isCancelled { return }
        if isFinished { emittedLate = true }
    }

    func finish(isStopped: Bool) async {
        if isStopped { pending?.cancel() }
        isFinished = true
        await pending?.value
    }
}

private func throttle(isStopped: Bool) -> Bug.Body {
    {
        let throttle = Throttle()
        await throttle.send()
        try await Task.sleep(for: .seconds(1))
        await throttle.finish(isStopped: isStopped)
        check(!(await throttle.emittedLate), "emitted after it finished")
    }
}

// MARK: - Leaks

private func leak(isAwaited: Bool) -> Bug.Body {
    {
        let gate = AsyncStream.makeStream(of: Void.self)
        let child = Task { for await _ in gate.stream {} }
        await Task.yield()
        if isAwaited {
            gate.continuation.finish()
            await child.value
        } else {
            // The stream is retained and never finished.
            _ = Unmanaged.passRetained(LeakedContinuation(gate.continuation))
        }
    }
}

private final class LeakedContinuation: Sendable {
    let continuation: AsyncStream<Void>.Continuation

    init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }
}

private func unlocking(always: Bool) -> Bug.Body {
    {
        let lock = AsyncLock()
        let isBroken = Shared(false)
        @Sendable func work() async throws {
            await lock.lock()
            await Task.yield()
            let breaks = isBroken.withLock { isBroken in
                defer { isBroken = true }
                return !isBroken
            }
            if breaks {
                if always { await lock.unlock() }
                throw CancellationError()
            }
            await lock.unlock()
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 { group.addTask { try? await work() } }
        }
    }
}

private func timeout(isCancelled: Bool) -> Bug.Body {
    {
        let events = Shared<[String]>([])
        let clock = ContinuousClock()
        let timer = Task {
            try? await clock.sleep(for: .seconds(5))
            if isCancelled, Task.isCancelled { return }
            events.withLock { $0.append("timed out") }
        }
        try await clock.sleep(for: .seconds(5))
        let isLate = events.withLock { events in
            if events.isEmpty { events.append("succeeded") }
            return events.first == "timed out"
        }
        timer.cancel()
        await timer.value
        let all = events.withLock { $0 }
        check(isLate || all.count == 1, all.joined(separator: ", then "))
    }
}

private actor Request {
    private(set) var attempts = 0
    private var isRetrying = false

    func retry(isSingle: Bool) async {
        if isSingle {
            if isRetrying { return }
            isRetrying = true
        } else if isRetrying {
            return
        }
        await Task.yield()
        isRetrying = true
        attempts += 1
    }
}

private func retry(isSingle: Bool) -> Bug.Body {
    {
        let request = Request()
        // The connection and its deadline both report the failure.
        async let first: Void = request.retry(isSingle: isSingle)
        async let second: Void = request.retry(isSingle: isSingle)
        _ = await (first, second)
        let attempts = await request.attempts
        check(attempts == 1, "retried \(attempts) times")
    }
}
