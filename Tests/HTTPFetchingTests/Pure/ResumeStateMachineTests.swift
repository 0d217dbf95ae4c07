import HTTPTypes
import Testing

@testable import HTTPFetching

@Suite struct ResumeStateMachineTests {
    private func begun(
        _ headers: HTTPFields = [.eTag: "\"a\"", .contentLength: "100"], attempts: Int = 3
    ) -> ResumeStateMachine {
        var machine = ResumeStateMachine(method: .get, isPlain: true, attempts: attempts)
        #expect(machine.answered(status: 200, headers: headers) == .replace)
        return machine
    }

    @Test func restIsRequestedWithTheValidator() {
        var machine = begun()
        machine.received(40)
        #expect(machine.connectionLost() == .from(40, validator: "\"a\""))
        #expect(
            machine.answered(status: 206, headers: [.contentRange: "bytes 40-99/100", .eTag: "\"a\""]) == .append)
        machine.received(10)
        #expect(machine.connectionLost() == .from(50, validator: "\"a\""))
    }

    @Test func transferWithoutAStrongValidatorIsNotResumed() {
        for headers: HTTPFields in [
            [:], [.eTag: "W/\"a\""], [.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"],
            [.eTag: "\"a\"", .contentEncoding: "gzip"], [.eTag: "\"a\"", .acceptRanges: "none"],
        ] {
            var machine = begun(headers)
            machine.received(40)
            #expect(machine.connectionLost() == nil)
        }
        var machine = ResumeStateMachine(method: .get, isPlain: true, attempts: 3)
        #expect(machine.answered(status: 404, headers: [.eTag: "\"a\""]) == .replace)
        machine.received(1)
        #expect(machine.connectionLost() == nil)
    }

    @Test func emptyOrCompleteTransferIsNotResumed() {
        var machine = begun()
        #expect(machine.connectionLost() == nil)
        machine.received(100)
        #expect(machine.connectionLost() == nil)
    }

    @Test func fullResponseRestartsTheTransfer() {
        var machine = begun()
        machine.received(40)
        _ = machine.connectionLost()
        #expect(machine.answered(status: 200, headers: [.eTag: "\"b\""]) == .replace)
        machine.received(7)
        #expect(machine.connectionLost() == .from(7, validator: "\"b\""))
    }

    @Test(arguments: [
        "bytes 39-99/100", "bytes 41-99/100", "bytes 40-98/100", "bytes 40-99/101", "bytes 40-99/*", "bytes */100",
        "40-99/100",
        "bytes 40-99", "items 40-99/100", "bytes 40-39/100", "bytes 40-x/100", "", "bytes -40-99/100",
    ])
    func wrongRangeRestartsTheTransfer(range: String) {
        var machine = begun()
        machine.received(40)
        _ = machine.connectionLost()
        #expect(machine.answered(status: 206, headers: [.contentRange: range]) == .restart)
        #expect(machine.answered(status: 200, headers: [:]) == .replace)
    }

    /// A hostile server's numbers: too large, signed, in other scripts, or missing.
    @Test(arguments: [
        "bytes 40-40/-9223372036854775808", "bytes 40-9223372036854775807/-9223372036854775808",
        "bytes 40-9223372036854775807/9223372036854775807", "bytes 40--9223372036854775808/0",
        "bytes 40-99999999999999999999999999999999/100", "bytes 40-99/1000000000000000000000000000000",
        "bytes 40-+99/+100", "bytes +40-99/100", "bytes 40-99/٣", "bytes 40-٩٩/100", "bytes 40-100/100",
        "bytes 40-99/0", "bytes 40-99/-1", "bytes 40-99/", "bytes -/", "bytes 40-99/NaN", "bytes 40-99/1e2",
        "bytes  40-99/100", "bytes 40-99/100, bytes 40-99/100", "bytes 40 -99/100",
    ])
    func hostileRangeRestartsTheTransfer(range: String) {
        var machine = begun()
        machine.received(40)
        _ = machine.connectionLost()
        #expect(machine.answered(status: 206, headers: [.contentRange: range]) == .restart)
    }

    @Test func changedContentRestartsTheTransfer() {
        var machine = begun()
        machine.received(40)
        _ = machine.connectionLost()
        #expect(machine.answered(status: 206, headers: [.contentRange: "bytes 40-99/100", .eTag: "\"b\""]) == .restart)
        var other = begun()
        other.received(40)
        _ = other.connectionLost()
        #expect(other.answered(status: 416, headers: [:]) == .restart)
    }

    @Test func otherStatusFailsTheTransfer() {
        var machine = begun()
        machine.received(40)
        _ = machine.connectionLost()
        #expect(machine.answered(status: 503, headers: [:]) == .fail)
    }

    @Test func attemptsAreLimited() {
        var machine = begun(attempts: 2)
        for start in 1...2 {
            machine.received(1)
            #expect(machine.connectionLost() == .from(Int64(start), validator: "\"a\""))
            #expect(
                machine.answered(status: 206, headers: [.contentRange: "bytes \(start)-99/100"]) == .append)
        }
        machine.received(1)
        #expect(machine.connectionLost() == nil)
        var exhausted = begun(attempts: 1)
        exhausted.received(1)
        _ = exhausted.connectionLost()
        #expect(exhausted.answered(status: 416, headers: [:]) == .fail)
    }

    @Test func connectionClosedBeforeAResponseIsRetriedOnce() {
        var get = ResumeStateMachine(method: .get, isPlain: true, attempts: 0)
        #expect(get.connectionLost() == .fromStart)
        #expect(get.connectionLost() == nil)
        var post = ResumeStateMachine(method: .post, isPlain: true, attempts: 3)
        #expect(post.connectionLost() == nil)
        var answered = begun()
        answered.received(5)
        #expect(answered.connectionLost() == .from(5, validator: "\"a\""))
    }

    @Test func rangeRequestedByTheCallerIsNotResumed() {
        var machine = ResumeStateMachine(method: .get, isPlain: false, attempts: 3)
        _ = machine.answered(status: 200, headers: [.eTag: "\"a\""])
        machine.received(5)
        #expect(machine.connectionLost() == nil)
    }
}
