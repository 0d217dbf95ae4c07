// Sends the changes of a page to the server: they are stored in the browser, sent in order, and undone if refused.

#if canImport(ModelJSON)
    public import ModelJSON
#endif

extension BoardSession {
    /// What to send after a response.
    public enum Next: String, Hashable, Sendable {
        /// The next batch, if there is one.
        case next
        /// The same batch, after a delay.
        case retry
        /// The same batch again, but only when the user makes the next change: the server's disk is full.
        case stop
    }

    /// Statuses of client errors after which a batch is sent again, because they aren't about the batch itself.
    private static let temporaryStatuses = [401, 403, 407, 408, 421, 425, 429]
    /// The status of a full disk: the batch stays pending until the disk has space.
    private static let insufficientStorage = 507

    /// The open batch of the gesture that was changed last; `nil` if there is none.
    public var openBatch: PendingBatch? { replica.batches.last { $0.isOpen } }

    /// The batch to send next; an open one is sealed.
    ///
    /// `nil` if there is none, or the board was deleted.
    public mutating func nextBatch() -> PendingBatch? {
        if isGone { return nil }
        while let batch = replica.batches.first(where: { $0.isWaiting }) {
            guard batch.isOpen else { return batch }
            seal(batch.id)
        }
        return nil
    }

    /// The batch of that id; `nil` if it isn't pending.
    public func batch(_ id: String) -> PendingBatch? { replica.batches.first { $0.id.isSame(as: id) } }

    /// Seals the open batches of all gestures: what they change from now on is another batch.
    public mutating func sealAll() {
        for batch in replica.batches where batch.isOpen { seal(batch.id) }
    }

    /// Closes a batch and stores it, in pieces if the server doesn't take it whole.
    mutating func seal(_ id: String) {
        replica.change(id) { $0.seal() }
        store(id)
    }

    mutating func store(_ id: String) {
        guard let batch = batch(id) else { return }
        let pieces = batch.pieces(using: &identifierNumbers)
        if pieces.count > 1 {
            replica.replace([id], by: pieces)
            effects.forgotten.append(id)
        }
        for piece in pieces { effects.stored.append(Effects.Stored(id: piece.id, place: piece.id)) }
    }

    /// Removes a batch that won't be sent, or whose answer isn't needed.
    mutating func discard(_ id: String) {
        effects.forgotten.append(id)
        note(replica.remove(id))
    }

    /// Takes the response to a batch.
    ///
    /// - Parameters:
    ///   - id: The batch's id.
    ///   - status: The status; `nil` without a response.
    ///   - json: The body; `null` if it isn't JSON, and so comes from another server, such as a network's sign-in page.
    /// - Returns: What to send then.
    public mutating func receiveResponse(to id: String, status: Int?, _ json: JSON) -> Next {
        guard let status else { return fail(.of(.notSentYet), isStuck: false) }
        if (200...299).contains(status), let revision = json["revision"]?.integer, let refused = json["refused"],
            let refusals = try? refused.list({ json throws(BoardFormatError) in try RefusedOperation(json) })
        {
            failure = nil
            receiveAnswer(to: id, revision: revision, refused: refusals)
            expect(revision)
            return .next
        }
        let message =
            json["detail"]?.string.map { BoardText.plain($0) }
            ?? .of(.notSentWithStatus, .status, .number(status))
        if status == Self.insufficientStorage {
            _ = fail(message, isStuck: true)
            return .stop
        }
        let isRefused = (400...499).contains(status) && !json.isNull && !Self.temporaryStatuses.contains(status)
        guard isRefused else { return fail(message, isStuck: status < 500) }
        failure = nil
        if status == 404 || status == 410 { setGone(true) } else { receiveRejection(of: id, message: message) }
        return .next
    }

    private mutating func fail(_ message: BoardText, isStuck: Bool) -> Next {
        failure = BoardSaveStatus.Failure(message: message, isStuck: isStuck)
        return .retry
    }

    /// Takes the server's answer to a batch.
    public mutating func receiveAnswer(to id: String, revision: Int, refused: [RefusedOperation]) {
        guard let batch = batch(id) else { return }
        let operations = batch.operations
        effects.forgotten.append(id)
        let failed = refused.filter { operations.indices.contains($0.index) }
        note(replica.receiveAnswer(to: id, revision: revision, refused: failed.map { $0.index }))
        // An emoji that exists under an id of this page was added when the batch was sent before.
        let lost = failed.filter { $0.reason != .exists }
        let news = lost.filter { refusal in
            operations[refusal.index].emoji.map { !refusedAdditions.contains($0) } ?? true
        }
        if !failed.isEmpty { refuse(batch, lost.map { operations[$0.index] }, news.map { $0.text }) }
        effects.hasNews = true
    }

    /// The server has refused a whole batch: it is undone.
    mutating func receiveRejection(of id: String, message: BoardText) {
        guard let batch = batch(id) else { return }
        discard(id)
        refuse(batch, batch.operations, [.of(.wasUndone, .step, batch.name, .reason, message)])
        effects.hasNews = true
    }

    private mutating func refuse(_ batch: PendingBatch, _ operations: [ArtOperation], _ messages: [BoardText]) {
        for case .add(let emoji) in operations { refusedAdditions.insert(emoji.id) }
        history.forget(operations, ofBatches: batch.sources)
        effects.hasOtherHistory = true
        tell(messages)
    }

    /// Takes over batches that another tab has left: they come before what this page has yet to send.
    ///
    /// The tab may have joined its batches when the user left it. The browser's storage then contains the joined batch,
    /// the original ones, or both. Batches that are taken over are stored; others that aren't pending are forgotten.
    ///
    /// - Parameters:
    ///   - found: The batches in the order in which the tab stored them.
    ///   - sending: The id of the batch that is being sent.
    public mutating func inherit(_ found: [PendingBatch], sending: String?) {
        let joined = Set(found.flatMap { batch in batch.parts.map { TextKey($0.id) } })
        var batches: [PendingBatch] = []
        for batch in found where self.batch(batch.id) == nil {
            let key = TextKey(batch.id)
            let isKnown = joined.contains(key) || inherited.contains(key)
            guard !isKnown, let left = batch.without(inherited) else {
                effects.forgotten.append(batch.id)
                continue
            }
            batches.append(left)
        }
        guard !batches.isEmpty else { return }
        for batch in batches { inherited.insert(TextKey(batch.id)) }
        let last = replica.batches.lastIndex { batch in
            !batch.isWaiting || (sending.map { batch.id.isSame(as: $0) } ?? false)
        }
        let index = last.map { $0 + 1 } ?? 0
        note(replica.insert(batches, at: index))
        for batch in batches { store(batch.id) }
        effects.hasNews = true
    }

    /// The page is being left: what fits into one last request becomes one batch, because the order of several requests
    /// would be unknown.
    ///
    /// It includes the batch that is being sent, which is thus sent again: applying the same changes twice in the same
    /// order has no further effect.
    ///
    /// - Parameters:
    ///   - limit: How many bytes a page may send when it is left.
    ///   - sending: The id of the batch that is being sent.
    ///   - outlivesPage: Whether its request continues without the page.
    /// - Returns: Whether there is something to send.
    public mutating func prepareToLeave(limit: Int, sending: String?, outlivesPage: Bool) -> Bool {
        sealAll()
        if isGone { return false }
        for batch in replica.batches where batch.isWaiting && batch.isConfirmed {
            if let sending, batch.id.isSame(as: sending) { effects.abandonsRequest = true }
            discard(batch.id)
        }
        var room = limit
        let fitting = replica.batches.filter { $0.isWaiting }.prefix { batch in
            room -= batch.byteCount
            return room >= 0
        }
        guard let first = fitting.first else { return false }
        if fitting.count == 1 { return !(outlivesPage && (sending.map { first.id.isSame(as: $0) } ?? false)) }
        let joined = PendingBatch.joined(Array(fitting), using: &identifierNumbers)
        effects.abandonsRequest = true
        replica.replace(fitting.map { $0.id }, by: [joined])
        effects.stored.append(Effects.Stored(id: joined.id, place: first.id))
        effects.forgotten += fitting.map { $0.id }
        return true
    }
}
