import AsyncAlgorithms
import HuntSupport
import Interleaving
import Testing

@Suite struct BufferHunts {
    @Test func losslessBuffersDeliverEverything() {
        for (name, policy) in [("bounded", AsyncBufferSequencePolicy.bounded(2)), ("unbounded", .unbounded)] {
            hunt("buffer (\(name))", "every element arrives once and in order") {
                let received = try await elements(of: QuietSequence([1, 2, 3, 4]).buffer(policy: policy))
                check(received == [1, 2, 3, 4], "received \(received)")
            }
        }
    }

    @Test func errorArrivesAfterTheElements() {
        for (name, policy) in [("bounded", AsyncBufferSequencePolicy.bounded(1)), ("unbounded", .unbounded)] {
            hunt("buffer (\(name))", "the error arrives after all elements") {
                let source = YieldingSequence([1, 2], error: HuntError.expected)
                let received = await elementsAndError(of: source.buffer(policy: policy))
                check(received == [1, 2, -1], "received \(received)")
            }
        }
    }

    @Test func boundedBufferStaysWithinItsBound() {
        hunt("buffer (bounded)", "the source is at most the bound and one element ahead of the consumer") {
            let produced = Log<Int>()
            let source = QuietSequence([1, 2, 3, 4, 5]).map { element in
                produced.append(element)
                return element
            }
            var received = 0
            for await _ in source.buffer(policy: .bounded(1)) {
                received += 1
                check(produced.count - received <= 2, "produced \(produced.count), received \(received)")
                await Task.yield()
                check(produced.count - received <= 2, "produced \(produced.count), received \(received)")
            }
        }
    }

    @Test func droppingBuffersKeepTheOrderAndTheRightEnd() {
        hunt("buffer (bufferingLatest)", "elements arrive in order, and the last one always") {
            let received = try await elements(of: QuietSequence([1, 2, 3, 4]).buffer(policy: .bufferingLatest(1)))
            check(received == received.sorted() && Set(received).count == received.count, "received \(received)")
            check(received.last == 4, "received \(received)")
        }
        hunt("buffer (bufferingOldest)", "elements arrive in order, and the first one always") {
            let received = try await elements(of: QuietSequence([1, 2, 3, 4]).buffer(policy: .bufferingOldest(1)))
            check(received == received.sorted() && Set(received).count == received.count, "received \(received)")
            check(received.first == 1, "received \(received)")
        }
    }

    @Test func cancelledConsumerEndsTheIteration() {
        for (name, policy) in [
            ("bounded", AsyncBufferSequencePolicy.bounded(1)), ("unbounded", .unbounded),
            ("bufferingLatest", .bufferingLatest(1)), ("bufferingOldest", .bufferingOldest(1)),
        ] {
            hunt("buffer (\(name))", "cancelling the consumer ends the iteration of the source") {
                let (source, continuation) = AsyncStream<Int>.makeStream()
                continuation.yield(1)
                continuation.yield(2)
                let consumer = Task {
                    for await _ in source.buffer(policy: policy) { await Task.yield() }
                }
                let canceller = Task { consumer.cancel() }
                await consumer.value
                await canceller.value
                withExtendedLifetime(continuation) {}
            }
        }
    }

    @Test func leavingTheLoopEndsTheIteration() {
        hunt(
            "buffer (bounded)", "leaving the loop ends the iteration of the source",
            expecting: .known("leaked", issue: "swift-async-algorithms#352")
        ) {
            for await _ in QuietSequence([1, 2, 3, 4]).buffer(policy: .bounded(1)) { break }
        }
        hunt(
            "buffer (unbounded)", "leaving the loop ends the iteration of the source",
            expecting: .known("leaked", issue: "swift-async-algorithms#352")
        ) {
            let (source, continuation) = AsyncStream<Int>.makeStream()
            continuation.yield(1)
            for await _ in source.buffer(policy: .unbounded) { break }
            withExtendedLifetime(continuation) {}
        }
    }
}
