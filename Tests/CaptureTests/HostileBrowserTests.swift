import Foundation
import Testing
import VirtualTime

@testable import Capture

/// Tests with a browser that reports arbitrary numbers, as one taken over by a page may.
@Suite(.timeLimit(.minutes(10))) struct HostileBrowserTests {
    /// Numbers as JSON text.
    static let numbers = [
        "0", "-1", "-0", "1e308", "-1e308", "1e400", "9223372036854775807", "-9223372036854775808",
        "9223372036854775808", "1000000000000000000000000000000", "0.5", "33554428", "null", "\"5\"", "true",
    ]

    /// Replies to every command as Chromium would, except for the page's size.
    ///
    /// With `late`, it delays the reply to the first request for a picture until `late` has returned and a second
    /// request has arrived.
    private static func answer(
        _ browser: FakeBrowser, width: String, height: String, late: (() async -> Void)? = nil
    ) async {
        struct Command: Decodable {
            struct Parameters: Decodable {
                var expression: String?
            }
            var id: Int
            var method: String
            var params: Parameters
        }
        var waiting: [Int] = []
        while let bytes = try? await browser.nextBytes(),
            let command = try? JSONDecoder().decode(Command.self, from: bytes)
        {
            if command.method == "Page.captureScreenshot", let late {
                waiting.append(command.id)
                if waiting.count == 1 { await late() }
                guard waiting.count > 1 else { continue }
                for id in waiting {
                    guard (try? browser.say(#"{"id":\#(id),"result":{"data":"AAAA"}}"#)) != nil else { return }
                }
                continue
            }
            let result =
                switch command.method {
                case "Page.getFrameTree": #"{"frameTree":{"frame":{"id":"T","loaderId":"blank","url":"about:blank"}}}"#
                case "Page.createIsolatedWorld": #"{"executionContextId":1}"#
                case "Page.getLayoutMetrics": #"{"cssContentSize":{"width":\#(width),"height":\#(height)}}"#
                case "Page.captureScreenshot": #"{"data":"AAAA"}"#
                case "Runtime.evaluate":
                    command.params.expression?.contains("self.heights.length") == true
                        ? #"{"result":{"value":1}}"# : #"{"result":{"value":true}}"#
                default: "{}"
                }
            guard (try? browser.say(#"{"id":\#(command.id),"result":\#(result)}"#)) != nil else { return }
        }
    }

    private static func tab(
        in browser: FakeBrowser, clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> PageTab {
        let blank = BlankPage(
            context: "C", target: "T", session: "S", window: CaptureOptions.Viewport(width: 1280, height: 800))
        let url = try #require(URL(string: "http://a.example/"))
        return try await PageTab.open(
            PageTab.Request(url: url, options: CaptureOptions(), keepsBodies: false), on: blank,
            in: browser.connection, clock: clock)
    }

    @Test(arguments: numbers, [false, true])
    func anyPageSizeIsDrawnOrRefused(number: String, isWidth: Bool) async throws {
        let browser = try FakeBrowser()
        let answering = Task {
            await Self.answer(browser, width: isWidth ? number : "1280", height: isWidth ? "100000" : number)
        }
        let tab = try await Self.tab(in: browser)
        do throws(CaptureError) {
            try await tab.loadLazyContent()
            _ = try await tab.picture()
            let size = try await tab.contentSize()
            #expect(size.width >= 0 && size.width <= 1e9 && size.height >= 0 && size.height <= 1e9)
        } catch {
            #expect(error.code == .renderingFailed)
        }
        browser.exit()
        await answering.value
    }

    @Test(arguments: [false, true])
    func missingPictureIsRequestedAgain(isThumbnail: Bool) async throws {
        let (browser, clock) = (try FakeBrowser(), ManualClock())
        let answering = Task {
            await Self.answer(browser, width: "1280", height: "800") {
                await clock.waitForSleepers(1)
                clock.advance(by: .seconds(2))
            }
        }
        let tab = try await Self.tab(in: browser, clock: clock)
        let picture = isThumbnail ? try await tab.thumbnail(width: 100) : try await tab.picture().png
        #expect(picture == Data([0, 0, 0]))
        browser.exit()
        await answering.value
        #expect(clock.sleeperCount == 0)
    }

    /// Sends events with arbitrary numbers to the tab that follows them.
    @Test(arguments: numbers)
    func hostileNumberInAnEventIsHandled(number: String) async throws {
        let browser = try FakeBrowser()
        let answering = Task { await Self.answer(browser, width: "1280", height: "800") }
        let tab = try await Self.tab(in: browser)
        for parameters in [
            (#"Network.dataReceived"#, #"{"dataLength":\#(number)}"#),
            (#"Network.dataReceived"#, #"{"dataLength":\#(number)}"#),
            (
                "Network.requestWillBeSent",
                #"{"requestId":"1","loaderId":"1","request":{"url":"http://a.example/"},"type":"Document","frameId":"T"}"#
            ),
            (
                "Network.responseReceived",
                #"{"requestId":"1","response":{"url":"http://a.example/","status":\#(number),"mimeType":"text/html"}}"#
            ),
        ] {
            try browser.say(#"{"method":"\#(parameters.0)","params":\#(parameters.1),"sessionId":"S"}"#)
        }
        try browser.say(#"{"method":"Network.loadingFinished","params":{"requestId":"1"},"sessionId":"S"}"#)
        while await tab.load.finished == 0, !Task.isCancelled { await Task.yield() }
        #expect(await tab.load.bytes >= 0)
        browser.exit()
        await answering.value
    }

    /// If a page's events arrive faster than they are read, its session ends, and other sessions continue.
    @Test(arguments: [1 << 20, 0])
    func unreadEventsAreBounded(length: Int) async throws {
        let browser = try FakeBrowser()
        let connection = browser.connection
        let events = connection.events(of: "S")
        let others = connection.events(of: "Other")
        let padding = String(repeating: "x", count: length)
        // Many events without content take memory too.
        let count = length == 0 ? 200_000 : 200
        for _ in 0..<count {
            try browser.say(#"{"method":"Test.flood","params":{"padding":"\#(padding)"},"sessionId":"S"}"#)
        }
        try browser.say(#"{"method":"Test.last","params":{},"sessionId":"Other"}"#)
        // By then, everything before it has been read from the pipe.
        for await event in others {
            #expect(event.method == "Test.last")
            break
        }
        #expect(events.queue.unreadBytes <= DevToolsConnection.unreadEventLimit)
        #expect(connection.endReason(of: "S")?.code == .overflow)
        #expect(connection.endReason(of: "Other") == nil)
        let refusal = await #expect(throws: DevToolsError.self) {
            try await connection.send(DevTools.Page.GetFrameTree(), session: "S")
        }
        #expect(refusal?.code == .overflow)
        // The unread events are dropped, and the sequence ends.
        for await _ in events { Issue.record("an event of a session that has ended") }
        connection.forget("S")
        #expect(connection.endReason(of: "S") == nil)
    }

    @Test func readEventsDoNotCountTowardsTheLimit() async throws {
        let browser = try FakeBrowser()
        let events = browser.connection.events(of: "S")
        var reader = events.makeAsyncIterator()
        let padding = String(repeating: "x", count: 1 << 20)
        for _ in 0..<100 {
            try browser.say(#"{"method":"Test.flood","params":{"padding":"\#(padding)"},"sessionId":"S"}"#)
            #expect(await reader.next()?.method == "Test.flood")
        }
        #expect(events.queue.unreadBytes == 0 && browser.connection.endReason(of: "S") == nil)
    }

    /// A pending command fails when its session ends by overflow.
    @Test func pendingCommandFailsOnOverflow() async throws {
        let browser = try FakeBrowser()
        let events = browser.connection.events(of: "S")
        let waiting = Task {
            do throws(DevToolsError) {
                _ = try await browser.connection.send(DevTools.Page.GetFrameTree(), session: "S")
                return DevToolsError.Code?.none
            } catch {
                return error.code
            }
        }
        _ = try await browser.nextCommand()
        let padding = String(repeating: "x", count: 40 << 20)
        for _ in 0..<2 {
            try browser.say(#"{"method":"Test.flood","params":{"padding":"\#(padding)"},"sessionId":"S"}"#)
        }
        #expect(await waiting.value == .overflow)
        withExtendedLifetime(events) {}
    }

    /// A page can create and remove any number of frames: their end reasons are removed with its subscription.
    @Test func removedFramesAreForgottenWithTheirPage() throws {
        var machine = DevToolsConnectionStateMachine()
        func event(_ method: String, _ parameters: String, in session: String) throws -> DevToolsMessage {
            let text = #"{"method":"\#(method)","params":\#(parameters),"sessionId":"\#(session)"}"#
            return try #require(DevToolsMessage(Data(text.utf8)))
        }
        let events = DevToolsEvents(limit: 1 << 20)
        guard case .followed(let subscription) = machine.follow("P", events: events.queue) else {
            Issue.record("the session is not followed")
            return
        }
        for child in ["A", "B"] {
            _ = machine.receive(try event("Target.attachedToTarget", #"{"sessionId":"\#(child)"}"#, in: "P"))
            _ = machine.receive(try event("Target.detachedFromTarget", #"{"sessionId":"\#(child)"}"#, in: "P"))
            #expect(machine.endReason(of: child)?.code == .detached)
        }
        machine.unfollow(subscription)
        #expect(machine.endReason(of: "A") == nil && machine.endReason(of: "B") == nil)
    }
}
