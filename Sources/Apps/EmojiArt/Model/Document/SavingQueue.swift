/// Whether all that was done is kept.
public enum SavingState: Hashable, Sendable {
    /// All of it is.
    case saved
    /// Some of it is on its way.
    case saving
    /// Some of it could not be kept yet, which is tried again: why, and what to do now.
    case failed(String)
}

extension SavingState: CustomStringConvertible {
    /// What a person is shown.
    public var description: String {
        switch self {
        case .saved: "Saved"
        case .saving: "Saving…"
        case .failed(let why): "Not saved yet, trying again: \(why)"
        }
    }
}

/// The batches that are performed here: in which order the store gets them, when it is asked again, and which are still
/// shown on top of what is known of the board.
///
/// Pure: every event is a mutating function that says what is to be done. One batch is sent at a time; the next one
/// after its answer, so that the store has them in the order in which they were performed.
struct SavingQueue: Hashable, Sendable {
    private struct Item: Hashable, Sendable {
        let batch: OperationBatch
        /// The revision that has it, as the store has answered; `nil` until then.
        var revision: Int?
        /// Whether it has come back among the board's entries.
        var isTold = false
    }

    /// What the queue is doing.
    private enum Phase: Hashable, Sendable {
        case idle
        /// The first that is not answered is with the store; so many attempts have failed since the last that did not.
        case sending(failures: Int)
        /// The last attempt failed; the next one comes after a pause.
        case pausing(failures: Int)
    }

    /// What is to be done after an event.
    enum Action: Hashable, Sendable {
        case none
        /// Give it to the store, and say with ``succeeded(_:)`` or ``failed(_:isFinal:)`` what came of it.
        case send(OperationBatch)
        /// Call ``pauseEnded(failures:)`` after the pause that comes after so many failures.
        case pause(failures: Int)
    }

    private var items: [Item] = []
    private var phase = Phase.idle
    /// The revision that is known of the board.
    private var known: Int
    /// Why the last attempt failed, until one does not.
    private var failure: String?
    private var isEnding = false

    /// An empty queue of a board of which that revision is known.
    init(known: Int) {
        self.known = known
    }
}

extension SavingQueue {
    /// What is shown on top of what is known of the board, in its order.
    var shown: [OperationBatch] { items.filter { !$0.isTold }.map(\.batch) }

    /// Whether all was answered.
    var isSaved: Bool { unsent == nil }

    /// The same for a person.
    var state: SavingState {
        if isSaved { return .saved }
        return failure.map(SavingState.failed) ?? .saving
    }

    /// Whether a batch is one of these.
    func contains(_ id: OperationBatch.ID) -> Bool { items.contains { $0.batch.id == id } }

    private var unsent: Int? { items.firstIndex { $0.revision == nil } }
}

extension SavingQueue {
    /// Something was performed.
    mutating func add(_ batch: OperationBatch) -> Action {
        items.append(Item(batch: batch))
        switch phase {
        case .idle: return sendNext(failures: 0)
        // It waits for those before it; the store is not asked more often because more is performed.
        case .sending, .pausing: return .none
        }
    }

    /// The store has answered the batch that was sent.
    mutating func succeeded(_ outcome: BatchOutcome) -> Action {
        switch phase {
        case .sending:
            failure = nil
            if let unsent { items[unsent].revision = outcome.revision }
            drop()
            return sendNext(failures: 0)
        case .idle, .pausing:
            // Nothing is with the store: that is no answer to anything.
            return .none
        }
    }

    /// The store has not taken the batch that was sent.
    ///
    /// If it never will, the batch is dropped, and those behind it go on.
    mutating func failed(_ words: String, isFinal: Bool) -> Action {
        switch phase {
        case .sending(let failures):
            if isFinal {
                if let unsent { items.remove(at: unsent) }
                return sendNext(failures: 0)
            }
            failure = words
            guard !isEnding else {
                phase = .idle
                return .none
            }
            phase = .pausing(failures: failures + 1)
            return .pause(failures: failures + 1)
        case .idle, .pausing:
            // Nothing is with the store.
            return .none
        }
    }

    /// The pause after so many failures is over.
    mutating func pauseEnded(failures: Int) -> Action {
        switch phase {
        case .pausing(failures): return sendNext(failures: failures)
        // A pause that was cancelled too late.
        case .idle, .sending, .pausing: return .none
        }
    }

    /// Somebody asks to try at once.
    mutating func retry() -> Action {
        switch phase {
        case .pausing(let failures): return sendNext(failures: failures)
        // Nothing waits, or it is being tried.
        case .idle, .sending: return .none
        }
    }

    /// What is left is tried once more, without pauses; what fails then is given up.
    mutating func end() -> Action {
        isEnding = true
        return retry()
    }

    /// More is known of the board: that revision, and of the batches before it these, as far as they were told.
    mutating func advanced(to revision: Int, batches: Set<OperationBatch.ID>) {
        known = revision
        for index in items.indices where batches.contains(items[index].batch.id) { items[index].isTold = true }
        drop()
    }

    /// Drops what is kept, and known of the board.
    private mutating func drop() {
        let known = known
        items.removeAll { item in item.revision.map { item.isTold || $0 <= known } ?? false }
    }

    private mutating func sendNext(failures: Int) -> Action {
        guard let unsent else {
            phase = .idle
            failure = nil
            return .none
        }
        phase = .sending(failures: failures)
        return .send(items[unsent].batch)
    }
}
