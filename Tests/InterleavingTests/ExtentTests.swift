import Interleaving
import Testing

@Suite(.timeLimit(.minutes(5))) struct ExtentTests {
    @Test func portfolioSaysWhenItsSearchIsExhausted() throws {
        let found = exploration(schedules: 400) { await yieldInTasks(2) }
        let search = try #require(found.coverage.search)
        #expect(search.isExhausted && search.preemptions == 2 && !found.isExhausted)
        #expect(search.schedules < 80)
        let report = found.report
        #expect(report.hasPrefix("400 schedules passed, \(found.coverage.distinctSchedules) of them different; "))
        #expect(report.hasSuffix("covered all \(search.schedules) schedules with at most 2 preemptions"))
        #expect(found.coverage.distinctSchedules >= search.schedules)
    }

    @Test func searchRunsDifferentSchedules() {
        let found = exploration(.exhaustive(preemptions: 1), schedules: 100_000) { await yieldInTasks(3) }
        #expect(found.isExhausted)
        #expect(found.coverage.distinctSchedules == found.schedules)
        #expect(found.report == "all \(found.schedules) schedules with at most 1 preemption passed")
    }

    @Test func reducedSearchSaysWhatItLeavesOut() throws {
        let found = exploration(.partialOrder, schedules: 100_000) { await yieldInTasks(3) }
        let search = try #require(found.coverage.search)
        #expect(found.isExhausted && search.isReduced)
        #expect(search.schedules == found.schedules - found.redundantSchedules)
        let all = search.schedules == 1 ? "the only schedule" : "all \(search.schedules) schedules"
        #expect(found.report == "\(all) that differ in more than the order of independent steps passed")
        let part = exploration(.partialOrder, schedules: 1) { await yieldInTasks(3) }
        #expect(part.coverage.search?.isExhausted == false)
    }

    /// The estimate grows from schedule to schedule, and is of the right magnitude in the middle of the search.
    @Test func estimateApproachesTheWhole() throws {
        let body: @Sendable () async -> Void = { await yieldInTasks(3) }
        let all = exploration(.exhaustive(preemptions: 2), schedules: 1_000_000, body).schedules
        var last = 0.0
        for divisor in [8, 4, 2] {
            let found = exploration(.exhaustive(preemptions: 2), schedules: all / divisor, body)
            let search = try #require(found.coverage.search)
            #expect(!search.isExhausted)
            #expect(search.estimatedFraction > last)
            last = search.estimatedFraction
            let factor = last * Double(divisor)
            #expect((0.2...5).contains(factor), "\(last) instead of 1/\(divisor)")
            #expect(found.report.contains("% of the schedules with at most 2 preemptions (an estimate)"))
        }
    }

    @Test func randomSchedulesRepeat() {
        let found = exploration(.random, schedules: 500) { await yieldInTasks(2) }
        #expect(found.coverage.search == nil)
        #expect((2..<500).contains(found.coverage.distinctSchedules))
    }
}

private func yieldInTasks(_ count: Int) async {
    await withTaskGroup(of: Void.self) { group in
        for _ in 0..<count { group.addTask { await Task.yield() } }
    }
}
