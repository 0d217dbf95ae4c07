import Futures
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import VirtualTime

@testable import Site

/// Tests event streams on a real port.
@Suite(.timeLimit(.minutes(10))) struct EventStreamTests {
    /// A source of events that reports when it has ended.
    private struct Source: Sendable {
        let events: AsyncStream<ServerSentEvent>
        let push: AsyncStream<ServerSentEvent>.Continuation
        let ended: AsyncStream<Void>

        init() {
            (events, push) = AsyncStream.makeStream(of: ServerSentEvent.self)
            let (ended, end) = AsyncStream.makeStream(of: Void.self)
            self.ended = ended
            push.onTermination = { _ in end.finish() }
        }

        /// Waits until the source has ended or was cancelled.
        func awaitEnd() async {
            for await _ in ended {}
        }
    }

    private func run(
        _ source: Source, _ stream: EventStream = EventStream(clock: ManualClock()),
        shutdownTimeout: Duration = SiteLimits().shutdownTimeout, _ body: (RunningSite) async throws -> Void
    ) async throws {
        var configuration = SiteConfiguration(port: 0)
        configuration.limits.shutdownTimeout = shutdownTimeout
        let routes: RunningSite.Routes = { router in
            router.get("/events") { request, _ in stream.response(to: request, sending: source.events) }
        }
        try await RunningSite.run(configuration, routes: routes) { site in try await body(site) }
    }

    private func request(_ site: RunningSite) -> String { "GET /events HTTP/1.1\r\n\(site.host)\r\n\r\n" }

    @Test func streamSendsTheRetryIntervalAndThenEvents() async throws {
        let source = Source()
        try await run(source) { site in
            try await Wire.connect(port: site.port) { wire in
                try await wire.send(request(site))
                let head = try await wire.read(until: "retry: 2000\n\n")
                #expect(head.contains("Content-Type: text/event-stream\r\n"))
                #expect(head.contains("Cache-Control: no-store\r\n"))
                #expect(head.contains("Content-Security-Policy: "))
                source.push.yield(ServerSentEvent(data: "one"))
                _ = try await wire.read(until: "data: one\n\n")
                source.push.yield(ServerSentEvent(data: "two\nlines", name: "list"))
                _ = try await wire.read(until: "event: list\ndata: two\ndata: lines\n\n")
            }
        }
    }

    /// A stream reads no body, and Hummingbird waits until the body has been read, even after the client is gone.
    @Test(arguments: [
        ("Content-Length: 6", "abcdef"),
        ("Transfer-Encoding: chunked", String(repeating: "1\r\na\r\n", count: 6) + "0\r\n\r\n"),
    ])
    func requestWithABodyIsRefused(field: String, body: String) async throws {
        try await run(Source()) { site in
            try await Wire.connect(port: site.port) { wire in
                try await wire.send("GET /events HTTP/1.1\r\n\(site.host)\r\n\(field)\r\n\r\n\(body)")
                let response = try await wire.read(until: "An event stream takes no request body.\n")
                #expect(response.hasPrefix("HTTP/1.1 400"))
            }
        }
    }

    @Test func disconnectedReaderEndsTheSource() async throws {
        let source = Source()
        try await run(source) { site in
            try await Wire.connect(port: site.port) { wire in
                try await wire.send(request(site))
                _ = try await wire.read(until: "retry: 2000\n\n")
            }
            await source.awaitEnd()
        }
    }

    @Test func endOfTheSourceEndsTheResponse() async throws {
        let source = Source()
        try await run(source) { site in
            try await Wire.connect(port: site.port) { wire in
                try await wire.send(request(site))
                _ = try await wire.read(until: "retry: 2000\n\n")
                source.push.yield(ServerSentEvent(data: "last"))
                source.push.finish()
                let rest = try await wire.read(until: "\r\n0\r\n\r\n")
                #expect(rest.contains("data: last\n\n"))
            }
        }
    }

    @Test func shutdownEndsAnOpenStreamWithACompleteResponse() async throws {
        let source = Source()
        // The clock never advances: nothing here depends on time.
        try await run(source, shutdownTimeout: .seconds(600)) { site in
            try await Wire.connect(port: site.port) { wire in
                try await wire.send(request(site))
                _ = try await wire.read(until: "retry: 2000\n\n")
                await site.shutDown()
                await source.awaitEnd()
                #expect(try await wire.readAll().hasSuffix("0\r\n\r\n"))
            }
        }
    }

    @Test func shutdownDoesNotWaitForAReaderThatStopsReading() async throws {
        let source = Source()
        let clock = ManualClock()
        try await run(source, EventStream(clock: clock)) { site in
            try await Wire.connect(port: site.port) { wire in
                try await wire.send(request(site))
                _ = try await wire.read(until: "retry: 2000\n\n")
                await clock.awaitSleeper()
                // More than the socket's buffers can hold, so that it can't be written completely.
                source.push.yield(ServerSentEvent(data: String(repeating: "a", count: 50_000_000)))
                source.push.yield(ServerSentEvent(data: "last"))
                async let end: Void = site.shutDown()
                await clock.awaitSleeper()
                clock.advance(by: .seconds(1))
                await end
                await source.awaitEnd()
            }
        }
    }

    @Test func idleStreamSendsHeartbeats() async throws {
        let source = Source()
        let clock = ManualClock()
        try await run(source, EventStream(heartbeat: .seconds(15), clock: clock)) { site in
            try await Wire.connect(port: site.port) { wire in
                try await wire.send(request(site))
                _ = try await wire.read(until: "retry: 2000\n\n")
                for _ in 1...3 {
                    await clock.awaitSleeper()
                    clock.advance(by: .seconds(15))
                    _ = try await wire.read(until: ":\n\n")
                }
            }
            await source.awaitEnd()
        }
    }

    @Test func headRequestForAStreamReturnsItsHeader() async throws {
        let source = Source()
        try await run(source) { site in
            let answer = try await site.send("HEAD", "/events", [site.host])
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
            #expect(answer.contains("text/event-stream"))
        }
    }

    @Test func everySourceEndsAfterItsReaderDisconnects() async throws {
        let open = Lock(0)
        let (changes, changed) = AsyncStream.makeStream(of: Void.self)
        let routes: RunningSite.Routes = { router in
            router.get("/events") { request, _ in
                let (events, push) = AsyncStream.makeStream(of: ServerSentEvent.self)
                open.withLock { $0 += 1 }
                changed.yield()
                push.onTermination = { _ in
                    open.withLock { $0 -= 1 }
                    changed.yield()
                }
                push.yield(ServerSentEvent(data: "snapshot"))
                return EventStream(clock: ManualClock()).response(to: request, sending: events)
            }
        }
        try await RunningSite.run(routes: routes) { site in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...50 {
                    group.addTask {
                        try await Wire.connect(port: site.port) { wire in
                            try await wire.send("GET /events HTTP/1.1\r\n\(site.host)\r\n\r\n")
                            _ = try await wire.read(until: "data: snapshot\n\n")
                        }
                    }
                }
                try await group.waitForAll()
            }
            var count = 0
            for await _ in changes.prefix(100) { count += 1 }
            #expect(count == 100 && open.withLock { $0 } == 0)
        }
    }
}

/// The format of an event, and the buffer of those that wait to be sent.
@Suite struct EventFormatTests {
    @Test(arguments: [
        ("", "data: \n\n"), ("a", "data: a\n\n"), ("a\nb", "data: a\ndata: b\n\n"),
        ("a\r\nb\rc", "data: a\ndata: b\ndata: c\n\n"), ("a\n", "data: a\ndata: \n\n"),
        ("\n\n", "data: \ndata: \ndata: \n\n"), ("\r\n\r\n", "data: \ndata: \ndata: \n\n"),
        ("<p>é🧭\u{2028}</p>", "data: <p>é🧭\u{2028}</p>\n\n"),
    ])
    func multilineDataIsSentAsOneFieldPerLine(data: String, text: String) {
        var buffer = ByteBuffer()
        ServerSentEvent(data: data).write(into: &buffer)
        #expect(String(buffer: buffer) == text)
    }

    @Test func lineBreaksAreRemovedFromAnEventName() {
        var buffer = ByteBuffer()
        ServerSentEvent(data: "x", name: "a\r\ndata: b").write(into: &buffer)
        #expect(String(buffer: buffer) == "event: adata: b\ndata: x\n\n")
    }

    @Test func outboxKeepsTheNewestEventOfEachName() async throws {
        let outbox = EventOutbox()
        outbox.offer(ServerSentEvent(data: "old"))
        outbox.offer(ServerSentEvent(data: "other", name: "list"))
        for number in 1...1000 { outbox.offer(ServerSentEvent(data: "\(number)")) }
        outbox.offerHeartbeat()
        outbox.offerHeartbeat()
        outbox.finish()
        outbox.offer(ServerSentEvent(data: "too late"))
        var batches: [EventOutbox.Batch] = []
        try await outbox.drain { batches.append($0) }
        let events = [ServerSentEvent(data: "other", name: "list"), ServerSentEvent(data: "1000")]
        #expect(batches == [EventOutbox.Batch(events: events, hasHeartbeat: true)])
    }

    @Test func drainThrowsIfTheReaderIsCancelled() async {
        let outbox = EventOutbox()
        outbox.offer(ServerSentEvent(data: "waiting"))
        outbox.finish()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var count = 0
            await #expect(throws: CancellationError.self) { try await outbox.drain { _ in count += 1 } }
            return count
        }
        #expect(await task.value <= 1)
    }
}
