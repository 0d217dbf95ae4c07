import AsyncAlgorithms
import HuntSupport
import Interleaving
import Testing

// Most of these hunts allow leaks, because the iteration of the source can leak; other hunts expect that.
@Suite struct ShareHunts {
    @Test func bothConsumersReceiveEverything() {
        for (name, policy) in [("bounded", AsyncBufferSequencePolicy.bounded(1)), ("unbounded", .unbounded)] {
            hunt("share", "\(name): two consumers receive every element, in order", allowsLeaks: true) {
                let (source, continuation) = AsyncStream<Int>.makeStream()
                let shared = source.share(bufferingPolicy: policy)
                async let first = elements(of: shared)
                async let second = elements(of: shared)
                await waitForOtherTasks()
                for number in 1...3 { continuation.yield(number) }
                continuation.finish()
                let received = try await (first, second)
                check(received.0 == [1, 2, 3], "the first received \(received.0)")
                check(received.1 == [1, 2, 3], "the second received \(received.1)")
            }
        }
    }

    @Test func lateConsumerReceivesASuffix() {
        hunt("share", "a consumer that begins at any time receives a suffix, in order", allowsLeaks: true) {
            let shared = QuietSequence([1, 2, 3]).share()
            async let first = elements(of: shared)
            async let second = elements(of: shared)
            let received = try await (first, second)
            check([received.0, received.1].contains([1, 2, 3]), "received \(received)")
            for elements in [received.0, received.1] {
                check(elements == Array([1, 2, 3].suffix(elements.count)), "received \(elements)")
            }
        }
    }

    @Test func waitingConsumerReceivesTheNewest() {
        hunt(
            "share", "bufferingLatest: a consumer that always waits receives every element",
            expecting: .bug("received [1]", report: "share-bufferingLatest-skips-a-waiting-consumer")
        ) {
            let (source, continuation) = AsyncStream<Int>.makeStream()
            let shared = source.share(bufferingPolicy: .bufferingLatest(1))
            let slow = shared.makeAsyncIterator()
            async let received = elements(of: shared)
            for number in 1...3 {
                await waitForOtherTasks()
                continuation.yield(number)
            }
            await waitForOtherTasks()
            continuation.finish()
            let elements = try await received
            check(elements == [1, 2, 3], "the waiting consumer received \(elements)")
            withExtendedLifetime(slow) {}
        }
    }

    @Test func leavingTheLoopEndsTheIteration() {
        hunt(
            "share", "leaving the loop ends the iteration of the source",
            expecting: .bug("leaked", report: "share-never-ends-its-iteration")
        ) {
            for await _ in QuietSequence([1, 2, 3]).share() { break }
        }
    }

    @Test func cancellingTheOnlyConsumerEndsTheIteration() {
        for (name, policy) in [("bounded", AsyncBufferSequencePolicy.bounded(1)), ("unbounded", .unbounded)] {
            hunt(
                "share", "\(name): cancelling the only consumer while it waits ends the iteration of the source",
                expecting: name == "bounded" ? .nothing : .bug("leaked", report: "share-never-ends-its-iteration")
            ) {
                let (source, continuation) = AsyncStream<Int>.makeStream()
                do {
                    let shared = source.share(bufferingPolicy: policy)
                    let consumer = Task { try await elements(of: shared) }
                    await waitForOtherTasks()
                    consumer.cancel()
                    _ = try await consumer.value
                }
                withExtendedLifetime(continuation) {}
            }
        }
    }

    @Test func releasingAllConsumersEndsTheIteration() {
        hunt(
            "share", "releasing the sequence and its consumers, one of them slow, ends the iteration of the source",
            expecting: .bug("leaked", report: "share-never-ends-its-iteration")
        ) {
            let shared = QuietSequence([1, 2, 3]).share()
            let slow = shared.makeAsyncIterator()
            var fast = shared.makeAsyncIterator()
            _ = try await fast.next()
            await waitForOtherTasks()
            withExtendedLifetime((slow, shared)) {}
        }
    }

    @Test func cancelledConsumerDoesNotAffectTheOther() {
        hunt("share", "a cancelled consumer doesn't affect the other", allowsLeaks: true) {
            let (source, continuation) = AsyncStream<Int>.makeStream()
            let shared = source.share()
            let cancelled = Task { try await elements(of: shared) }
            let other = Task { try await elements(of: shared) }
            await waitForOtherTasks()
            continuation.yield(1)
            continuation.yield(2)
            continuation.finish()
            let canceller = Task { cancelled.cancel() }
            let received = try await other.value
            check(received == [1, 2], "the other received \(received)")
            let partial = try await cancelled.value
            check([[], [1], [1, 2]].contains(partial), "the cancelled one received \(partial)")
            await canceller.value
        }
    }

    @Test func errorReachesBothConsumers() {
        hunt("share", "the error of the source reaches both consumers", allowsLeaks: true) {
            let (source, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
            let shared = source.share()
            async let first = elementsAndError(of: shared)
            async let second = elementsAndError(of: shared)
            await waitForOtherTasks()
            continuation.yield(1)
            continuation.finish(throwing: HuntError.expected)
            let results = await (first, second)
            check(results.0 == [1, -1], "the first received \(results.0)")
            check(results.1 == [1, -1], "the second received \(results.1)")
        }
    }
}
