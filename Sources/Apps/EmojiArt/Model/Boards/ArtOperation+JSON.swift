// The JSON of operations, batches and log entries, in the log and on the wire. `op` discriminates the kinds of
// operation; unknown keys are ignored.

extension ArtOperation: Codable {
    private enum Kind: String, CaseIterable {
        case add, move, resize, delete, reorder, rotate, flip, lock, background
    }

    private enum Keys: String, CodingKey {
        case op, emoji, id, x, y, size, z, angle, flipped, locked, background
    }

    /// Decodes an object with `op` and the keys of that kind.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        let op = try container.decode(String.self, forKey: .op)
        switch Kind(rawValue: op) {
        case .add: self = .add(try container.decode(Emoji.self, forKey: .emoji))
        case .move:
            self = .move(
                try container.decode(EmojiID.self, forKey: .id), x: try container.decode(Double.self, forKey: .x),
                y: try container.decode(Double.self, forKey: .y))
        case .resize:
            self = .resize(
                try container.decode(EmojiID.self, forKey: .id), size: try container.decode(Double.self, forKey: .size))
        case .delete: self = .delete(try container.decode(EmojiID.self, forKey: .id))
        case .reorder:
            self = .reorder(
                try container.decode(EmojiID.self, forKey: .id), z: try container.decode(Double.self, forKey: .z))
        case .rotate:
            self = .rotate(
                try container.decode(EmojiID.self, forKey: .id),
                angle: try container.decode(Double.self, forKey: .angle))
        case .flip:
            self = .flip(
                try container.decode(EmojiID.self, forKey: .id),
                isFlipped: try container.decode(Bool.self, forKey: .flipped))
        case .lock:
            self = .lock(
                try container.decode(EmojiID.self, forKey: .id),
                isLocked: try container.decode(Bool.self, forKey: .locked))
        case .background: self = .setBackground(try container.background(forKey: .background))
        case nil:
            throw DecodingError.dataCorruptedError(
                forKey: .op, in: container,
                debugDescription: ArtWords.notAnOperation(op.prefix(40), known: Kind.allCases.map(\.rawValue)))
        }
    }

    /// Encodes an object with `op` and the keys of that kind.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(kind.rawValue, forKey: .op)
        switch self {
        case .add(let emoji): try container.encode(emoji, forKey: .emoji)
        case .move(let id, let x, let y):
            try container.encode(id, forKey: .id)
            try container.encode(x, forKey: .x)
            try container.encode(y, forKey: .y)
        case .resize(let id, let size):
            try container.encode(id, forKey: .id)
            try container.encode(size, forKey: .size)
        case .delete(let id): try container.encode(id, forKey: .id)
        case .reorder(let id, let z):
            try container.encode(id, forKey: .id)
            try container.encode(z, forKey: .z)
        case .rotate(let id, let angle):
            try container.encode(id, forKey: .id)
            try container.encode(angle, forKey: .angle)
        case .flip(let id, let isFlipped):
            try container.encode(id, forKey: .id)
            try container.encode(isFlipped, forKey: .flipped)
        case .lock(let id, let isLocked):
            try container.encode(id, forKey: .id)
            try container.encode(isLocked, forKey: .locked)
        case .setBackground(let background): try container.encode(background, forKey: .background)
        }
    }

    private var kind: Kind {
        switch self {
        case .add: .add
        case .move: .move
        case .resize: .resize
        case .delete: .delete
        case .reorder: .reorder
        case .rotate: .rotate
        case .flip: .flip
        case .lock: .lock
        case .setBackground: .background
        }
    }
}

extension LogEntry: Codable {
    private enum Keys: String, CodingKey {
        case revision, author
    }

    /// Decodes one object: the batch's keys, with the revision and the author.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        self.init(
            revision: try container.decode(Int.self, forKey: .revision), batch: try OperationBatch(from: decoder),
            author: try container.decode(String.self, forKey: .author))
    }

    /// Encodes one object: the batch's keys, with the revision and the author.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(revision, forKey: .revision)
        try container.encode(author, forKey: .author)
        try batch.encode(to: encoder)
    }
}

extension OperationBatch: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, name, operations
    }

    /// Decodes an object, and validates its id, its name and the number of operations.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let id = try container.decode(String.self, forKey: .id)
        guard Identifier.isValid(id) else {
            throw DecodingError.dataCorruptedError(forKey: .id, in: container, debugDescription: ArtWords.invalidID)
        }
        let name = try container.decode(String.self, forKey: .name)
        guard name.utf8.count <= BoardLimits.nameBytes else {
            throw DecodingError.dataCorruptedError(
                forKey: .name, in: container, debugDescription: ArtWords.hasMoreBytes(than: BoardLimits.nameBytes))
        }
        let operations = try container.decode([ArtOperation].self, forKey: .operations)
        guard operations.count <= BoardLimits.batchOperations else {
            throw DecodingError.dataCorruptedError(
                forKey: .operations, in: container,
                debugDescription: ArtWords.areMore(than: BoardLimits.batchOperations))
        }
        self.init(id: id, name: name, operations: operations)
    }

    /// Encodes all properties.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encode(operations, forKey: .operations)
    }
}
