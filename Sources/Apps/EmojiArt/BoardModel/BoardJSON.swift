#if canImport(ModelJSON)
    public import ModelJSON
#endif

// Boards and their changes as JSON: on the wire, in the log of a store, and in a browser's storage.

extension Emoji {
    /// Reads an emoji; `angle`, `flipped` and `locked` may be missing, as in boards of earlier versions.
    ///
    /// The values aren't checked against ``BoardLimits``.
    public init(_ json: JSON) throws(BoardFormatError) {
        let object = try ObjectReader(json)
        self.init(
            id: try object.identifier("id"), text: try object.string("text"), x: try object.number("x"),
            y: try object.number("y"), size: try object.number("size"), z: try object.number("z"),
            angle: try object.number("angle", default: 0), isFlipped: try object.bool("flipped", default: false),
            isLocked: try object.bool("locked", default: false))
    }

    /// An object of its properties, without `angle`, `flipped` and `locked` if they have their defaults.
    public var json: JSON {
        var members = [
            JSON.Member("id", .string(id.rawValue)), JSON.Member("text", .string(text)), JSON.Member("x", .number(x)),
            JSON.Member("y", .number(y)), JSON.Member("size", .number(size)), JSON.Member("z", .number(z)),
        ]
        if angle != 0 { members.append(JSON.Member("angle", .number(angle))) }
        if isFlipped { members.append(JSON.Member("flipped", .bool(true))) }
        if isLocked { members.append(JSON.Member("locked", .bool(true))) }
        return .object(members)
    }
}

extension Background {
    /// Reads a background from `null`, or an object with an `address` or a `picture`.
    public init(_ json: JSON) throws(BoardFormatError) {
        if json.isNull {
            self = .blank
            return
        }
        let object = try ObjectReader(json)
        if object.optional("picture") != nil {
            self = .picture(try object.identifier("picture"))
        } else if object.optional("address") != nil {
            self = .address(try object.string("address"))
        } else {
            throw BoardFormatError("It has neither an “address” nor a “picture”.")
        }
    }

    /// `null`, or an object with an `address` or a `picture`.
    public var json: JSON {
        switch self {
        case .blank: .null
        case .address(let address): .object([JSON.Member("address", .string(address))])
        case .picture(let picture): .object([JSON.Member("picture", .string(picture.rawValue))])
        }
    }
}

extension EmojiArt {
    /// Reads a board, and checks it against ``BoardLimits``.
    public init(_ json: JSON) throws(BoardFormatError) {
        let object = try ObjectReader(json)
        let background: Background
        do throws(BoardFormatError) {
            background = try Background(try object.present("background"))
        } catch {
            throw error.place.isSame(as: "background") ? error : error.within("background")
        }
        let emojis = try object.list("emojis") { json throws(BoardFormatError) in try Emoji(json) }
        do throws(OperationRefusal) {
            try self.init(background: background, emojis: emojis)
        } catch {
            throw BoardFormatError("It exceeds a limit of boards: \(error.rawValue).")
        }
    }

    /// An object with the background and the emoji from the back to the front.
    public var json: JSON {
        .object([
            JSON.Member("background", background.json), JSON.Member("emojis", .array(emojis.map { $0.json })),
        ])
    }
}

extension ArtOperation {
    private enum Kind: String, CaseIterable {
        case add, move, resize, delete, reorder, rotate, flip, lock, background
    }

    /// Reads an operation: `op` says which, and members that don't belong to it are ignored.
    public init(_ json: JSON) throws(BoardFormatError) {
        let object = try ObjectReader(json)
        let op = try object.string("op")
        switch Kind.named(op) {
        case .add: self = .add(try object.value("emoji") { json throws(BoardFormatError) in try Emoji(json) })
        case .move: self = .move(try object.identifier("id"), x: try object.number("x"), y: try object.number("y"))
        case .resize: self = .resize(try object.identifier("id"), size: try object.number("size"))
        case .delete: self = .delete(try object.identifier("id"))
        case .reorder: self = .reorder(try object.identifier("id"), z: try object.number("z"))
        case .rotate: self = .rotate(try object.identifier("id"), angle: try object.number("angle"))
        case .flip: self = .flip(try object.identifier("id"), isFlipped: try object.bool("flipped"))
        case .lock: self = .lock(try object.identifier("id"), isLocked: try object.bool("locked"))
        case .background:
            let background = try object.present("background")
            do throws(BoardFormatError) {
                self = .setBackground(try Background(background))
            } catch {
                throw error.within("background")
            }
        case nil:
            let beginning = String(decoding: Array(op.utf8).prefix(40), as: UTF8.self)
            throw BoardFormatError(
                "“\(beginning)” is not an operation.", at: "op")
        }
    }

    /// An object with `op` and what belongs to the operation.
    public var json: JSON {
        func object(_ op: String, _ members: JSON.Member...) -> JSON {
            .object([JSON.Member("op", .string(op))] + members)
        }
        func member(_ id: EmojiID) -> JSON.Member { JSON.Member("id", .string(id.rawValue)) }
        return switch self {
        case .add(let emoji): object("add", JSON.Member("emoji", emoji.json))
        case .move(let id, let x, let y):
            object("move", member(id), JSON.Member("x", .number(x)), JSON.Member("y", .number(y)))
        case .resize(let id, let size): object("resize", member(id), JSON.Member("size", .number(size)))
        case .delete(let id): object("delete", member(id))
        case .reorder(let id, let z): object("reorder", member(id), JSON.Member("z", .number(z)))
        case .rotate(let id, let angle): object("rotate", member(id), JSON.Member("angle", .number(angle)))
        case .flip(let id, let isFlipped): object("flip", member(id), JSON.Member("flipped", .bool(isFlipped)))
        case .lock(let id, let isLocked): object("lock", member(id), JSON.Member("locked", .bool(isLocked)))
        case .setBackground(let background): object("background", JSON.Member("background", background.json))
        }
    }
}

extension OperationBatch {
    /// Reads a batch, and checks its id, its name and the number of its operations.
    public init(_ json: JSON) throws(BoardFormatError) {
        let object = try ObjectReader(json)
        let id = try object.string("id")
        guard Identifier.isValid(id) else { throw BoardFormatError("It is not an ID.", at: "id") }
        let name = try object.string("name")
        guard name.utf8.count <= BoardLimits.nameBytes else {
            throw BoardFormatError("It exceeds a limit of boards.", at: "name")
        }
        let operations = try object.list("operations") { json throws(BoardFormatError) in try ArtOperation(json) }
        guard operations.count <= BoardLimits.batchOperations else {
            throw BoardFormatError("It exceeds a limit of boards.", at: "operations")
        }
        self.init(id: id, name: name, operations: operations)
    }

    /// An object of all its properties.
    public var json: JSON {
        .object([
            JSON.Member("id", .string(id)), JSON.Member("name", .string(name)),
            JSON.Member("operations", .array(operations.map { $0.json })),
        ])
    }
}

extension PendingBatch {
    /// An upper estimate of the number of bytes to send: the words of the name aren't known here.
    var byteCount: Int {
        let nameless = OperationBatch(id: id, name: "", operations: operations)
        return nameless.json.bytes.count + name.json.bytes.count + 100
    }
}

extension ServerBoard {
    /// Reads the state that the server sends; other members are ignored.
    public init(_ json: JSON) throws(BoardFormatError) {
        let object = try ObjectReader(json)
        self.init(
            revision: try object.integer("revision"), epoch: try object.string("epoch"),
            art: try object.value("art") { json throws(BoardFormatError) in try EmojiArt(json) })
    }
}

extension ServerEntry {
    /// Reads an entry that the server sends; other members are ignored.
    public init(_ json: JSON) throws(BoardFormatError) {
        let object = try ObjectReader(json)
        self.init(
            revision: try object.integer("revision"), batch: try object.string("id"),
            operations: try object.list("operations") { json throws(BoardFormatError) in try ArtOperation(json) })
    }
}

extension ClippedEmoji {
    /// Reads an emoji of the clipboard; one beyond the limits of a board is refused.
    public init(_ json: JSON) throws(BoardFormatError) {
        let object = try ObjectReader(json)
        self.init(
            text: try object.string("text"), x: try object.number("x"), y: try object.number("y"),
            size: try object.number("size"), angle: try object.number("angle", default: 0),
            isFlipped: try object.bool("flipped", default: false))
        guard Emoji.isPlace(x), Emoji.isPlace(y), Emoji.isSize(size) else {
            throw BoardFormatError("It exceeds a limit of boards.")
        }
    }

    /// The emoji as it is put on the clipboard.
    public var json: JSON {
        .object([
            JSON.Member("text", .string(text)), JSON.Member("x", .number(x)), JSON.Member("y", .number(y)),
            JSON.Member("size", .number(size)), JSON.Member("angle", .number(angle)),
            JSON.Member("flipped", .bool(isFlipped)),
        ])
    }

    /// The emoji in a value of the clipboard, at most as many as a board has; `nil` if it has none, or an invalid one.
    static func copied(_ json: JSON) -> [ClippedEmoji]? {
        guard let values = json["emojis"]?.array?.prefix(BoardLimits.emojis), !values.isEmpty else { return nil }
        var emojis: [ClippedEmoji] = []
        for value in values {
            guard let emoji = try? ClippedEmoji(value) else { return nil }
            emojis.append(emoji)
        }
        return emojis
    }
}

extension RefusedOperation {
    /// Reads a refusal from the server's response.
    public init(_ json: JSON) throws(BoardFormatError) {
        let object = try ObjectReader(json)
        guard let reason = OperationRefusal.named(try object.string("reason")) else {
            throw BoardFormatError("It is not a reason.", at: "reason")
        }
        self.init(
            index: try object.integer("index"), reason: reason, text: .plain(try object.string("message")))
    }
}

extension PendingBatch {
    /// Reads a batch of a browser's storage: as it is sent, with the `parts` that were joined in it.
    public init(_ json: JSON) throws(BoardFormatError) {
        let batch = try OperationBatch(json)
        let parts = try ObjectReader(json).optional("parts") ?? .array([])
        self.init(
            id: batch.id, name: .plain(batch.name), operations: batch.operations,
            parts: try parts.list { json throws(BoardFormatError) in
                guard case .array(let pair) = json, pair.count == 2, let id = pair[0].string,
                    let count = pair[1].integer, count >= 0
                else { throw BoardFormatError("It is not a part.") }
                return Part(id: id, count: count)
            })
    }

    /// The batch as it is sent once the page has inserted words for its name, with the `parts` that were joined in it.
    public var json: JSON {
        .object([
            JSON.Member("id", .string(id)), JSON.Member("name", name.json),
            JSON.Member("operations", .array(operations.map { $0.json })),
            JSON.Member("parts", .array(parts.map { .array([.string($0.id), .number(Double($0.count))]) })),
        ])
    }
}
