import Futures
import HTTPTypes
public import Hummingbird
import NIOCore
import ServiceLifecycle

/// Answers requests with a stream of server-sent events.
///
/// A stream ends when its source does, when the reader leaves, when the server shuts down, and when the task is
/// cancelled; the source is cancelled then, and must end on cancellation. Each event is a whole snapshot: for a reader
/// who is slower than the source, of each kind of event only the newest is kept.
public struct EventStream: Sendable {
    /// The type of the responses.
    static let mediaType = "text/event-stream"
    /// How long a reader may take to receive what is on its way when the server shuts down.
    private static let grace = Duration.seconds(1)

    private let heartbeat: Duration
    private let retry: Duration
    private let clock: any Clock<Duration>

    /// Creates a kind of stream.
    ///
    /// - Parameters:
    ///   - heartbeat: How often a comment is sent, so that a connection that is gone is noticed.
    ///   - retry: When a browser asks again after the connection is lost.
    ///   - clock: What measures the heartbeat.
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
    /// The answer that sends events until they end, or the reader leaves.
    ///
    /// - Parameters:
    ///   - request: The request that is answered; its body is consumed.
    ///   - events: What to send. It is iterated once, in a task of its own that is cancelled at the end.
    /// - Returns: The answer.
    public func response<Events: AsyncSequence & Sendable>(
        to request: Request, sending events: Events
    ) -> Response where Events.Element == ServerSentEvent, Events.Failure == Never {
        let body = ResponseBody { writer in
            let (ends, end) = AsyncStream.makeStream(of: End.self)
            let reader = SoleWriter(writer)
            let isComplete = try await request.body.consumeWithInboundCloseHandler { _ in
                await withGracefulShutdownHandler {
                    await send(events, to: reader, until: ends)
                } onGracefulShutdown: {
                    end.yield(.shutdown)
                }
            } onInboundClosed: {
                end.yield(.readerLeft)
            }
            // Thrown, it closes the connection: what was sent of the body is not all of it.
            if !isComplete { throw CancellationError() }
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: Self.mediaType, .cacheControl: "no-store",
                // A proxy that collects the answer first would show nothing at all.
                .xAccelBuffering: "no",
            ],
            body: body)
    }

    /// Why a stream is to end before its source does.
    private enum End {
        case readerLeft
        case shutdown
    }

    /// What has come to an end within a stream.
    private enum Part {
        case source
        case heartbeat
        case writing(isComplete: Bool)
        case waiting(End?)
        case grace
    }

    /// Sends all events; returns whether the answer is complete.
    private func send<Events: AsyncSequence & Sendable>(
        _ events: Events, to reader: SoleWriter, until ends: AsyncStream<End>
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
            group.addTask { .writing(isComplete: await write(outbox, to: reader)) }
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
                case .waiting(.readerLeft), .grace:
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

    /// Writes what comes, and the end; returns whether all of it was written.
    private func write(_ outbox: EventOutbox, to reader: SoleWriter) async -> Bool {
        let milliseconds = retry.components.seconds * 1000 + retry.components.attoseconds / 1_000_000_000_000_000
        do {
            // Written at once, so that the browser knows that it is connected.
            try await reader.write(ByteBuffer(string: "retry: \(milliseconds)\n\n"))
            try await outbox.drain { batch in
                var buffer = ByteBuffer()
                for event in batch.events { event.write(into: &buffer) }
                if batch.hasHeartbeat { buffer.writeString(":\n\n") }
                try await reader.write(buffer)
            }
            try await reader.finish()
            return true
        } catch {
            return false
        }
    }
}

/// Takes a writer into the one task that writes.
private struct SoleWriter: @unchecked Sendable {
    // Unchecked: `write(_:to:)` alone uses it, in one task, while the task that it comes from waits for that one.
    private let writer: any ResponseBodyWriter

    init(_ writer: any ResponseBodyWriter) {
        self.writer = writer
    }

    @concurrent
    func write(_ buffer: ByteBuffer) async throws {
        var writer = writer
        try await writer.write(buffer)
    }

    @concurrent
    func finish() async throws {
        try await writer.finish(nil)
    }
}
