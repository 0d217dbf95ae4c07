import Foundation
import Loading
import Testing

@Suite struct LoadingStateTests {
    typealias State = LoadingState<String, Int, String>

    static let everyState: [State] = [
        .idle, .fetching("a", previous: nil), .fetching("a", previous: 1), .found(2), .failed("late", previous: nil),
        .failed("late", previous: 3),
    ]

    @Test func valueIsTheFoundOrThePreviousOne() {
        #expect(Self.everyState.map(\.value) == [nil, nil, 1, 2, nil, 3])
    }

    @Test func onlyAFetchHasASource() {
        #expect(Self.everyState.map(\.isFetching) == [false, true, true, false, false, false])
        #expect(Self.everyState.map(\.sourceBeingFetched) == [nil, "a", "a", nil, nil, nil])
    }

    @Test func onlyAFailureHasAReason() {
        #expect(Self.everyState.map(\.failureReason) == [nil, nil, nil, nil, "late", "late"])
    }

    @Test func urlIsReturnedAsTheSourceBeingFetched() throws {
        let address = try #require(URL(string: "https://example.org/coffee"))
        #expect(LoadingState<URL, Int, String>.fetching(address, previous: nil).sourceBeingFetched == address)
        #expect(LoadingState<URL, Int, String>.found(1).sourceBeingFetched == nil)
    }

    @Test(arguments: everyState)
    func encodedStateDecodesUnchanged(state: State) throws {
        #expect(try JSONDecoder().decode(State.self, from: JSONEncoder().encode(state)) == state)
    }

    @Test func idleStateEncodesAsNone() throws {
        #expect(String(decoding: try JSONEncoder().encode(State.idle), as: UTF8.self) == #"{"none":{}}"#)
    }

    @Test func differentStatesAreUnequal() {
        #expect(Set(Self.everyState).count == Self.everyState.count)
    }
}
