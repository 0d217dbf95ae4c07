import Testing

@testable import Loading

@Suite struct LoadingStateMachineTests {
    @Test func succeededFetchIsFound() {
        let machine = Machine()
        let fetch = machine.fetch("a")
        #expect(machine.state == .fetching("a", previous: nil))
        #expect(machine.succeeded("A", of: fetch))
        #expect(machine.state == .found("A"))
    }

    @Test func fetchAndFailureKeepThePreviousValue() {
        let machine = Machine(state: .found("old"))
        let fetch = machine.fetch("a")
        #expect(machine.state == .fetching("a", previous: "old"))
        #expect(machine.failed("broken", of: fetch))
        #expect(machine.state == .failed("broken", previous: "old"))
        _ = machine.fetch("b")
        #expect(machine.state == .fetching("b", previous: "old"))
    }

    @Test func onlyTheLastResponseCountsIfTheFirstSourceIsFetchedAgain() {
        let machine = Machine()
        let first = machine.fetch("a")
        let second = machine.fetch("b")
        let third = machine.fetch("a")
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

    @Test func secondOutcomeOfTheSameFetchIsDropped() {
        let machine = Machine()
        let fetch = machine.fetch("a")
        #expect(machine.failed("broken", of: fetch))
        #expect(!machine.succeeded("A", of: fetch))
        #expect(!machine.progressed(100, of: fetch))
        #expect(machine.state == .failed("broken", previous: nil))
    }

    @Test func fetchingTheSameSourceStartsANewFetch() {
        let machine = Machine()
        let failed = machine.fetch("a")
        #expect(machine.failed("broken", of: failed))
        let again = machine.fetch("a")
        #expect(machine.state == .fetching("a", previous: nil))
        #expect(machine.succeeded("A", of: again))
        #expect(machine.fetch("a") != again)
        #expect(machine.state == .fetching("a", previous: "A"))
    }
}

/// A machine in a class, because `#expect` can't call mutating functions.
private final class Machine {
    private var machine: LoadingStateMachine<String, String, String, Int>

    init(state: LoadingState<String, String, String> = .idle) {
        self.machine = LoadingStateMachine(state: state)
    }

    typealias Generation = LoadingStateMachine<String, String, String, Int>.Generation

    var state: LoadingState<String, String, String> { machine.state }
    var progress: Int? { machine.progress }

    func fetch(_ source: String) -> Generation { machine.fetch(source) }
    func progressed(_ progress: Int, of fetch: Generation) -> Bool { machine.progressed(progress, of: fetch) }
    func succeeded(_ value: String, of fetch: Generation) -> Bool { machine.succeeded(value, of: fetch) }
    func failed(_ reason: String, of fetch: Generation) -> Bool { machine.failed(reason, of: fetch) }
}
