import Foundation
import StoreTesting
import Testing

@testable import Loading

/// Every order of a few events that a loader's machine can meet, those that come too late among them.
@Suite(.timeLimit(.minutes(10))) struct LoaderStateMachineTests {
    typealias Machine = LoaderStateMachine<String, String, Problem>

    private static let depth = isSoak ? 5 : 4
    private static let prefetchLimit = 1

    private enum Kind: Hashable {
        case transfer(String)
        case pause
        case probe
    }

    private enum Event {
        case load(String, LoadMode)
        case retry
        case revalidate
        case cancel
        case reset
        case prefetch(String)
        case cancelPrefetch(String)
        case progressed(Machine.WorkID)
        case succeeded(Machine.WorkID)
        case failed(Machine.WorkID, RetryPlan)
        case pauseEnded(Machine.WorkID)
        case pauseRefused(Machine.WorkID)
        case probeEnded(Machine.WorkID, Bool)
        case timePasses
    }

    /// A machine, all work that it ever began, and which of that goes on.
    private struct Situation {
        var machine = Machine(prefetchLimit: prefetchLimit, prefetchLifetime: .seconds(30))
        var works: [(id: Machine.WorkID, kind: Kind)] = []
        var running: Set<Machine.WorkID> = []
        var now = Duration.zero

        var events: [Event] {
            var events: [Event] = [
                .load("a", .ifNeeded), .load("b", .ifNeeded), .load("a", .revalidate), .retry, .revalidate, .cancel,
                .reset, .prefetch("a"), .prefetch("b"), .cancelPrefetch("a"), .timePasses,
            ]
            for work in works {
                switch work.kind {
                case .transfer:
                    events += [
                        .progressed(work.id), .succeeded(work.id), .failed(work.id, .giveUp),
                        .failed(work.id, .pause(.seconds(1))), .failed(work.id, .awaitConnection(.seconds(1))),
                    ]
                case .pause: events += [.pauseEnded(work.id), .pauseRefused(work.id)]
                case .probe: events += [.probeEnded(work.id, true), .probeEnded(work.id, false)]
                }
            }
            return events
        }
    }

    @Test func whateverComesSomethingEndsEveryFetch() {
        var count = 0
        func explore(_ situation: Situation, depth: Int) {
            guard depth > 0 else { return }
            for event in situation.events {
                count += 1
                explore(Self.outcome(of: event, in: situation), depth: depth - 1)
            }
        }
        explore(Situation(), depth: Self.depth)
        // From within a fetch, its pause, and the waiting for a network, too.
        for plan in [RetryPlan.pause(.seconds(1)), .awaitConnection(.seconds(1))] {
            var situation = Self.outcome(of: .load("a", .ifNeeded), in: Situation())
            situation = Self.outcome(of: .failed(situation.works[0].id, plan), in: situation)
            situation = Self.outcome(of: .pauseEnded(situation.works[1].id), in: situation)
            explore(situation, depth: Self.depth - 1)
        }
        #expect(count > 10_000)
    }

    /// Applies an event, and looks whether what came of it holds together.
    private static func outcome(of event: Event, in before: Situation) -> Situation {
        var after = before
        var action = Machine.Action()
        var reported: Machine.WorkID?
        switch event {
        case .load(let source, let mode): action = after.machine.load(source, mode, now: before.now)
        case .retry: action = after.machine.retry(now: before.now)
        case .revalidate: action = after.machine.revalidate(now: before.now)
        case .cancel: action = after.machine.cancel()
        case .reset: action = after.machine.reset()
        case .prefetch(let source): action = after.machine.prefetch(source, now: before.now)
        case .cancelPrefetch(let source): action = after.machine.cancelPrefetch(source)
        case .timePasses: after.now += .seconds(30)
        case .progressed(let id):
            after.machine.progressed(id, FetchProgress(received: 1))
            if !before.running.contains(id) { verify(isSame(before, after), "late progress of \(before)") }
        case .succeeded(let id):
            reported = id
            after.machine.succeeded(id, value(of: id, in: before), isEqual: false, now: before.now)
            if before.machine.isAttempt(id) {
                verify(after.machine.loading.state == .found(value(of: id, in: before)), "a value is not shown")
            }
        case .failed(let id, let plan):
            reported = id
            action = after.machine.failed(id, .broken, plan, now: before.now)
        case .pauseEnded(let id):
            reported = id
            action = after.machine.pauseEnded(id)
        case .pauseRefused(let id):
            reported = id
            after.machine.pauseRefused(id)
        case .probeEnded(let id, let isConnected):
            reported = id
            action = after.machine.probeEnded(id, isConnected: isConnected, pause: .seconds(2))
        }
        if let reported {
            if !before.running.contains(reported) {
                verify(isSame(before, after) && action.started.isEmpty, "a late \(event) was listened to")
            }
            after.running.remove(reported)
        }
        for id in action.cancelled {
            verify(after.running.remove(id) != nil, "what does not go on was cancelled by \(event)")
        }
        for work in action.started {
            switch work {
            case .transfer(let id, let source, isRetry: _): after.works.append((id, .transfer(source)))
            case .pause(let id, _): after.works.append((id, .pause))
            case .probe(let id, _): after.works.append((id, .probe))
            }
            if let id = after.works.last?.id { after.running.insert(id) }
        }
        look(at: after, event)
        return after
    }

    /// What always holds.
    private static func look(at situation: Situation, _ event: Event) {
        let machine = situation.machine
        let isFetching = machine.loading.state.isFetching
        let kinds = situation.works.filter { situation.running.contains($0.id) }
        let others = kinds.filter { if case .transfer = $0.kind { !machine.isAttempt($0.id) } else { false } }
        verify(kinds.count - others.count == (isFetching ? 1 : 0), "\(event): nothing, or too much, ends the fetch")
        verify(others.count <= prefetchLimit, "\(event): more is fetched ahead than may be")
        verify(machine.prefetchedSources.count <= prefetchLimit, "\(event): more is kept than may be")
        verify((machine.attempt > 0) == isFetching, "\(event): attempt \(machine.attempt)")
        verify(isFetching || machine.lastFailure == nil && machine.pause == nil && !machine.isDisconnected, "\(event)")
        verify((machine.pause == nil) == (machine.pauseEnd == nil), "\(event): a pause without an end")
        // What is shown is of the source that it is said to be of.
        let (value, source) = (machine.loading.state.value, machine.loading.valueSource)
        verify(value?.first.map(String.init) == source, "\(event): \(value ?? "nothing") of \(source ?? "nowhere")")
    }

    /// The value says which source it is of, and which fetch has brought it.
    private static func value(of id: Machine.WorkID, in situation: Situation) -> String {
        for (number, work) in situation.works.enumerated() where work.id == id {
            if case .transfer(let source) = work.kind { return "\(source)\(number)" }
        }
        return "?"
    }

    private static func isSame(_ first: Situation, _ second: Situation) -> Bool {
        first.machine.loading == second.machine.loading && first.machine.attempt == second.machine.attempt
            && first.machine.look == second.machine.look && first.machine.pause == second.machine.pause
            && first.machine.isDisconnected == second.machine.isDisconnected
            && first.machine.prefetchedSources == second.machine.prefetchedSources
    }

    /// As `#expect`, at a hundredth of its time.
    private static func verify(
        _ isTrue: Bool, _ message: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        if !isTrue { Issue.record("\(message())", sourceLocation: sourceLocation) }
    }
}
