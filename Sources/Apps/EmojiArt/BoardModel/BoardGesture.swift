/// A step in progress while a person drags: shown at once, sent as fast as the server accepts it, and undone as one.
struct BoardGesture: Sendable {
    let number: Int
    /// What the step is called; it may change until the gesture ends.
    var name: BoardText
    /// The emoji as they were when the gesture began.
    let emojis: [Emoji]
    /// The operations that undo the gesture, one for each key, in the order of the keys' first changes.
    var inverses: [ArtOperation] = []
    /// The index in ``inverses`` of each key's operation.
    var inverseIndices: [OperationKey: Int] = [:]
    /// The messages about refused operations, with the operations' keys.
    var refused: [(key: OperationKey, text: BoardText)] = []
    /// The ids of the batches it was sent in; the last one may be open.
    var batches: [String] = []

    @inline(never)
    mutating func note(_ refusal: BoardText?, of key: OperationKey) {
        refused.removeAll { $0.key == key }
        if let refusal { refused.append((key, refusal)) }
    }
}

extension BoardSession {
    /// Begins a gesture.
    ///
    /// - Parameters:
    ///   - name: What the step is called.
    ///   - ids: The emoji that ``moveGesture(_:x:y:)`` and the functions like it change.
    /// - Returns: The gesture's number.
    public mutating func beginGesture(_ name: BoardText, of ids: some Sequence<EmojiID> = [EmojiID]()) -> Int {
        lastGesture += 1
        gestures.append(BoardGesture(number: lastGesture, name: name, emojis: ids.compactMap { art.emoji($0) }))
        return lastGesture
    }

    /// Moves the gesture's emoji by a distance from their positions at its beginning.
    public mutating func moveGesture(_ number: Int, x: Double, y: Double) {
        guard let emojis = emoji(of: number) else { return }
        update(gesture: number, art.moving(emojis, x: x, y: y))
    }

    /// Scales the gesture's emoji, relative to their sizes and positions at its beginning.
    public mutating func scaleGesture(_ number: Int, by factor: Double, around center: BoardPoint) {
        guard let emojis = emoji(of: number) else { return }
        update(gesture: number, art.scaling(emojis, by: factor, around: center))
    }

    /// Rotates the gesture's emoji clockwise around the mean of their positions, relative to its beginning.
    public mutating func rotateGesture(_ number: Int, by degrees: Double) {
        guard let emojis = emoji(of: number) else { return }
        update(gesture: number, art.rotating(emojis, by: degrees))
    }

    /// Scales the gesture's emoji as ``scaleGesture(_:by:around:)`` does, and rotates them.
    public mutating func pinchGesture(_ number: Int, by factor: Double, degrees: Double, around center: BoardPoint) {
        guard let emojis = emoji(of: number), let index = gestures.firstIndex(where: { $0.number == number }) else {
            return
        }
        let texts = gestures[index].emojis.map { $0.text }
        gestures[index].name = .of(degrees == 0 ? .resizeStep : .resizeAndRotateStep, emoji: texts)
        update(gesture: number, art.pinching(emojis, by: factor, degrees: degrees, around: center))
    }

    /// The gesture's emoji without those that others have deleted meanwhile.
    private func emoji(of number: Int) -> [Emoji]? {
        gestures.first { $0.number == number }?.emojis.filter { art.emoji($0.id) != nil }
    }

    private mutating func remove(gesture number: Int) -> BoardGesture? {
        gestures.firstIndex { $0.number == number }.map { gestures.remove(at: $0) }
    }

    /// Adds operations to a gesture; each replaces an earlier one with the same key.
    public mutating func update(gesture number: Int, _ operations: [ArtOperation]) {
        guard let index = gestures.firstIndex(where: { $0.number == number }) else { return }
        let plan = ArtPlan(operations, on: replica.shown)
        if !gestures[index].refused.isEmpty {
            for operation in operations { gestures[index].note(nil, of: operation.key) }
        }
        for refusal in plan.refused { gestures[index].note(refusal.text, of: operations[refusal.index].key) }
        guard !plan.applied.isEmpty else { return }
        var changes = ArtChanges()
        replica.show(plan)
        let open = ensureOpenBatch(of: index)
        for (operation, inverse) in zip(plan.applied, plan.inverses) {
            let key = operation.key
            if gestures[index].inverseIndices[key] == nil {
                gestures[index].inverseIndices[key] = gestures[index].inverses.count
                gestures[index].inverses.append(inverse)
            }
            changes.note(operation.emoji)
        }
        replica.change(open) { batch in
            for operation in plan.applied { batch.put(operation) }
        }
        note(changes)
        effects.hasNews = true
    }

    /// Ends a gesture: it becomes one step that can be undone.
    public mutating func end(gesture number: Int) {
        guard let gesture = remove(gesture: number) else { return }
        if let open = openBatch(of: gesture) { seal(open) }
        effects.hasNews = true
        // An inverse without effect isn't needed. A refused one is: a deleted emoji may be restored.
        let undoing = gesture.inverses.reversed().filter { operation in
            let plan = ArtPlan([operation], on: replica.shown)
            return !plan.refused.isEmpty || !plan.applied.isEmpty
        }
        if !undoing.isEmpty {
            push(StepHistory.Step(name: gesture.name, operations: undoing, batches: gesture.batches))
        }
        tell(gesture.refused.map { $0.text })
    }

    /// Cancels a gesture, and restores what it changed.
    public mutating func cancel(gesture number: Int) {
        guard let gesture = remove(gesture: number) else { return }
        if let open = openBatch(of: gesture) { discard(open) }
        // Another batch undoes the operations that were already sent.
        _ = perform(gesture.name, gesture.inverses.reversed())
    }

    private func openBatch(of gesture: BoardGesture) -> String? {
        guard let last = gesture.batches.last else { return nil }
        return replica.batches.contains { $0.id.isSame(as: last) && $0.isOpen } ? last : nil
    }

    /// The open batch of a gesture, which is made if there is none.
    private mutating func ensureOpenBatch(of index: Int) -> String {
        if let open = openBatch(of: gestures[index]) { return open }
        let batch = PendingBatch(openedAs: newID(), name: gestures[index].name)
        gestures[index].batches.append(batch.id)
        replica.append(batch)
        return batch.id
    }
}
