/// A board in two versions: as the server has confirmed it, and as a page shows it, with unconfirmed batches.
///
/// The server decides the order: its entries change the confirmed board, and the unconfirmed batches are applied to the
/// result. Only the emoji that the entries name are computed again.
public struct Replica: Sendable {
    /// The revision of ``confirmed``.
    public private(set) var revision: Int
    /// The server process that the revision comes from: a restored backup uses the same numbers again.
    public private(set) var epoch: String
    /// The board that the server has at that revision.
    public private(set) var confirmed: EmojiArt
    /// The board that is shown.
    public private(set) var shown: EmojiArt
    /// The page's batches, in order, until the server has confirmed them.
    public private(set) var batches: [PendingBatch] = []

    /// A board as the server sent it.
    public init(_ state: ServerBoard) {
        revision = state.revision
        epoch = state.epoch
        confirmed = state.art
        shown = state.art
    }
}

/// A board as the server sends it.
public struct ServerBoard: Hashable, Sendable {
    /// The revision.
    public var revision: Int
    /// The server process that the revision comes from.
    public var epoch: String
    /// What is on the board.
    public var art: EmojiArt

    /// A board at a revision.
    public init(revision: Int, epoch: String, art: EmojiArt) {
        (self.revision, self.epoch, self.art) = (revision, epoch, art)
    }
}

/// A batch that the server has applied.
public struct ServerEntry: Hashable, Sendable {
    /// The revision that the batch made.
    public var revision: Int
    /// The batch's id.
    public var batch: String
    /// The operations that had an effect.
    public var operations: [ArtOperation]

    /// An entry of a board's log.
    public init(revision: Int, batch: String, operations: [ArtOperation]) {
        (self.revision, self.batch, self.operations) = (revision, batch, operations)
    }
}

/// What looks different after a change.
public struct ArtChanges: Hashable, Sendable {
    /// The emoji.
    public var emojis: Set<EmojiID> = []
    /// Whether the background looks different.
    public var hasBackground = false

    /// Whether nothing looks different.
    public var isEmpty: Bool { emojis.isEmpty && !hasBackground }

    @inline(never)
    mutating func note(_ target: EmojiID?) {
        if let target { emojis.insert(target) } else { hasBackground = true }
    }

    mutating func note(_ changes: ArtChanges) {
        emojis.formUnion(changes.emojis)
        hasBackground = hasBackground || changes.hasBackground
    }

    func contains(_ target: EmojiID?) -> Bool { target.map { emojis.contains($0) } ?? hasBackground }
}

// MARK: - What the page does

extension Replica {
    /// Applies operations to the shown board; they belong to a batch that is, or will be, among ``batches``.
    mutating func show(_ plan: ArtPlan) {
        shown.replace(plan.changes)
        if let background = plan.background { shown.background = background }
    }

    /// Adds a batch whose operations are shown already.
    mutating func append(_ batch: PendingBatch) { batches.append(batch) }

    /// Inserts batches whose operations aren't shown yet.
    mutating func insert(_ inserted: [PendingBatch], at index: Int) -> ArtChanges {
        batches.insert(contentsOf: inserted, at: index)
        return rebase(Self.targets(of: inserted))
    }

    /// Replaces batches by others that do the same.
    mutating func replace(_ ids: [String], by others: [PendingBatch]) {
        func isReplaced(_ batch: PendingBatch) -> Bool { ids.contains { $0.isSame(as: batch.id) } }
        guard let index = batches.firstIndex(where: isReplaced) else { return }
        batches.removeAll(where: isReplaced)
        batches.insert(contentsOf: others, at: index)
    }

    /// Changes a batch without an effect on what is shown.
    mutating func change(_ id: String, _ body: (inout PendingBatch) -> Void) {
        guard let index = batches.firstIndex(where: { $0.id.isSame(as: id) }) else { return }
        body(&batches[index])
    }

    /// Removes a batch, and shows the board without it.
    mutating func remove(_ id: String) -> ArtChanges {
        guard let index = batches.firstIndex(where: { $0.id.isSame(as: id) }) else { return ArtChanges() }
        let batch = batches.remove(at: index)
        return rebase(batch.targets)
    }
}

// MARK: - What the server sends

extension Replica {
    /// The result of receiving entries.
    struct Receipt: Hashable, Sendable {
        var changes = ArtChanges()
        /// Whether an entry is missing before one of them.
        var isGap = false
        /// Whether an operation couldn't be applied: the confirmed board isn't the server's any more.
        var isBroken = false
    }

    /// Applies entries in their order; stops before a gap.
    mutating func receive(_ entries: [ServerEntry]) -> Receipt {
        var receipt = Receipt()
        var touched = ArtChanges()
        for entry in entries where entry.revision > revision {
            guard entry.revision == revision + 1 else {
                receipt.isGap = true
                break
            }
            for operation in entry.operations {
                do throws(OperationRefusal) {
                    try confirmed.apply(operation)
                } catch {
                    receipt.isBroken = true
                }
                touched.note(operation.emoji)
            }
            revision = entry.revision
            guard let index = batches.firstIndex(where: { $0.id.isSame(as: entry.batch) }) else { continue }
            batches[index].isConfirmed = true
            touched.note(batches[index].targets)
        }
        settle(&touched)
        receipt.changes = rebase(touched)
        return receipt
    }

    /// Takes the server's whole board.
    mutating func receive(_ state: ServerBoard) -> ArtChanges {
        if !state.epoch.isSame(as: epoch) {
            // A restored board may lack batches that were confirmed before; the server ignores those that it has.
            for index in batches.indices { (batches[index].revision, batches[index].isConfirmed) = (nil, false) }
        }
        (revision, epoch, confirmed) = (state.revision, state.epoch, state.art)
        var touched = ArtChanges()
        settle(&touched)
        return rebaseAll()
    }

    /// Takes the server's answer to a batch: the revision that includes it, and which operations were refused.
    mutating func receiveAnswer(to id: String, revision: Int, refused: [Int]) -> ArtChanges {
        guard let index = batches.firstIndex(where: { $0.id.isSame(as: id) }) else { return ArtChanges() }
        var touched = batches[index].targets
        batches[index].revision = revision
        batches[index].remove(at: refused)
        settle(&touched)
        return rebase(touched)
    }

    /// Removes batches that are answered and confirmed.
    private mutating func settle(_ touched: inout ArtChanges) {
        // A batch without an effect makes no revision and has no entry: its answer has the revision that the board had.
        let revision = revision
        func isSettled(_ batch: PendingBatch) -> Bool {
            batch.revision.map { batch.isConfirmed || $0 <= revision } ?? false
        }
        for batch in batches where isSettled(batch) { touched.note(batch.targets) }
        batches.removeAll(where: isSettled)
    }
}

// MARK: - Showing

extension Replica {
    private static func targets(of batches: [PendingBatch]) -> ArtChanges {
        batches.reduce(into: ArtChanges()) { $0.note($1.targets) }
    }

    /// Shows the confirmed board with the unconfirmed batches again, for what was touched.
    private mutating func rebase(_ touched: ArtChanges) -> ArtChanges {
        if touched.isEmpty { return ArtChanges() }
        let pending = batches.filter { !$0.isConfirmed }
        // On a board that may become full, what fits depends on everything that was added before.
        if mayBeFull(pending) { return rebaseAll() }
        var wanted: [EmojiID: Emoji?] = [:]
        var background = confirmed.background
        for id in touched.emojis { wanted[id] = .some(confirmed.emoji(id)) }
        for operation in pending.flatMap({ $0.operations }) where touched.contains(operation.emoji) {
            let current = operation.emoji.flatMap { wanted[$0] ?? nil }
            guard let effect = operation.effectIfAllowed(on: current) else { continue }
            switch effect {
            case .none: break
            case .background(let new): background = new
            case .put(let emoji): wanted[emoji.id] = .some(emoji)
            case .remove(let id): wanted[id] = .some(nil)
            }
        }
        return show(wanted, touched.hasBackground ? background : shown.background)
    }

    private mutating func rebaseAll() -> ArtChanges {
        var wanted = confirmed
        for batch in batches where !batch.isConfirmed {
            for operation in batch.operations { _ = try? wanted.apply(operation) }
        }
        var changes: [EmojiID: Emoji?] = [:]
        for emoji in shown.emojis { changes[emoji.id] = .some(nil) }
        for emoji in wanted.emojis { changes[emoji.id] = .some(emoji) }
        return show(changes, wanted.background)
    }

    @inline(never)
    private mutating func show(_ wanted: [EmojiID: Emoji?], _ background: Background) -> ArtChanges {
        var changes = ArtChanges()
        let different = wanted.filter { shown.emoji($0.key) != $0.value }
        shown.replace(different)
        for id in different.keys { changes.emojis.insert(id) }
        if shown.background != background {
            shown.background = background
            changes.hasBackground = true
        }
        return changes
    }

    private func mayBeFull(_ pending: [PendingBatch]) -> Bool {
        let room = BoardLimits.emojis - confirmed.emojis.count
        guard pending.reduce(0, { $0 + $1.operations.count }) > room else { return false }
        return pending.reduce(0) { $0 + $1.operations.count { $0.key.kind == .add } } > room
    }
}

extension ArtOperation {
    /// What the operation does on a board with room; `nil` if it is refused.
    fileprivate func effectIfAllowed(on current: Emoji?) -> ArtEffect? {
        do throws(OperationRefusal) {
            return try effect(on: current, among: 0)
        } catch {
            return nil
        }
    }
}
