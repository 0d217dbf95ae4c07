import Futures

// Steps that a user performs in a view: they are shown at once, and stored as soon as possible.

extension EmojiArtDocument {
    /// Shows a step at once, under a name such as “Move 🐶”, and stores it as soon as possible.
    ///
    /// Operations that can't be applied are returned and not sent; the others are applied.
    @discardableResult
    public func perform(_ name: String, _ operations: [ArtOperation]) -> [RefusedOperation] {
        guard isOpen else { return [] }
        let plan = ArtPlan(operations, on: art)
        history.performed(name, inverse: plan.inverses.reversed())
        send(name, plan.applied)
        note(plan.refused)
        return plan.refused
    }

    /// Undoes the last step that was performed in this document; ``notice`` says if that is no longer possible.
    public func undo() {
        guard isOpen else { return }
        carryOut(history.undo(on: art), failure: ArtWords.cannotUndo)
    }

    /// Redoes the last step that was undone; ``notice`` says if that is no longer possible.
    public func redo() {
        guard isOpen else { return }
        carryOut(history.redo(on: art), failure: ArtWords.cannotRedo)
    }

    /// The names of the steps that can be undone, the newest first.
    public var undoNames: [String] { history.undoNames }

    /// The names of the steps that can be redone, in the order in which they would be redone.
    public var redoNames: [String] { history.redoNames }

    /// Clears ``notice`` after the user has seen it.
    public func dismissNotice() {
        if notice != nil { notice = nil }
    }

    /// Retries at once to store the steps that couldn't be stored.
    public func retrySaving() { save(queue.retry()) }

    private func carryOut(_ outcome: UndoHistory.Outcome, failure: (String, String) -> String) {
        switch outcome {
        case .nothing: break
        case .step(let step, let refused):
            send(step.name, step.operations)
            note(refused)
        case .impossible(let name, let refused):
            notice = failure(name, refused.isEmpty ? ArtWords.alreadyDone : Self.words(of: refused))
        }
    }

    private func note(_ refused: [RefusedOperation]) {
        if !refused.isEmpty { notice = Self.words(of: refused) }
    }

    /// The distinct messages, up to three, however many operations they apply to.
    private static func words(of refused: [RefusedOperation]) -> String {
        var words: [String] = []
        for message in refused.map(\.message) where !words.contains(message) { words.append(message) }
        return words.prefix(3).joined(separator: " ")
    }
}

// MARK: - Saving

extension EmojiArtDocument {
    private func send(_ name: String, _ operations: [ArtOperation]) {
        guard !operations.isEmpty else { return }
        let batch = OperationBatch(id: configuration.makeBatchID(), name: name, operations: operations)
        if confirmed == nil { confirmed = art }
        art.apply(batch)
        save(queue.add(batch))
        followBackground(isSet: operations.contains(.setBackground(art.background)))
    }

    /// Shows the known state of the board, with pending batches of this document on top.
    func showPending() {
        guard var shown = confirmed else { return }
        let pending = queue.shown
        for batch in pending { shown.apply(batch) }
        if pending.isEmpty { confirmed = nil }
        art = shown
    }

    func save(_ action: SavingQueue.Action) {
        if queue.state != saving { saving = queue.state }
        switch action {
        case .none: break
        case .send(let batch):
            sendingPause?.cancel()
            sending = sending(batch)
        case .pause(let failures):
            sendingPause = pause(after: failures) { document in document.sendAgain(after: failures) }
        }
    }

    private func sendAgain(after failures: Int) { save(queue.pauseEnded(failures: failures)) }

    private nonisolated func sending(_ batch: OperationBatch) -> Task<Void, Never> {
        // Retains the document, so that performed steps are stored even if no view uses it any more.
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
                case .invalid, .newerVersion: true
                // These may succeed later, when the board is restored or the disk has room again: until then, the batch
                // stays in the queue.
                case .notFound, .exists, .failed, .overBudget: false
                }
            if isFinal { notice = error.description }
            save(queue.failed(error.description, isFinal: isFinal))
        }
        showPending()
        followBackground()
    }
}
