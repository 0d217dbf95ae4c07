import Testing

@testable import Loading

/// Every state that can be reached within a few fetches meets every event.
@Suite struct EveryStateTests {
    /// The value and the failure of a fetch name it, so that one that ends up in the wrong place is seen.
    typealias Machine = LoadingStateMachine<String, Int, Int, Int>

    enum Event: Hashable {
        case fetch(String)
        case load(String)
        case retry
        case revalidate
        case progressed(Int)
        case succeeded(Int)
        case failed(Int)
        case cancel
        case reset
    }

    /// A machine, and the generations of its fetches, oldest first.
    struct Situation: Hashable {
        var machine: Machine
        var fetches: [Machine.Generation] = []
        /// How many events may still make everything before them stale: without a limit there is no last state.
        var changes = 6

        /// Each event, and those of each fetch that ever was.
        var events: [Event] {
            let reports = fetches.indices.flatMap { [Event.progressed($0), .succeeded($0), .failed($0)] }
            return changes > 0
                ? reports + [
                    .fetch("a"), .fetch("b"), .load("a"), .load("b"), .retry, .revalidate, .cancel, .reset,
                ] : reports
        }
    }

    @Test func eachEventDoesWhatItSaysAndNothingElse() {
        let starts: [LoadingState<String, Int, Int>] = [
            .none, .found(-1), .failed(-2, previous: nil), .failed(-2, previous: -1), .fetching("a", previous: nil),
            .fetching("a", previous: -1),
        ]
        var seen: Set<Situation> = []
        var waiting = starts.flatMap { state in
            [nil, "b"].map { Situation(machine: Machine(state: state, source: $0)) }
        }
        seen.formUnion(waiting)
        while !waiting.isEmpty {
            var next: [Situation] = []
            for situation in waiting {
                for event in situation.events {
                    var after = Self.outcome(of: event, in: situation)
                    if after.machine.generation != situation.machine.generation { after.changes -= 1 }
                    if seen.insert(after).inserted { next.append(after) }
                }
            }
            waiting = next
        }
        #expect(seen.count > 1_000)
    }

    /// Applies an event and compares what it does with what it is to do.
    private static func outcome(of event: Event, in before: Situation) -> Situation {
        var after = before
        let state = before.machine.state
        let current = before.machine.generation
        switch event {
        case .fetch(let source):
            let fetch = after.machine.fetch(source)
            after.fetches.append(fetch)
            check(after, state: .fetching(source, previous: state.value), source: source)
            verify(fetch > current)
        case .load(let source):
            let isHere = state.failureReason == nil && !state.isFetching && before.machine.valueSource == source
            guard let fetch = after.machine.load(source) else {
                verify(state.sourceBeingFetched == source || isHere)
                verify(after.machine.state == state && after.machine.progress == before.machine.progress)
                verify(after.machine.source == source && after.machine.generation == current)
                break
            }
            after.fetches.append(fetch)
            verify(state.sourceBeingFetched != source && !isHere)
            check(after, state: .fetching(source, previous: state.value), source: source)
            verify(fetch > current)
        case .revalidate:
            let wanted = state.isFetching || state.failureReason != nil ? nil : before.machine.valueSource
            guard let fetch = after.machine.revalidate() else {
                verify(wanted == nil && before.machine.source == nil)
                verify(after == before)
                break
            }
            after.fetches.append(fetch.generation)
            verify(fetch.source == wanted ?? before.machine.source)
            verify(fetch.generation > current)
            check(after, state: .fetching(fetch.source, previous: state.value), source: fetch.source)
        case .retry:
            guard let retry = after.machine.retry() else {
                verify(state.failureReason == nil || before.machine.source == nil)
                verify(after == before)
                break
            }
            after.fetches.append(retry.generation)
            verify(state.failureReason != nil)
            verify(retry.source == before.machine.source)
            verify(retry.generation > current)
            check(after, state: .fetching(retry.source, previous: state.value), source: retry.source)
        case .progressed(let fetch):
            let isTaken = after.machine.progressed(fetch, of: before.fetches[fetch])
            guard check(isTaken, fetch: fetch, in: before, after) else { break }
            verify(after.machine.progress == fetch)
            verify(after.machine.state == state)
        case .succeeded(let fetch):
            let isTaken = after.machine.succeeded(fetch, of: before.fetches[fetch])
            guard check(isTaken, fetch: fetch, in: before, after) else { break }
            check(after, state: .found(fetch), source: before.machine.source)
            verify(after.machine.valueSource == before.machine.source)
        case .failed(let fetch):
            let isTaken = after.machine.failed(fetch, of: before.fetches[fetch])
            guard check(isTaken, fetch: fetch, in: before, after) else { break }
            check(after, state: .failed(fetch, previous: state.value), source: before.machine.source)
        case .cancel:
            let isCancelled = after.machine.cancel()
            verify(isCancelled == state.isFetching)
            guard state.isFetching else {
                verify(after == before)
                break
            }
            check(after, state: state.value.map { .found($0) } ?? .none, source: before.machine.source)
            verify(after.machine.generation > current)
        case .reset:
            after.machine.reset()
            check(after, state: .none, source: nil)
            verify(after.machine.generation > current)
        }
        verify(after.machine.progress == nil || after.machine.state.isFetching)
        // Where the value came from changes with the value, and not without it.
        if after.machine.state.value == state.value { verify(after.machine.valueSource == before.machine.valueSource) }
        verify(after.machine.valueSource == nil || after.machine.state.value != nil)
        return after
    }

    /// A report is taken if it is the last fetch's, and that one is under way; otherwise nothing changes.
    private static func check(_ isTaken: Bool, fetch: Int, in before: Situation, _ after: Situation) -> Bool {
        let isUnderWay = before.machine.state.isFetching && before.fetches[fetch] == before.machine.generation
        verify(isTaken == isUnderWay)
        verify(!isUnderWay || fetch == before.fetches.indices.last)
        if !isUnderWay { verify(after == before) }
        return isTaken
    }

    /// As `#expect`, at a hundredth of its time.
    private static func verify(_ isTrue: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
        if !isTrue { Issue.record("not as it should be", sourceLocation: sourceLocation) }
    }

    private static func check(_ after: Situation, state: LoadingState<String, Int, Int>, source: String?) {
        verify(after.machine.state == state)
        verify(after.machine.source == source)
        verify(after.machine.progress == nil)
    }
}
