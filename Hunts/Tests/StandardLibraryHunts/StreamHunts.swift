import HuntSupport
import Interleaving
import Testing

@Suite struct StreamHunts {
    @Test func everyElementArrivesOnceAndInOrder() {
        hunt("AsyncStream (unbounded)", "every element arrives once, in each producer's order") {
            let (stream, continuation) = AsyncStream<Int>.makeStream()
            async let received = elements(of: stream)
            await withTaskGroup { group in
                for producer in 0..<2 {
                    group.addTask {
                        continuation.yield(producer * 10)
                        await Task.yield()
                        continuation.yield(producer * 10 + 1)
                    }
                }
            }
            continuation.finish()
            let elements = try await received
            check(elements.filter { $0 < 10 } == [0, 1], "received \(elements)")
            check(elements.filter { $0 >= 10 } == [10, 11], "received \(elements)")
        }
    }

    @Test func droppedElementsAreReported() {
        for (name, policy) in [
            ("bufferingNewest", AsyncStream<Int>.Continuation.BufferingPolicy.bufferingNewest(1)),
            ("bufferingOldest", .bufferingOldest(1)),
        ] {
            hunt("AsyncStream (\(name))", "every element either arrives or is reported as dropped, in order") {
                let (stream, continuation) = AsyncStream<Int>.makeStream(bufferingPolicy: policy)
                let dropped = Log<Int>()
                async let received = elements(of: stream)
                await withTaskGroup { group in
                    for producer in 0..<2 {
                        group.addTask {
                            for number in 0..<2 {
                                if case .dropped(let element) = continuation.yield(producer * 10 + number) {
                                    dropped.append(element)
                                }
                                await Task.yield()
                            }
                        }
                    }
                }
                continuation.finish()
                let elements = try await received
                let all = elements + dropped.elements
                check(all.sorted() == [0, 1, 10, 11], "received \(elements), dropped \(dropped.elements)")
                for producer in 0..<2 {
                    let own = elements.filter { $0 / 10 == producer }
                    check(own == own.sorted(), "received \(elements)")
                }
            }
        }
    }

    @Test func severalConsumersShareTheElements() {
        hunt("AsyncStream (unbounded)", "of several consumers one receives each element, and all end") {
            let (stream, continuation) = AsyncStream<Int>.makeStream()
            let received = Log<Int>()
            await withTaskGroup { group in
                for _ in 0..<3 {
                    group.addTask { for await element in stream { received.append(element) } }
                }
                group.addTask {
                    continuation.yield(1)
                    await Task.yield()
                    continuation.yield(2)
                    continuation.finish()
                }
            }
            check(received.elements.sorted() == [1, 2], "received \(received.elements)")
        }
    }

    @Test func terminationHandlerRunsOnce() {
        hunt("AsyncStream (unbounded)", "the termination handler runs once if finishing and cancellation race") {
            let (stream, continuation) = AsyncStream<Int>.makeStream()
            let terminations = Log<Int>()
            continuation.onTermination = { _ in terminations.append(1) }
            let consumer = Task { for await _ in stream {} }
            let finisher = Task { continuation.finish() }
            let canceller = Task { consumer.cancel() }
            await consumer.value
            await finisher.value
            await canceller.value
            check(terminations.count == 1, "it ran \(terminations.count) times")
        }
    }

    @Test func terminationHandlerThatIsSetLateRuns() {
        hunt(
            "AsyncStream (unbounded)", "a termination handler that is set while the stream ends runs once",
            expecting: .documented(
                "ran 0 times",
                explanation: "a stream that has ended has disposed of its handler, and calls no later one")
        ) {
            let (stream, continuation) = AsyncStream<Int>.makeStream()
            let terminations = Log<Int>()
            let consumer = Task { for await _ in stream {} }
            let setter = Task { continuation.onTermination = { _ in terminations.append(1) } }
            let finisher = Task { continuation.finish() }
            await consumer.value
            await finisher.value
            await setter.value
            check(terminations.count == 1, "it ran \(terminations.count) times")
        }
    }

    @Test func cancelledConsumerDoesNotAffectTheOther() {
        hunt(
            "AsyncStream (unbounded)", "a cancelled consumer doesn't affect the other",
            expecting: .documented(
                "received []", explanation: "cancelling a task that waits for an element terminates the stream")
        ) {
            let (stream, continuation) = AsyncStream<Int>.makeStream()
            let received = Log<Int>()
            let consumers = (0..<2).map { _ in
                Task { for await element in stream { received.append(element) } }
            }
            await waitForOtherTasks()
            let canceller = Task { consumers[0].cancel() }
            let producer = Task {
                continuation.yield(1)
                continuation.finish()
            }
            for consumer in consumers { await consumer.value }
            await canceller.value
            await producer.value
            check(received.elements == [1], "received \(received.elements)")
        }
    }

    @Test func cancelledConsumerEnds() {
        hunt("AsyncStream (unbounded)", "a cancelled consumer ends, and later elements are refused") {
            let (stream, continuation) = AsyncStream<Int>.makeStream()
            let consumer = Task { for await _ in stream {} }
            let canceller = Task { consumer.cancel() }
            let producer = Task { continuation.yield(1) }
            await consumer.value
            await canceller.value
            _ = await producer.value
            if case .terminated = continuation.yield(2) { return }
            check(false, "an element was accepted after the end")
        }
    }

    @Test func unfoldingStreamEndsWhenCancelled() {
        hunt(
            "AsyncStream (unfolding)", "elements arrive in order, and the cancellation handler runs at most once",
            expecting: .known("ran 2 times", issue: "swift#83137")
        ) {
            let cancellations = Log<Int>()
            let produced = Log<Int>()
            let stream = AsyncStream<Int> {
                await Task.yield()
                if produced.count == 3 { return nil }
                produced.append(produced.count)
                return produced.count
            } onCancel: {
                cancellations.append(1)
            }
            let consumer = Task { try await elements(of: stream) }
            let canceller = Task { consumer.cancel() }
            let received = try await consumer.value
            await canceller.value
            check(received == Array([1, 2, 3].prefix(received.count)), "received \(received)")
            check(cancellations.count <= 1, "it ran \(cancellations.count) times")
        }
    }

    @Test func errorArrivesAfterTheElements() {
        hunt("AsyncThrowingStream", "the error arrives once, after all elements") {
            let (stream, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
            async let received = elementsAndError(of: stream)
            let producer = Task {
                continuation.yield(1)
                await Task.yield()
                continuation.yield(2)
                continuation.finish(throwing: HuntError.expected)
            }
            await producer.value
            let elements = await received
            check(elements == [1, 2, -1], "received \(elements)")
        }
    }

    @Test func throwingTerminationHandlerRunsOnce() {
        hunt("AsyncThrowingStream", "the termination handler runs once if failure, finish and cancellation race") {
            let (stream, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
            let terminations = Log<Int>()
            continuation.onTermination = { _ in terminations.append(1) }
            let consumer = Task { await elementsAndError(of: stream) }
            let finisher = Task { continuation.finish() }
            let failer = Task { continuation.finish(throwing: HuntError.expected) }
            let canceller = Task { consumer.cancel() }
            let received = await consumer.value
            await finisher.value
            await failer.value
            await canceller.value
            check(terminations.count == 1, "it ran \(terminations.count) times")
            check(received.isEmpty || received == [-1], "received \(received)")
        }
    }
}
