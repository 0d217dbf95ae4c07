/// The synchronization of a local copy of a board with its store, as a state machine without side effects.
///
/// Every event is a mutating method that returns what to do next. At most one request is in flight, and only its
/// response, which has consecutive entries or a whole board, advances the revision. Changes applied here and
/// notifications of others' changes only trigger a request.
struct BoardReplica: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        /// The copy is up to date with every notification.
        case idle
        /// A request is in flight, after `failures` consecutive failed ones.
        ///
        /// `wanted` is the greatest revision announced in the meantime. If the response doesn't lead to it, another
        /// request follows.
        case asking(failures: Int, wanted: Int)
        /// The last request failed; the next one follows after a pause.
        case pausing(failures: Int)
        /// The board doesn't exist.
        case gone
        /// The document was closed.
        case ended
    }

    enum Answer: Hashable, Sendable {
        /// The changes since the requested revision, or the whole board.
        case changes(BoardChanges)
        /// There is no such board.
        case gone
        /// The store couldn't be read.
        case failed
    }

    /// The update to apply to the local copy.
    enum Update: Hashable, Sendable {
        case nothing
        /// Log entries in order; the first one directly follows the previous revision.
        case entries([LogEntry])
        /// The whole board, which replaces the local copy.
        case whole(Board)
        /// The board was deleted.
        case gone
    }

    enum Next: Hashable, Sendable {
        case nothing
        /// Ask the store for the changes since a revision, and report its response to ``BoardReplica/answered(_:)``.
        case ask(since: Int)
        /// Ask the store for the whole board.
        case askForAll
        /// Pause for a time that depends on the failures, then call ``BoardReplica/pauseEnded(failures:)``.
        case pause(failures: Int)
    }

    /// The update to apply and the action to take after an event.
    struct Action: Hashable, Sendable {
        var update = Update.nothing
        var next = Next.nothing
    }

    /// Stands for the latest revision while its number is unknown; greater than any revision.
    private static let latestRevision = Int.max

    /// The revision of the local copy.
    private(set) var revision: Int
    private(set) var phase: Phase
    /// Whether the store's last response was that there is no such board.
    private(set) var isGone = false

    /// Creates the state of a copy that was just read.
    init(revision: Int) {
        self.revision = revision
        self.phase = .idle
    }

    /// Whether a request is in flight.
    var isAsking: Bool {
        switch phase {
        case .asking: true
        case .idle, .pausing, .gone, .ended: false
        }
    }
}

extension BoardReplica {
    /// The store has applied a batch of this process at a revision.
    mutating func applied(_ applied: Int) -> Action { noteRevision(applied) }

    /// The store has announced an unspecified change of the board.
    mutating func changed() -> Action { noteRevision(Self.latestRevision) }

    /// The store has responded.
    mutating func answered(_ answer: Answer) -> Action {
        switch phase {
        case .asking(let failures, let wanted):
            switch answer {
            case .changes(.entries(let entries)): return accept(entries, wanted: wanted)
            case .changes(.whole(let board)):
                isGone = false
                revision = board.summary.revision
                return Action(update: .whole(board), next: finish(wanted: wanted))
            case .gone:
                let update = isGone ? Update.nothing : .gone
                isGone = true
                // A notification that arrived in the meantime may mean that the board was restored.
                if wanted > revision { return Action(update: update, next: ask()) }
                phase = .gone
                return Action(update: update)
            case .failed:
                phase = .pausing(failures: failures + 1)
                return Action(next: .pause(failures: failures + 1))
            }
        case .idle, .pausing, .gone, .ended:
            // No request is in flight, or the document was closed.
            return Action()
        }
    }

    /// The pause after `failures` failures has ended.
    mutating func pauseEnded(failures: Int) -> Action {
        switch phase {
        case .pausing(failures): return Action(next: ask(failures: failures))
        // The pause was cancelled too late.
        case .pausing, .idle, .asking, .gone, .ended: return Action()
        }
    }

    /// The document was closed.
    mutating func close() { phase = .ended }
}

// MARK: - Transitions

extension BoardReplica {
    private mutating func noteRevision(_ announced: Int) -> Action {
        // The revision is known already: an earlier response included it.
        guard announced > revision else { return Action() }
        switch phase {
        case .idle, .gone: return Action(next: ask())
        // Retries at once: the notification shows that the store can be reached.
        case .pausing(let failures): return Action(next: ask(failures: failures))
        case .asking(let failures, let wanted):
            phase = .asking(failures: failures, wanted: max(wanted, announced))
            return Action()
        case .ended: return Action()
        }
    }

    private mutating func accept(_ entries: [LogEntry], wanted: Int) -> Action {
        isGone = false
        var action = Action()
        let fresh = entries.drop { $0.revision <= revision }
        let following = zip(fresh, revision + 1..<Int.max).prefix { $0.revision == $1 }.map(\.0)
        if let last = following.last {
            revision = last.revision
            action.update = .entries(following)
        }
        if following.count < fresh.count {
            // The store has left a gap: ask for the whole board instead of trusting the parts.
            phase = .asking(failures: 0, wanted: wanted)
            action.next = .askForAll
        } else {
            action.next = finish(wanted: wanted)
        }
        return action
    }

    private mutating func finish(wanted: Int) -> Next {
        // Asks only once more: the announced revision may be wrong.
        if wanted > revision { return ask() }
        phase = .idle
        return .nothing
    }

    private mutating func ask(failures: Int = 0) -> Next {
        phase = .asking(failures: failures, wanted: 0)
        return .ask(since: revision)
    }
}
