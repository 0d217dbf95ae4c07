/// What is on a board: a background, and emoji in front of it.
///
/// The emoji are kept in the order in which they are drawn, by ``Emoji/z`` and then by the bytes of their names, and are found by
/// name through their depth: an emoji that moves costs O(log n), one that comes, goes or changes its depth moves those in
/// front of it in memory, without looking at them.
public struct EmojiArt: Sendable {
    /// What it is drawn on.
    public private(set) var background: Background
    /// The emoji, from the back to the front.
    public private(set) var emojis: [Emoji]
    /// How deep each one is: with its name, where it is among ``emojis``.
    private var depths: [EmojiID: Double]

    /// An empty board.
    public init() {
        (background, emojis, depths) = (.blank, [], [:])
    }

    /// A board with all of that on it, the emoji in any order; what ``apply(_:)`` would refuse is thrown.
    ///
    /// It takes O(*n* log *n*).
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
        self.emojis.sort(by: Emoji.isBehind)
    }

    /// The emoji of that name; `nil` where there is none.
    ///
    /// It takes O(log *n*).
    public func emoji(_ id: EmojiID) -> Emoji? {
        depths[id].map { emojis[place(z: $0, id: id)] }
    }

    /// How many are behind an emoji of that depth and name.
    private func place(z: Double, id: EmojiID) -> Int {
        var (low, high) = (0, emojis.count)
        while low < high {
            let middle = (low + high) / 2
            if emojis[middle].isBehind(z: z, id: id) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

// MARK: Changing

extension EmojiArt {
    /// From how many changes of the order on the emoji are sorted once instead of being moved one by one.
    private static let fewChanges = 16

    /// Changes the board, or leaves it as it is and throws why.
    ///
    /// A move, a resize and a background cost O(log *n*); an emoji that is added in front of all, too. What else
    /// changes the order costs a copy of the memory of those in front, tens of microseconds on a full board.
    public mutating func apply(_ operation: ArtOperation) throws(OperationRefusal) {
        switch try operation.effect(on: operation.emoji.flatMap(emoji), among: depths.count) {
        case .none: break
        case .background(let background): self.background = background
        case .put(let emoji): put(emoji)
        case .remove(let id): remove(id)
        }
    }

    /// Changes the board by all of a batch that can be applied, one after the other.
    ///
    /// - Parameters:
    ///   - batch: What is to be.
    ///   - isKept: Whether a picture is there to be shown.
    /// - Returns: What was applied and had an effect, for the log; and what was refused, for whoever asked. O(log *n*) an operation, and
    ///   O(*n*) once where the order changes.
    @discardableResult
    public mutating func apply(
        _ batch: OperationBatch, isKept: (PictureID) -> Bool = { _ in true }
    ) -> (applied: [ArtOperation], refused: [RefusedOperation]) {
        let plan = ArtPlan(batch.operations, on: self, isKept: isKept)
        carry(out: plan.changes)
        if let background = plan.background { self.background = background }
        return (plan.applied, plan.refused)
    }

    private mutating func carry(out changes: [EmojiID: Emoji?]) {
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
        emojis.sort(by: Emoji.isBehind)
    }

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

    private mutating func remove(_ id: EmojiID) {
        guard let z = depths.removeValue(forKey: id) else { return }
        emojis.remove(at: place(z: z, id: id))
    }
}

// MARK: Taking back

extension EmojiArt {
    /// What undoes an operation, once it has been applied to this board; `nil` where it is refused or has no effect.
    ///
    /// It takes O(log *n*).
    public func inverse(of operation: ArtOperation) -> ArtOperation? {
        ArtPlan([operation], on: self).inverses.first
    }

    /// What undoes operations, once they have been applied to this board: their inverses, the last one's first.
    ///
    /// What undoes a whole gesture this way is one operation for each of its own.
    public func inverse(of operations: [ArtOperation]) -> [ArtOperation] {
        ArtPlan(operations, on: self).inverses.reversed()
    }
}

// MARK: Comparing

extension EmojiArt: Hashable {
    /// Whether both show the same: the same background, and the same emoji under the same names at the same places and depths.
    public static func == (left: EmojiArt, right: EmojiArt) -> Bool {
        left.background == right.background && left.emojis == right.emojis
    }

    /// By what is shown.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(background)
        hasher.combine(emojis)
    }
}

// MARK: JSON

extension EmojiArt: Codable {
    private enum CodingKeys: String, CodingKey {
        case background, emojis
    }

    /// Reads it, and checks it against ``BoardLimits``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let background = try container.background(forKey: .background)
        let emojis = try container.decode([Emoji].self, forKey: .emojis)
        do throws(OperationRefusal) {
            try self.init(background: background, emojis: emojis)
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: error.fault))
        }
    }
}
