import Testing

@testable import Futures

@Suite struct SingleFlightStateMachineTests {
    private typealias Machine = SingleFlightStateMachine<String, String, Int, Int>

    private var machine = Machine()

    private mutating func start(_ key: String = "a", priority: UInt8 = 10) throws -> (
        Machine.FlightID, Machine.WaiterID
    ) {
        guard
            case .start(let flight, let id) = machine.join(
                key, 1, listens: true, priority: priority, new: "handle of \(key)")
        else {
            throw Unexpected()
        }
        return (flight, id)
    }

    private mutating func wait(_ number: Int, priority: UInt8 = 10) throws -> (
        Machine.WaiterID, hurry: String?, tell: Bool
    ) {
        guard
            case .wait(_, let id, let hurry, let tell) = machine.join(
                "a", number, listens: true, priority: priority, new: "unused")
        else {
            throw Unexpected()
        }
        return (id, hurry, tell)
    }

    private struct Unexpected: Error {}

    @Test mutating func firstCallerStartsTheRunAndOthersWait() throws {
        let (flight, _) = try start()
        _ = try wait(2)
        _ = try wait(3)
        #expect(machine.keys.contains("a") && machine.waiterCount("a") == 3)
        #expect(machine.end(flight).waiters.sorted() == [1, 2, 3])
        #expect(machine.isEmpty)
        #expect(machine.end(flight).waiters == [])
    }

    @Test mutating func keysHaveSeparateRuns() throws {
        let (first, _) = try start("a")
        let (second, _) = try start("b")
        #expect(machine.end(first).waiters == [1])
        #expect(machine.keys.contains("b") && !machine.keys.contains("a"))
        #expect(machine.end(second).waiters == [1])
    }

    @Test mutating func onlyTheLastCallerToLeaveCancelsTheRun() throws {
        let (flight, first) = try start()
        let (second, _, _) = try wait(2)
        guard case (1, nil)? = machine.leave(first) else { throw Unexpected() }
        guard machine.leave(first) == nil else { throw Unexpected() }
        guard case (2, "handle of a")? = machine.leave(second) else { throw Unexpected() }
        #expect(machine.keys.isEmpty)
        #expect(machine.end(flight).waiters == [])
    }

    @Test mutating func callerAfterAnAbandonedRunStartsANewOne() throws {
        let (old, first) = try start()
        _ = machine.leave(first)
        let (new, _) = try start()
        // The old run ends late.
        #expect(machine.end(old).waiters == [])
        #expect(machine.keys.contains("a"))
        #expect(machine.progressed(old, 5) == false)
        #expect(machine.end(new).waiters == [1])
    }

    @Test mutating func aCancellationAfterTheOutcomeDoesNothing() throws {
        let (flight, id) = try start()
        _ = machine.end(flight)
        guard machine.leave(id) == nil else { throw Unexpected() }
        #expect(machine.isEmpty)
    }

    @Test mutating func runTakesTheHighestPriorityOfItsCallers() throws {
        let (_, first) = try start(priority: 10)
        #expect(try wait(2, priority: 10).hurry == nil)
        let (third, hurry, _) = try wait(3, priority: 20)
        #expect(hurry == "handle of a")
        #expect(machine.escalate(first, to: 15) == nil)
        #expect(machine.escalate(first, to: 25) == "handle of a")
        #expect(machine.escalate(third, to: 25) == nil)
        _ = machine.leave(third)
        #expect(machine.escalate(third, to: 99) == nil)
    }

    @Test mutating func onlyTheLatestProgressIsDeliveredToAllListeners() throws {
        let (flight, _) = try start()
        _ = try wait(2)
        #expect(machine.nextToTell(flight) == nil)
        #expect(machine.progressed(flight, 10) == true)
        // While one thread delivers, no other does.
        #expect(machine.progressed(flight, 20) == false)
        let next = machine.nextToTell(flight)
        let delivery = try #require(next)
        #expect(delivery.progress == 20 && delivery.waiters.sorted() == [1, 2])
        #expect(machine.progressed(flight, 30) == false)
        #expect(machine.nextToTell(flight)?.progress == 30)
        #expect(machine.nextToTell(flight) == nil)
        #expect(machine.progressed(flight, 40) == true)
    }

    @Test mutating func lateCallerGetsTheLatestProgress() throws {
        let (flight, _) = try start()
        #expect(try wait(2).tell == false)
        _ = machine.progressed(flight, 10)
        _ = machine.nextToTell(flight)
        _ = machine.nextToTell(flight)
        #expect(try wait(3).tell)
        let next = machine.nextToTell(flight)
        let delivery = try #require(next)
        #expect(delivery.waiters == [3] && delivery.progress == 10)
        // The next waiter joins during a delivery.
        #expect(try wait(4).tell == false)
        #expect(machine.nextToTell(flight)?.waiters == [4])
        #expect(machine.nextToTell(flight) == nil)
    }

    @Test mutating func callerWithoutListenerGetsNoProgress() throws {
        let (flight, _) = try start()
        guard case .wait = machine.join("a", 2, listens: false, priority: 10, new: "unused") else {
            throw Unexpected()
        }
        #expect(machine.progressed(flight, 10) == true)
        #expect(machine.nextToTell(flight)?.waiters == [1])
        #expect(machine.nextToTell(flight) == nil)
        #expect(machine.end(flight).waiters.sorted() == [1, 2])
    }

    @Test mutating func joinAfterCloseIsRefused() throws {
        let (flight, _) = try start()
        #expect(machine.close() == ["handle of a"])
        guard case .closed = machine.join("b", 5, listens: true, priority: 1, new: "unused") else {
            throw Unexpected()
        }
        #expect(machine.end(flight).waiters == [1])
    }

    @Test mutating func aRunIsSharedOnceASecondCallerHasJoined() throws {
        let (alone, _) = try start()
        #expect(machine.end(alone).isShared == false)
        let (shared, _) = try start()
        let (second, _, _) = try wait(2)
        _ = machine.leave(second)
        #expect(machine.end(shared).isShared)
    }

    @Test mutating func aForgottenRunEndsWithoutTouchingTheNextOne() throws {
        let (old, _) = try start()
        machine.forget("a")
        #expect(machine.keys.isEmpty)
        let (new, _) = try start()
        #expect(machine.end(old).waiters == [1])
        #expect(Array(machine.keys) == ["a"])
        #expect(machine.end(new).waiters == [1])
        #expect(machine.isEmpty)
    }
}
