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

    private let contents: Mailbox<Contents>
    private let signals: AsyncStream<Void>

    init() {
        (contents, signals) = Mailbox.make(Contents())
    }
}

extension EventOutbox {
    /// Enqueues an event, replacing a pending one of the same name.
    func offer(_ event: ServerSentEvent) {
        contents.put { contents in
            guard !contents.isFinished else { return }
            contents.batch.events.removeAll { $0.name == event.name }
            contents.batch.events.append(event)
        }
    }

    /// Enqueues a heartbeat.
    func offerHeartbeat() {
        contents.put { $0.batch.hasHeartbeat = true }
    }

    /// Rejects further events; pending ones can still be drained.
    func finish() {
        contents.take { $0.isFinished = true }
        contents.finish()
    }
}

extension EventOutbox {
    /// Passes pending events to the body whenever there are any, until the outbox is finished and empty.
    ///
    /// - Throws: The body's error, or `CancellationError` if the task is cancelled.
    func drain(_ body: (Batch) async throws -> Void) async throws {
        for await _ in signals { try await take(body) }
        try Task.checkCancellation()
        try await take(body)
    }

    private func take(_ body: (Batch) async throws -> Void) async throws {
        let batch = contents.take { contents in
            defer { contents.batch = Batch() }
            return contents.batch
        }
        if batch != Batch() { try await body(batch) }
    }
}
