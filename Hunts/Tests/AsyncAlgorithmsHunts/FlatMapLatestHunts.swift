import AsyncAlgorithms
import HuntSupport
import Interleaving
import Testing

@Suite struct FlatMapLatestHunts {
    @Test func lastInnerSequenceArrivesInFull() {
        // Needs an interruption after the inner task was made, before the state machine knows it.
        hunt(
            "flatMapLatest", "the last inner sequence arrives in full, and nothing arrives after it",
            expecting: .known("hung", issue: "swift-async-algorithms#437")
        ) {
            let latest = QuietSequence([1, 2]).flatMapLatest { QuietSequence([$0 * 10, $0 * 10 + 1]) }
            let received = try await elements(of: latest)
            check(Array(received.suffix(2)) == [20, 21], "received \(received)")
            check([[], [10], [10, 11]].contains(Array(received.dropLast(2))), "received \(received)")
        }
    }

    @Test func newOuterElementReplacesASilentInnerSequence() {
        hunt(
            "flatMapLatest", "a new outer element replaces an inner sequence that is silent",
            expecting: .bug("hung", report: "flatMapLatest-waits-for-a-silent-inner-sequence"),
            hangTimeout: .milliseconds(100)
        ) {
            let latest = QuietSequence([1, 2, 3]).flatMapLatest { number in
                let (inner, continuation) = AsyncStream<Int>.makeStream()
                // The second inner sequence has no elements and never ends.
                if number != 2 { continuation.yield(number) }
                if number == 3 { continuation.finish() }
                return Unfinished(inner, continuation)
            }
            var last = 0
            for await element in latest {
                last = element
                await Task.yield()
            }
            check(last == 3, "the last element is \(last)")
        }
    }

    @Test func cancellationEndsAllTasks() {
        hunt(
            "flatMapLatest", "cancelling the consumer ends all tasks",
            expecting: .bug("leaked", report: "flatMapLatest-leaks-its-tasks")
        ) {
            let (outer, outerContinuation) = AsyncStream<Int>.makeStream()
            let latest = outer.flatMapLatest { QuietSequence([$0]) }
            let consumer = Task {
                for await _ in latest {}
            }
            outerContinuation.yield(1)
            await waitForOtherTasks()
            consumer.cancel()
            await consumer.value
            _ = outerContinuation
        }
    }

    @Test func errorOfAnInnerSequenceEndsAllTasks() {
        hunt(
            "flatMapLatest", "an error of an inner sequence ends all tasks",
            expecting: .bug("leaked", report: "flatMapLatest-leaks-its-tasks")
        ) {
            let (outer, outerContinuation) = AsyncThrowingStream<Int, any Error>.makeStream()
            let latest = outer.flatMapLatest { YieldingSequence([$0], error: HuntError.expected) }
            outerContinuation.yield(1)
            await #expect(throws: HuntError.self) {
                for try await _ in latest {}
            }
            _ = outerContinuation
        }
    }

    @Test func leavingTheLoopEndsAllTasks() {
        hunt(
            "flatMapLatest", "leaving the loop ends all tasks",
            expecting: .bug("leaked", report: "flatMapLatest-leaks-its-tasks")
        ) {
            for await _ in QuietSequence([1, 2]).flatMapLatest({ QuietSequence([$0]) }) { break }
        }
    }
}

/// A stream, with its continuation so that it isn't finished when that is released.
struct Unfinished: AsyncSequence, Sendable {
    private let stream: AsyncStream<Int>
    private let continuation: AsyncStream<Int>.Continuation

    init(_ stream: AsyncStream<Int>, _ continuation: AsyncStream<Int>.Continuation) {
        self.stream = stream
        self.continuation = continuation
    }

    func makeAsyncIterator() -> AsyncStream<Int>.Iterator { stream.makeAsyncIterator() }
}
