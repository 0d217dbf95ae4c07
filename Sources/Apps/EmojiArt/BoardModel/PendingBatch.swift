/// Operations of one step that the server has yet to confirm, or of the part of a gesture that isn't sent yet.
public struct PendingBatch: Hashable, Sendable, Identifiable {
    /// The name under which the server applies the batch once, however often it is sent.
    public let id: String
    /// The step's name, of at most ``BoardLimits/nameBytes`` bytes.
    public let name: BoardText
    /// The batch's own id and those of the batches that were joined in it.
    public internal(set) var sources: [String]
    /// The batches that were joined in it: the id of each, and its number of operations.
    public internal(set) var parts: [Part] = []
    /// Whether it is among the entries that the server has sent.
    public internal(set) var isConfirmed = false
    /// The revision that includes it, once the server has answered.
    public internal(set) var revision: Int?
    /// Whether a gesture still changes it.
    public private(set) var isOpen: Bool
    /// The operations in their order; `nil` where a later one has replaced an earlier one.
    private var slots: [ArtOperation?]
    /// In an open batch, the index of each key's operation in `slots`.
    private var places: [OperationKey: Int] = [:]

    /// A batch that was joined in another one.
    public struct Part: Hashable, Sendable {
        /// Its id.
        public let id: String
        /// How many operations it has.
        public let count: Int

        /// A part of a joined batch.
        public init(id: String, count: Int) {
            (self.id, self.count) = (id, count)
        }
    }

    /// A batch of operations that won't change any more.
    public init(id: String, name: BoardText, operations: [ArtOperation], parts: [Part] = []) {
        self.id = id
        self.name = Self.shortened(name)
        self.sources = [id]
        self.parts = parts
        self.slots = operations.map { .some($0) }
        self.isOpen = false
    }

    /// The empty batch of a gesture.
    init(openedAs id: String, name: BoardText) {
        self.init(id: id, name: name, operations: [])
        isOpen = true
    }

    /// Shortens a name in plain text, as a page gives it; the model's own names, with one emoji, are never too long.
    private static func shortened(_ name: BoardText) -> BoardText {
        guard case .plain(let text) = name, text.utf8.count > BoardLimits.nameBytes else { return name }
        let bytes = Array(text.utf8)
        var end = BoardLimits.nameBytes
        // Don't cut within a Unicode scalar.
        while bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return .plain(String(decoding: bytes[..<end], as: UTF8.self))
    }
}

extension PendingBatch {
    /// The operations in their order.
    @inline(never)
    public var operations: [ArtOperation] { slots.compactMap { $0 } }

    /// Whether the server has yet to answer.
    public var isWaiting: Bool { revision == nil }

    /// The emoji and the background that it changes.
    var targets: ArtChanges {
        var targets = ArtChanges()
        for operation in operations { targets.note(operation.emoji) }
        return targets
    }

    /// Puts an operation into an open batch, in place of the one that it replaces.
    @inline(never)
    mutating func put(_ operation: ArtOperation) {
        let key = operation.key
        if key.kind == .delete {
            // What was done to the emoji before has no effect any more, and what follows must stay behind the deletion.
            for kind in OperationKey.Kind.allCases {
                if let place = places.removeValue(forKey: OperationKey(kind, key.emoji)) { slots[place] = nil }
            }
        }
        if let place = places[key] {
            slots[place] = operation
        } else {
            places[key] = slots.count
            slots.append(operation)
        }
    }

    /// Closes an open batch: it won't change any more.
    mutating func seal() {
        guard isOpen else { return }
        isOpen = false
        slots = operations.map { .some($0) }
        places = [:]
    }

    /// Removes the operations that the server has refused.
    mutating func remove(at indices: [Int]) {
        slots = operations.enumerated().filter { !indices.contains($0.offset) }.map { $0.element }
    }

    /// The batch without the parts of some ids; `nil` if nothing is left.
    ///
    /// It keeps its id, because it may have been sent.
    func without(_ ids: Set<TextKey>) -> PendingBatch? {
        func isLeft(_ part: Part) -> Bool { !ids.contains(TextKey(part.id)) }
        if parts.allSatisfy(isLeft) { return self }
        let operations = operations
        var left: [ArtOperation] = []
        var start = 0
        for part in parts {
            let end = min(start + part.count, operations.count)
            if isLeft(part) { left += operations[start..<end] }
            start = end
        }
        if left.isEmpty { return nil }
        return PendingBatch(id: id, name: name, operations: left, parts: parts.filter(isLeft))
    }

    /// Splits the batch into pieces within the server's limits; returns the batch itself if it is within them.
    func pieces(using generator: inout some RandomNumberGenerator) -> [PendingBatch] {
        let operations = operations
        let isTaken = operations.count <= BoardLimits.batchOperations && byteCount <= BoardLimits.batchBytes
        guard !isTaken, operations.count > 1 else { return [self] }
        let middle = (operations.count + 1) / 2
        var pieces: [PendingBatch] = []
        for half in [operations[..<middle], operations[middle...]] {
            var batch = PendingBatch(
                id: Identifier.random(using: &generator), name: name, operations: Array(half))
            batch.sources += sources
            pieces += batch.pieces(using: &generator)
        }
        return pieces
    }

    /// Joins several batches in one, with their operations in order.
    static func joined(_ batches: [PendingBatch], using generator: inout some RandomNumberGenerator) -> PendingBatch {
        var batch = PendingBatch(
            id: Identifier.random(using: &generator), name: batches.last?.name ?? .plain(""),
            operations: batches.flatMap { $0.operations },
            parts: batches.map { Part(id: $0.id, count: $0.operations.count) })
        batch.sources += batches.flatMap { $0.sources }
        return batch
    }
}
