import Futures

// What somebody does in a view: it is shown at once, and kept as soon as it can be.

extension EmojiArtDocument {
    /// Shows one step of a person's at once, under a name such as “Move 🐶”, and stores it as soon as it can.
    ///
    /// What of it cannot be done is returned, and not sent; the rest is.
    @discardableResult
    public func perform(_ name: String, _ operations: [ArtOperation]) -> [RefusedOperation] {
        guard isOpen else { return [] }
        let plan = ArtPlan(operations, on: art)
        history.performed(name, inverse: plan.inverses.reversed())
        send(name, plan.applied)
        note(plan.refused)
        return plan.refused
    }

    /// Takes back the last step that was performed here and not taken back; ``notice`` says if that cannot be done any
    /// more.
    public func undo() {
        guard isOpen else { return }
        carryOut(history.undo(on: art), deed: "undone")
    }

    /// Does the last step again that was taken back; ``notice`` says if that cannot be done any more.
    public func redo() {
        guard isOpen else { return }
        carryOut(history.redo(on: art), deed: "done again")
    }

    /// What can be taken back, the newest first; a menu says ``UndoHistory/nothingToUndo`` where it is empty.
    public var undoNames: [String] { history.undoNames }

    /// What can be done again, the first to be done first.
    public var redoNames: [String] { history.redoNames }

    /// Forgets what could not be done, which somebody has seen.
    public func dismissNotice() {
        if notice != nil { notice = nil }
    }

    /// Tries at once to keep what could not be kept.
    public func retrySaving() { save(queue.retry()) }

    private func carryOut(_ outcome: UndoHistory.Outcome, deed: String) {
        switch outcome {
        case .nothing: break
        case .step(let step, let refused):
            send(step.name, step.operations)
            note(refused)
        case .impossible(let name, let refused):
            notice =
                "“\(name)” cannot be \(deed): "
                + (refused.isEmpty ? "somebody else has done so already." : Self.words(of: refused))
        }
    }

    private func note(_ refused: [RefusedOperation]) {
        if !refused.isEmpty { notice = Self.words(of: refused) }
    }

    /// Each reason once, however many emoji it is told of.
    private static func words(of refused: [RefusedOperation]) -> String {
        var words: [String] = []
        for message in refused.map(\.message) where !words.contains(message) { words.append(message) }
        return words.prefix(3).joined(separator: " ")
    }
}

// MARK: - Keeping it

extension EmojiArtDocument {
    private func send(_ name: String, _ operations: [ArtOperation]) {
        guard !operations.isEmpty else { return }
        let batch = OperationBatch(id: configuration.makeBatchID(), name: name, operations: operations)
        if confirmed == nil { confirmed = art }
        art.apply(batch)
        save(queue.add(batch))
        followBackground(isSet: operations.contains(.setBackground(art.background)))
    }

    /// Shows what is known of the board, and on top what is performed here and not known of it yet.
    func showPending() {
        guard var shown = confirmed else { return }
        let pending = queue.shown
        for batch in pending { shown.apply(batch) }
        if pending.isEmpty { confirmed = nil }
        art = shown
    }

    /// Does what the queue says.
    func save(_ action: SavingQueue.Action) {
        if queue.state != saving { saving = queue.state }
        switch action {
        case .none: break
        case .send(let batch):
            sendingPause?.cancel()
            sending = sending(batch)
        case .pause(let failures):
            sendingPause = pause(after: failures) { document in document.sendAgain(failures) }
        }
    }

    private func sendAgain(_ failures: Int) { save(queue.pauseEnded(failures: failures)) }

    private nonisolated func sending(_ batch: OperationBatch) -> Task<Void, Never> {
        // Holds the document: what was performed is kept, also if nobody looks any more.
        Task { [self] in
            let result: Result<BatchOutcome, BoardStoreError>
            do throws(BoardStoreError) {
                result = .success(try await store.apply(batch, to: id, owner: owner, author: configuration.author))
            } catch {
                result = .failure(error)
            }
            await sent(result)
        }
    }

    private func sent(_ result: Result<BatchOutcome, BoardStoreError>) {
        sending = nil
        switch result {
        case .success(let outcome):
            save(queue.succeeded(outcome))
            note(outcome.refused)
            applied(outcome)
        case .failure(let error):
            let isFinal =
                switch error {
                case .unusable, .fromTheFuture: true
                // A disk that is almost full may have room later: what was performed stays until then.
                case .noBoard, .exists, .failed, .overBudget: false
                }
            if isFinal { notice = error.description }
            save(queue.failed(error.description, isFinal: isFinal))
        }
        showPending()
        followBackground()
    }
}
