import AsyncAlgorithms
import HuntSupport
import Interleaving
import Testing

@Suite struct TimeHunts {
    @Test func debounceDeliversTheLastOfABurst() {
        hunt("debounce", "delivers the last element of each burst, after the pause") {
            let source = TimedSequence<Int>([
                (.zero, 1), (.milliseconds(100), 2), (.milliseconds(2000), 3), (.milliseconds(10), 4),
            ])
            let received = try await elements(of: source.debounce(for: .seconds(1)))
            check(received == [2, 4], "received \(received)")
        }
    }

    @Test func debounceNeverLosesTheLastElement() {
        hunt("debounce", "delivers the last element also if its time is the end of the pause") {
            let source = TimedSequence<Int>([(.zero, 1), (.seconds(1), 2), (.seconds(1), 3)])
            let received = try await elements(of: source.debounce(for: .seconds(1)))
            check(received.last == 3, "received \(received)")
            check(received == received.sorted() && Set(received).count == received.count, "received \(received)")
        }
    }

    @Test func cancellingADebounceWhileItWaitsEndsAllTasks() {
        hunt("debounce", "cancelling the consumer while it waits ends all tasks") {
            let (source, continuation) = AsyncStream<Int>.makeStream()
            let consumer = Task { for await _ in source.debounce(for: .seconds(1)) {} }
            continuation.yield(1)
            let canceller = Task {
                try await Task.sleep(for: .milliseconds(500))
                consumer.cancel()
            }
            await consumer.value
            try await canceller.value
            withExtendedLifetime(continuation) {}
        }
    }

    @Test func cancellingADebounceBetweenElementsEndsAllTasks() {
        hunt(
            "debounce", "cancelling the consumer while it handles an element ends all tasks",
            expecting: .bug("leaked", report: "debounce-leaks-when-cancelled-between-elements")
        ) {
            let (source, continuation) = AsyncStream<Int>.makeStream()
            let consumer = Task {
                for await _ in source.debounce(for: .seconds(1)) { try? await Task.sleep(for: .seconds(1)) }
            }
            continuation.yield(1)
            let canceller = Task {
                try await Task.sleep(for: .milliseconds(1500))
                consumer.cancel()
            }
            await consumer.value
            try await canceller.value
            withExtendedLifetime(continuation) {}
        }
    }

    @Test func debounceDeliversTheError() {
        hunt(
            "debounce", "an error that the source throws while the consumer is busy reaches the consumer",
            expecting: .known("received [1]", issue: "swift-async-algorithms#450")
        ) {
            let (source, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
            continuation.yield(1)
            let producer = Task {
                try await Task.sleep(for: .seconds(2))
                continuation.finish(throwing: HuntError.expected)
            }
            let received = Log<Int>()
            do {
                for try await element in source.debounce(for: .seconds(1)) {
                    received.append(element)
                    try await Task.sleep(for: .seconds(2))
                }
            } catch {
                received.append(-1)
            }
            try await producer.value
            check(received.elements == [1, -1], "received \(received.elements)")
        }
    }

    @Test func throttleDeliversTheLatestOfEachInterval() {
        hunt("throttle", "elements arrive in order and at least one interval apart, and the last one arrives") {
            let source = TimedSequence<Int>([
                (.zero, 1), (.milliseconds(300), 2), (.milliseconds(300), 3), (.milliseconds(500), 4),
                (.milliseconds(100), 5),
            ])
            let clock = ContinuousClock()
            var received: [Int] = []
            var last: ContinuousClock.Instant?
            for await element in source._throttle(for: .seconds(1), latest: true) {
                if let last { check(clock.now - last >= .seconds(1), "\(clock.now - last) after the one before") }
                last = clock.now
                received.append(element)
            }
            check(received.first == 1 && received.last == 5, "received \(received)")
            check(received == received.sorted(), "received \(received)")
        }
    }

    @Test func timerDoesNotDrift() {
        hunt("AsyncTimerSequence", "ticks at multiples of the interval, also if the consumer is slow") {
            let clock = ContinuousClock()
            let start = clock.now
            var ticks = 0
            for await _ in AsyncTimerSequence(interval: .seconds(1), clock: clock).prefix(3) {
                ticks += 1
                check((clock.now - start) == .seconds(ticks), "tick \(ticks) after \(clock.now - start)")
                try await Task.sleep(for: .milliseconds(700))
            }
            check(ticks == 3, "\(ticks) ticks")
        }
    }

    @Test func cancelledTimerEnds() {
        hunt("AsyncTimerSequence", "cancelling the consumer at the time of a tick ends it") {
            let ticks = Log<Int>()
            let consumer = Task {
                for await _ in AsyncTimerSequence(interval: .seconds(1), clock: .continuous) { ticks.append(1) }
            }
            try await Task.sleep(for: .seconds(2))
            consumer.cancel()
            await consumer.value
            check(ticks.count == 1 || ticks.count == 2, "\(ticks.count) ticks")
        }
    }

    @Test func chunksByTimeContainEverything() {
        hunt("chunked (by time)", "the chunks contain every element in order, within the count") {
            let source = TimedSequence<Int>([
                (.milliseconds(500), 1), (.milliseconds(500), 2), (.milliseconds(100), 3), (.milliseconds(900), 4),
            ])
            let chunks = source.chunks(ofCount: 2, or: .repeating(every: .seconds(1), clock: .continuous))
            let received = try await elements(of: chunks)
            check(received.flatMap(\.self) == [1, 2, 3, 4], "received \(received)")
            check(received.allSatisfy { (1...2).contains($0.count) }, "received \(received)")
        }
    }
}
