import Foundation
import Persistence
import SeededChance
import StoreTesting
import Testing

@testable import Jobs

/// The conformance suite of all queues.
@Suite(.timeLimit(.minutes(20))) struct JobQueueTests {
    @Test(arguments: JobQueueKind.allCases)
    func jobIsEnqueuedOnlyOncePerName(_ kind: JobQueueKind) async throws {
        let queue = try await JobQueueFixture().open(kind)
        let first = try await queue.enqueue(.test("a", priority: 1))
        let second = try await queue.enqueue(.test("a", priority: 2))
        #expect(first == second && first.attempts == 0 && first.job.priority == 1)
        let lease = try #require(try await queue.next())
        #expect(try await queue.end(lease, .failed(.test)))
        // A job that has ended isn't enqueued again either.
        #expect(try await queue.enqueue(.test("a")).phase == .failed(.test))
        #expect(try await queue.next() == nil)
    }

    @Test(arguments: JobQueueKind.allCases)
    func jobsAreLeasedByPriorityAndThenByAge(_ kind: JobQueueKind) async throws {
        let queue = try await JobQueueFixture().open(kind)
        for (name, priority) in [("a", 0), ("b", .min), ("c", .max), ("d", 0), ("e", .max)] {
            try await queue.enqueue(.test(name, priority: priority))
        }
        var order = ""
        while let lease = try await queue.next() { order += lease.job.id.description }
        #expect(order == "ceadb")
    }

    @Test(arguments: JobQueueKind.allCases)
    func anOwnerWithManyJobsDoesNotDelayAnother(_ kind: JobQueueKind) async throws {
        let queue = try await JobQueueFixture().open(kind)
        for number in 0..<1_000 { try await queue.enqueue(.test("a\(number)", owner: "ann")) }
        let first = try #require(try await queue.next())
        try await queue.enqueue(.test("b", owner: "bob"))
        _ = try await queue.end(first, .succeeded(Data()))
        // With one slot, it is Bob's turn, and then Ann's again.
        let second = try #require(try await queue.next())
        #expect(second.job.owner == "bob")
        #expect(try await queue.next()?.job.id == "a1")
        // Between two waiting owners, the one with fewer running jobs comes first.
        try await queue.enqueue(.test("b2", owner: "bob"))
        try await queue.enqueue(.test("c", owner: "cid"))
        #expect(try await queue.next()?.job.owner == "cid")
    }

    @Test(arguments: JobQueueKind.allCases)
    func onlyTheWorkersLanesAreLeased(_ kind: JobQueueKind) async throws {
        let queue = try await JobQueueFixture().open(kind)
        try await queue.enqueue(.test("a", lane: "browser"))
        try await queue.enqueue(.test("b", lane: "disk"))
        #expect(try await queue.next(lanes: []) == nil)
        #expect(try await queue.next(lanes: ["network"]) == nil)
        #expect(try await queue.next(lanes: ["disk"])?.job.id == "b")
        #expect(try await queue.next(lanes: ["disk"]) == nil)
        #expect(try await queue.next(lanes: ["disk", "browser"])?.job.id == "a")
    }

    @Test(arguments: JobQueueKind.allCases)
    func lostAttemptsAreRetriedAfterPausesAndThenDeadLettered(_ kind: JobQueueKind) async throws {
        let fixture = try JobQueueFixture()
        let queue = try await fixture.open(kind)
        try await queue.enqueue(.test("a"))
        for (attempt, pause) in [(1, 0.5), (2, 2.0)] {
            let lease = try #require(try await queue.next())
            #expect(lease.attempt == attempt)
            #expect(try await queue.end(lease, .lost(.test)))
            #expect(try await queue.next() == nil)
            #expect(try await queue.nextPause() == .seconds(pause))
            fixture.advance(by: pause - 0.25)
            #expect(try await queue.next() == nil)
            fixture.advance(by: 0.25)
        }
        let last = try #require(try await queue.next())
        #expect(try await queue.end(last, .lost(.test)))
        #expect(try await queue.phase("a") == .dead(.test))
        #expect(try await queue.next() == nil)
        #expect(try await queue.nextPause() == nil)
    }

    /// The requester receives the error, and can try again.
    @Test(arguments: JobQueueKind.allCases)
    func jobOfARequestFailsAfterItsLastAttempt(_ kind: JobQueueKind) async throws {
        let fixture = try JobQueueFixture()
        var policy = JobPolicy()
        policy.attempts = 1
        let queue = try await fixture.open(kind, policy)
        try await queue.enqueue(.test("a", lifetime: .request))
        let lease = try #require(try await queue.next())
        #expect(try await queue.end(lease, .lost(.test)))
        #expect(try await queue.phase("a") == .failed(.test))
        #expect(try await queue.overview(limit: 9).dead.isEmpty)
        try await queue.removeJobsOfRequests()
        #expect(try await queue.record("a") == nil)
    }

    /// A killed server leaves the jobs of its requests behind, and any other server removes them.
    @Test(arguments: JobQueueKind.allCases)
    func oldEndedJobsOfRequestsAreRemoved(_ kind: JobQueueKind) async throws {
        let fixture = try JobQueueFixture()
        let queue = try await fixture.open(kind)
        for id in ["ended", "durable"] {
            try await queue.enqueue(.test(id, lifetime: id == "ended" ? .request : .durable))
            let lease = try #require(try await queue.next())
            #expect(try await queue.end(lease, .succeeded(Data())))
        }
        try await queue.enqueue(.test("waiting", lifetime: .request))
        fixture.advance(by: 60)
        try await queue.removeEndedJobsOfRequests(olderThan: 61)
        #expect(try await queue.outputs().count == 2)
        try await queue.removeEndedJobsOfRequests(olderThan: 60)
        #expect(try await queue.record("ended") == nil)
        #expect(try await queue.record("durable") != nil)
        #expect(try await queue.record("waiting") != nil)
    }

    @Test(arguments: JobQueueKind.allCases)
    func postponedAttemptsAreNotCounted(_ kind: JobQueueKind) async throws {
        let fixture = try JobQueueFixture()
        let queue = try await fixture.open(kind)
        try await queue.enqueue(.test("a"))
        for _ in 1...5 {
            let lease = try #require(try await queue.next())
            #expect(lease.attempt == 1)
            #expect(try await queue.end(lease, .postponed))
            #expect(try await !queue.end(lease, .postponed))
            #expect(try await queue.nextPause() == .seconds(5))
            fixture.advance(by: 4.75)
            #expect(try await queue.next() == nil)
            fixture.advance(by: 0.25)
        }
        #expect(try await queue.next() != nil)
    }

    @Test(arguments: JobQueueKind.allCases)
    func deadLettersAreRetriedDismissedAndPruned(_ kind: JobQueueKind) async throws {
        let fixture = try JobQueueFixture()
        var policy = JobPolicy()
        (policy.attempts, policy.deadLetters, policy.deadLetterAge) = (1, 2, 100)
        let queue = try await fixture.open(kind, policy)
        func die(_ name: String) async throws {
            try await queue.enqueue(.test(name))
            let lease = try #require(try await queue.next())
            #expect(lease.job.id == Job.ID(name) && lease.attempt == 1)
            #expect(try await queue.end(lease, .lost(.test)))
            fixture.advance(by: 1)
        }
        func dead() async throws -> [String] {
            try await queue.expire()
            return try await queue.overview(limit: 9).dead.map(\.job.id.description)
        }
        try await die("a")
        #expect(try await queue.retry("a"))
        #expect(try await !queue.retry("a"))
        #expect(try await !queue.dismiss("a"))
        try await die("a")
        try await queue.discard("a")
        try await queue.removeJobsOfRequests()
        try await queue.cancel("a")
        #expect(try await queue.phase("a") == .dead(.test))
        try await die("b")
        #expect(try await dead() == ["b", "a"])
        try await die("c")
        #expect(try await dead() == ["c", "b"])
        #expect(try await queue.dismiss("c"))
        #expect(try await !queue.dismiss("c"))
        fixture.advance(by: 99)
        #expect(try await dead() == [])
    }

    @Test(arguments: JobQueueKind.allCases)
    func deadlineFailsWaitingAndRunningJobs(_ kind: JobQueueKind) async throws {
        let fixture = try JobQueueFixture()
        let queue = try await fixture.open(kind)
        try await queue.enqueue(.test("a", deadline: fixture.now + 10))
        try await queue.enqueue(.test("b", deadline: fixture.now + 10))
        let lease = try #require(try await queue.next())
        #expect(try await queue.nextPause() == .seconds(10))
        fixture.advance(by: 10)
        try await queue.expire()
        #expect(try await queue.phase("a") == .failed(.deadlinePassed))
        #expect(try await queue.phase("b") == .failed(.deadlinePassed))
        #expect(try await queue.lostLeases(among: [lease]) == [lease])
        #expect(try await !queue.end(lease, .succeeded(Data())))
    }

    @Test(arguments: JobQueueKind.allCases)
    func aCancelledJobEndsAndItsWorkerIsRefused(_ kind: JobQueueKind) async throws {
        let queue = try await JobQueueFixture().open(kind)
        try await queue.enqueue(.test("a"))
        try await queue.enqueue(.test("b"))
        let lease = try #require(try await queue.next())
        for id in ["a", "b", "none"] as [Job.ID] { try await queue.cancel(id) }
        #expect(try await queue.phase("a") == .failed(.cancelled))
        #expect(try await queue.phase("b") == .failed(.cancelled))
        #expect(try await queue.next() == nil)
        #expect(try await !queue.renew(lease, for: 30, progress: nil))
        #expect(try await !queue.end(lease, .succeeded(Data())))
        #expect(try await queue.phase("a") == .failed(.cancelled))
    }

    @Test(arguments: JobQueueKind.allCases)
    func staleLeasesChangeNothing(_ kind: JobQueueKind) async throws {
        let fixture = try JobQueueFixture()
        let queue = try await fixture.open(kind)
        try await queue.enqueue(.test("a"))
        let stale = try #require(try await queue.next("slow"))
        fixture.advance(by: 30)
        try await queue.expire()
        fixture.advance(by: 1)
        for isLeasedAgain in [false, true] {
            let new = isLeasedAgain ? try await queue.next("fast") : nil
            let before = try await queue.record("a")
            #expect(try await queue.lostLeases(among: [stale]) == [stale])
            #expect(try await !queue.renew(stale, for: 30, progress: Data("p".utf8)))
            #expect(try await !queue.end(stale, .succeeded(Data())))
            #expect(try await !queue.end(stale, .failed(.test)))
            #expect(try await !queue.end(stale, .lost(.test)))
            try await queue.release(stale)
            try await queue.endLeases(ofWorker: "slow")
            #expect(try await queue.record("a") == before)
            #expect((new != nil) == isLeasedAgain)
            guard let new else { continue }
            #expect(new.token > stale.token && new.outputName != stale.outputName)
            #expect(try await queue.lostLeases(among: [new]) == [])
            #expect(try await queue.end(new, .succeeded(Data("fast".utf8))))
            #expect(try await !queue.end(stale, .succeeded(Data("fast".utf8))))
        }
    }

    @Test(arguments: JobQueueKind.allCases)
    func aRepeatedReportIsAcceptedAndADifferentOneRefused(_ kind: JobQueueKind) async throws {
        let queue = try await JobQueueFixture().open(kind)
        try await queue.enqueue(.test("a"))
        let lease = try #require(try await queue.next())
        #expect(try await queue.end(lease, .succeeded(Data("1".utf8))))
        let record = try await queue.record("a")
        #expect(try await queue.end(lease, .succeeded(Data("1".utf8))))
        #expect(try await !queue.end(lease, .succeeded(Data("2".utf8))))
        #expect(try await !queue.end(lease, .failed(.test)))
        #expect(try await queue.record("a") == record)
    }

    @Test(arguments: JobQueueKind.allCases)
    func releasedAttemptsAreNotCountedButLostOnesAre(_ kind: JobQueueKind) async throws {
        let fixture = try JobQueueFixture()
        let queue = try await fixture.open(kind)
        try await queue.enqueue(.test("a"))
        for _ in 0..<9 {
            let lease = try #require(try await queue.next())
            #expect(lease.attempt == 1)
            try await queue.release(lease)
        }
        _ = try #require(try await queue.next("one"))
        try await queue.endLeases(ofWorker: "another")
        #expect(try await queue.phase("a") == .running(worker: "one", until: fixture.now + 30))
        try await queue.endLeases(ofWorker: "one")
        #expect(try await queue.record("a")?.attempts == 1)
        #expect(try await queue.phase("a") == .waiting(from: fixture.now + 0.5))
    }

    @Test(arguments: JobQueueKind.allCases)
    func renewalExtendsALeaseAndStoresProgress(_ kind: JobQueueKind) async throws {
        let fixture = try JobQueueFixture()
        let queue = try await fixture.open(kind)
        try await queue.enqueue(.test("a"))
        let lease = try #require(try await queue.next())
        fixture.advance(by: 29)
        #expect(try await queue.renew(lease, for: 30, progress: Data("half".utf8)))
        fixture.advance(by: 29)
        try await queue.expire()
        #expect(try await queue.record("a")?.progress == Data("half".utf8))
        #expect(try await queue.renew(lease, for: 30, progress: nil))
        #expect(try await queue.record("a")?.progress == Data("half".utf8))
        #expect(try await queue.end(lease, .succeeded(Data())))
        #expect(try await queue.record("a")?.progress == nil)
    }

    @Test(arguments: JobQueueKind.allCases)
    func discardedJobsAndJobsOfRequestsAreRemoved(_ kind: JobQueueKind) async throws {
        let queue = try await JobQueueFixture().open(kind)
        for (name, lifetime) in [("a", .durable), ("b", .request), ("c", .request)] as [(String, Job.Lifetime)] {
            try await queue.enqueue(.test(name, lifetime: lifetime))
        }
        let lease = try #require(try await queue.next())
        #expect(lease.job.id == "a")
        try await queue.removeJobsOfRequests()
        #expect(try await queue.overview(limit: 9).unfinished.map(\.job.id) == ["a"])
        try await queue.discard("a")
        #expect(try await queue.record("a") == nil)
        #expect(try await queue.lostLeases(among: [lease]) == [lease])
        #expect(try await !queue.end(lease, .succeeded(Data())))
        // A new job of the same name is a different job.
        let new = try await queue.enqueue(.test("a"))
        #expect(new.sequence > lease.sequence)
        #expect(try await !queue.end(lease, .succeeded(Data())))
    }

    @Test(arguments: JobQueueKind.allCases)
    func changesSinceARevisionAreReadAndAnnounced(_ kind: JobQueueKind) async throws {
        let queue = try await JobQueueFixture().open(kind)
        try await queue.enqueue(.test("a"))
        let revision = try await queue.lastRevision()
        var hints = queue.updates().makeAsyncIterator()
        try await queue.enqueue(.test("b"))
        _ = await hints.next()
        let changes = try await queue.changes(since: revision)
        #expect(changes.records.map(\.job.id) == ["b"])
        #expect(changes.revision == changes.records.last?.revision)
        #expect(try await queue.lastRevision() == changes.revision)
        #expect(try await queue.changes(since: changes.revision).records.isEmpty)
        #expect(try await queue.changes(since: 0).records.map(\.job.id) == ["a", "b"])
    }

    @Test(arguments: JobQueueKind.allCases)
    func jobKeepsTheRequestThatEnqueuedIt(_ kind: JobQueueKind) async throws {
        let fixture = try JobQueueFixture()
        let queue = try await fixture.open(kind)
        let job = RequestID.$current.withValue("request") { Job.test("a", owner: "ann") }
        #expect(job.request == "request" && Job.test("b", owner: "ann").request == nil)
        try await queue.enqueue(job)
        #expect(try await queue.record("a")?.job.request == "request")
        #expect(try await queue.next("worker")?.job.request == "request")
    }

    @Test(arguments: JobQueueKind.allCases)
    func loadsCountTheJobsOfEachLane(_ kind: JobQueueKind) async throws {
        let fixture = try JobQueueFixture()
        let queue = try await fixture.open(kind)
        #expect(try await queue.loads().isEmpty)
        let enqueuedAt = fixture.now
        for (name, lane) in [("a", "default"), ("b", "default"), ("c", "browser")] {
            try await queue.enqueue(.test(name, owner: "ann", lane: lane))
        }
        let lease = try #require(try await queue.next("worker"))
        #expect(
            try await queue.loads() == [
                JobLaneLoad(lane: "browser", waiting: 1, waitingSince: enqueuedAt),
                JobLaneLoad(lane: "default", waiting: 1, running: 1, waitingSince: enqueuedAt),
            ])
        _ = try await queue.end(lease, .failed(.test))
        #expect(try await queue.loads().last == JobLaneLoad(lane: "default", waiting: 1, waitingSince: enqueuedAt))
    }

    /// Runs random operations in random order on both queues, and compares their results.
    @Test(arguments: 1...(isSoak ? 50 : 5))
    func memoryAndDatabaseQueuesBehaveEqually(_ seed: UInt64) async throws {
        var chance = SeededChance(seed: seed)
        let fixture = try JobQueueFixture()
        let queues = [try await fixture.open(.memory), try await fixture.open(.database)]
        var leases: [JobLease] = []
        for step in 0..<300 {
            let name = "\(Int.random(in: 0..<6, using: &chance))"
            let id = Job.ID(name)
            let job = Job.test(
                name, owner: ["ann", "bob"].randomElement(using: &chance) ?? "", lane: "default",
                priority: .random(in: 0..<2, using: &chance),
                deadline: Bool.random(using: &chance) ? fixture.now + 60 : nil,
                lifetime: Bool.random(using: &chance) ? .durable : .request)
            let lease = leases.randomElement(using: &chance)
            let operation = Int.random(in: 0..<17, using: &chance)
            var results: [String] = []
            for queue in queues {
                var result = ""
                switch (operation, lease) {
                case (0...2, _): result = "\(try await queue.enqueue(job))"
                case (3...5, _):
                    let lease = try await queue.next(name)
                    if let lease, leases.last != lease { leases.append(lease) }
                    result = "\(String(describing: lease))"
                case (6, let lease?): result = "\(try await queue.end(lease, .succeeded(Data(name.utf8))))"
                case (7, let lease?): result = "\(try await queue.end(lease, .failed(.test)))"
                case (8, let lease?): result = "\(try await queue.end(lease, .lost(.test)))"
                case (9, let lease?): result = "\(try await queue.end(lease, .postponed))"
                case (10, let lease?): result = "\(try await queue.renew(lease, for: 30, progress: Data()))"
                case (11, let lease?): try await queue.release(lease)
                case (12, _): try await queue.cancel(id)
                case (13, _): try await queue.discard(id)
                case (14, _): result = "\(try await queue.retry(id))"
                case (15, _): try await queue.endLeases(ofWorker: name)
                default:
                    try await queue.expire()
                    if step % 40 == 0 { try await queue.removeJobsOfRequests() }
                    result = "\(try await queue.dismiss(id))"
                }
                result += "\(try await queue.changes(since: 0)) \(String(describing: try await queue.nextPause()))"
                result += "\(try await queue.loads()) "
                result += "\(try await queue.overview(limit: 3)) \(try await queue.lostLeases(among: leases))"
                results.append(result)
            }
            try #require(results[0] == results[1], "step \(step), operation \(operation)")
            fixture.advance(by: [0, 0, 1, 15].randomElement(using: &chance) ?? 0)
        }
    }
}
