import Futures

/// What waits to be written to one reader: of each kind of event the newest, and at most one heartbeat.
///
/// So a reader that is slow, or has stopped reading, costs no more than one that keeps up.
final class EventOutbox: Sendable {
    /// What to write now.
    struct Batch: Sendable, Equatable {
        var events: [ServerSentEvent] = []
        var hasHeartbeat = false
    }

    private struct Contents: Sendable {
        var batch = Batch()
        var isFinished = false
    }

    private let contents = Lock(Contents())
    /// One element whenever there is something to take; they merge.
    private let bell: AsyncStream<Void>
    private let ring: AsyncStream<Void>.Continuation

    init() {
        (bell, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }
}

extension EventOutbox {
    /// Puts an event in, in place of one of the same kind that is still there.
    func offer(_ event: ServerSentEvent) {
        contents.withLock { contents in
            guard !contents.isFinished else { return }
            contents.batch.events.removeAll { $0.name == event.name }
            contents.batch.events.append(event)
        }
        ring.yield()
    }

    /// Says that a sign of life is due.
    func offerHeartbeat() {
        contents.withLock { $0.batch.hasHeartbeat = true }
        ring.yield()
    }

    /// Ends it: what is in it can still be taken, and nothing comes after.
    func finish() {
        contents.withLock { $0.isFinished = true }
        ring.finish()
    }
}

extension EventOutbox {
    /// Takes out what there is, each time there is something, until it is finished and empty, or the task is cancelled.
    ///
    /// - Throws: What the body throws, or `CancellationError`.
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
