import Testing

@testable import EmojiArtModel

/// Tests that batches are stored in order, one at a time, however often the store fails.
@Suite struct SavingQueueTests {
    private static func batch(_ number: Int) -> OperationBatch { .test("b\(number)", [.dog(number)]) }
    private static func outcome(_ revision: Int) -> BatchOutcome { BatchOutcome(revision: revision, refused: []) }

    @Test func batchesAreSentOneAtATimeInOrder() {
        var queue = SavingQueue(known: 0)
        #expect(queue.state == .saved && queue.isSaved)
        #expect(queue.add(Self.batch(1)) == .send(Self.batch(1)))
        #expect(queue.add(Self.batch(2)) == .none)
        #expect(queue.add(Self.batch(3)) == .none)
        #expect(queue.state == .saving)
        #expect(queue.succeeded(Self.outcome(1)) == .send(Self.batch(2)))
        #expect(queue.succeeded(Self.outcome(2)) == .send(Self.batch(3)))
        #expect(queue.state == .saving)
        #expect(queue.succeeded(Self.outcome(3)) == .none)
        #expect(queue.state == .saved)
    }

    @Test func failedBatchIsRetriedBeforeLaterOnes() {
        var queue = SavingQueue(known: 0)
        _ = queue.add(Self.batch(1))
        _ = queue.add(Self.batch(2))
        #expect(queue.failed("full", isFinal: false) == .pause(failures: 1))
        #expect(queue.state == .failed("full"))
        #expect(queue.add(Self.batch(3)) == .none)
        #expect(queue.pauseEnded(failures: 1) == .send(Self.batch(1)))
        // The failure is shown until the batch is stored.
        #expect(queue.state == .failed("full"))
        #expect(queue.failed("full still", isFinal: false) == .pause(failures: 2))
        #expect(queue.state == .failed("full still"))
        #expect(queue.pauseEnded(failures: 2) == .send(Self.batch(1)))
        #expect(queue.succeeded(Self.outcome(1)) == .send(Self.batch(2)))
        #expect(queue.state == .saving)
        #expect(queue.failed("full", isFinal: false) == .pause(failures: 1))
        #expect(queue.shown.map(\.id) == ["b1", "b2", "b3"])
    }

    @Test func permanentlyRefusedBatchIsDroppedAndNextIsSent() {
        var queue = SavingQueue(known: 0)
        _ = queue.add(Self.batch(1))
        _ = queue.add(Self.batch(2))
        #expect(queue.failed("no batch", isFinal: true) == .send(Self.batch(2)))
        #expect(queue.shown.map(\.id) == ["b2"] && queue.state == .saving)
        #expect(queue.failed("no batch", isFinal: true) == .none)
        #expect(queue.shown == [] && queue.state == .saved)
    }

    @Test func savedBatchIsShownUntilItsRevisionIsKnown() {
        var queue = SavingQueue(known: 4)
        _ = queue.add(Self.batch(1))
        _ = queue.succeeded(Self.outcome(6))
        #expect(queue.isSaved && queue.shown.map(\.id) == ["b1"])
        queue.advanced(to: 5, batches: ["other"])
        #expect(queue.shown.map(\.id) == ["b1"])
        queue.advanced(to: 6, batches: ["b1"])
        #expect(queue.shown == [] && !queue.contains("b1"))
    }

    @Test func batchKnownBeforeItsResponseIsNotShownTwice() {
        var queue = SavingQueue(known: 0)
        _ = queue.add(Self.batch(1))
        queue.advanced(to: 1, batches: ["b1"])
        #expect(queue.shown == [] && queue.contains("b1") && queue.state == .saving)
        #expect(queue.succeeded(Self.outcome(1)) == .none)
        #expect(!queue.contains("b1") && queue.state == .saved)
    }

    @Test func batchWithoutEffectOrBeforeReloadIsNoLongerShown() {
        var queue = SavingQueue(known: 4)
        _ = queue.add(Self.batch(1))
        // None of its operations was applied, so the revision is the known one.
        #expect(queue.succeeded(Self.outcome(4)) == .none)
        #expect(queue.shown == [])
        _ = queue.add(Self.batch(2))
        _ = queue.succeeded(Self.outcome(5))
        queue.advanced(to: 9, batches: [])
        #expect(queue.shown == [])
    }

    @Test func lateEventsChangeNothing() {
        var idle = SavingQueue(known: 0)
        let before = idle
        #expect(idle.succeeded(Self.outcome(1)) == .none)
        #expect(idle.failed("full", isFinal: false) == .none)
        #expect(idle.pauseEnded(failures: 1) == .none)
        #expect(idle.retry() == .none)
        #expect(idle == before)

        var pausing = SavingQueue(known: 0)
        _ = pausing.add(Self.batch(1))
        _ = pausing.failed("full", isFinal: false)
        let paused = pausing
        #expect(pausing.succeeded(Self.outcome(1)) == .none)
        #expect(pausing.failed("full", isFinal: false) == .none)
        #expect(pausing.pauseEnded(failures: 2) == .none)
        #expect(pausing == paused)
        #expect(pausing.retry() == .send(Self.batch(1)))

        let sending = pausing
        #expect(pausing.retry() == .none)
        #expect(pausing.pauseEnded(failures: 1) == .none)
        #expect(pausing == sending)
    }

    @Test func closeSendsEachPendingBatchOnce() {
        var queue = SavingQueue(known: 0)
        _ = queue.add(Self.batch(1))
        _ = queue.add(Self.batch(2))
        _ = queue.failed("full", isFinal: false)
        #expect(queue.close() == .send(Self.batch(1)))
        #expect(queue.succeeded(Self.outcome(1)) == .send(Self.batch(2)))
        #expect(queue.failed("full", isFinal: false) == .none)
        // The batch isn't stored, and the state says so.
        #expect(queue.state == .failed("full"))

        var sending = SavingQueue(known: 0)
        _ = sending.add(Self.batch(1))
        #expect(sending.close() == .none)
        #expect(sending.succeeded(Self.outcome(1)) == .none)
        #expect(sending.state == .saved)
        var idle = SavingQueue(known: 0)
        #expect(idle.close() == .none)
    }
}
