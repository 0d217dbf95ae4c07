/// A board on one page: what is shown, what is still to be sent, and what can be undone.
///
/// Every event is a mutating function. What the page has to do then is in ``takeEffects()``: draw, store, send, tell.
public struct BoardSession: Sendable {
    /// What the page has to do after events.
    public struct Effects: Hashable, Sendable {
        /// What looks different.
        public var changes = ArtChanges()
        /// Batches to write into the browser's storage, and the id of the batch whose place each takes.
        public var stored: [Stored] = []
        /// Ids of batches to remove from the browser's storage.
        public var forgotten: [String] = []
        /// What to tell the person; each sentence once.
        public var messages: [BoardText] = []
        /// Whether the steps that can be undone or redone have changed.
        public var hasOtherHistory = false
        /// Whether there is something to send.
        public var hasNews = false
        /// What to do to follow the board, in this order.
        public var following: [FollowingAction] = []
        /// Whether to cancel the running request.
        public var abandonsRequest = false

        /// A batch for the browser's storage.
        public struct Stored: Hashable, Sendable {
            /// The batch's id.
            public var id: String
            /// The id of the batch whose place it takes; its own, unless it joins several batches.
            public var place: String
        }
    }

    /// The board.
    public internal(set) var replica: Replica
    /// What can be undone.
    public internal(set) var history = StepHistory()
    /// The gestures that are under way.
    var gestures: [BoardGesture] = []
    var lastGesture = 0
    /// Emoji that the server refused to add: their later changes are refused too, and the person isn't notified again.
    var refusedAdditions: Set<EmojiID> = []
    /// The ids of the batches that were taken over from other tabs.
    var inherited: Set<TextKey> = []
    /// Why the last attempt to send failed; `nil` if it succeeded.
    var failure: BoardSaveStatus.Failure?
    var following = BoardFollowing()
    var effects = Effects()
    /// Where new identifiers come from.
    package var identifierNumbers = IdentifierNumbers()

    /// A page that has just got its board.
    public init(_ state: ServerBoard) { replica = Replica(state) }
}

extension BoardSession {
    /// The shown board.
    public var art: EmojiArt { replica.shown }

    /// How many batches the server has yet to answer.
    public var waitingCount: Int { replica.batches.count { $0.isWaiting } }

    /// What the page has to do since the last call.
    public mutating func takeEffects() -> Effects {
        defer { effects = Effects() }
        return effects
    }

    /// Notes what looks different.
    mutating func note(_ changes: ArtChanges) {
        guard !changes.isEmpty else { return }
        effects.changes.note(changes)
    }

    mutating func tell(_ messages: [BoardText]) {
        for message in messages where !effects.messages.contains(where: { $0.isSame(as: message) }) {
            effects.messages.append(message)
        }
    }

    mutating func newID() -> String { Identifier.random(using: &identifierNumbers) }
}

// MARK: - Steps

extension BoardSession {
    /// Performs one step, and tells the person what couldn't be done.
    ///
    /// - Returns: Whether anything looks different.
    @discardableResult
    public mutating func change(_ name: BoardText, _ operations: [ArtOperation]) -> Bool {
        let outcome = perform(name, operations)
        if let batch = outcome.batch {
            push(StepHistory.Step(name: name, operations: outcome.inverses, batches: [batch]))
        }
        tell(outcome.refused.map { $0.text })
        return outcome.batch != nil
    }

    /// Undoes the last steps of this page.
    ///
    /// - Returns: Whether anything looks different.
    @discardableResult
    public mutating func undo(_ count: Int = 1) -> Bool { step(count, isUndo: true) }

    /// Redoes the steps that were undone last.
    ///
    /// - Returns: Whether anything looks different.
    @discardableResult
    public mutating func redo(_ count: Int = 1) -> Bool { step(count, isUndo: false) }

    /// Takes over a stored history, unless steps were done here already.
    public mutating func restore(_ stored: StepHistory) {
        guard history.undoSteps.isEmpty, history.redoSteps.isEmpty else { return }
        history = stored
        effects.hasOtherHistory = true
    }

    mutating func push(_ step: StepHistory.Step) {
        history.push(step)
        effects.hasOtherHistory = true
    }

    private mutating func step(_ count: Int, isUndo: Bool) -> Bool {
        for gesture in gestures { end(gesture: gesture.number) }
        var isChanged = false
        for _ in 0..<max(0, count) {
            guard let step = isUndo ? history.popUndo() : history.popRedo() else { break }
            effects.hasOtherHistory = true
            // The inverse of the inverse depends on what is shown now: others may have changed the board.
            let outcome = perform(step.name, step.operations)
            if let batch = outcome.batch {
                let back = StepHistory.Step(name: step.name, operations: outcome.inverses, batches: [batch])
                if isUndo { history.pushRedo(back) } else { history.pushUndo(back) }
                isChanged = true
            }
            var lost = ArtChanges()
            for refusal in outcome.refused { lost.note(step.operations[refusal.index].emoji) }
            let gone = lost.emojis.count + (lost.hasBackground ? 1 : 0)
            if outcome.batch == nil || gone > 0 {
                tell([Self.message(of: step.name, isUndo: isUndo, gone: gone, isChanged: outcome.batch != nil)])
            }
        }
        return isChanged
    }

    private static func message(of name: BoardText, isUndo: Bool, gone: Int, isChanged: Bool) -> BoardText {
        let none: BoardWord = isUndo ? .notUndone : .notRedone
        if gone == 0 { return .of(none, .step, name, .reason, .of(.stepWasChanged)) }
        let missing = gone == 1 ? BoardText.of(.oneEmojiDeleted) : .of(.severalEmojiDeleted, .count, .number(gone))
        let part: BoardWord = isUndo ? .partlyUndone : .partlyRedone
        return .of(isChanged ? part : none, .step, name, .reason, missing)
    }

    /// The outcome of operations.
    struct Outcome {
        /// The id of their batch; `nil` if nothing looks different.
        var batch: String?
        /// The inverse operations, that of the last operation first.
        var inverses: [ArtOperation]
        var refused: [RefusedOperation]
    }

    /// Shows and sends those operations that can be applied.
    mutating func perform(_ name: BoardText, _ operations: [ArtOperation]) -> Outcome {
        // The changes of gestures so far must be sent before these operations.
        sealAll()
        let plan = ArtPlan(operations, on: replica.shown)
        var outcome = Outcome(batch: nil, inverses: plan.inverses.reversed(), refused: plan.refused)
        guard !plan.applied.isEmpty else { return outcome }
        let batch = PendingBatch(id: newID(), name: name, operations: plan.applied)
        outcome.batch = batch.id
        replica.show(plan)
        replica.append(batch)
        store(batch.id)
        var changes = ArtChanges()
        for operation in plan.applied { changes.note(operation.emoji) }
        note(changes)
        effects.hasNews = true
        return outcome
    }
}
