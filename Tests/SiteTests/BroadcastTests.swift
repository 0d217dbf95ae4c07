import Site
import Testing

@Suite(.timeLimit(.minutes(10))) struct BroadcastTests {
    @Test func newSubscriberReceivesTheNewestValueImmediately() async {
        let broadcast = Broadcast<Int>()
        broadcast.send(1)
        broadcast.send(2)
        var values = broadcast.values().makeAsyncIterator()
        #expect(await values.next() == 2)
        broadcast.send(3)
        #expect(await values.next() == 3)
    }

    @Test func slowSubscriberReceivesOnlyTheNewestValue() async {
        let broadcast = Broadcast<Int>()
        var values = broadcast.values().makeAsyncIterator()
        for value in 1...1000 { broadcast.send(value) }
        #expect(await values.next() == 1000)
    }

    @Test func everySubscriberReceivesTheLastValue() async {
        let broadcast = Broadcast<Int>()
        await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<50 {
                let values = broadcast.values()
                group.addTask { await values.first { $0 == 100 } }
            }
            for value in 1...100 { broadcast.send(value) }
            for await last in group { #expect(last == 100) }
        }
        #expect(broadcast.readers == 0)
    }

    @Test func concurrentSendsLeaveAllSubscribersWithTheSameValue() async {
        for _ in 0..<2_000 {
            let broadcast = Broadcast<Int>()
            let readers = (0..<4).map { _ in broadcast.values() }
            await withTaskGroup(of: Void.self) { group in
                for value in 1...2 { group.addTask { @concurrent in broadcast.send(value) } }
            }
            var newest = broadcast.values().makeAsyncIterator()
            let last = await newest.next()
            for reader in readers {
                // A subscriber buffers only the newest of the values that it hasn't read.
                var values = reader.makeAsyncIterator()
                #expect(await values.next() == last)
            }
        }
    }

    @Test func cancelledSubscriberIsRemoved() async {
        let broadcast = Broadcast<Int>()
        let values = broadcast.values()
        #expect(broadcast.readers == 1)
        let reading = Task { for await _ in values {} }
        reading.cancel()
        await reading.value
        #expect(broadcast.readers == 0)
    }

    /// A task can't be resumed while it is being cancelled, and the cancellation needs the broadcast's lock.
    ///
    /// A broadcast that resumed tasks under its lock would hang.
    @Test func subscribersMayBeCancelledDuringASend() async {
        for _ in 0..<10_000 {
            let broadcast = Broadcast<Int>()
            let values = broadcast.values()
            let reading = Task { for await _ in values {} }
            await withTaskGroup(of: Void.self) { group in
                for sender in 1...2 {
                    group.addTask { @concurrent in
                        for value in 1...20 {
                            broadcast.send(value)
                            if sender == 1, value == 10 { reading.cancel() }
                            await Task.yield()
                        }
                    }
                }
            }
            await reading.value
            #expect(broadcast.readers == 0)
        }
    }

    /// A thread that delivers also delivers what others send meanwhile, and only then finishes the streams.
    @Test func finishingDuringASendDeliversTheLastValue() async {
        for _ in 0..<2_000 {
            let broadcast = Broadcast<Int>()
            let readers = (0..<3).map { _ in broadcast.values() }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { @concurrent in broadcast.send(1) }
                group.addTask { @concurrent in
                    broadcast.send(2)
                    broadcast.finish()
                }
            }
            var newest = broadcast.values().makeAsyncIterator()
            let last = await newest.next()
            #expect(await newest.next() == nil)
            for reader in readers {
                var received: [Int] = []
                for await value in reader { received.append(value) }
                // A value that is sent after `finish()` reaches only later subscribers.
                #expect(received.last == last || received.last == 2)
            }
        }
    }

    @Test func finishedBroadcastStillDeliversTheNewestValue() async {
        let broadcast = Broadcast<Int>()
        let early = broadcast.values()
        broadcast.send(1)
        broadcast.finish()
        var values: [Int] = []
        for await value in early { values.append(value) }
        for await value in broadcast.values() { values.append(value) }
        #expect(values == [1, 1])
        #expect(broadcast.readers == 0)
    }
}
