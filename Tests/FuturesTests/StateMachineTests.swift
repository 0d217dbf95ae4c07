import Testing

@testable import Futures

/// Tests the state machine without concurrency: every event in every phase.
@Suite struct FutureStateMachineTests {
    private typealias Machine = FutureStateMachine<Int, Fault>

    private static let callback = Machine.Callback.either { _ in }

    /// Machines in each phase, with and without waiters.
    private static func machines() -> [(name: String, machine: Machine)] {
        let pending = Machine(isSettled: false)
        var waited = pending
        _ = waited.register(callback, turn: .inOrder)
        var joined = pending
        _ = joined.join(callback)
        var draining = waited
        _ = draining.settle()
        var later = draining
        _ = later.register(callback, turn: .last)
        return [
            ("pending", pending), ("waited", waited), ("joined", joined), ("draining", draining), ("later", later),
            ("settled", Machine(isSettled: true)),
        ]
    }

    private static func outcomes(of event: (inout Machine) -> String) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: machines().map { name, machine in
                var machine = machine
                let action = event(&machine)
                return (name, "\(action), \(machine.phase)")
            })
    }

    @Test func machineSettlesOnlyOnce() {
        let outcomes = Self.outcomes { machine in
            switch machine.settle() {
            case .run: "run"
            case .done: "done"
            case .ignore: "ignore"
            }
        }
        #expect(
            outcomes == [
                "pending": "done, settled", "waited": "run, draining", "joined": "run, draining",
                "draining": "ignore, draining", "later": "ignore, draining", "settled": "ignore, settled",
            ])
    }

    @Test func drainingEndsWhenNoCallbackRemains() {
        let outcomes = Self.outcomes { machine in
            switch machine.drained() {
            case .run: "run"
            case .done: "done"
            }
        }
        #expect(
            outcomes == [
                "pending": "done, pending", "waited": "done, pending", "joined": "done, pending",
                "draining": "done, settled", "later": "run, draining", "settled": "done, settled",
            ])
    }

    @Test(arguments: [FutureStateMachine<Int, Fault>.Turn.inOrder, .last])
    func callbackWaitsBeforeAndIsCalledAfterSettling(_ turn: FutureStateMachine<Int, Fault>.Turn) {
        let outcomes = Self.outcomes { machine in
            switch machine.register(Self.callback, turn: turn) {
            case .wait: "wait"
            case .call: "call"
            }
        }
        #expect(
            outcomes == [
                "pending": "wait, pending", "waited": "wait, pending", "joined": "wait, pending",
                "draining": "wait, draining", "later": "wait, draining", "settled": "call, settled",
            ])
    }

    @Test func joiningWaiterGetsATicketOnlyWhilePending() {
        let outcomes = Self.outcomes { machine in
            switch machine.join(Self.callback) {
            case .wait(let ticket): "wait \(ticket)"
            case .register: "register"
            }
        }
        #expect(
            outcomes == [
                "pending": "wait 1, pending", "waited": "wait 1, pending", "joined": "wait 2, pending",
                "draining": "register, draining", "later": "register, draining", "settled": "register, settled",
            ])
    }

    @Test func waiterCanLeaveOnlyWhileJoined() {
        let outcomes = Self.outcomes { machine in
            machine.leave(ticket: 1) == nil ? "too late" : "left"
        }
        #expect(outcomes["joined"] == "left, pending")
        #expect(outcomes.values.count { $0.hasPrefix("too late") } == 5)
    }

    @Test func deferredCallbacksStartOneDrain() {
        var settled = Machine(isSettled: true)
        let first = settled.putOff(Self.callback)
        let second = settled.putOff(Self.callback)
        #expect(first && !second)
        #expect(settled.phase == .draining)
    }

    @Test func unwantedActionRunsOnceWhenTheLastWaiterLeaves() {
        let journal = Journal<String>()
        var machine = Machine(isSettled: false)
        machine.wantsToKnow(UnwantedAction { journal.add("unwanted") })
        guard case .wait(let first) = machine.join(Self.callback),
            case .wait(let second) = machine.join(Self.callback)
        else {
            Issue.record("both waiters should have a ticket")
            return
        }
        for ticket in [first, first, second, second] {
            machine.leave(ticket: ticket)?.onUnwanted?()
        }
        #expect(journal.entries == ["unwanted"])
    }

    @Test func ticketsStayValidWhileOthersLeave() {
        var machine = Machine(isSettled: false)
        let seen = Journal<String>()
        let tickets = (0..<100).compactMap { number -> Int? in
            guard case .wait(let ticket) = machine.join(.either { _ in seen.add("\(number)") }) else { return nil }
            return ticket
        }
        for (number, ticket) in tickets.enumerated() where !number.isMultiple(of: 10) {
            guard machine.leave(ticket: ticket) != nil else {
                Issue.record("waiter \(number) could not leave")
                continue
            }
        }
        guard case .run(let waiting) = machine.settle() else {
            Issue.record("ten waiters should remain")
            return
        }
        waiting(.success(1))
        #expect(seen.entries == (0..<10).map { "\($0 * 10)" })
    }
}
