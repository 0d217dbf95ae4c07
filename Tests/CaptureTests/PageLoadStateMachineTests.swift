import Testing

@testable import Capture

@Suite struct PageLoadStateMachineTests {
    private static let limit = Duration.seconds(10)

    private func machine() -> PageLoadStateMachine {
        var machine = PageLoadStateMachine(settleLimit: Self.limit)
        machine.opened(with: "blank")
        return machine
    }

    @Test func anyByteCountIsAccepted() {
        var machine = machine()
        for count in [Int.max, Int.max, Int.min, -1, 0, 5] { machine.received(bytes: count) }
        #expect(machine.bytes == .max)
    }

    @Test func loadEventIsAwaitedWithoutALimit() {
        var machine = machine()
        #expect(machine.decision(at: .seconds(1)) == .wait)
        machine.reached(.begun, of: "A", at: .seconds(1))
        #expect(machine.decision(at: .seconds(100)) == .wait)
    }

    @Test func initialEmptyDocumentIsIgnored() {
        var machine = machine()
        machine.reached(.loaded, of: "blank", at: .zero)
        #expect(!machine.isLoaded)
        #expect(machine.document == nil)
        #expect(machine.decision(at: .seconds(100)) == .wait)
    }

    @Test func pageWithoutRequestsIsReadyHalfASecondAfterItsLoad() {
        var machine = machine()
        machine.reached(.begun, of: "A", at: .seconds(0.2))
        machine.reached(.loaded, of: "A", at: .seconds(1))
        #expect(machine.decision(at: .seconds(1)) == .waitUntil(.seconds(1.5)))
        #expect(machine.decision(at: .seconds(1.5)) == .ready(.almostIdle))
    }

    @Test func stoppedPageIsLoadedAndIdle() {
        var machine = machine()
        machine.reached(.begun, of: "A", at: .zero)
        for number in 1...3 {
            machine.requestStarted("\(number)", url: "u", kind: "Image", session: "S", at: .zero)
        }
        machine.stopped(at: .seconds(1))
        #expect(machine.isLoaded)
        #expect(machine.openRequests.isEmpty)
        #expect(machine.decision(at: .seconds(1.5)) == .ready(.almostIdle))
    }

    @Test func pageIsIdleWithTwoOpenRequestsButNotThree() {
        var machine = machine()
        machine.reached(.loaded, of: "A", at: .zero)
        for number in 1...3 {
            machine.requestStarted("\(number)", url: "u\(number)", kind: "Fetch", session: "S", at: .seconds(0.1))
        }
        #expect(machine.decision(at: .seconds(3)) == .waitUntil(Self.limit))
        machine.requestEnded("2", at: .seconds(4))
        #expect(machine.decision(at: .seconds(4)) == .waitUntil(.seconds(4.5)))
        #expect(machine.decision(at: .seconds(4.5)) == .ready(.almostIdle))
        #expect(machine.openRequests == ["u1", "u3"])
    }

    @Test func pageIsNotIdleWhileItsNavigationIsPending() {
        var machine = machine()
        machine.reached(.loaded, of: "A", at: .zero)
        machine.requestStarted("B", url: "b", kind: "Document", session: "S", isNavigation: true, at: .seconds(0.1))
        #expect(machine.decision(at: .seconds(9)) == .waitUntil(Self.limit))
        machine.reached(.begun, of: "B", at: .seconds(9))
        machine.requestEnded("B", at: .seconds(9))
        machine.reached(.loaded, of: "B", at: .seconds(9))
        #expect(machine.decision(at: .seconds(9)) == .waitUntil(.seconds(9.5)))
    }

    @Test func documentRequestWhoseEndIsNotReportedDoesNotDelayThePage() {
        var machine = machine()
        machine.requestStarted("A", url: "a", kind: "Document", session: "S", isNavigation: true, at: .zero)
        machine.reached(.begun, of: "A", at: .zero)
        machine.requestStarted("B", url: "b", kind: "Document", session: "S", isNavigation: true, at: .seconds(1))
        machine.reached(.begun, of: "B", at: .seconds(2))
        machine.reached(.loaded, of: "B", at: .seconds(3))
        #expect(machine.decision(at: .seconds(3)) == .waitUntil(.seconds(3.5)))
    }

    @Test func pageIsIdleAfterAFailedNavigation() {
        var machine = machine()
        machine.reached(.loaded, of: "A", at: .zero)
        machine.requestStarted("B", url: "b", kind: "Document", session: "S", isNavigation: true, at: .seconds(0.1))
        machine.requestEnded("B", at: .seconds(2))
        #expect(machine.decision(at: .seconds(2.5)) == .ready(.almostIdle))
    }

    @Test func requestDuringTheQuietPeriodRestartsIt() {
        var machine = machine()
        machine.reached(.loaded, of: "A", at: .zero)
        for number in 1...3 {
            machine.requestStarted("\(number)", url: "", kind: "Image", session: "S", at: .seconds(0.4))
        }
        machine.requestEnded("1", at: .seconds(0.45))
        #expect(machine.decision(at: .seconds(0.5)) == .waitUntil(.seconds(0.95)))
    }

    @Test(arguments: ["EventSource", "WebSocket", "Ping", "Media"])
    func endlessRequestsAreNotWaitedFor(kind: String) {
        var machine = machine()
        machine.reached(.loaded, of: "A", at: .zero)
        for number in 1...9 {
            machine.requestStarted("\(number)", url: "", kind: kind, session: "S", at: .zero)
        }
        #expect(machine.decision(at: .seconds(0.5)) == .ready(.almostIdle))
    }

    @Test func busyPageIsReadyAtTheSettleLimit() {
        var machine = machine()
        machine.reached(.loaded, of: "A", at: .seconds(1))
        for number in 1...3 {
            machine.requestStarted("\(number)", url: "", kind: "Fetch", session: "S", at: .seconds(1))
        }
        #expect(machine.decision(at: .seconds(10.9)) == .waitUntil(.seconds(11)))
        #expect(machine.decision(at: .seconds(11)) == .ready(.settleLimit))
    }

    @Test func newDocumentRestartsTheWaitAndTheOldOneIsIgnored() {
        var machine = machine()
        machine.reached(.loaded, of: "A", at: .zero)
        machine.reached(.begun, of: "B", at: .seconds(1))
        #expect(machine.document == "B")
        #expect(!machine.isLoaded)
        machine.reached(.loaded, of: "A", at: .seconds(2))
        #expect(machine.document == "B")
        #expect(machine.decision(at: .seconds(3)) == .wait)
        machine.reached(.loaded, of: "B", at: .seconds(3))
        #expect(machine.decision(at: .seconds(3.5)) == .ready(.almostIdle))
    }

    @Test func tooManyNavigationsAreDetected() {
        var machine = machine()
        for number in 0...PageLoadStateMachine.navigationLimit {
            #expect(machine.decision(at: .zero) != .tooManyNavigations)
            machine.reached(.loaded, of: "\(number)", at: .zero)
        }
        #expect(machine.decision(at: .zero) == .tooManyNavigations)
    }

    @Test func endOfAFrameEndsItsRequests() {
        var machine = machine()
        machine.reached(.loaded, of: "A", at: .zero)
        for number in 1...4 {
            machine.requestStarted("\(number)", url: "", kind: "Fetch", session: "child", at: .zero)
        }
        machine.sessionEnded("child", at: .seconds(2))
        #expect(machine.openRequests.isEmpty)
        #expect(machine.decision(at: .seconds(2.5)) == .ready(.almostIdle))
    }

    @Test(arguments: [("Image", ["b"]), ("EventSource", [String]())])
    func redirectCountsAsTheSameRequest(kind: String, open: [String]) {
        var machine = machine()
        machine.requestStarted("1", url: "a", kind: kind, session: "S", at: .zero)
        machine.requestStarted("1", url: "b", kind: kind, session: "S", at: .zero)
        #expect(machine.started == 1)
        #expect(machine.openRequests == open)
    }
}
