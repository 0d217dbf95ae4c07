import AsyncAlgorithms
import HuntSupport
import Interleaving
import Testing

@Suite struct ChannelHunts {
    @Test func everyElementArrivesOnceAndInOrder() {
        hunt("AsyncChannel", "every element arrives once, in each producer's order") {
            let channel = AsyncChannel<Int>()
            let received = Log<Int>()
            await withTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask { for await element in channel { received.append(element) } }
                }
                await withTaskGroup { producers in
                    for producer in 0..<2 {
                        producers.addTask {
                            await channel.send(producer * 10)
                            await channel.send(producer * 10 + 1)
                        }
                    }
                }
                channel.finish()
            }
            check(received.elements.sorted() == [0, 1, 10, 11], "received \(received.elements)")
        }
    }

    @Test func singleConsumerKeepsTheOrder() {
        hunt("AsyncChannel", "one consumer receives each producer's elements in order") {
            let channel = AsyncChannel<Int>()
            async let received = elements(of: channel)
            await withTaskGroup { producers in
                for producer in 0..<2 {
                    producers.addTask {
                        await channel.send(producer * 10)
                        await channel.send(producer * 10 + 1)
                    }
                }
            }
            channel.finish()
            let elements = try await received
            check(elements.filter { $0 < 10 } == [0, 1], "received \(elements)")
            check(elements.filter { $0 >= 10 } == [10, 11], "received \(elements)")
        }
    }

    @Test func cancelledSenderLosesOnlyItsOwnElement() {
        hunt("AsyncChannel", "a cancelled sender returns, and the other's element arrives once") {
            let channel = AsyncChannel<Int>()
            let cancelled = Task { await channel.send(1) }
            let other = Task { await channel.send(2) }
            let canceller = Task { cancelled.cancel() }
            let consumer = Task { try await elements(of: channel) }
            await cancelled.value
            await other.value
            await canceller.value
            channel.finish()
            let received = try await consumer.value
            check(received.count { $0 == 2 } == 1, "received \(received)")
            check(received.count { $0 == 1 } <= 1, "received \(received)")
        }
    }

    @Test func cancelledConsumerLosesNoElement() {
        hunt("AsyncChannel", "a cancelled consumer loses no element of a send that returned") {
            let channel = AsyncChannel<Int>()
            let received = Log<Int>()
            let consumers = (0..<2).map { _ in
                Task { for await element in channel { received.append(element) } }
            }
            let producer = Task {
                await channel.send(1)
                await channel.send(2)
            }
            let canceller = Task { consumers[0].cancel() }
            await producer.value
            await canceller.value
            channel.finish()
            for consumer in consumers { await consumer.value }
            check(received.elements.sorted() == [1, 2], "received \(received.elements)")
        }
    }

    @Test func finishResumesEveryone() {
        hunt("AsyncChannel", "finishing while others send and receive resumes all of them") {
            let channel = AsyncChannel<Int>()
            await withTaskGroup { group in
                group.addTask { for await _ in channel {} }
                group.addTask { await channel.send(1) }
                group.addTask { await channel.send(2) }
                group.addTask { channel.finish() }
            }
        }
    }

    @Test func failureReachesOneConsumerAndEndsAll() {
        hunt("AsyncThrowingChannel", "a failure reaches a consumer, and ends all senders and consumers") {
            let channel = AsyncThrowingChannel<Int, any Error>()
            let results = Log<[Int]>()
            await withTaskGroup { group in
                for _ in 0..<2 { group.addTask { results.append(await elementsAndError(of: channel)) } }
                group.addTask { await channel.send(1) }
                group.addTask { channel.fail(HuntError.expected) }
            }
            let received = results.elements.flatMap(\.self)
            check(received.contains(-1), "received \(results.elements)")
            check(received.count { $0 == 1 } <= 1, "received \(results.elements)")
        }
    }

    @Test func everyElementArrivesOnceFromAThrowingChannel() {
        hunt("AsyncThrowingChannel", "every element arrives once, in each producer's order") {
            let channel = AsyncThrowingChannel<Int, any Error>()
            async let received = elements(of: channel)
            async let first: Void = channel.send(1)
            async let second: Void = channel.send(2)
            _ = await (first, second)
            channel.finish()
            let elements = try await received
            check(elements.sorted() == [1, 2], "received \(elements)")
        }
    }
}
