import Foundation
import StoreTesting
import Testing

@testable import Loading

/// Tests every order of events of a loader's state machine, with late reports, up to a depth.
@Suite(.timeLimit(.minutes(10))) struct LoaderStateMachineTests {
    typealias Machine = LoaderStateMachine<String, String, Problem>

    private static let depth = isSoak ? 10 : 8
    private static let prefetchLimit = 1
    private static let lifetime = Duration.seconds(30)

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
        case succeeded(Machine.WorkID, isEqual: Bool)
        case failed(Machine.WorkID, RetryPlan)
        case pauseEnded(Machine.WorkID)
        case pauseRefused(Machine.WorkID)
        case probeEnded(Machine.WorkID, Bool)
        case timePasses
    }

    /// A machine, its running work, and the last stopped work of each kind, whose reports arrive late.
    private struct Situation {
        var machine = Machine(prefetchLimit: prefetchLimit, prefetchLifetime: lifetime)
        var running: [Machine.WorkID: Kind] = [:]
        var stopped: [Kind: Machine.WorkID] = [:]
        var now = Duration.zero

        mutating func stop(_ id: Machine.WorkID) {
            if let kind = running.removeValue(forKey: id) { stopped[kind] = id }
        }

        var works: [(id: Machine.WorkID, kind: Kind)] {
            running.map { ($0.key, $0.value) } + stopped.map { ($0.value, $0.key) }
        }

        var events: [Event] {
            var events: [Event] = [
                .load("a", .ifNeeded), .load("b", .ifNeeded), .load("a", .revalidate), .retry, .revalidate, .cancel,
                .reset, .prefetch("a"), .prefetch("b"), .cancelPrefetch("a"), .timePasses,
            ]
            for work in works {
                switch work.kind {
                case .transfer:
                    events += [
                        .progressed(work.id), .succeeded(work.id, isEqual: false), .succeeded(work.id, isEqual: true),
                        .failed(work.id, .giveUp), .failed(work.id, .pause(.seconds(1))),
                        .failed(work.id, .awaitConnection(.seconds(1))),
                    ]
                case .pause: events += [.pauseEnded(work.id), .pauseRefused(work.id)]
                case .probe: events += [.probeEnded(work.id, true), .probeEnded(work.id, false)]
                }
            }
            return events
        }

        /// A description without the numbers of work and of versions, so that equivalent situations have the same key.
        var key: String {
            func name(_ id: Machine.WorkID) -> String { running[id].map { "\($0)" } ?? "stopped" }
            func name(_ content: Machine.Content?) -> String { content.map { "\($0.value) of \($0.source)" } ?? "-" }
            let state =
                switch machine.state {
                case .idle(let requested): "idle \(requested ?? "-")"
                case .fetching(let fetch, let content):
                    "fetching \(fetch.source) \(fetch.attempt) \(fetch.pauses) \(fetch.offlineTries) "
                        + "\(fetch.lastFailure != nil) \(step(fetch.step)) \(name(content))"
                case .found(let content, let requested): "found \(name(content)) \(requested)"
                case .failed(_, let requested, let content): "failed \(requested) \(name(content))"
                }
            let ahead = machine.prefetches.map { prefetch in
                switch prefetch.phase {
                case .transferring(let id, let progress): "\(prefetch.source) \(name(id)) \(progress != nil)"
                case .ready(_, let arrival): "\(prefetch.source) \(now - arrival < lifetime)"
                }
            }
            return "\(state) \(ahead) \(stopped.keys.map { "\($0)" }.sorted())"
        }

        private func step(_ step: Machine.Step) -> String {
            switch step {
            case .transferring(_, let progress): "transferring \(progress != nil)"
            case .pausing(_, let length, let end): "pausing \(length) \(end - now)"
            case .disconnected: "disconnected"
            case .probing: "probing"
            }
        }
    }

    @Test func everyOrderOfEventsKeepsTheInvariants() {
        var seen: Set<String> = []
        var situations = [Situation()]
        var count = 0
        for _ in 1...Self.depth {
            var next: [Situation] = []
            for situation in situations {
                for event in situation.events {
                    count += 1
                    let after = Self.outcome(of: event, in: situation)
                    if seen.insert(after.key).inserted { next.append(after) }
                }
            }
            situations = next
        }
        #expect(seen.count > 1_000 && count > 15_000, "\(seen.count) situations, \(count) events")
    }

    /// Applies an event and checks its effects.
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
        case .timePasses: after.now += lifetime
        case .progressed(let id):
            after.machine.progressed(id, FetchProgress(received: 1))
            if before.running[id] == nil { verify(after.key == before.key, "late progress changed \(before.key)") }
        case .succeeded(let id, let isEqual):
            reported = id
            // Only for the same source: in this test a value names its source, so values of different sources are never equal.
            let isSame = before.machine.content?.source == before.machine.fetch?.source
            let equal = isEqual && isSame ? before.machine.shownValue(during: id) : nil
            action = after.machine.succeeded(
                id, equal ?? value(of: id, in: before), isEqual: equal != nil, now: before.now)
        case .failed(let id, let plan):
            reported = id
            action = after.machine.failed(id, .broken, now: before.now) { fetch in
                verify(fetch.lastFailure?.id == id, "\(event): the plan is for another attempt")
                return plan
            }
        case .pauseEnded(let id):
            reported = id
            action = after.machine.pauseEnded(id)
        case .pauseRefused(let id):
            reported = id
            action = after.machine.pauseRefused(id)
        case .probeEnded(let id, let isConnected):
            reported = id
            action = after.machine.probeEnded(id, isConnected: isConnected) { .seconds($0) }
        }
        if let reported {
            if before.running[reported] == nil {
                let isIgnored = after.key == before.key && action.started.isEmpty
                verify(isIgnored && action.ended == nil, "late \(event) changed \(before.key)")
            }
            after.stop(reported)
        }
        for id in before.running.keys where !after.machine.running.contains(id) { after.stop(id) }
        for work in action.started {
            switch work {
            case .transfer(let id, let source, isRetry: _): after.running[id] = .transfer(source)
            case .pause(let id, _): after.running[id] = .pause
            case .probe(let id, _): after.running[id] = .probe
            }
        }
        checkInvariants(of: after, event)
        checkEnd(action.ended, event, before.machine, after.machine)
        return after
    }

    /// Checks the invariants after an event.
    private static func checkInvariants(of situation: Situation, _ event: Event) {
        let machine = situation.machine
        let fingerprint = machine.fingerprint
        let ahead = machine.prefetches.compactMap(\.id)
        let own = machine.fetch.map { [$0.step.id] } ?? []
        // The fetch waits for exactly one piece of work, each prefetch for one, and no other work runs.
        verify(Set(situation.running.keys) == machine.running, "\(event): the wrong work runs")
        verify(Set(own).isDisjoint(with: ahead), "\(event): a fetch shares its work with a prefetch")
        verify(
            ahead.count <= prefetchLimit && machine.prefetches.count <= prefetchLimit, "\(event): too many prefetches")
        verify((fingerprint.attempt > 0) == (machine.fetch != nil), "\(event): attempt \(fingerprint.attempt)")
        verify(machine.loadingState.isFetching == (machine.fetch != nil), "\(event): the states differ")
        verify(
            machine.fetch == nil || machine.source == machine.loadingState.sourceBeingFetched, "\(event): wrong source")
        let pauses =
            fingerprint.pause != nil || fingerprint.isPaused || fingerprint.lastFailure != nil
            || fingerprint.progress != nil
        verify(machine.fetch != nil || !pauses, "\(event): \(fingerprint) without a fetch")
        verify(fingerprint.pause == nil || fingerprint.lastFailure != nil, "\(event): a pause without a failure")
        // The shown value belongs to the reported source.
        let content = machine.content
        verify(content?.value.first.map(String.init) == content?.source, "\(event): \(content?.value ?? "") is shown")
        verify(content?.value == machine.loadingState.value, "\(event): two values are shown")
    }

    /// Checks that callers that wait for a fetch get its outcome, or learn that it was abandoned.
    private static func checkEnd(_ end: Machine.End?, _ event: Event, _ before: Machine, _ after: Machine) {
        verify(end == nil || before.fetch != nil, "\(event): a fetch ended that never began")
        switch end {
        case .outcome(.success(let value)):
            verify(after.loadingState == .found(value), "\(event): \(value) isn't shown")
        case .outcome(.failure(let failure)):
            verify(after.loadingState == .failed(failure, previous: before.content?.value), "\(event): no failure")
        case .abandoned:
            break
        case nil:
            verify(
                before.fetch == nil || before.fetch?.source == after.fetch?.source, "\(event): a caller waits for ever")
            verify(
                before.content?.version == after.content?.version || before.fetch == nil, "\(event): a value changed")
        }
    }

    /// A value that names its source, or “stale” if the transfer isn't running.
    private static func value(of id: Machine.WorkID, in situation: Situation) -> String {
        if case .transfer(let source)? = situation.running[id] { return source }
        return "stale"
    }

    /// Like `#expect`, in a hundredth of the time.
    private static func verify(
        _ isTrue: Bool, _ message: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        if !isTrue { Issue.record("\(message())", sourceLocation: sourceLocation) }
    }
}
