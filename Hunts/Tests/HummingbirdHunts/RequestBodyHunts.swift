import HuntSupport
import Interleaving
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import HummingbirdCore

/// Hummingbird's request bodies: streams with back pressure, and handlers for a connection that the client closes.
@Suite struct RequestBodyHunts {
    @Test func everyPartArrivesOnceInOrder() {
        hunt("RequestBody", "every part of a stream arrives once, in order") {
            let (body, source) = RequestBody.makeStream()
            async let produced: Void = {
                for part in 1...7 { await source.yield(ByteBuffer(integer: UInt8(part))) }
                source.finish()
            }()
            var parts: [UInt8] = []
            for try await buffer in body {
                parts.append(contentsOf: buffer.readableBytesView)
                await Task.yield()
            }
            await produced
            check(parts == [1, 2, 3, 4, 5, 6, 7], "received \(parts)")
        }
    }

    @Test func twoProducersAreNeverForgotten() {
        hunt("RequestBody", "two producers that wait for the consumer are resumed") {
            let (body, source) = RequestBody.makeStream()
            async let first: Void = yield(5, to: source)
            async let second: Void = yield(5, to: source)
            async let received = count(body)
            _ = await (first, second)
            source.finish()
            let count = try await received
            check(count == 10, "received \(count)")
        }
    }

    @Test func producerEndsWhenTheConsumerIsCancelled() {
        hunt(
            "RequestBody", "a producer ends when the consumer is cancelled",
            expecting: .bug("hung", report: "hummingbird-producer-hangs-after-the-end"),
            hangTimeout: .milliseconds(200)
        ) {
            let (body, source) = RequestBody.makeStream()
            let consumer = Task { try await count(body) }
            async let produced: Void = yield(8, to: source)
            async let cancelled: Void = { consumer.cancel() }()
            _ = await (produced, cancelled, consumer.result)
            source.finish()
        }
    }

    @Test func producerEndsWhenTheConsumerStopsReading() {
        hunt(
            "RequestBody", "a producer ends when the consumer stops reading",
            expecting: .bug("hung", report: "hummingbird-producer-hangs-after-the-end"),
            hangTimeout: .milliseconds(200), preemptsAtLocks: true
        ) {
            let (body, source) = RequestBody.makeStream()
            async let consumed: Void = { for try await _ in body { break } }()
            await yield(5, to: source)
            source.finish()
            _ = try await consumed
        }
    }

    @Test func cancelledConsumerDoesNotCrash() async throws {
        try await huntCrash(
            "RequestBody", "a consumer can be cancelled while it asks for more",
            report: "hummingbird-cancelled-consumer-crashes"
        ) {
            try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = exploration(schedules: 20_000, preemptsAtLocks: true) {
                    let (body, source) = RequestBody.makeStream()
                    await yield(4, to: source)
                    let consumer = Task { try await count(body) }
                    async let cancelled: Void = { consumer.cancel() }()
                    _ = await (cancelled, consumer.result)
                    source.finish()
                }
            }
        }
    }

    @Test func closedConnectionCallsTheHandlerOnce() {
        hunt(
            "RequestBody", "a closed connection calls the close handler once, and the operation ends",
            preemptsAtLocks: false
        ) {
            let connection = try Connection()
            let closures = Log<Int>()
            let (barrier, close) = AsyncStream<Void>.makeStream()
            async let handled: Void = connection.handle { body in
                try await body.consumeWithInboundCloseHandler { _ in
                    for await _ in barrier {}
                } onInboundClosed: {
                    closures.append(1)
                    close.finish()
                }
            }
            await connection.send(parts: 2)
            _ = try await handled
            check(closures.count == 1, "called \(closures.count) times")
        }
    }

    @Test func operationThatReadsTheBodyIsCancelledByTheClosure() {
        hunt("RequestBody", "a closed connection cancels an operation that has read the body", preemptsAtLocks: false) {
            let connection = try Connection()
            let counts = Log<Int>()
            async let handled: Void = connection.handle { body in
                try await body.consumeWithCancellationOnInboundClose { body in
                    counts.append(try await count(body))
                    await endOfTask()
                }
            }
            await connection.send(parts: 6)
            _ = try await handled
            check([[], [6]].contains(counts.elements), "received \(counts.elements)")
        }
    }

    @Test func cancelledOperationEnds() {
        hunt("RequestBody", "cancellation ends an operation that reads the body", preemptsAtLocks: false) {
            let connection = try Connection()
            let server = Task {
                try await connection.handle { body in
                    try await body.consumeWithInboundCloseHandler { body in
                        _ = try await count(body)
                    } onInboundClosed: {
                    }
                }
            }
            async let cancelled: Void = { server.cancel() }()
            await connection.send(parts: 6)
            _ = await (server.result, cancelled)
        }
    }

    @Test func operationThatIgnoresTheBodyEnds() {
        hunt(
            "RequestBody", "consumeWithInboundCloseHandler returns after an operation that ignores the body",
            expecting: .bug("hung", report: "hummingbird-unread-body-hangs"), hangTimeout: .milliseconds(200),
            preemptsAtLocks: false
        ) {
            let connection = try Connection()
            async let handled: Void = connection.handle { body in
                try await body.consumeWithInboundCloseHandler { _ in
                    await Task.yield()
                } onInboundClosed: {
                }
            }
            await connection.send(parts: 8)
            _ = try await handled
        }
    }

    @Test func operationThatIgnoresTheBodyIsCancelledByTheClosure() {
        hunt(
            "RequestBody", "a closed connection cancels an operation that ignores the body",
            expecting: .bug("hung", report: "hummingbird-unread-body-hangs"), hangTimeout: .milliseconds(200),
            preemptsAtLocks: false
        ) {
            let connection = try Connection()
            async let handled: Void = connection.handle { body in
                try await body.consumeWithCancellationOnInboundClose { _ in await endOfTask() }
            }
            await connection.send(parts: 8)
            _ = try await handled
        }
    }
}

// MARK: - Parts

/// A connection over an embedded channel, with one request whose head has been read.
///
/// Sendable, because all tasks of a body run on one thread.
private final class Connection: @unchecked Sendable {
    private let loop = EmbeddedEventLoop()
    private let channel: EmbeddedChannel
    private let asyncChannel: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    init() throws {
        channel = EmbeddedChannel(loop: loop)
        asyncChannel = try NIOAsyncChannel(wrappingChannelSynchronously: channel)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 80), promise: nil)
    }

    /// Handles the request, until the operation ends or is cancelled.
    func handle(_ operation: (RequestBody) async throws -> Void) async throws {
        try await asyncChannel.executeThenClose { inbound, _ in
            let body = RequestBody(nioAsyncChannelInbound: .init(iterator: inbound.makeAsyncIterator()))
            do { try await operation(body) } catch is CancellationError {}
        }
    }

    /// Sends the request's body, and closes the connection.
    func send(parts: Int) async {
        for part in 0..<parts {
            channel.pipeline.fireChannelRead(HTTPRequestPart.body(ByteBuffer(integer: UInt8(part))))
            channel.pipeline.fireChannelReadComplete()
            await Task.yield()
        }
        channel.pipeline.fireChannelRead(HTTPRequestPart.end(nil))
        channel.pipeline.fireChannelReadComplete()
        await waitForOtherTasks()
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        await waitForOtherTasks()
        // Runs what closing the channel leaves to the event loop.
        loop.run()
    }
}

private func yield(_ parts: Int, to source: RequestBody.Source) async {
    for part in 0..<parts { await source.yield(ByteBuffer(integer: UInt8(part))) }
}

private func count(_ body: RequestBody) async throws -> Int {
    var count = 0
    for try await _ in body { count += 1 }
    return count
}

/// Waits until the task is cancelled.
private func endOfTask() async {
    let (endless, _) = AsyncStream<Void>.makeStream()
    for await _ in endless {}
}
