import AsyncAlgorithms
import HuntSupport
import Interleaving
import Testing

private typealias Channel = MultiProducerSingleConsumerAsyncChannel<Int, Never>

@Suite struct SingleConsumerChannelHunts {
    private static let name = "MultiProducerSingleConsumerAsyncChannel"

    @Test func everyElementArrivesOnceAndInOrder() {
        hunt(Self.name, "every element arrives once, in each producer's order") {
            var made = Channel.makeChannel(backpressureStrategy: .watermark(low: 1, high: 2))
            var channel = made.takeChannel()
            var source = made.source
            let other = source.makeAdditionalSource()
            let producers = (produce([1, 2, 3], source), produce([11, 12, 13], other))
            var elements: [Int] = []
            while let element = await channel.next() { elements.append(element) }
            try await producers.0.value
            try await producers.1.value
            check(elements.filter { $0 < 10 } == [1, 2, 3], "received \(elements)")
            check(elements.filter { $0 > 10 } == [11, 12, 13], "received \(elements)")
        }
    }

    @Test func cancelledConsumerEndsTheProducers() {
        hunt(Self.name, "a cancelled consumer ends the producers, and calls the termination callback once") {
            var made = Channel.makeChannel(backpressureStrategy: .watermark(low: 1, high: 1))
            let channel = made.takeChannel()
            let source = made.source
            let terminations = Log<Int>()
            source.setOnTerminationCallback { terminations.append(1) }
            let producer = produce([1, 2, 3], source)
            let consumer = consume(channel)
            let canceller = Task { consumer.cancel() }
            _ = await consumer.value
            do { try await producer.value } catch is MultiProducerSingleConsumerAsyncChannelAlreadyFinishedError {}
            await canceller.value
            check(terminations.count == 1, "called \(terminations.count) times")
        }
    }

    @Test func cancelledProducerReturns() {
        hunt(Self.name, "a cancelled producer returns, and the other's elements arrive") {
            var made = Channel.makeChannel(backpressureStrategy: .watermark(low: 1, high: 1))
            var channel = made.takeChannel()
            var source = made.source
            let other = source.makeAdditionalSource()
            let cancelled = produce([1, 2], source)
            let producer = produce([11, 12], other)
            let canceller = Task { cancelled.cancel() }
            var elements: [Int] = []
            while let element = await channel.next() { elements.append(element) }
            do { try await cancelled.value } catch is CancellationError {}
            try await producer.value
            await canceller.value
            check(elements.filter { $0 > 10 } == [11, 12], "received \(elements)")
        }
    }

    @Test func elementOfACancelledSendDoesNotArrive() {
        hunt(
            Self.name, "an element whose send threw doesn't arrive",
            expecting: .bug("sent [], received [1]", report: "channel-delivers-the-element-of-a-cancelled-send")
        ) {
            var made = Channel.makeChannel(backpressureStrategy: .watermark(low: 1, high: 1))
            let channel = made.takeChannel()
            let sent = Log<Int>()
            let producer = produce([1], made.source, sent)
            let canceller = Task { producer.cancel() }
            _ = await producer.result
            await canceller.value
            let elements = await consume(channel).value
            check(elements == sent.elements, "sent \(sent.elements), received \(elements)")
        }
    }

    @Test func callbackIsCalledWhenTheSourceIsReleased() {
        hunt(
            Self.name, "a callback that waits for demand is called when the source is released",
            expecting: .bug("called 0 times", report: "channel-drops-callbacks-of-a-released-source")
        ) {
            var made = Channel.makeChannel(backpressureStrategy: .watermark(low: 1, high: 1))
            let channel = made.takeChannel()
            let results = Log<Bool>()
            send(1, made.source) { results.append($0) }
            let elements = await consume(channel).value
            check(elements == [1], "received \(elements)")
            check(results.count == 1, "the callback was called \(results.count) times")
        }
    }

    @Test func producerContinuesWithLowWatermarkZero() {
        hunt(
            Self.name, "with low watermark 0, a suspended producer continues when all is consumed",
            expecting: .bug("hung", report: "channel-with-low-watermark-0-hangs-and-crashes"),
            hangTimeout: .milliseconds(100)
        ) {
            var made = Channel.makeChannel(backpressureStrategy: .watermark(low: 0, high: 1))
            var channel = made.takeChannel()
            let producer = produce([1, 2], made.source)
            var elements: [Int] = []
            while let element = await channel.next() { elements.append(element) }
            try await producer.value
            check(elements == [1, 2], "received \(elements)")
        }
    }

    @Test func finishDeliversWhatWasSent() {
        hunt(Self.name, "an element whose send returned arrives, also when another source finishes") {
            var made = Channel.makeChannel(backpressureStrategy: .watermark(low: 1, high: 2))
            var channel = made.takeChannel()
            var source = made.source
            let other = source.makeAdditionalSource()
            let sent = Log<Int>()
            let producer = produce([1, 2, 3], source, sent)
            let finisher = finish(other)
            var elements: [Int] = []
            while let element = await channel.next() { elements.append(element) }
            do { try await producer.value } catch is MultiProducerSingleConsumerAsyncChannelAlreadyFinishedError {}
            await finisher.value
            check(elements.starts(with: sent.elements), "sent \(sent.elements), received \(elements)")
        }
    }
}

/// Passes a value that can't be copied to a task.
///
/// Unchecked, because the compiler can't see that one task stores the value and only one other takes it.
private final class Handover<Value: ~Copyable>: @unchecked Sendable {
    private var value: Value?

    init(_ value: consuming sending Value) {
        self.value = consume value
    }

    func take() -> Value {
        guard let value = value.take() else { preconditionFailure("The value was taken before.") }
        return value
    }
}

/// Sends elements in a task, and then releases the source.
private func produce(
    _ elements: [Int], _ source: consuming sending Channel.Source, _ sent: Log<Int>? = nil
) -> Task<Void, any Error> {
    let handover = Handover(source)
    return Task {
        var source = handover.take()
        for element in elements {
            try await source.send(element)
            sent?.append(element)
        }
    }
}

/// Receives all elements in a task, and then releases the channel.
private func consume(_ channel: consuming sending Channel) -> Task<[Int], Never> {
    let handover = Handover(channel)
    return Task {
        var channel = handover.take()
        var elements: [Int] = []
        while let element = await channel.next() { elements.append(element) }
        return elements
    }
}

/// Finishes the channel in a task.
private func finish(_ source: consuming sending Channel.Source) -> Task<Void, Never> {
    let handover = Handover(source)
    return Task { handover.take().finish() }
}

/// Sends an element, and then releases the source.
private func send(
    _ element: Int, _ source: consuming sending Channel.Source, _ callback: @escaping @Sendable (Bool) -> Void
) {
    source.send(element) { result in
        callback((try? result.get()) != nil)
    }
}
