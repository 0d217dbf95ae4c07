import Foundation
import Futures
import Persistence
import Testing

@testable import Jobs

/// Measures the cost of queue operations; `script/bench jobs` prints it.
@Suite(.serialized, .timeLimit(.minutes(20)), .enabled(if: ProcessInfo.processInfo.environment["JOB_FIGURES"] == "1"))
struct JobFigureTests {
    private static func median(_ count: Int, _ body: (Int) async throws -> Void) async throws -> Duration {
        var times: [Duration] = []
        for number in 0..<count {
            let stopwatch = Stopwatch(ContinuousClock())
            try await body(number)
            times.append(stopwatch.elapsed)
        }
        return times.sorted()[count / 2]
    }

    @Test func operationsAreFastWithTwentyThousandWaitingJobs() async throws {
        let (queue, database) = try await JobQueueFixture().openDatabase()
        try await database.write { connection in
            for number in 0..<20_000 {
                try queue.enqueue(.test("\(number)", owner: "owner \(number % 3)"), in: connection)
            }
        }
        let enqueue = try await Self.median(200) { try await queue.enqueue(.test("new \($0)", owner: "owner 0")) }
        let leases = Lock<[JobLease]>([])
        let lease = try await Self.median(200) { _ in
            let lease = try #require(try await queue.next())
            leases.withLock { $0.append(lease) }
        }
        let all = leases.withLock(\.self)
        let end = try await Self.median(200) { number in
            let isAccepted = try await queue.end(all[number], .succeeded(Data()))
            #expect(isAccepted)
        }
        print("20,000 waiting jobs of 3 owners, medians of 200: enqueue \(enqueue), lease \(lease), end \(end)")
        // A table scan takes longer than this on any machine.
        #expect(lease < .milliseconds(100) && enqueue < .milliseconds(100) && end < .milliseconds(100))
    }

    @Test func followerSeesTheEndWithinASecondOfEnqueuing() async throws {
        let fixture = try JobQueueFixture()
        let (queue, _) = try await fixture.openDatabase()
        let (other, _) = try await fixture.openDatabase()
        for (name, workersQueue) in [("one", queue), ("two", other)] {
            let worker = JobWorker(queue: workersQueue, configuration: .init(name: name, slots: ["default": 1])) {
                _, _ in
                .succeeded(Data())
            }
            let working = Task { await worker.run() }
            let follower = JobFollower(of: queue)
            let time = try await Self.median(200) { number in
                let id = Job.ID("\(name)/\(number)")
                try await queue.enqueue(.test(id.description))
                let record = try await follower.end(of: id)
                #expect(record.phase == .succeeded(Data()))
                try await queue.settle(id)
            }
            print("from enqueuing to the end with \(name) Database object(s), median of 200: \(time)")
            #expect(time < .seconds(1))
            working.cancel()
            await working.value
            await follower.close()
        }
    }
}
