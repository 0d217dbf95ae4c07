import HuntSupport
import Interleaving
import Testing

@Suite struct LifetimeHunts {
    @Test func isolatedDeinitRunsOnce() {
        hunt("isolated deinit", "it runs once, on the actor, after all changes") {
            let log = Log<Int>()
            do {
                let counter = Counter(log)
                async let first: Void = counter.increment()
                async let second: Void = counter.increment()
                _ = await (first, second)
            }
            await waitForOtherTasks()
            check(log.elements == [2], "deinitialised with \(log.elements)")
        }
    }

    @Test func releasingAStreamTerminatesIt() {
        hunt("AsyncStream (unbounded)", "the termination handler runs once if the stream is released and finished") {
            let terminations = Log<Int>()
            let (stream, continuation) = AsyncStream<Int>.makeStream()
            continuation.onTermination = { _ in terminations.append(1) }
            let consumer = Task { [stream] in for await _ in stream { break } }
            let producer = Task { continuation.yield(1) }
            let finisher = Task { continuation.finish() }
            await consumer.value
            _ = await producer.value
            await finisher.value
            check(terminations.count == 1, "it ran \(terminations.count) times")
        }
    }

    @Test func immediateTasksRunAtOnce() {
        hunt("Task.immediate", "an immediate task runs at once until it suspends, and its value arrives") {
            let log = Log<Int>()
            await withTaskGroup { group in
                for number in 0..<2 {
                    group.addTask {
                        let task = Task.immediate {
                            log.append(number * 10)
                            await Task.yield()
                            return number
                        }
                        log.append(number * 10 + 1)
                        let value = await task.value
                        check(value == number, "received \(value)")
                    }
                }
            }
            for number in 0..<2 {
                let own = log.elements.filter { $0 / 10 == number }
                check(own == [number * 10, number * 10 + 1], "ran \(log.elements)")
            }
        }
    }
}

private actor Counter {
    private var count = 0
    private let log: Log<Int>

    init(_ log: Log<Int>) {
        self.log = log
    }

    func increment() {
        count += 1
    }

    isolated deinit {
        log.append(count)
    }
}
