import Foundation
import Futures
import Testing
import VirtualTime

@testable import Capture

private typealias GetVersion = DevTools.Browser.GetVersion

/// A command whose reply has any size.
private struct Echo: DevToolsCommand {
    static let method = "Test.echo"
    struct Reply: Decodable, Sendable {
        var data: String
    }
    var data = ""
}

@Suite(.timeLimit(.minutes(10))) struct DevToolsConnectionTests {
    private func code<Value>(_ operation: () async throws(DevToolsError) -> Value) async -> DevToolsError.Code? {
        do throws(DevToolsError) {
            _ = try await operation()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func repliesReachTheirCommandsInAnyOrder() async throws {
        let browser = try FakeBrowser()
        let connection = browser.connection
        async let first = connection.send(Echo(data: "1"), session: "A")
        let one = try await browser.nextCommand()
        async let second = connection.send(Echo(data: "2"), session: "B")
        let two = try await browser.nextCommand()
        #expect(one.method == "Test.echo" && one.sessionId == "A" && two.sessionId == "B" && one.id != two.id)
        try browser.say(#"{"id":\#(two.id),"result":{"data":"second"}}"#)
        try browser.say(#"{"id":\#(one.id),"result":{"data":"first"}}"#)
        #expect(try await first.data == "first")
        #expect(try await second.data == "second")
    }

    @Test func refusedCommandFailsWithRefused() async throws {
        let browser = try FakeBrowser()
        async let answer = code { () async throws(DevToolsError) in try await browser.connection.send(GetVersion()) }
        let command = try await browser.nextCommand()
        try browser.say(#"{"id":\#(command.id),"error":{"code":-1,"message":"not today"}}"#)
        #expect(await answer == .refused)
    }

    @Test func anUnreadableReplyIsAnError() async throws {
        let browser = try FakeBrowser()
        async let answer = code { () async throws(DevToolsError) in try await browser.connection.send(GetVersion()) }
        let command = try await browser.nextCommand()
        try browser.say(#"{"id":\#(command.id),"result":{"product":5}}"#)
        #expect(await answer == .unreadable)
    }

    @Test func commandFailsAtItsDeadline() async throws {
        let clock = ManualClock()
        let browser = try FakeBrowser(clock: clock)
        async let answer = code { () async throws(DevToolsError) in
            try await browser.connection.send(GetVersion(), deadline: .seconds(5))
        }
        let command = try await browser.nextCommand()
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        #expect(await answer == .deadlineExceeded)
        // The late reply is ignored, and later commands work.
        try browser.say(#"{"id":\#(command.id),"result":{"product":"late"}}"#)
        async let next = browser.connection.send(GetVersion())
        let second = try await browser.nextCommand()
        try browser.say(#"{"id":\#(second.id),"result":{"product":"in time"}}"#)
        #expect(try await next.product == "in time")
    }

    @Test func cancellingOneCommandLeavesTheOthers() async throws {
        let browser = try FakeBrowser()
        let cancelled = Task {
            await code { () async throws(DevToolsError) in try await browser.connection.send(GetVersion()) }
        }
        _ = try await browser.nextCommand()
        async let other = browser.connection.send(GetVersion())
        let command = try await browser.nextCommand()
        cancelled.cancel()
        #expect(await cancelled.value == .cancelled)
        try browser.say(#"{"id":\#(command.id),"result":{"product":"P"}}"#)
        #expect(try await other.product == "P")
    }

    @Test func exitFailsPendingAndLaterCommands() async throws {
        let browser = try FakeBrowser()
        let events = browser.connection.events(of: "S")
        let answers = await withTaskGroup(of: DevToolsError.Code?.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    await code { () async throws(DevToolsError) in try await browser.connection.send(GetVersion()) }
                }
            }
            for _ in 0..<10 { _ = try? await browser.nextCommand() }
            browser.exit()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: .disconnected, count: 10))
        for await _ in events { Issue.record("an event arrived") }
        let late = await code { () async throws(DevToolsError) in try await browser.connection.send(GetVersion()) }
        #expect(late == .disconnected)
        await browser.connection.closed.value
        for await _ in browser.connection.events(of: "S") { Issue.record("an event arrived after the exit") }
    }

    @Test func crashFailsOnlyCommandsOfItsSession() async throws {
        let browser = try FakeBrowser()
        let events = browser.connection.events(of: "A")
        async let onA = code { () async throws(DevToolsError) in try await browser.connection.send(Echo(), session: "A")
        }
        _ = try await browser.nextCommand()
        async let onB = browser.connection.send(Echo(), session: "B")
        let command = try await browser.nextCommand()
        try browser.say(#"{"method":"Inspector.targetCrashed","params":{},"sessionId":"A"}"#)
        #expect(await onA == .crashed)
        var seen: [String] = []
        for await event in events { seen.append(event.method) }
        #expect(seen == ["Inspector.targetCrashed"])
        let late = await code { () async throws(DevToolsError) in
            try await browser.connection.send(Echo(), session: "A")
        }
        #expect(late == .crashed)
        try browser.say(#"{"id":\#(command.id),"result":{"data":"alive"}}"#)
        #expect(try await onB.data == "alive")
    }

    @Test func detachedSessionFailsItsCommands() async throws {
        let browser = try FakeBrowser()
        async let answer = code { () async throws(DevToolsError) in
            try await browser.connection.send(Echo(), session: "A")
        }
        _ = try await browser.nextCommand()
        try browser.say(#"{"method":"Target.detachedFromTarget","params":{"sessionId":"A"}}"#)
        #expect(await answer == .detached)
    }

    @Test func eventsOfAFrameArriveInTheParentsStream() async throws {
        let browser = try FakeBrowser()
        let events = browser.connection.events(of: "P")
        try browser.say(#"{"method":"Test.elsewhere","params":{},"sessionId":"X"}"#)
        try browser.say(#"{"method":"Test.one","params":{},"sessionId":"P"}"#)
        try browser.say(#"{"method":"Target.attachedToTarget","params":{"sessionId":"C"},"sessionId":"P"}"#)
        try browser.say(#"{"method":"Test.two","params":{},"sessionId":"C"}"#)
        try browser.say(#"{"method":"Target.detachedFromTarget","params":{"sessionId":"C"},"sessionId":"P"}"#)
        try browser.say(#"{"method":"Test.three","params":{},"sessionId":"P"}"#)
        try browser.say(#"{"method":"Target.detachedFromTarget","params":{"sessionId":"P"}}"#)
        var seen: [String] = []
        for await event in events { seen.append(event.method) }
        #expect(
            seen == [
                "Test.one", "Target.attachedToTarget", "Test.two", "Target.detachedFromTarget", "Test.three",
                "Target.detachedFromTarget",
            ])
    }

    @Test func messagesMayArriveInAnyPieces() async throws {
        let browser = try FakeBrowser()
        async let first = browser.connection.send(Echo())
        let one = try await browser.nextCommand()
        async let second = browser.connection.send(Echo())
        let two = try await browser.nextCommand()
        let text =
            #"{"id":\#(one.id),"result":{"data":"ä"}}"# + "\0" + #"{"id":\#(two.id),"result":{"data":"b"}}"# + "\0"
        try browser.say(pieces: text.unicodeScalars.map { String($0) })
        #expect(try await first.data == "ä")
        #expect(try await second.data == "b")
    }

    @Test func invalidMessagesAreIgnored() async throws {
        let browser = try FakeBrowser()
        async let answer = browser.connection.send(Echo())
        let command = try await browser.nextCommand()
        for rubbish in ["", "{", "nonsense", "[1,2]", #"{"id":99999,"result":{}}"#] { try browser.say(rubbish) }
        try browser.say(#"{"id":\#(command.id),"result":{"data":"sound"}}"#)
        #expect(try await answer.data == "sound")
    }

    @Test func largeMessagesOfManyTasksArriveCompletelyBothWays() async throws {
        let browser = try FakeBrowser()
        let size = 500_000
        let tasks = 6
        let received = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<tasks {
                group.addTask {
                    let letter = String(UnicodeScalar(UInt8(ascii: "a") + UInt8(number)))
                    let sent = String(repeating: letter, count: size)
                    return (try? await browser.connection.send(Echo(data: sent)).data) == sent
                }
            }
            group.addTask {
                struct Request: Decodable {
                    struct Parameters: Decodable {
                        var data: String
                    }
                    var id: Int
                    var params: Parameters
                }
                for _ in 0..<tasks {
                    guard let bytes = try? await browser.nextBytes(),
                        let request = try? JSONDecoder().decode(Request.self, from: bytes)
                    else { return false }
                    try? browser.say(#"{"id":\#(request.id),"result":{"data":"\#(request.params.data)"}}"#)
                }
                return true
            }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(received)
    }
}
