#if canImport(ModelJSON)
    import ModelJSON
#endif

/// A board's contents: a background, and emoji in front of it.
///
/// The emoji are stored in drawing order, by ``Emoji/z`` and then by the bytes of their ids. An id is found by looking
/// up its depth and a binary search. Moving an emoji costs O(log *n*). Adding or removing one, or changing its depth,
/// also moves those in front of it in memory, without reading them.
public struct EmojiArt: Sendable {
    /// The background.
    public internal(set) var background: Background
    /// The emoji, from the back to the front.
    public private(set) var emojis: [Emoji]
    /// The depth of each emoji, which together with its id determines its index in ``emojis``.
    private var depths: [EmojiID: Double]

    /// Creates an empty board.
    public init() {
        (background, emojis, depths) = (.blank, [], [:])
    }

    /// Creates a board with a background and emoji in any order, or throws why ``apply(_:)`` would refuse one of them.
    ///
    /// - Complexity: O(*n* log *n*).
    public init(background: Background, emojis: some Sequence<Emoji>) throws(OperationRefusal) {
        self.init()
        try background.check()
        self.background = background
        for emoji in emojis {
            try emoji.check()
            guard depths.updateValue(emoji.z, forKey: emoji.id) == nil else { throw .exists }
            guard depths.count <= BoardLimits.emojis else { throw .full }
            self.emojis.append(emoji)
        }
        sortEmojis()
    }

    private mutating func sortEmojis() {
        let unsorted = emojis
        emojis = sortedIndices(unsorted.count) { Emoji.isBehind(unsorted[$0], unsorted[$1]) }.map { unsorted[$0] }
    }

    /// The emoji with this id; `nil` if there is none.
    ///
    /// - Complexity: O(log *n*).
    @inline(never)
    public func emoji(_ id: EmojiID) -> Emoji? {
        depths[id].map { emojis[place(z: $0, id: id)] }
    }

    /// The number of emoji behind one with this depth and id.
    @inline(never)
    private func place(z: Double, id: EmojiID) -> Int {
        var (low, high) = (0, emojis.count)
        while low < high {
            let middle = (low + high) / 2
            if emojis[middle].isBehind(z: z, id: id) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

// MARK: Applying operations

extension EmojiArt {
    /// The largest number of order changes that are applied one by one; with more, the emoji are sorted once.
    private static let fewChanges = 16

    /// Applies an operation, or throws and leaves the board unchanged.
    ///
    /// Setting the background, changing an emoji without changing its depth, and adding an emoji in front of all others
    /// cost O(log *n*). Other operations also shift the emoji in front in memory, which takes tens of microseconds on a
    /// full board.
    public mutating func apply(_ operation: ArtOperation) throws(OperationRefusal) {
        switch try operation.effect(on: operation.emoji.flatMap(emoji), among: depths.count) {
        case .none: break
        case .background(let background): self.background = background
        case .put(let emoji): put(emoji)
        case .remove(let id): remove(id)
        }
    }

    /// Applies all applicable operations of a batch, one after another.
    ///
    /// - Complexity: O(log *n*) per operation, and O(*n*) once if the order changes.
    ///
    /// - Parameters:
    ///   - batch: The operations.
    ///   - isStored: Whether a picture is stored, so that it can be a background.
    /// - Returns: The operations that were applied and had an effect, for the log, and the refused ones, for the
    ///   caller.
    @discardableResult
    public mutating func apply(
        _ batch: OperationBatch, isStored: (PictureID) -> Bool = { _ in true }
    ) -> (applied: [ArtOperation], refused: [RefusedOperation]) {
        let plan = ArtPlan(batch.operations, on: self, isStored: isStored)
        replace(plan.changes)
        if let background = plan.background { self.background = background }
        return (plan.applied, plan.refused)
    }

    /// Puts emoji on the board as they are, and removes those that are `nil`, without validating them.
    mutating func replace(_ changes: [EmojiID: Emoji?]) {
        let reordering = changes.count { id, emoji in depths[id] != emoji?.z }
        guard reordering > Self.fewChanges else {
            for (id, emoji) in changes {
                if let emoji { put(emoji) } else { remove(id) }
            }
            return
        }
        emojis.removeAll { changes.keys.contains($0.id) }
        for (id, emoji) in changes {
            depths[id] = emoji?.z
            if let emoji { emojis.append(emoji) }
        }
        sortEmojis()
    }

    @inline(never)
    private mutating func put(_ emoji: Emoji) {
        if let z = depths[emoji.id] {
            let place = place(z: z, id: emoji.id)
            guard z != emoji.z else {
                emojis[place] = emoji
                return
            }
            emojis.remove(at: place)
        }
        depths[emoji.id] = emoji.z
        emojis.insert(emoji, at: place(z: emoji.z, id: emoji.id))
    }

    @inline(never)
    private mutating func remove(_ id: EmojiID) {
        guard let z = depths.removeValue(forKey: id) else { return }
        emojis.remove(at: place(z: z, id: id))
    }
}

// MARK: Inverses

extension EmojiArt {
    /// The operation that undoes an operation after it was applied to this board; `nil` if it is refused or has no
    /// effect.
    ///
    /// - Complexity: O(log *n*).
    public func inverse(of operation: ArtOperation) -> ArtOperation? {
        ArtPlan([operation], on: self).inverses.first
    }

    /// The operations that undo operations after they were applied to this board: the inverses in reverse order.
    ///
    /// The inverse of a gesture has at most one operation for each operation of the gesture.
    public func inverse(of operations: [ArtOperation]) -> [ArtOperation] {
        ArtPlan(operations, on: self).inverses.reversed()
    }
}

// MARK: Equality

extension EmojiArt: Hashable {
    /// Whether both have the same background, and the same emoji with the same ids, places and depths.
    public static func == (left: EmojiArt, right: EmojiArt) -> Bool {
        left.background == right.background && left.emojis == right.emojis
    }

    /// Hashes the background and the emoji.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(background)
        hasher.combine(emojis)
    }
}
