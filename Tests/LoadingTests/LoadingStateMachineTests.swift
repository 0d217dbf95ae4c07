import Testing

@testable import Loading

@Suite struct LoadingStateMachineTests {
    @Test func whatIsFetchedIsFound() {
        let machine = Machine()
        let fetch = machine.fetch("a")
        #expect(machine.state == .fetching("a", previous: nil))
        #expect(machine.succeeded("A", of: fetch))
        #expect(machine.state == .found("A"))
    }

    @Test func aFetchAndItsFailureKeepTheValueFromBefore() {
        let machine = Machine(state: .found("old"))
        let fetch = machine.fetch("a")
        #expect(machine.state == .fetching("a", previous: "old"))
        #expect(machine.failed("broken", of: fetch))
        #expect(machine.state == .failed("broken", previous: "old"))
        _ = machine.fetch("b")
        #expect(machine.state == .fetching("b", previous: "old"))
    }

    @Test func afterABAOnlyTheLastAnswerCounts() {
        let machine = Machine()
        let first = machine.fetch("a")
        let second = machine.fetch("b")
        let third = machine.fetch("a")
        #expect(first < second && second < third)
        #expect(!machine.succeeded("A of then", of: first))
        #expect(!machine.succeeded("B", of: second))
        #expect(machine.state == .fetching("a", previous: nil))
        #expect(machine.succeeded("A of now", of: third))
        #expect(machine.state == .found("A of now"))
    }

    @Test func aLateFailureOfAnOlderFetchIsDropped() {
        let machine = Machine()
        let old = machine.fetch("a")
        let new = machine.fetch("b")
        #expect(machine.succeeded("B", of: new))
        #expect(!machine.failed("broken", of: old))
        #expect(machine.state == .found("B"))
    }

    @Test func lateProgressOfAnOlderFetchIsDropped() {
        let machine = Machine()
        let old = machine.fetch("a")
        #expect(machine.progressed(90, of: old))
        let new = machine.fetch("a")
        #expect(machine.progress == nil)
        #expect(machine.progressed(10, of: new))
        #expect(!machine.progressed(95, of: old))
        #expect(machine.progress == 10)
    }

    @Test func whatBeginsOnceMoreHasNoProgress() {
        let machine = Machine()
        let fetch = machine.fetch("a")
        #expect(machine.progressed(90, of: fetch))
        #expect(machine.progressed(nil, of: fetch))
        #expect(machine.progress == nil)
    }

    @Test func aSecondAnswerOfTheSameFetchIsDropped() {
        let machine = Machine()
        let fetch = machine.fetch("a")
        #expect(machine.failed("broken", of: fetch))
        #expect(!machine.succeeded("A", of: fetch))
        #expect(!machine.progressed(100, of: fetch))
        #expect(machine.state == .failed("broken", previous: nil))
    }

    @Test func anAnswerThatIsOnItsWayDuringTheCancellationIsDropped() {
        let machine = Machine(state: .found("old"))
        let fetch = machine.fetch("a")
        #expect(machine.progressed(99, of: fetch))
        #expect(machine.cancel())
        #expect(!machine.succeeded("A", of: fetch))
        #expect(!machine.failed("cancelled", of: fetch))
        #expect(machine.state == .found("old"))
        #expect(machine.progress == nil)
    }

    @Test func aCancelledFetchOfNothingLeavesNothing() {
        let machine = Machine()
        _ = machine.fetch("a")
        #expect(machine.cancel())
        #expect(machine.state == .none)
        #expect(machine.source == "a")
        #expect(!machine.cancel())
    }

    @Test func aRetryFetchesTheSameOnceMore() throws {
        let machine = Machine()
        #expect(machine.retry() == nil)
        let fetch = machine.fetch("a")
        #expect(machine.retry() == nil)
        #expect(machine.failed("broken", of: fetch))
        let retry = try #require(machine.retry())
        #expect(retry.source == "a")
        #expect(fetch < retry.generation)
        #expect(!machine.succeeded("late", of: fetch))
        #expect(machine.succeeded("A", of: retry.generation))
        #expect(machine.retry() == nil)
    }

    @Test func aFailureThatWasKeptCanBeRetriedIfItsSourceWas() {
        let machine = Machine(state: .failed("broken", previous: "old"), source: "a")
        #expect(machine.retry()?.source == "a")
        let other = Machine(state: .failed("broken", previous: "old"))
        #expect(other.retry() == nil)
        #expect(other.state == .failed("broken", previous: "old"))
    }

    @Test func theSameSourceAgainIsFetchedAgain() {
        let machine = Machine()
        let failed = machine.fetch("a")
        #expect(machine.failed("broken", of: failed))
        let again = machine.fetch("a")
        #expect(machine.state == .fetching("a", previous: nil))
        #expect(machine.succeeded("A", of: again))
        #expect(machine.fetch("a") > again)
        #expect(machine.state == .fetching("a", previous: "A"))
    }

    @Test func whatIsHereOrOnItsWayIsNotLoadedAgain() {
        let machine = Machine()
        let fetch = machine.load("a")
        #expect(machine.load("a") == nil)
        #expect(fetch.map { machine.succeeded("A", of: $0) } == true)
        #expect(machine.load("a") == nil)
        #expect(machine.state == .found("A"))
    }

    @Test func whatHasFailedIsLoadedAgain() {
        let machine = Machine()
        let fetch = machine.fetch("a")
        #expect(machine.failed("broken", of: fetch))
        #expect(machine.load("a") != nil)
    }

    @Test func theValueFromBeforeIsNotThatOfAnotherSource() {
        let machine = Machine()
        let first = machine.fetch("a")
        #expect(machine.succeeded("A", of: first))
        _ = machine.fetch("b")
        #expect(machine.valueSource == "a")
        #expect(machine.cancel())
        #expect(machine.state == .found("A"))
        #expect(machine.valueSource == "a")
        #expect(machine.load("a") == nil)
        #expect(machine.source == "a")
        #expect(machine.load("b") != nil)
    }

    @Test func afterACancellationWhatIsShownIsRevalidated() {
        let machine = Machine()
        #expect(machine.revalidate() == nil)
        let first = machine.fetch("a")
        #expect(machine.succeeded("A", of: first))
        _ = machine.fetch("b")
        #expect(machine.cancel())
        #expect(machine.revalidate()?.source == "a")
        #expect(machine.state == .fetching("a", previous: "A"))
    }

    @Test func afterAResetEverythingIsStale() {
        let machine = Machine(state: .found("old"))
        let fetch = machine.fetch("a")
        machine.reset()
        #expect(!machine.succeeded("A", of: fetch))
        #expect(machine.state == .none)
        #expect(machine.source == nil)
        #expect(machine.fetch("b") > fetch)
        #expect(machine.state == .fetching("b", previous: nil))
    }

    @Test func aFetchThatWasKeptCanBeCancelled() {
        let machine = Machine(state: .fetching("a", previous: "old"))
        #expect(machine.source == "a")
        #expect(machine.cancel())
        #expect(machine.state == .found("old"))
    }
}

/// A machine behind a reference: `#expect` calls nothing that changes a value.
private final class Machine {
    private var machine: LoadingStateMachine<String, String, String, Int>

    init(state: LoadingState<String, String, String> = .none, source: String? = nil) {
        self.machine = LoadingStateMachine(state: state, source: source)
    }

    typealias Generation = LoadingStateMachine<String, String, String, Int>.Generation

    var state: LoadingState<String, String, String> { machine.state }
    var progress: Int? { machine.progress }
    var source: String? { machine.source }
    var valueSource: String? { machine.valueSource }

    func fetch(_ source: String) -> Generation { machine.fetch(source) }
    func load(_ source: String) -> Generation? { machine.load(source) }
    func retry() -> (source: String, generation: Generation)? { machine.retry() }
    func revalidate() -> (source: String, generation: Generation)? { machine.revalidate() }
    func progressed(_ progress: Int?, of fetch: Generation) -> Bool { machine.progressed(progress, of: fetch) }
    func succeeded(_ value: String, of fetch: Generation) -> Bool { machine.succeeded(value, of: fetch) }
    func failed(_ reason: String, of fetch: Generation) -> Bool { machine.failed(reason, of: fetch) }
    func cancel() -> Bool { machine.cancel() }
    func reset() { machine.reset() }
}
