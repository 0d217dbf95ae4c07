import Testing

@testable import HTTPFetching

@Suite struct DeadlineStateMachineTests {
    private var machine = DeadlineStateMachine<String>()

    @Test mutating func timerIsSetForTheEarliestDeadline() {
        let (first, action) = machine.begin("a", deadline: .seconds(100))
        #expect(action == .set(.seconds(100)))
        #expect(machine.enter(first, .firstByte, until: .seconds(10)) == .set(.seconds(10)))
        #expect(machine.enter(first, .idle, until: .seconds(20)) == .keep)
        #expect(machine.begin("b", deadline: .seconds(50)).1 == .keep)
        #expect(machine.begin("c", deadline: .seconds(5)).1 == .set(.seconds(5)))
    }

    @Test mutating func transferWithAnExtendedDeadlineIsNotCancelled() {
        let (first, _) = machine.begin("a", deadline: .seconds(100))
        _ = machine.enter(first, .idle, until: .seconds(10))
        _ = machine.enter(first, .idle, until: .seconds(15))
        let (cancelled, timer) = machine.wake(at: .seconds(10))
        #expect(cancelled.isEmpty && timer == .seconds(15))
        let (late, none) = machine.wake(at: .seconds(15))
        #expect(late == ["a"] && none == nil)
        #expect(machine.reached(first) == .idle)
        #expect(machine.end(first) == .idle)
        #expect(machine.reached(first) == nil)
    }

    @Test mutating func totalLimitAppliesInEveryPhase() {
        let (first, _) = machine.begin("a", deadline: .seconds(10))
        _ = machine.enter(first, .idle, until: .seconds(30))
        #expect(machine.wake(at: .seconds(10)).cancel == ["a"])
        #expect(machine.end(first) == .total)
    }

    @Test mutating func pausedTransferHasOnlyTheTotalLimit() {
        let (first, _) = machine.begin("a", deadline: .seconds(100))
        _ = machine.enter(first, .idle, until: .seconds(10))
        machine.pause(first)
        let (cancelled, timer) = machine.wake(at: .seconds(10))
        #expect(cancelled.isEmpty && timer == .seconds(100))
        #expect(machine.end(first) == nil)
    }

    @Test mutating func endedTransferIsNotCancelled() {
        let (first, _) = machine.begin("a", deadline: .seconds(10))
        #expect(machine.end(first) == nil)
        let (cancelled, timer) = machine.wake(at: .seconds(10))
        #expect(cancelled.isEmpty && timer == nil)
        #expect(machine.enter(first, .idle, until: .seconds(1)) == .keep)
        #expect(machine.count == 0)
        // The timer has fired, so the next transfer sets it again.
        #expect(machine.begin("b", deadline: .seconds(20)).1 == .set(.seconds(20)))
    }

    @Test mutating func allExpiredTransfersAreCancelled() {
        let ids = (1...5).map { machine.begin("\($0)", deadline: .seconds($0)).0 }
        let (cancelled, timer) = machine.wake(at: .seconds(3))
        #expect(cancelled.sorted() == ["1", "2", "3"] && timer == .seconds(4))
        #expect(ids.map { machine.end($0) } == [.total, .total, .total, nil, nil])
    }
}
