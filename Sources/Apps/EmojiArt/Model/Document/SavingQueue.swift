/// Whether all steps performed in a document are stored.
public enum SavingState: Hashable, Sendable {
    /// All steps are stored.
    case saved
    /// A step is being stored.
    case saving
    /// A step couldn't be stored yet, and is retried; the text says why, and what to do now.
    case failed(String)
}

extension SavingState: CustomStringConvertible {
    /// The text that the user sees.
    public var description: String {
        switch self {
        case .saved: ArtWords.saved
        case .saving: ArtWords.savingNow
        case .failed(let why): ArtWords.notSavedYet(why)
        }
    }
}

/// The queue of batches performed in a document: it decides when each is sent or retried, and which ones are still
/// shown on top of the known state.
///
/// The queue is a state machine without side effects: every event is a mutating method that returns what to do next.
/// One batch is in flight at a time, so that the store applies them in the order in which they were performed.
struct SavingQueue: Hashable, Sendable {
    private struct Item: Hashable, Sendable {
        let batch: OperationBatch
        /// The revision that includes the batch, as the store responded; `nil` until then.
        var revision: Int?
        /// Whether the batch has arrived among the board's entries.
        var hasArrived = false
    }

    private enum Phase: Hashable, Sendable {
        case idle
        /// The first unanswered batch is in flight, after `failures` consecutive failed attempts.
        case sending(failures: Int)
        /// The last attempt failed; the next one follows after a pause.
        case pausing(failures: Int)
    }

    enum Action: Hashable, Sendable {
        case none
        /// Send the batch to the store, and report the outcome with ``succeeded(_:)`` or ``failed(_:isFinal:)``.
        case send(OperationBatch)
        /// Call ``pauseEnded(failures:)`` after the pause that follows `failures` failed attempts.
        case pause(failures: Int)
    }

    private var items: [Item] = []
    private var phase = Phase.idle
    /// The latest known revision of the board.
    private var knownRevision: Int
    /// Why the last attempt failed; `nil` after one has succeeded.
    private var failure: String?
    private var isClosing = false

    /// Creates an empty queue for a board at a known revision.
    init(known: Int) {
        knownRevision = known
    }
}

extension SavingQueue {
    /// The batches to show on top of the known state, in order.
    var shown: [OperationBatch] { items.filter { !$0.hasArrived }.map(\.batch) }

    /// Whether the store has responded to every batch.
    var isSaved: Bool { unanswered == nil }

    /// The state for the user.
    var state: SavingState {
        if isSaved { return .saved }
        return failure.map(SavingState.failed) ?? .saving
    }

    /// Whether the queue contains a batch.
    func contains(_ id: OperationBatch.ID) -> Bool { items.contains { $0.batch.id == id } }

    private var unanswered: Int? { items.firstIndex { $0.revision == nil } }
}

extension SavingQueue {
    /// Enqueues a performed batch.
    mutating func add(_ batch: OperationBatch) -> Action {
        items.append(Item(batch: batch))
        switch phase {
        case .idle: return sendNext(failures: 0)
        // It waits for the batches before it; performing more doesn't make the queue retry sooner.
        case .sending, .pausing: return .none
        }
    }

    /// The store has applied the batch in flight.
    mutating func succeeded(_ outcome: BatchOutcome) -> Action {
        switch phase {
        case .sending:
            failure = nil
            if let unanswered { items[unanswered].revision = outcome.revision }
            drop()
            return sendNext(failures: 0)
        case .idle, .pausing:
            // No batch is in flight: ignore the response.
            return .none
        }
    }

    /// The store has failed to apply the batch in flight.
    ///
    /// If the failure is final, the batch is dropped, and the next one is sent.
    mutating func failed(_ words: String, isFinal: Bool) -> Action {
        switch phase {
        case .sending(let failures):
            if isFinal {
                if let unanswered { items.remove(at: unanswered) }
                return sendNext(failures: 0)
            }
            failure = words
            guard !isClosing else {
                phase = .idle
                return .none
            }
            phase = .pausing(failures: failures + 1)
            return .pause(failures: failures + 1)
        case .idle, .pausing:
            // No batch is in flight.
            return .none
        }
    }

    /// The pause after `failures` failures has ended.
    mutating func pauseEnded(failures: Int) -> Action {
        switch phase {
        case .pausing(failures): return sendNext(failures: failures)
        // The pause was cancelled too late.
        case .idle, .sending, .pausing: return .none
        }
    }

    /// The user asks to retry at once.
    mutating func retry() -> Action {
        switch phase {
        case .pausing(let failures): return sendNext(failures: failures)
        // Nothing is pending, or an attempt is in progress.
        case .idle, .sending: return .none
        }
    }

    /// Sends the pending batches once more, without pauses; gives up at the next failure.
    mutating func close() -> Action {
        isClosing = true
        return retry()
    }

    /// The known state of the board has advanced to a revision, with these batches among its new entries.
    mutating func advanced(to revision: Int, batches: Set<OperationBatch.ID>) {
        knownRevision = revision
        for index in items.indices where batches.contains(items[index].batch.id) { items[index].hasArrived = true }
        drop()
    }

    /// Drops the batches that are stored and included in the known state.
    private mutating func drop() {
        let knownRevision = knownRevision
        items.removeAll { item in item.revision.map { item.hasArrived || $0 <= knownRevision } ?? false }
    }

    private mutating func sendNext(failures: Int) -> Action {
        guard let unanswered else {
            phase = .idle
            failure = nil
            return .none
        }
        phase = .sending(failures: failures)
        return .send(items[unanswered].batch)
    }
}
