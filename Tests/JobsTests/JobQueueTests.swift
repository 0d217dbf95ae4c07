import Foundation
import Testing

@testable import Jobs

/// What every queue does.
@Suite(.timeLimit(.minutes(10))) struct JobQueueTests {
    @Test(arguments: QueueKind.allCases)
    func anEnqueuedJobWaitsAndKeepsAllItsFields(kind: QueueKind) async throws {
        let place = try await kind.place()
        let job = Job.test("a", lane: "slow", priority: 3, deadline: place.time.now + 100, lifetime: .request)
        let record = try await place.queue.enqueue(job)
        #expect(record.job == job && record.phase == .waiting(from: place.time.now) && record.attempts == 0)
        #expect(try await place.queue.record("a") == record)
        #expect(try await place.queue.record("b") == nil)
    }

    @Test(arguments: QueueKind.allCases)
    func aNameIsEnqueuedOnce(kind: QueueKind) async throws {
        let place = try await kind.place()
        let first = try await place.queue.enqueue(.test("a", priority: 1))
        #expect(try await place.queue.enqueue(.test("a", priority: 2)) == first)
        _ = try #require(try await place.lease())
        #expect(try await place.lease() == nil)
        // Neither while it runs nor when it has ended.
        #expect(try await place.queue.enqueue(.test("a")).sequence == first.sequence)
    }

    @Test(arguments: QueueKind.allCases)
    func jobsRunByPriorityThenInOrder(kind: QueueKind) async throws {
        let place = try await kind.place()
        for (id, priority) in [("a", 0), ("b", 0), ("c", 5), ("d", -1), ("e", 5)] as [(Job.ID, Int)] {
            try await place.queue.enqueue(.test(id, priority: priority))
        }
        var order = ""
        while let lease = try await place.lease() {
            order += "\(lease.job.id)"
            #expect(try await place.queue.end(lease, .succeeded(Data())))
        }
        #expect(order == "ceabd")
    }

    @Test(arguments: QueueKind.allCases)
    func aLaneHasOnlyItsJobs(kind: QueueKind) async throws {
        let place = try await kind.place()
        try await place.queue.enqueue(.test("a", lane: "slow"))
        try await place.queue.enqueue(.test("b", lane: "fast"))
        #expect(try await place.lease(["other"]) == nil)
        #expect(try await place.lease([]) == nil)
        #expect(try await place.lease(["fast"])?.job.id == "b")
        #expect(try await place.lease(["fast"]) == nil)
        #expect(try await place.lease(["fast", "slow"])?.job.id == "a")
    }

    @Test(arguments: QueueKind.allCases)
    func oneOwnersJobsDoNotHoldUpAnothers(kind: QueueKind) async throws {
        let place = try await kind.place()
        for number in 0..<100 { try await place.queue.enqueue(.test(Job.ID("ann \(number)"))) }
        for number in 0..<3 { try await place.queue.enqueue(.test(Job.ID("bob \(number)"), owner: "bob")) }
        // One slot: the owner whose last lease is the oldest comes next.
        var owners = ""
        for _ in 0..<8 {
            let lease = try #require(try await place.lease())
            owners += lease.job.owner.prefix(1)
            #expect(try await place.queue.end(lease, .succeeded(Data())))
        }
        #expect(owners == "abababaa")
        // Several slots: the owner with the fewest running jobs comes next.
        try await place.queue.enqueue(.test("bob 3", owner: "bob"))
        try await place.queue.enqueue(.test("bob 4", owner: "bob"))
        let running = [
            try await place.lease(), try await place.lease(), try await place.lease(), try await place.lease(),
        ]
        #expect(running.compactMap { $0?.job.owner }.sorted() == ["ann", "ann", "bob", "bob"])
    }

    @Test(arguments: QueueKind.allCases)
    func aResultIsAcceptedOnce(kind: QueueKind) async throws {
        let place = try await kind.place()
        try await place.queue.enqueue(.test("a"))
        let lease = try #require(try await place.lease())
        #expect(lease.attempt == 1 && lease.job == .test("a"))
        #expect(try await place.phase("a") == .running(worker: "w", until: place.time.now + 10))
        #expect(try await place.queue.outputs() == [lease.outputName])
        #expect(try await place.queue.end(lease, .succeeded(Data([7]))))
        #expect(try await !place.queue.end(lease, .succeeded(Data([8]))))
        #expect(try await !place.queue.end(lease, .failed(.broken)))
        #expect(try await place.phase("a") == .succeeded(Data([7])))
        #expect(try await place.queue.record("a")?.outputName == lease.outputName)
        #expect(try await place.queue.outputs() == [lease.outputName])
        #expect(try await place.lease() == nil)
        try await place.queue.settle("a")
        #expect(try await place.queue.record("a") == nil)
        #expect(try await place.queue.outputs().isEmpty)
    }

    @Test(arguments: QueueKind.allCases)
    func aJobsOwnErrorIsFinal(kind: QueueKind) async throws {
        let place = try await kind.place()
        try await place.queue.enqueue(.test("a"))
        let lease = try #require(try await place.lease())
        #expect(try await place.queue.end(lease, .failed(.broken)))
        #expect(try await place.phase("a") == .failed(.broken))
        place.time.advance(by: 10_000)
        try await place.queue.expire()
        #expect(try await place.lease() == nil)
        #expect(try await !place.queue.retry("a"))
        #expect(try await place.queue.overview(limit: 9).dead.isEmpty)
    }

    @Test(arguments: QueueKind.allCases)
    func lostAttemptsAreRepeatedAfterGrowingPausesAndThenDead(kind: QueueKind) async throws {
        let place = try await kind.place()
        try await place.queue.enqueue(.test("a"))
        for (attempt, pause) in [(1, 0.5), (2, 2.0)] {
            let lease = try #require(try await place.lease())
            #expect(lease.attempt == attempt)
            #expect(try await place.queue.end(lease, .lost(.died)))
            #expect(try await place.phase("a") == .waiting(from: place.time.now + pause))
            let next = try #require(try await place.queue.nextPause())
            #expect(abs(next - pause) < 0.001)
            #expect(try await place.lease() == nil)
            place.time.advance(by: pause)
        }
        let last = try #require(try await place.lease())
        #expect(try await place.queue.end(last, .lost(.died)))
        #expect(try await place.phase("a") == .dead(.died))
        place.time.advance(by: 10_000)
        #expect(try await place.lease() == nil)
        #expect(try await place.queue.overview(limit: 9).dead.map(\.job.id) == ["a"])
        // A dead letter stays when its requester has gone.
        try await place.queue.settle("a")
        #expect(try await place.queue.retry("a"))
        #expect(try await !place.queue.retry("a"))
        #expect(try await place.lease()?.attempt == 1)
    }

    @Test(arguments: QueueKind.allCases)
    func deadLettersAreDismissedAndTheOldestPruned(kind: QueueKind) async throws {
        var policy = JobPolicy()
        (policy.attempts, policy.deadLetters, policy.deadLetterAge) = (1, 2, 1_000)
        let place = try await kind.place(policy: policy)
        for id in ["a", "b", "c", "d"] as [Job.ID] {
            try await place.queue.enqueue(.test(id))
            let lease = try #require(try await place.lease())
            #expect(try await place.queue.end(lease, .lost(.died)))
            place.time.advance(by: 1)
        }
        try await place.queue.expire()
        #expect(try await place.queue.overview(limit: 9).dead.map(\.job.id) == ["d", "c"])
        #expect(try await place.queue.overview(limit: 1).dead.map(\.job.id) == ["d"])
        #expect(try await place.queue.dismiss("d"))
        #expect(try await !place.queue.dismiss("d"))
        place.time.advance(by: 1_001)
        try await place.queue.expire()
        #expect(try await place.queue.overview(limit: 9).dead.isEmpty)
        try await place.queue.enqueue(.test("e"))
        #expect(try await !place.queue.dismiss("e"))
    }

    @Test(arguments: QueueKind.allCases)
    func aLeaseThatIsNotRenewedExpires(kind: QueueKind) async throws {
        let place = try await kind.place()
        try await place.queue.enqueue(.test("a"))
        let first = try #require(try await place.lease(worker: "slow"))
        place.time.advance(by: 9)
        #expect(try await place.queue.renew(first, for: 10, progress: nil))
        place.time.advance(by: 9)
        try await place.queue.expire()
        #expect(try await place.queue.lost(of: [first]).isEmpty)
        place.time.advance(by: 1)
        try await place.queue.expire()
        #expect(try await place.queue.lost(of: [first]) == [first])
        place.time.advance(by: 1)
        let second = try #require(try await place.lease(worker: "quick"))
        #expect(second.token > first.token && second.attempt == 2 && second.outputName != first.outputName)
        // The first can't do anything any more.
        #expect(try await !place.queue.renew(first, for: 10, progress: Data([1])))
        #expect(try await !place.queue.end(first, .succeeded(Data([1]))))
        #expect(try await !place.queue.end(first, .failed(.broken)))
        #expect(try await !place.queue.end(first, .lost(.died)))
        try await place.queue.release(first)
        #expect(try await place.phase("a") == .running(worker: "quick", until: place.time.now + 10))
        #expect(try await place.queue.record("a")?.progress == nil)
        #expect(try await place.queue.end(second, .succeeded(Data([2]))))
    }

    @Test(arguments: QueueKind.allCases)
    func aReleasedLeaseDoesNotCount(kind: QueueKind) async throws {
        let place = try await kind.place()
        try await place.queue.enqueue(.test("a"))
        for _ in 0..<10 {
            let lease = try #require(try await place.lease())
            #expect(lease.attempt == 1)
            try await place.queue.release(lease)
            #expect(try await place.queue.lost(of: [lease]) == [lease])
        }
        #expect(try await place.queue.record("a")?.attempts == 0)
    }

    @Test(arguments: QueueKind.allCases)
    func theLeasesOfAWorkerThatHasEndedAreLostAtOnce(kind: QueueKind) async throws {
        let place = try await kind.place()
        for id in ["a", "b", "c"] as [Job.ID] { try await place.queue.enqueue(.test(id)) }
        let leases = [
            try #require(try await place.lease(worker: "one")), try #require(try await place.lease(worker: "two")),
            try #require(try await place.lease(worker: "one")),
        ]
        try await place.queue.lose(worker: "one")
        #expect(try await place.queue.lost(of: leases) == [leases[0], leases[2]])
        place.time.advance(by: 0.5)
        #expect(try await place.lease()?.attempt == 2)
    }

    @Test(arguments: QueueKind.allCases)
    func progressIsSeenUntilTheAttemptEnds(kind: QueueKind) async throws {
        let place = try await kind.place()
        try await place.queue.enqueue(.test("a"))
        let lease = try #require(try await place.lease())
        #expect(try await place.queue.renew(lease, for: 10, progress: Data([1])))
        #expect(try await place.queue.renew(lease, for: 10, progress: nil))
        #expect(try await place.queue.record("a")?.progress == Data([1]))
        #expect(try await place.queue.renew(lease, for: 10, progress: Data([2])))
        #expect(try await place.queue.record("a")?.progress == Data([2]))
        #expect(try await place.queue.end(lease, .lost(.died)))
        #expect(try await place.queue.record("a")?.progress == nil)
    }

    @Test(arguments: QueueKind.allCases)
    func aJobFailsAtItsDeadline(kind: QueueKind) async throws {
        let place = try await kind.place()
        try await place.queue.enqueue(.test("waits", lane: "none", deadline: place.time.now + 5))
        try await place.queue.enqueue(.test("runs", deadline: place.time.now + 5))
        let lease = try #require(try await place.lease())
        #expect(try await place.queue.nextPause() == 5)
        place.time.advance(by: 4)
        try await place.queue.expire()
        #expect(try await place.queue.lost(of: [lease]).isEmpty)
        place.time.advance(by: 1)
        try await place.queue.expire()
        #expect(try await place.phase("waits") == .failed(.deadlinePassed))
        #expect(try await place.phase("runs") == .failed(.deadlinePassed))
        #expect(try await place.queue.lost(of: [lease]) == [lease])
        #expect(try await place.queue.nextPause() == nil)
    }

    @Test(arguments: QueueKind.allCases)
    func aCancelledJobFailsWhetherItWaitsOrRuns(kind: QueueKind) async throws {
        let place = try await kind.place()
        for id in ["a", "b", "c"] as [Job.ID] { try await place.queue.enqueue(.test(id)) }
        let lease = try #require(try await place.lease())
        for id in ["a", "b", "none"] as [Job.ID] { try await place.queue.cancel(id) }
        #expect(try await place.phase("a") == .failed(.cancelled))
        #expect(try await place.phase("b") == .failed(.cancelled))
        #expect(try await place.queue.lost(of: [lease]) == [lease])
        #expect(try await place.lease()?.job.id == "c")
        // What has ended stays as it is.
        let done = try #require(try await place.queue.record("c").map { _ in lease })
        #expect(try await !place.queue.end(done, .succeeded(Data())))
    }

    @Test(arguments: QueueKind.allCases)
    func aSettledJobIsGoneAndItsWorkerHasLostIt(kind: QueueKind) async throws {
        let place = try await kind.place()
        try await place.queue.enqueue(.test("a"))
        let lease = try #require(try await place.lease())
        try await place.queue.settle("a")
        #expect(try await place.queue.lost(of: [lease]) == [lease])
        #expect(try await !place.queue.end(lease, .succeeded(Data())))
        // One of the same name is another job: the old lease is none of its.
        let again = try await place.queue.enqueue(.test("a"))
        #expect(again.sequence != lease.sequence)
        let next = try #require(try await place.lease())
        #expect(try await !place.queue.end(lease, .succeeded(Data())))
        #expect(try await place.queue.end(next, .succeeded(Data())))
    }

    @Test(arguments: QueueKind.allCases)
    func requestsEndWithTheirServer(kind: QueueKind) async throws {
        var policy = JobPolicy()
        policy.attempts = 1
        let place = try await kind.place(policy: policy)
        try await place.queue.enqueue(.test("dead", priority: 9, lifetime: .request))
        let lease = try #require(try await place.lease())
        #expect(try await place.queue.end(lease, .lost(.died)))
        try await place.queue.enqueue(.test("runs", priority: 1, lifetime: .request))
        let running = try #require(try await place.lease())
        try await place.queue.enqueue(.test("waits", lifetime: .request))
        try await place.queue.enqueue(.test("stays"))
        try await place.queue.removeRequests()
        #expect(try await place.queue.lost(of: [running]) == [running])
        let (unfinished, dead) = try await place.queue.overview(limit: 9)
        #expect(unfinished.map(\.job.id) == ["stays"] && dead.map(\.job.id) == ["dead"])
    }

    @Test(arguments: QueueKind.allCases)
    func changesNameEachChangedJob(kind: QueueKind) async throws {
        let place = try await kind.place()
        let start = try await place.queue.changes(since: 0)
        #expect(start.records.isEmpty)
        try await place.queue.enqueue(.test("a"))
        try await place.queue.enqueue(.test("b"))
        let enqueued = try await place.queue.changes(since: start.revision)
        #expect(enqueued.records.map(\.job.id) == ["a", "b"])
        #expect(try await place.queue.changes(since: enqueued.revision).records.isEmpty)
        let lease = try #require(try await place.lease())
        #expect(try await place.queue.end(lease, .succeeded(Data([1]))))
        let ended = try await place.queue.changes(since: enqueued.revision)
        #expect(ended.records.map(\.phase) == [.succeeded(Data([1]))])
        #expect(ended.revision > enqueued.revision)
    }

    @Test(arguments: QueueKind.allCases)
    func eachChangeGivesAHint(kind: QueueKind) async throws {
        let place = try await kind.place()
        var hints = place.queue.hints().makeAsyncIterator()
        try await place.queue.enqueue(.test("a"))
        #expect(await hints.next() != nil)
        let lease = try #require(try await place.lease())
        #expect(await hints.next() != nil)
        #expect(try await place.queue.end(lease, .succeeded(Data())))
        #expect(await hints.next() != nil)
    }
}
