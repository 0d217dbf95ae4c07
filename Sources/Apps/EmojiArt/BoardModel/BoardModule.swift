#if canImport(ModelJSON)
    public import ModelJSON
#endif

/// The functions that a page calls: JSON in, JSON out, and numbers for what is drawn.
///
/// Each function is a case of ``Function``; a page gets their names from there.
public struct BoardModule: Sendable {
    /// The functions by their names in JavaScript.
    public enum Function: String, Hashable, Sendable, CaseIterable {
        /// `open(state)`: begins with a board.
        case open
        /// `change(name, operations)`: does one step; whether anything is different.
        case change
        /// `add(verb, texts, x, y, size)`: adds emoji around a place; their ids.
        case add
        /// `addNear(verb, text, x, y, size)`: adds an emoji where it hides no other; its id.
        case addNear
        /// `paste(verb, emojis, x, y)`: adds copies at a distance; their ids.
        case paste
        /// `remove(verb, ids)`: deletes emoji.
        case remove
        /// `scale(ids, factor, x, y)`: scales emoji around a point.
        case scale
        /// `reorder(verb, end, ids, order)`: whether there was anything to pass.
        case reorder
        /// `beginGesture(verb, ids)`: the gesture's number. Without ids, the verb is the whole name.
        case beginGesture
        /// `moveGesture(number, x, y)`: moves its emoji from where they were.
        case moveGesture
        /// `scaleGesture(number, factor, x, y)`: scales its emoji around a point.
        case scaleGesture
        /// `updateGesture(number, operations)`: does any operations as a part of it.
        case updateGesture
        /// `endGesture(number)`: makes one step of it.
        case endGesture
        /// `cancelGesture(number)`: takes it back.
        case cancelGesture
        /// `undo(count)`: whether anything is different.
        case undo
        /// `redo(count)`: whether anything is different.
        case redo
        /// `undoNames()`: the newest first.
        case undoNames
        /// `redoNames()`: the one to be redone first at the front.
        case redoNames
        /// `hit(x, y, missed)`: the id of the emoji at a point, or of the nearest within a distance; or null.
        case hit
        /// `touching(left, bottom, right, top)`: the ids of the emoji that a rectangle touches.
        case touching
        /// `nextBatch()`: the batch to send, or null.
        case nextBatch
        /// `batch(id)`: a pending batch with its parts, or null.
        case batch
        /// `sealAll()`: closes the batches of gestures.
        case sealAll
        /// `receiveAnswer(id, revision, refused)`: the server's answer to a batch.
        case receiveAnswer
        /// `receiveRejection(id, words)`: the server's refusal of a batch.
        case receiveRejection
        /// `inherit(batches, sending)`: takes over what another tab has left.
        case inherit
        /// `prepareToLeave(limit, sending, outlivesPage)`: whether there is something to send.
        case prepareToLeave
        /// `receiveEntries(entries)`: what to ask for: "nothing", "entries" or "state".
        case receiveEntries
        /// `receiveState(state, since)`: whether it was taken.
        case receiveState
        /// `status(failure, isDeleted, isDisconnected, isStored)`: [kind, words].
        case status
        /// `art()`: the shown board, as the server writes it.
        case art
    }

    private var session = BoardSession(ServerBoard(revision: 0, epoch: "", art: EmojiArt()))
    private var display = DisplayList()
    private var depths: [EmojiID: Double] = [:]
    /// The numbers of the last call: those of moved emoji, and then the order.
    public private(set) var numbers: [Double] = []

    /// A module without a board.
    public init() {}
}

extension BoardModule {
    /// Calls a function.
    ///
    /// - Parameters:
    ///   - function: Which one.
    ///   - arguments: Its arguments, a list.
    /// - Returns: An object with the function's `value` and the `effects` that the page has to carry out.
    /// - Throws: ``BoardFormatError`` for arguments that the function doesn't take.
    public mutating func call(_ function: Function, _ arguments: JSON) throws(BoardFormatError) -> JSON {
        let value = try value(of: function, try Arguments(arguments))
        return .object([JSON.Member("value", value), JSON.Member("effects", effects())])
    }

    private mutating func value(of function: Function, _ arguments: Arguments) throws(BoardFormatError) -> JSON {
        switch function {
        case .open:
            session = BoardSession(try ServerBoard(try arguments.json(0)))
            (display, depths) = (DisplayList(), [:])
            session.effects.changes = ArtChanges(
                emojis: Set(session.art.emojis.map { $0.id }), hasBackground: true)
            return .null
        case .change:
            return .bool(session.change(try arguments.string(0), try arguments.operations(1)))
        case .add, .addNear, .paste, .remove, .scale, .reorder: return try edit(function, arguments)
        case .beginGesture, .moveGesture, .scaleGesture, .updateGesture, .endGesture, .cancelGesture:
            return try gesture(function, arguments)
        case .undo: return .bool(session.undo(try arguments.integer(0)))
        case .redo: return .bool(session.redo(try arguments.integer(0)))
        case .undoNames: return .array(session.history.undoNames.map { .string($0) })
        case .redoNames: return .array(session.history.redoNames.map { .string($0) })
        case .hit:
            let point = BoardPoint(x: try arguments.number(0), y: try arguments.number(1))
            return session.art.emoji(at: point, missedBy: try arguments.number(2)).map { .string($0.id.rawValue) } ?? .null
        case .touching:
            let box = BoardRect(
                from: BoardPoint(x: try arguments.number(0), y: try arguments.number(1)),
                to: BoardPoint(x: try arguments.number(2), y: try arguments.number(3)))
            return .array(session.art.emojis.filter { $0.box.intersects(box) }.map { .string($0.id.rawValue) })
        case .nextBatch: return session.nextBatch().map { $0.json } ?? .null
        case .batch: return session.batch(try arguments.string(0)).map { $0.json } ?? .null
        case .sealAll:
            session.sealAll()
            return .null
        case .receiveAnswer, .receiveRejection, .inherit, .prepareToLeave, .receiveEntries, .receiveState:
            return try receive(function, arguments)
        case .status:
            let status = BoardSaveStatus(
                waiting: session.waitingCount, failure: try arguments.failure(0), isDeleted: try arguments.bool(1),
                isDisconnected: try arguments.bool(2), isStored: try arguments.bool(3))
            return .array([.string(status.kind.rawValue), .string(status.words)])
        case .art: return session.art.json
        }
    }
}

// MARK: - Groups of functions

extension BoardModule {
    private mutating func edit(_ function: Function, _ arguments: Arguments) throws(BoardFormatError) -> JSON {
        var generator = SystemRandomNumberGenerator()
        switch function {
        case .add:
            let (verb, texts) = (try arguments.string(0), try arguments.strings(1))
            let place = BoardPoint(x: try arguments.number(2), y: try arguments.number(3))
            return added(
                StepName.of(verb, texts),
                session.art.adding(texts, around: place, size: try arguments.number(4), using: &generator))
        case .addNear:
            let (verb, text, size) = (try arguments.string(0), try arguments.string(1), try arguments.number(4))
            let place = session.art.freePlace(
                near: BoardPoint(x: try arguments.number(2), y: try arguments.number(3)), size: size)
            return added(
                StepName.of(verb, [text]), session.art.adding([text], around: place, size: size, using: &generator))
        case .paste:
            let verb = try arguments.string(0)
            let emojis = try arguments.json(1).list { json throws(BoardFormatError) in try ClippedEmoji(json) }
            return added(
                StepName.of(verb, emojis.map { $0.text }),
                session.art.copying(
                    emojis, x: try arguments.number(2), y: try arguments.number(3), using: &generator))
        case .remove:
            let emojis = try arguments.emojis(1, of: session.art)
            return .bool(
                session.change(
                    StepName.of(try arguments.string(0), emojis.map { $0.text }), emojis.map { .delete($0.id) }))
        case .scale:
            let emojis = try arguments.emojis(0, of: session.art)
            let center = BoardPoint(x: try arguments.number(2), y: try arguments.number(3))
            return .bool(
                session.change(
                    StepName.of("Resize", emojis.map { $0.text }),
                    session.art.scaling(emojis, by: try arguments.number(1), around: center)))
        default:
            let emojis = try arguments.emojis(2, of: session.art)
            guard let order = ArtOrder(rawValue: try arguments.string(3)) else {
                throw BoardFormatError("It is no order.", at: "[3]")
            }
            let operations = session.art.reordering(Set(emojis.map { $0.id }), to: order)
            if operations.isEmpty { return .bool(false) }
            let name = StepName.of(try arguments.string(0), emojis.map { $0.text }, try arguments.string(1))
            session.change(name, operations)
            return .bool(true)
        }
    }

    /// Adds emoji, and returns the ids of those that could be added.
    private mutating func added(_ name: String, _ operations: [ArtOperation]) -> JSON {
        session.change(name, operations)
        let ids = operations.compactMap { $0.emoji }.filter { session.art.emoji($0) != nil }
        return .array(ids.map { .string($0.rawValue) })
    }

    private mutating func gesture(_ function: Function, _ arguments: Arguments) throws(BoardFormatError) -> JSON {
        if function == .beginGesture {
            let emojis = try arguments.emojis(1, of: session.art)
            let verb = try arguments.string(0)
            let name = emojis.isEmpty ? verb : StepName.of(verb, emojis.map { $0.text })
            return .number(Double(session.beginGesture(name, of: emojis.map { $0.id })))
        }
        let number = try arguments.integer(0)
        switch function {
        case .moveGesture: session.moveGesture(number, x: try arguments.number(1), y: try arguments.number(2))
        case .scaleGesture:
            let center = BoardPoint(x: try arguments.number(2), y: try arguments.number(3))
            session.scaleGesture(number, by: try arguments.number(1), around: center)
        case .updateGesture: session.update(gesture: number, try arguments.operations(1))
        case .endGesture: session.end(gesture: number)
        default: session.cancel(gesture: number)
        }
        return .null
    }

    private mutating func receive(_ function: Function, _ arguments: Arguments) throws(BoardFormatError) -> JSON {
        switch function {
        case .receiveAnswer:
            let refused = try arguments.json(2).list { json throws(BoardFormatError) in try RefusedOperation(json) }
            session.receiveAnswer(to: try arguments.string(0), revision: try arguments.integer(1), refused: refused)
            return .null
        case .receiveRejection:
            session.receiveRejection(of: try arguments.string(0), words: try arguments.string(1))
            return .null
        case .inherit:
            // A batch that can't be read can't be sent either: it was cut off, or is a newer version's.
            guard case .array(let values) = try arguments.json(0) else { throw BoardFormatError("It is not a list.") }
            session.inherit(values.compactMap { try? PendingBatch($0) }, sending: arguments.optionalString(1))
            return .null
        case .prepareToLeave:
            return .bool(
                session.prepareToLeave(
                    limit: try arguments.integer(0), sending: arguments.optionalString(1),
                    outlivesPage: try arguments.bool(2)))
        case .receiveEntries:
            let entries = try arguments.json(0).list { json throws(BoardFormatError) in try ServerEntry(json) }
            return .string(session.receive(entries).rawValue)
        default:
            return .bool(
                session.receive(try ServerBoard(try arguments.json(0)), askedAt: try arguments.integer(1)))
        }
    }
}

// MARK: - Effects

extension BoardModule {
    private mutating func effects() -> JSON {
        let effects = session.takeEffects()
        var members = [
            JSON.Member("revision", .number(Double(session.replica.revision))),
            JSON.Member("epoch", .string(session.replica.epoch)),
            JSON.Member("waiting", .number(Double(session.waitingCount))),
        ]
        func add(_ name: String, _ value: JSON) { members.append(JSON.Member(name, value)) }
        numbers = []
        if !effects.changes.isEmpty {
            let update = display.update(effects.changes.emojis, of: session.art, depths: &depths)
            add("isOwn", .bool(effects.isOwn))
            if !update.removed.isEmpty { add("removed", .array(update.removed.map { .number(Double($0)) })) }
            if !update.added.isEmpty {
                add(
                    "added",
                    .array(
                        update.added.map { slot, emoji in
                            .object([
                                JSON.Member("slot", .number(Double(slot))), JSON.Member("emoji", emoji.json),
                            ])
                        }))
            }
            if effects.changes.hasBackground { add("background", .array([session.art.background.json])) }
            numbers = update.moved
            add("moved", .number(Double(update.moved.count)))
            if let order = update.order {
                add("ordered", .number(Double(order.count)))
                numbers += order
            }
        }
        if !effects.stored.isEmpty {
            add(
                "stored",
                .array(
                    effects.stored.map {
                        .object([JSON.Member("id", .string($0.id)), JSON.Member("place", .string($0.place))])
                    }))
        }
        if !effects.forgotten.isEmpty { add("forgotten", .array(effects.forgotten.map { .string($0) })) }
        if !effects.messages.isEmpty { add("messages", .array(effects.messages.map { .string($0) })) }
        if effects.hasOtherHistory { add("hasOtherHistory", .bool(true)) }
        if effects.hasNews { add("hasNews", .bool(true)) }
        if effects.abandonsRequest { add("abandonsRequest", .bool(true)) }
        if let open = session.openBatch { add("open", .string(open.id)) }
        return .object(members)
    }
}

// MARK: - Arguments

/// The arguments of a call.
private struct Arguments {
    private let values: [JSON]

    init(_ json: JSON) throws(BoardFormatError) {
        guard case .array(let values) = json else { throw BoardFormatError("It is not a list.") }
        self.values = values
    }

    func json(_ index: Int) throws(BoardFormatError) -> JSON {
        guard values.indices.contains(index) else { throw BoardFormatError("It is missing.", at: "[\(index)]") }
        return values[index]
    }

    private func value<Value>(
        _ index: Int, _ noun: String, _ read: (JSON) -> Value?
    ) throws(BoardFormatError) -> Value {
        guard let value = read(try json(index)) else { throw BoardFormatError("It is not \(noun).", at: "[\(index)]") }
        return value
    }

    func string(_ index: Int) throws(BoardFormatError) -> String { try value(index, "a text") { $0.string } }
    func number(_ index: Int) throws(BoardFormatError) -> Double { try value(index, "a number") { $0.number } }
    func integer(_ index: Int) throws(BoardFormatError) -> Int { try value(index, "an integer") { $0.integer } }
    func bool(_ index: Int) throws(BoardFormatError) -> Bool { try value(index, "a boolean") { $0.bool } }

    func optionalString(_ index: Int) -> String? { values.indices.contains(index) ? values[index].string : nil }

    func strings(_ index: Int) throws(BoardFormatError) -> [String] {
        try json(index).list { json throws(BoardFormatError) in
            guard let text = json.string else { throw BoardFormatError("It is not a text.") }
            return text
        }
    }

    func operations(_ index: Int) throws(BoardFormatError) -> [ArtOperation] {
        try json(index).list { json throws(BoardFormatError) in try ArtOperation(json) }
    }

    /// The emoji of a board that are named, in the board's order.
    func emojis(_ index: Int, of art: EmojiArt) throws(BoardFormatError) -> [Emoji] {
        let ids = Set(try strings(index).compactMap { EmojiID($0) })
        if ids.count * 8 > art.emojis.count { return art.emojis.filter { ids.contains($0.id) } }
        return ids.compactMap { art.emoji($0) }.sorted { Emoji.isBehind($0, $1) }
    }

    func failure(_ index: Int) throws(BoardFormatError) -> BoardSaveStatus.Failure? {
        let json = try json(index)
        if json == .null { return nil }
        let object = try ObjectReader(json)
        return BoardSaveStatus.Failure(
            words: try object.string("words"), isStuck: object.optional("isStuck")?.bool ?? false)
    }
}

extension ClippedEmoji {
    /// Reads an emoji of the clipboard.
    public init(_ json: JSON) throws(BoardFormatError) {
        let object = try ObjectReader(json)
        self.init(
            text: try object.string("text"), x: try object.number("x"), y: try object.number("y"),
            size: try object.number("size"))
    }
}

extension RefusedOperation {
    /// Reads a refusal as the server answers it.
    public init(_ json: JSON) throws(BoardFormatError) {
        let object = try ObjectReader(json)
        guard let reason = OperationRefusal(rawValue: try object.string("reason")) else {
            throw BoardFormatError("It is no reason.", at: "reason")
        }
        self.init(index: try object.integer("index"), reason: reason, message: try object.string("message"))
    }
}

extension PendingBatch {
    /// Reads a batch of a browser's storage: as it is sent, with the `parts` that were joined in it.
    public init(_ json: JSON) throws(BoardFormatError) {
        let batch = try OperationBatch(json)
        let parts = try ObjectReader(json).optional("parts") ?? .array([])
        self.init(
            id: batch.id, name: batch.name, operations: batch.operations,
            parts: try parts.list { json throws(BoardFormatError) in
                guard case .array(let pair) = json, pair.count == 2, let id = pair[0].string,
                    let count = pair[1].integer, count >= 0
                else { throw BoardFormatError("It is no part.") }
                return Part(id: id, count: count)
            })
    }

    /// As it is sent, with the `parts` that were joined in it.
    public var json: JSON {
        guard case .object(let members) = OperationBatch(id: id, name: name, operations: operations).json else {
            return .null
        }
        let parts = parts.map { JSON.array([.string($0.id), .number(Double($0.count))]) }
        return .object(members + [JSON.Member("parts", .array(parts))])
    }
}
