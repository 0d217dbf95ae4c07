import HuntSupport
import Interleaving
import NIOConcurrencyHelpers
import NIOCore
import Testing

/// NIOAsyncSequenceProducer and its throwing variant: a source yields elements synchronously, and a task iterates.
@Suite struct AsyncSequenceProducerHunts {
    @Test func everyElementArrivesOnceInOrder() {
        hunt("NIOThrowingAsyncSequenceProducer", "every element arrives once, in order, and no demand is forgotten") {
            let (source, sequence, delegate) = makeThrowing(low: 1, high: 2)
            async let received = collected(sequence)
            for element in 1...5 {
                if source.yield(element) == .stopProducing { await delegate.demand() }
                await Task.yield()
            }
            source.finish()
            let elements = try await received
            check(elements == [1, 2, 3, 4, 5], "received \(elements)")
            check(delegate.terminations.count == 1, "terminated \(delegate.terminations.count) times")
        }
    }

    @Test func cancelledIterationEndsAndTerminatesOnce() {
        hunt("NIOThrowingAsyncSequenceProducer", "cancellation ends the iteration, and terminates exactly once") {
            let (source, sequence, delegate) = makeThrowing(low: 1, high: 4)
            let consumer = consumer(of: sequence)
            async let produced: Void = produce(3, source)
            async let cancelled: Void = cancel(consumer)
            _ = await (consumer.result, produced, cancelled)
            source.finish()
            check(source.yield(9) == .dropped, "an element was accepted after the end")
            check(delegate.terminations.count == 1, "terminated \(delegate.terminations.count) times")
        }
    }

    @Test func finishRacesWithCancellation() {
        hunt("NIOThrowingAsyncSequenceProducer", "finish(error) and cancellation: it terminates exactly once") {
            let (source, sequence, delegate) = makeThrowing(low: 1, high: 4)
            let consumer = consumer(of: sequence)
            async let produced: Void = produce(1, source)
            async let finished: Void = { source.finish(Failure()) }()
            async let cancelled: Void = cancel(consumer)
            let result = await consumer.result
            _ = await (produced, finished, cancelled)
            if case .failure(let error) = result {
                check(error is Failure || error is CancellationError, "threw \(error)")
            }
            check(delegate.terminations.count == 1, "terminated \(delegate.terminations.count) times")
        }
    }

    @Test func demandNeverFollowsTheEnd() {
        hunt(
            "NIOThrowingAsyncSequenceProducer", "produceMore() is never called after didTerminate()",
            expecting: .bug(
                "[\"didTerminate\", \"produceMore\"]", report: "nio-sequence-asks-for-more-after-termination"),
            preemptsAtLocks: true
        ) {
            let (source, sequence, delegate) = makeThrowing(low: 1, high: 1)
            let consumer = consumer(of: sequence)
            async let produced: Void = produce(2, source)
            async let cancelled: Void = cancel(consumer)
            _ = await (consumer.result, produced, cancelled)
            source.finish()
            let calls = delegate.calls.elements
            check(calls.last == "didTerminate", "called \(calls)")
            check(calls.filter { $0 == "didTerminate" }.count == 1, "called \(calls)")
        }
    }

    @Test func nonThrowingSequenceTerminatesOnceWhenCancelled() {
        hunt(
            "NIOAsyncSequenceProducer", "cancellation ends the iteration, and terminates exactly once",
            expecting: .bug("terminated 0 times", report: "nio-async-sequence-never-terminates")
        ) {
            let delegate = DemandDelegate()
            let consumer: Task<Void, Never>
            do {
                let made = NIOAsyncSequenceProducer<Int, HighLow, DemandDelegate>.makeSequence(
                    backPressureStrategy: HighLow(lowWatermark: 1, highWatermark: 4), finishOnDeinit: true,
                    delegate: delegate)
                let sequence = made.sequence
                consumer = Task { for await _ in sequence {} }
                async let produced: Void = {
                    _ = made.source.yield(1)
                    made.source.finish()
                }()
                async let cancelled: Void = { consumer.cancel() }()
                _ = await (consumer.value, produced, cancelled)
            }
            await waitForOtherTasks()
            check(delegate.terminations.count == 1, "terminated \(delegate.terminations.count) times")
        }
    }
}

// MARK: - Parts

private struct Failure: Error {}

private typealias HighLow = NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark
private typealias Throwing = NIOThrowingAsyncSequenceProducer<Int, any Error, HighLow, DemandDelegate>

/// Records the calls, and lets a producer wait for demand.
private final class DemandDelegate: NIOAsyncSequenceProducerDelegate {
    private struct State {
        /// The number of calls that no producer has waited for yet.
        var calls = 0
        var waiting: CheckedContinuation<Void, Never>?
    }

    let calls = Log<String>()
    let terminations = Log<Int>()
    private let state = NIOLockedValueBox(State())

    func produceMore() {
        calls.append("produceMore")
        resume()
    }

    func didTerminate() {
        calls.append("didTerminate")
        terminations.append(1)
        resume()
    }

    func demand() async {
        await withCheckedContinuation { continuation in
            let isCalled = state.withLockedValue { state in
                if state.calls > 0 {
                    state.calls -= 1
                    return true
                }
                state.waiting = continuation
                return false
            }
            if isCalled { continuation.resume() }
        }
    }

    private func resume() {
        let waiting = state.withLockedValue { state in
            let waiting = state.waiting
            state.waiting = nil
            if waiting == nil { state.calls += 1 }
            return waiting
        }
        waiting?.resume()
    }
}

private func makeThrowing(low: Int, high: Int) -> (Throwing.Source, Throwing, DemandDelegate) {
    let delegate = DemandDelegate()
    let made = Throwing.makeSequence(
        backPressureStrategy: HighLow(lowWatermark: low, highWatermark: high), finishOnDeinit: true, delegate: delegate)
    return (made.source, made.sequence, delegate)
}

private func consumer(of sequence: Throwing) -> Task<Void, any Error> {
    Task { for try await _ in sequence {} }
}

private func collected(_ sequence: Throwing) async throws -> [Int] {
    var elements: [Int] = []
    for try await element in sequence { elements.append(element) }
    return elements
}

private func produce(_ count: Int, _ source: Throwing.Source) async {
    for element in 1...count {
        _ = source.yield(element)
        await Task.yield()
    }
}

private func cancel(_ task: Task<Void, any Error>) async { task.cancel() }
