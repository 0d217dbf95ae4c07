import Futures

/// A coalescing buffer for one client: the newest event of each name, and at most one heartbeat.
///
/// A client that is slow or has stopped reading therefore takes no more memory than one that keeps up.
final class EventOutbox: Sendable {
    /// The events to write next.
    struct Batch: Sendable, Equatable {
        var events: [ServerSentEvent] = []
        var hasHeartbeat = false
    }

    private struct Contents: Sendable {
        var batch = Batch()
        var isFinished = false
    }

    private let contents = Lock(Contents())
    /// Yields when the buffer isn't empty; several signals are coalesced.
    private let bell: AsyncStream<Void>
    private let ring: AsyncStream<Void>.Continuation

    init() {
        (bell, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }
}

extension EventOutbox {
    /// Enqueues an event, replacing a pending one of the same name.
    func offer(_ event: ServerSentEvent) {
        contents.withLock { contents in
            guard !contents.isFinished else { return }
            contents.batch.events.removeAll { $0.name == event.name }
            contents.batch.events.append(event)
        }
        ring.yield()
    }

    /// Enqueues a heartbeat.
    func offerHeartbeat() {
        contents.withLock { $0.batch.hasHeartbeat = true }
        ring.yield()
    }

    /// Rejects further events; pending ones can still be drained.
    func finish() {
        contents.withLock { $0.isFinished = true }
        ring.finish()
    }
}

extension EventOutbox {
    /// Passes pending events to the body whenever there are any, until the outbox is finished and empty.
    ///
    /// - Throws: The body's error, or `CancellationError` if the task is cancelled.
    func drain(_ body: (Batch) async throws -> Void) async throws {
        for await _ in bell { try await take(body) }
        try Task.checkCancellation()
        try await take(body)
    }

    private func take(_ body: (Batch) async throws -> Void) async throws {
        let batch = contents.withLock { contents in
            let batch = contents.batch
            contents.batch = Batch()
            return batch
        }
        if batch != Batch() { try await body(batch) }
    }
}
