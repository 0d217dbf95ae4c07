import Foundation
import Futures
import Testing
import VirtualTime

@testable import Capture

/// Tests with a browser that reports arbitrary numbers, as it could after a page has taken it over.
@Suite(.timeLimit(.minutes(10))) struct HostileBrowserTests {
    /// Numbers as JSON text.
    static let numbers = [
        "0", "-1", "-0", "1e308", "-1e308", "1e400", "9223372036854775807", "-9223372036854775808",
        "9223372036854775808", "1000000000000000000000000000000", "0.5", "33554428", "null", "\"5\"", "true",
    ]

    /// Replies to every command as Chromium would, except for the page's size.
    ///
    /// With `beforeFirstPicture`, it delays the reply to the first request for a picture until that closure has
    /// returned and a second request has arrived. With `beforeRendering`, it delays the reply to the first command of
    /// each rendering until that closure has returned.
    private static func answer(
        _ browser: FakeBrowser, width: String, height: String, beforeFirstPicture: (() async -> Void)? = nil,
        beforeRendering: (() async -> Void)? = nil
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
            if command.method == "Page.captureScreenshot", let beforeFirstPicture {
                waiting.append(command.id)
                if waiting.count == 1 { await beforeFirstPicture() }
                guard waiting.count > 1 else { continue }
                for id in waiting {
                    guard (try? browser.send(#"{"id":\#(id),"result":{"data":"AAAA"}}"#)) != nil else { return }
                }
                continue
            }
            let isSummary = command.params.expression?.contains("return summary(") == true
            if isSummary { await beforeRendering?() }
            let result =
                switch command.method {
                case "Page.navigate": #"{"frameId":"T"}"#
                case "Page.getFrameTree": #"{"frameTree":{"frame":{"id":"T","loaderId":"blank","url":"about:blank"}}}"#
                case "Page.createIsolatedWorld": #"{"executionContextId":1}"#
                case "Page.getLayoutMetrics": #"{"cssContentSize":{"width":\#(width),"height":\#(height)}}"#
                case "Page.captureScreenshot": #"{"data":"AAAA"}"#
                case "Runtime.evaluate" where isSummary:
                    #"{"result":{"value":{"title":"","text":"","url":"http://a.example/","isBlank":false,"undecodable":[]}}}"#
                case "Runtime.evaluate":
                    ["measure", "holdElements"].contains {
                        command.params.expression?.contains("return \($0)(") == true
                    }
                        ? #"{"result":{"value":1}}"# : #"{"result":{"value":true}}"#
                default: "{}"
                }
            guard (try? browser.send(#"{"id":\#(command.id),"result":\#(result)}"#)) != nil else { return }
        }
    }

    private static func tab(
        in browser: FakeBrowser, options: CaptureOptions = CaptureOptions(),
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> PageTab {
        let blank = BlankPage(
            context: "C", target: "T", session: "S", window: CaptureOptions.Viewport(width: 1280, height: 800))
        let url = try #require(URL(string: "http://a.example/"))
        return try await PageTab.open(
            PageTab.Request(url: url, options: options, archives: []), on: blank,
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
            try await tab.showAll()
            _ = try await tab.picture(try await tab.preparePicture())
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
        let size = try await tab.preparePicture()
        let picture = isThumbnail ? try await tab.thumbnail(width: 100) : try await tab.picture(size).png
        #expect(picture == Data([0, 0, 0]))
        browser.exit()
        await answering.value
        #expect(clock.sleeperCount == 0)
    }

    /// The frames A and B don't respond.
    ///
    /// C responds once all three have been asked.
    @Test func unresponsiveFramesDelayTheArchiveByASingleDeadline() async throws {
        let clock = ManualClock()
        let browser = try FakeBrowser(clock: clock)
        let answering = Task {
            while let command = try? await browser.nextCommand() {
                let session = command.sessionId ?? ""
                var result = "{}"
                if command.method == "Page.getFrameTree" {
                    if ["A", "B"].contains(session) { continue }
                    if session == "C" { await clock.waitForSleepers(3) }
                    result =
                        session == "C"
                        ? #"{"frameTree":{"frame":{"id":"C","parentId":"T","loaderId":"c","url":"http://c.example/"}}}"#
                        : #"{"frameTree":{"frame":{"id":"T","loaderId":"blank","url":"about:blank"}}}"#
                }
                guard (try? browser.send(#"{"id":\#(command.id),"result":\#(result)}"#)) != nil else { return }
                if command.method == "Page.getFrameTree", session == "C" {
                    while clock.sleeperCount > 2, !Task.isCancelled { await Task.yield() }
                    clock.advance(by: .seconds(30))
                }
            }
        }
        let tab = try await Self.tab(in: browser, clock: clock)
        for name in ["A", "B", "C"] {
            let target = #"{"sessionId":"\#(name)","targetInfo":{"targetId":"\#(name)","type":"iframe"}}"#
            try browser.send(#"{"method":"Target.attachedToTarget","params":\#(target),"sessionId":"S"}"#)
        }
        while await tab.frameSessions.count < 3, !Task.isCancelled { await Task.yield() }
        let parts = try await tab.frameParts()
        #expect(Set(parts.keys) == ["T", "C"])
        browser.exit()
        await answering.value
    }

    /// The first document is replaced while it is rendered, and so are the next two.
    @Test func pageThatNavigatesDuringThreeRenderingsIsCaptured() async throws {
        let (browser, opened) = (try FakeBrowser(), Promise<PageTab, any Error>())
        @Sendable func load(_ document: Int) throws {
            try browser.send(
                #"{"method":"Page.lifecycleEvent","params":{"frameId":"T","loaderId":"\#(document)","name":"load"},"sessionId":"S"}"#
            )
        }
        let answering = Task {
            var document = 1
            await Self.answer(
                browser, width: "1280", height: "800",
                beforeRendering: {
                    guard document < 4, let tab = try? await opened.future.value else { return }
                    document += 1
                    try? load(document)
                    while await tab.load.document != "\(document)", !Task.isCancelled { await Task.yield() }
                })
        }
        var options = CaptureOptions()
        options.settleLimit = .zero
        let tab = try await Self.tab(in: browser, options: options)
        opened.resolve(tab)
        try browser.send(
            #"{"method":"Network.requestWillBeSent","params":{"requestId":"1","loaderId":"1","request":{"url":"http://a.example/"},"type":"Document","frameId":"T"},"sessionId":"S"}"#
        )
        try load(1)
        await #expect(throws: Never.self) { _ = try await tab.capture(formats: []) }
        #expect(await tab.load.document == "4")
        browser.exit()
        await answering.value
    }

    @Test func timeoutErrorShortensThePendingAddress() async throws {
        let browser = try FakeBrowser()
        let answering = Task { await Self.answer(browser, width: "1280", height: "800") }
        let tab = try await Self.tab(in: browser)
        let address = "http://a.example/" + String(repeating: "a", count: 100_000)
        try browser.send(
            #"{"method":"Network.requestWillBeSent","params":{"requestId":"1","loaderId":"1","request":{"url":"\#(address)"},"type":"Image","frameId":"T"},"sessionId":"S"}"#
        )
        while await tab.load.openRequests.isEmpty, !Task.isCancelled { await Task.yield() }
        let message = await tab.timeoutError().message
        #expect(message.contains(String(address.prefix(200))) && message.count < 1_000)
        browser.exit()
        await answering.value
    }

    /// Sends events with arbitrary numbers to the tab that subscribes to them.
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
            try browser.send(#"{"method":"\#(parameters.0)","params":\#(parameters.1),"sessionId":"S"}"#)
        }
        try browser.send(#"{"method":"Network.loadingFinished","params":{"requestId":"1"},"sessionId":"S"}"#)
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
            try browser.send(#"{"method":"Test.flood","params":{"padding":"\#(padding)"},"sessionId":"S"}"#)
        }
        try browser.send(#"{"method":"Test.last","params":{},"sessionId":"Other"}"#)
        // When this event arrives, everything before it has been read from the pipe.
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
            try browser.send(#"{"method":"Test.flood","params":{"padding":"\#(padding)"},"sessionId":"S"}"#)
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
            try browser.send(#"{"method":"Test.flood","params":{"padding":"\#(padding)"},"sessionId":"S"}"#)
        }
        #expect(await waiting.value == .overflow)
        withExtendedLifetime(events) {}
    }

    /// A page can create and remove any number of frames; the subscription's end removes the frames' end reasons.
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
