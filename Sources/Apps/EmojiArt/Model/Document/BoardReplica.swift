/// How far a copy of a board is behind its store, and what is to be asked.
///
/// Pure: every event is a mutating function that says what is to be done. One question is under way at a time, and the
/// revision moves with its answer alone, by entries that follow each other, or to a whole board: what is applied here,
/// and what is heard of others, only says that there is something to ask for.
struct BoardReplica: Hashable, Sendable {
    /// What the copy is doing.
    enum Phase: Hashable, Sendable {
        /// It has all that it heard of.
        case idle
        /// The store was asked; so many questions in a row have failed before. Where the answer leads to less than what
        /// is wanted, which was heard of meanwhile, it is asked again.
        case asking(failures: Int, wanted: Int)
        /// The last question failed; the next one comes after a pause.
        case pausing(failures: Int)
        /// The board is not there.
        case gone
        /// Nobody wants to know any more.
        case ended
    }

    /// What the store has said.
    enum Answer: Hashable, Sendable {
        /// What happened.
        case changes(BoardChanges)
        /// There is no such board.
        case gone
        /// It could not be read.
        case failed
    }

    /// What is new of the board.
    enum Told: Hashable, Sendable {
        case nothing
        /// These, in their order, the first right after the revision before.
        case entries([LogEntry])
        /// All of it is, whatever it was before.
        case whole(Board)
        /// It was deleted.
        case gone
    }

    /// What is to be done next.
    enum Next: Hashable, Sendable {
        case nothing
        /// Ask the store what happened since, and say with ``BoardReplica/answered(_:)`` what it said.
        case ask(since: Int)
        /// Ask for the whole board.
        case askForAll
        /// Call ``BoardReplica/pauseEnded(failures:)`` after the pause that comes after so many failures.
        case pause(failures: Int)
    }

    /// What is to be done after an event.
    struct Action: Hashable, Sendable {
        var told = Told.nothing
        var next = Next.nothing
    }

    /// Whatever there is: more than any revision.
    private static let everything = Int.max

    /// The revision that the copy is at.
    private(set) var revision: Int
    private(set) var phase: Phase
    /// Whether the last that was heard is that there is no such board.
    private(set) var isGone = false

    /// A copy that was just read.
    init(revision: Int) {
        self.revision = revision
        self.phase = .idle
    }

    /// Whether an answer is on its way.
    var isAsking: Bool {
        switch phase {
        case .asking: true
        case .idle, .pausing, .gone, .ended: false
        }
    }
}

extension BoardReplica {
    /// The store has applied something for somebody here: that revision has it.
    mutating func applied(_ applied: Int) -> Action { heard(of: applied) }

    /// The store says that something about the board is another.
    mutating func changed() -> Action { heard(of: Self.everything) }

    /// The store has answered.
    mutating func answered(_ answer: Answer) -> Action {
        switch phase {
        case .asking(let failures, let wanted):
            switch answer {
            case .changes(.entries(let entries)): return take(entries, wanted: wanted)
            case .changes(.whole(let board)):
                isGone = false
                revision = board.summary.revision
                return Action(told: .whole(board), next: settle(wanted: wanted))
            case .gone:
                let told = isGone ? Told.nothing : .gone
                isGone = true
                // What was heard of while it was asked may be that it is back.
                if wanted > revision { return Action(told: told, next: ask()) }
                phase = .gone
                return Action(told: told)
            case .failed:
                phase = .pausing(failures: failures + 1)
                return Action(next: .pause(failures: failures + 1))
            }
        case .idle, .pausing, .gone, .ended:
            // Nothing was asked, or nobody wants to know any more.
            return Action()
        }
    }

    /// The pause after so many failures is over.
    mutating func pauseEnded(failures: Int) -> Action {
        switch phase {
        case .pausing(failures): return Action(next: ask(failures: failures))
        // A pause that was cancelled too late.
        case .pausing, .idle, .asking, .gone, .ended: return Action()
        }
    }

    /// Nobody wants to know any more.
    mutating func end() { phase = .ended }
}

// MARK: - Its parts

extension BoardReplica {
    private mutating func heard(of there: Int) -> Action {
        // What has come already, by whatever way.
        guard there > revision else { return Action() }
        switch phase {
        case .idle, .gone: return Action(next: ask())
        // Somebody has just reached the store.
        case .pausing(let failures): return Action(next: ask(failures: failures))
        case .asking(let failures, let wanted):
            phase = .asking(failures: failures, wanted: max(wanted, there))
            return Action()
        case .ended: return Action()
        }
    }

    private mutating func take(_ entries: [LogEntry], wanted: Int) -> Action {
        isGone = false
        var action = Action()
        let fresh = entries.drop { $0.revision <= revision }
        let following = zip(fresh, revision + 1..<Int.max).prefix { $0.revision == $1 }.map(\.0)
        if let last = following.last {
            revision = last.revision
            action.told = .entries(following)
        }
        if following.count < fresh.count {
            // A store that leaves something out is not believed piece by piece.
            phase = .asking(failures: 0, wanted: wanted)
            action.next = .askForAll
        } else {
            action.next = settle(wanted: wanted)
        }
        return action
    }

    private mutating func settle(wanted: Int) -> Next {
        // Once: whoever said so may have been wrong.
        if wanted > revision { return ask() }
        phase = .idle
        return .nothing
    }

    private mutating func ask(failures: Int = 0) -> Next {
        phase = .asking(failures: failures, wanted: 0)
        return .ask(since: revision)
    }
}
