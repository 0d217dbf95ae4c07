import Futures
import HTTPTypes
public import Hummingbird
import NIOCore
import ServiceLifecycle

/// Responds to requests with a stream of server-sent events.
///
/// A stream ends when its source ends, the client disconnects, the server shuts down or the task is cancelled. The
/// source's task is then cancelled, and the source must end on cancellation. If the client is slower than the source,
/// only the newest event of each name is sent: each must be a complete snapshot, or the client must detect gaps.
public struct EventStream: Sendable {
    /// The content type of the responses.
    static let mediaType = "text/event-stream"
    /// How long pending events may take to be written when the server shuts down.
    private static let grace = Duration.seconds(1)

    private let heartbeat: Duration
    private let retry: Duration
    private let clock: any Clock<Duration>

    /// Creates an event stream configuration.
    ///
    /// - Parameters:
    ///   - heartbeat: The interval of the comments that detect lost connections.
    ///   - retry: How long a browser waits before it reconnects.
    ///   - clock: The clock of the heartbeat.
    public init(
        heartbeat: Duration = .seconds(15), retry: Duration = .seconds(2),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.heartbeat = heartbeat
        self.retry = retry
        self.clock = clock
    }
}

extension EventStream {
    /// Returns a response that sends events until they end or the client disconnects.
    ///
    /// - Parameters:
    ///   - request: The request. If it has a body, the response has the status 400.
    ///   - events: The events. They are iterated once, in a task of their own that is cancelled at the end.
    /// - Returns: The response.
    public func response<Events: AsyncSequence & Sendable>(
        to request: Request, sending events: Events
    ) -> Response where Events.Element == ServerSentEvent, Events.Failure == Never {
        // Hummingbird 2.28 waits for ever until a body that the stream doesn't read has been read.
        if request.headers.contains(.transferEncoding) || (request.headers[.contentLength] ?? "0") != "0" {
            return Response(
                status: .badRequest, headers: [.contentType: "text/plain", .connection: "close"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: SiteWords.bodyForAnEventStream)))
        }
        let body = ResponseBody { writer in
            let (ends, end) = AsyncStream.makeStream(of: End.self)
            let client = SoleWriter(writer)
            let isComplete = try await request.body.consumeWithInboundCloseHandler { _ in
                await withGracefulShutdownHandler {
                    await send(events, to: client, until: ends)
                } onGracefulShutdown: {
                    end.yield(.shutdown)
                }
            } onInboundClosed: {
                end.yield(.clientDisconnected)
            }
            // Throwing closes the connection, which tells the client that the body is incomplete.
            if !isComplete { throw CancellationError() }
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: Self.mediaType, .cacheControl: "no-store",
                // A proxy that buffers the response would delay all events.
                .xAccelBuffering: "no",
            ],
            body: body)
    }

    /// Why a stream ends before its source does.
    private enum End {
        case clientDisconnected
        case shutdown
    }

    /// A child task of a stream, with its result.
    private enum Part {
        case source
        case heartbeat
        case writing(isComplete: Bool)
        case waiting(End?)
        case grace
    }

    /// Sends all events; returns whether the response is complete.
    private func send<Events: AsyncSequence & Sendable>(
        _ events: Events, to client: SoleWriter, until ends: AsyncStream<End>
    ) async -> Bool where Events.Element == ServerSentEvent, Events.Failure == Never {
        let outbox = EventOutbox()
        return await withTaskGroup(of: Part.self, returning: Bool.self) { group in
            group.addTask {
                for await event in events { outbox.offer(event) }
                outbox.finish()
                return .source
            }
            group.addTask {
                await Stopwatch(clock).tick(every: heartbeat) { outbox.offerHeartbeat() }
                return .heartbeat
            }
            group.addTask { .writing(isComplete: await write(outbox, to: client)) }
            func awaitEnd() {
                group.addTask { .waiting(await ends.first { _ in true }) }
            }
            awaitEnd()
            var isComplete = false
            for await part in group {
                switch part {
                case .source, .heartbeat, .waiting(nil):
                    continue
                case .writing(let isAll):
                    isComplete = isAll
                    group.cancelAll()
                case .waiting(.clientDisconnected), .grace:
                    group.cancelAll()
                case .waiting(.shutdown):
                    outbox.finish()
                    awaitEnd()
                    let stopwatch = Stopwatch(clock)
                    group.addTask {
                        try? await stopwatch.sleep(until: Self.grace)
                        return .grace
                    }
                }
            }
            return isComplete
        }
    }

    /// Writes events and the end of the body; returns whether everything was written.
    private func write(_ outbox: EventOutbox, to client: SoleWriter) async -> Bool {
        let milliseconds = retry.components.seconds * 1000 + retry.components.attoseconds / 1_000_000_000_000_000
        do {
            // Written immediately, so that the browser knows that it is connected.
            try await client.write(ByteBuffer(string: "retry: \(milliseconds)\n\n"))
            try await outbox.drain { batch in
                var buffer = ByteBuffer()
                for event in batch.events { event.write(into: &buffer) }
                if batch.hasHeartbeat { buffer.writeString(":\n\n") }
                try await client.write(buffer)
            }
            try await client.finish()
            return true
        } catch {
            return false
        }
    }
}
