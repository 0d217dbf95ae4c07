import Futures
import Testing
import VirtualTime

@testable import Loading

@Suite struct RetryPolicyTests {
    private struct Plain: Error {}

    private func plan(
        _ policy: RetryPolicy, _ error: any Error, attempt: Int = 1, spent: Duration = .zero, offlineTries: Int? = 0
    ) -> RetryPlan {
        policy.plan(after: error, attempt: attempt, spent: spent, offlineTries: offlineTries)
    }

    @Test func onlyRetryableErrorsAreRetried() {
        let policy = RetryPolicy.exact()
        #expect(plan(policy, Problem.broken) == .giveUp)
        #expect(plan(policy, Problem.busy) == .pause(.seconds(1)))
        #expect(plan(policy, Problem.offline) == .awaitConnection(.seconds(1)))
        #expect(plan(policy, Plain()) == .giveUp)
    }

    @Test func ruleDecidesOnlyErrorsWithoutAdvice() {
        let policy = RetryPolicy.exact { $0 is Plain ? .retry(after: .seconds(3)) : .never }
        #expect(plan(policy, Plain()) == .pause(.seconds(4)))
        #expect(plan(policy, Problem.broken) == .giveUp)
        let eager = RetryPolicy.exact { _ in .retry(after: nil) }
        #expect(plan(eager, Problem.broken) == .giveUp)
        #expect(plan(eager, CancellationError()) == .giveUp)
    }

    @Test func pausesMatchTheDocumentation() {
        var policy = RetryPolicy.exact()
        policy.retry.attempts = 10
        let pauses = (1...9).map { plan(policy, Problem.busy, attempt: $0) }
        #expect(pauses == [1, 2, 4, 8, 16, 30, 30, 30, 30].map { .pause(.seconds($0)) })
        #expect(plan(policy, Problem.busy, attempt: 10) == .giveUp)
        #expect(RetryPolicy().retry.attempts == 4)
    }

    @Test func jitterMayRemoveAnyPartOfAPause() {
        var policy = RetryPolicy.exact()
        policy.retry.backoff.random = { 1 }
        #expect(plan(policy, Problem.busy, attempt: 3) == .pause(.zero))
        policy.retry.backoff.random = { 0.25 }
        #expect(plan(policy, Problem.busy, attempt: 3) == .pause(.seconds(3)))
    }

    @Test func connectionProbesAlwaysHaveAPauseBetweenThem() {
        var policy = RetryPolicy()
        policy.probing.random = { 1 }
        #expect(plan(policy, Problem.offline, offlineTries: 0) == .awaitConnection(.milliseconds(500)))
        #expect(plan(policy, Problem.offline, offlineTries: 100_000) == .awaitConnection(.seconds(15)))
    }

    @Test func retryAfterIsBounded() {
        let policy = RetryPolicy.exact()
        #expect(plan(policy, Problem.busy(for: .seconds(60))) == .pause(.seconds(61)))
        #expect(plan(policy, Problem.busy(for: .seconds(61))) == .giveUp)
        #expect(plan(policy, Problem.busy(for: .seconds(-5))) == .pause(.seconds(1)))
    }

    @Test func budgetBoundsTheSumOfAllPauses() {
        var policy = RetryPolicy.exact()
        policy.retry.budget = .seconds(10)
        #expect(plan(policy, Problem.busy, attempt: 2, spent: .seconds(8)) == .pause(.seconds(2)))
        #expect(plan(policy, Problem.busy, attempt: 2, spent: .seconds(9)) == .giveUp)
        #expect(plan(policy, Problem.busy(for: .seconds(10))) == .giveUp)
    }

    @Test func policyWithoutRetriesDoesNotWaitForANetwork() {
        #expect(plan(.never, Problem.busy) == .giveUp)
        #expect(plan(.never, Problem.offline) == .giveUp)
        #expect(plan(.exact(), Problem.offline, offlineTries: nil) == .pause(.seconds(1)))
    }

    @Test func onlyActualRetriesSpendTheBudget() {
        let budget = RetryBudget(share: 0, reserve: 1, clock: ManualClock())
        let policy = RetryPolicy.exact(budget: budget)
        #expect(plan(policy, Problem.broken) == .giveUp)
        #expect(plan(policy, Problem.busy, attempt: 4) == .giveUp)
        #expect(plan(policy, Problem.offline) == .awaitConnection(.seconds(1)))
        #expect(plan(policy, Problem.busy) == .pause(.seconds(1)))
        #expect(plan(policy, Problem.busy) == .giveUp)
    }
}

@Suite struct RetryBudgetTests {
    private let clock = ManualClock()

    @Test func fiveRequestsAllowOneRetry() {
        let budget = RetryBudget(reserve: 0, clock: clock)
        for _ in 0..<4 { budget.deposit() }
        #expect(!budget.withdraw())
        budget.deposit()
        #expect(budget.withdraw())
        #expect(!budget.withdraw())
    }

    @Test func reserveIsRefilledOverTime() {
        let budget = RetryBudget(reserve: 3, clock: clock)
        #expect((0..<5).map { _ in budget.withdraw() } == [true, true, true, false, false])
        clock.advance(by: .seconds(5))
        #expect(!budget.withdraw())
        clock.advance(by: .seconds(6))
        #expect(budget.withdraw())
    }

    @Test func expiredRequestsDoNotCount() {
        let budget = RetryBudget(reserve: 0, clock: clock)
        for _ in 0..<50 { budget.deposit() }
        clock.advance(by: .seconds(9))
        #expect(budget.withdraw())
        clock.advance(by: .seconds(2))
        #expect(!budget.withdraw())
    }

    @Test func failingServerGetsAtMostAFifthMoreRequests() {
        let budget = RetryBudget(reserve: 0, clock: clock)
        var retries = 0
        for _ in 0..<1_000 {
            budget.deposit()
            if budget.withdraw() { retries += 1 }
            clock.advance(by: .milliseconds(10))
        }
        #expect(retries == 200)
    }

    @Test func invalidBudgetAllowsNoRetry() {
        for share in [Double.nan, -1, .infinity] {
            let budget = RetryBudget(share: share, period: .zero, reserve: -7, clock: clock)
            budget.deposit()
            #expect(!budget.withdraw())
        }
    }

    @Test func eightThreadsTogetherStayWithinTheReserve() async {
        let budget = RetryBudget(reserve: 100, clock: clock)
        let taken = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { (0..<50).count { _ in budget.withdraw() } } }
            return await group.reduce(0, +)
        }
        #expect(taken == 100)
    }
}
