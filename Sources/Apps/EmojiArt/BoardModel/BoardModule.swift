#if canImport(ModelJSON)
    public import ModelJSON
#endif

/// The functions that a page calls: JSON in, JSON out, and numbers for what is drawn.
///
/// Each function is a case of ``Function``; a page gets their names from there.
public struct BoardModule: Sendable {
    private var controller = BoardController(ServerBoard(revision: 0, epoch: "", art: EmojiArt()))
    private var display = DisplayList()
    private var depths: [EmojiID: Double] = [:]
    /// The numbers of the last call: those of the emoji that look different, and then the order.
    public private(set) var numbers: [Double] = []

    private var session: BoardSession {
        get { controller.session }
        _modify { yield &controller.session }
    }

    /// A module without a board.
    public init() {}

    #if canImport(ModelJSON)
        /// A module whose new identifiers come from these numbers, on the board that is opened next, too.
        package init(identifierNumbers: IdentifierNumbers) { session.identifierNumbers = identifierNumbers }
    #endif
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
            let numbers = session.identifierNumbers
            controller = BoardController(try ServerBoard(try arguments.json(0)))
            session.identifierNumbers = numbers
            (display, depths) = (DisplayList(), [:])
            session.effects.changes = ArtChanges(
                emojis: Set(session.art.emojis.map { $0.id }), hasBackground: true)
        case .art: return session.art.json
        case .change: return .bool(session.change(try arguments.text(0), try arguments.operations(1)))
        case .undo: return .bool(session.undo(try arguments.integer(0)))
        case .redo: return .bool(session.redo(try arguments.integer(0)))
        case .undoNames: return .array(session.history.undoNames.map { $0.json })
        case .redoNames: return .array(session.history.redoNames.map { $0.json })
        case .history: return session.history.json()
        case .restoreHistory: session.restore(try StepHistory(try arguments.json(0)))
        case .availability: return controller.availability.json
        case .run, .settle, .add, .newEmojiSize, .paste, .copy, .readCopied, .nudge, .restNudge, .endNudge,
            .cancelNudge:
            return try edit(function, arguments)
        case .select: controller.select(try arguments.strings(0).compactMap { EmojiID($0) })
        case .describe:
            let id = arguments.optionalString(0).flatMap { EmojiID($0) }
            let description = id.flatMap { controller.description(of: $0, named: arguments.optionalString(1)) }
            return description.map { $0.json } ?? .null
        case .pointerDown, .pointerMoved, .pointerUp, .pointerLeft, .longPress, .cancelPointers, .openMenu, .holdSpace,
            .boardPoint:
            return try point(function, arguments)
        case .resize, .openView, .setView, .moveView, .moveViewByKey, .zoomView, .setPicture, .setReducedMotion,
            .measure, .content, .isContentVisible:
            return try changeView(function, arguments)
        case .frame: return frame()
        case .outlines: return .array(controller.outlines.map { $0.json })
        case .keyboardOutline: return controller.keyboardOutline.map { $0.json } ?? .null
        case .barPlace: return try barPlace(arguments)
        case .picture:
            guard let box = controller.targetBox else { return .null }
            return .array([box.json, .array(controller.targets.map { .string($0.id.rawValue) })])
        case .nextBatch: return session.nextBatch().map { $0.json } ?? .null
        case .batch: return session.batch(try arguments.string(0)).map { $0.json } ?? .null
        case .sealAll: session.sealAll()
        case .receiveResponse, .inherit, .prepareToLeave: return try send(function, arguments)
        case .follow: session.follow()
        case .unfollow: session.unfollow()
        case .streamOpened: session.streamOpened()
        case .streamLost: session.streamLost()
        case .streamRefused: session.streamRefused()
        case .receiveRevision: session.receive(revision: try arguments.integer(0))
        case .receiveGone: session.receiveGone()
        case .entryIsLate: session.entryIsLate()
        case .poll: session.poll()
        case .receiveEntries: session.receive(Self.entries(try arguments.json(0)))
        case .receiveLog:
            let json = try arguments.json(0)
            guard let entries = json["entries"] else { return .bool(session.receive(.board(try ServerBoard(json)))) }
            return .bool(session.receive(.entries(Self.entries(entries))))
        case .receiveState: return .bool(session.receive(try ServerBoard(try arguments.json(0))))
        case .requestFailed:
            session.requestFailed(isForState: try arguments.bool(0), isGone: try arguments.bool(1))
        case .status:
            let status = BoardSaveStatus(
                waiting: session.waitingCount, failure: session.failure, isDeleted: session.isGone,
                isDisconnected: session.isDisconnected, isStored: try arguments.bool(0))
            return .array([.string(status.kind.rawValue), .array(status.sentences.map { $0.json })])
        }
        return .null
    }
}

// MARK: - Groups of functions

extension BoardModule {
    private mutating func edit(_ function: Function, _ arguments: Arguments) throws(BoardFormatError) -> JSON {
        switch function {
        case .run:
            guard let command = BoardController.Command.named(try arguments.string(0)) else {
                throw BoardFormatError("It is not a command.", at: "[0]")
            }
            return .bool(controller.run(command))
        case .settle: controller.settle()
        case .add:
            let addition: BoardController.Addition = try arguments.bool(0) ? .paste : .add
            let place = try arguments.numbers(2, 2)
            controller.add(
                addition, try arguments.strings(1), at: place.map { BoardPoint(x: $0[0], y: $0[1]) })
        case .newEmojiSize: return .number(controller.newEmojiSize)
        case .paste:
            let emojis = try arguments.json(0).list { json throws(BoardFormatError) in try ClippedEmoji(json) }
            controller.paste(emojis, at: BoardPoint(x: try arguments.number(1), y: try arguments.number(2)))
        case .copy: return .array(controller.copy(isCut: try arguments.bool(0)).map { $0.json })
        case .readCopied:
            return ClippedEmoji.copied(try arguments.json(0)).map { JSON.array($0.map { $0.json }) } ?? .null
        case .nudge: controller.nudge(x: try arguments.number(0), y: try arguments.number(1))
        case .restNudge: controller.restNudge()
        case .endNudge: controller.endNudge()
        default: return .bool(controller.cancelNudge())
        }
        return .null
    }

    private mutating func point(_ function: Function, _ arguments: Arguments) throws(BoardFormatError) -> JSON {
        switch function {
        case .pointerDown: controller.pointerDown(try arguments.pointerEvent())
        case .pointerMoved: controller.pointerMoved(try arguments.pointerEvent())
        case .pointerUp: controller.pointerUp(try arguments.pointerEvent())
        case .pointerLeft: controller.pointerLeft()
        case .longPress: controller.longPress()
        case .cancelPointers: return .bool(controller.cancelGesture())
        case .openMenu:
            let place = try arguments.numbers(0, 2).map { ViewPoint(x: $0[0], y: $0[1]) }
            let isEmpty: Bool
            if let place {
                isEmpty = !controller.openMenu(at: place)
            } else {
                controller.cancelGesture()
                isEmpty = controller.targets.isEmpty
            }
            let menu = place ?? controller.menuPlace
            return .array([.number(menu.x), .number(menu.y), .bool(isEmpty)])
        case .holdSpace: controller.holdSpace(try arguments.bool(0))
        default:
            let place = try arguments.numbers(0, 2).map { ViewPoint(x: $0[0], y: $0[1]) }
            let point = controller.boardPoint(at: place)
            return .array([.number(point.x), .number(point.y)])
        }
        return .null
    }

    private mutating func changeView(_ function: Function, _ arguments: Arguments) throws(BoardFormatError) -> JSON {
        switch function {
        case .resize:
            controller.resize(to: ViewSize(width: try arguments.number(0), height: try arguments.number(1)))
        case .openView: controller.open(try arguments.numbers(0, 3).map { ArtView($0) })
        case .setView:
            controller.show(ArtView([try arguments.number(0), try arguments.number(1), try arguments.number(2)]))
        case .moveView: controller.moveView(x: try arguments.number(0), y: try arguments.number(1))
        case .moveViewByKey:
            controller.moveView(
                byKeyX: try arguments.number(0), y: try arguments.number(1), isShiftHeld: try arguments.bool(2))
        case .zoomView:
            let place = ViewPoint(x: try arguments.number(1), y: try arguments.number(2))
            controller.zoom(by: try arguments.number(0), at: place)
        case .setPicture:
            controller.setPicture(try arguments.numbers(0, 2).map { ViewSize(width: $0[0], height: $0[1]) })
        case .setReducedMotion: controller.setReducedMotion(try arguments.bool(0))
        case .measure:
            controller.measure(
                try arguments.json(0).list { json throws(BoardFormatError) in
                    guard case .array(let pair) = json, pair.count == 2, let text = pair[0].string,
                        let reach = pair[1].number
                    else { throw BoardFormatError("It is not a measurement.") }
                    return (text, reach)
                })
        case .content: return controller.content.map { $0.json } ?? .null
        default: return .bool(controller.isContentVisible)
        }
        return .null
    }

    private func frame() -> JSON {
        guard let frame = controller.frame else { return .null }
        let corners = controller.corners.map { JSON.array([.number($0.place.x), .number($0.place.y)]) }
        var handle = JSON.null
        if let rotation = controller.rotationHandle {
            handle = .array([.number(rotation.place.x), .number(rotation.place.y), .bool(rotation.isBelow)])
        }
        return .array([frame.json, .array(corners), handle])
    }

    private func barPlace(_ arguments: Arguments) throws(BoardFormatError) -> JSON {
        let obstacles = try arguments.json(3).list { json throws(BoardFormatError) in
            let sides = json.array?.compactMap { $0.number } ?? []
            guard sides.count == 4 else { throw BoardFormatError("It is not a list of the expected numbers.") }
            return ViewRect(left: sides[0], top: sides[1], right: sides[2], bottom: sides[3])
        }
        let bar = ViewSize(width: try arguments.number(0), height: try arguments.number(1))
        let place = controller.barPlace(for: bar, inset: try arguments.number(2), obstacles: obstacles)
        return place.map { .array([.number($0.x), .number($0.y)]) } ?? .null
    }

    private mutating func send(_ function: Function, _ arguments: Arguments) throws(BoardFormatError) -> JSON {
        switch function {
        case .receiveResponse:
            let status = try arguments.json(1).integer
            let next = session.receiveResponse(to: try arguments.string(0), status: status, try arguments.json(2))
            return .string(next.rawValue)
        case .inherit:
            // A batch that can't be read can't be sent either: it was cut off, or is a newer version's.
            guard case .array(let values) = try arguments.json(0) else { throw BoardFormatError("It is not a list.") }
            session.inherit(values.compactMap { try? PendingBatch($0) }, sending: arguments.optionalString(1))
            return .null
        default:
            return .bool(
                session.prepareToLeave(
                    limit: try arguments.integer(0), sending: arguments.optionalString(1),
                    outlivesPage: try arguments.bool(2)))
        }
    }

    /// Reads entries; `nil` for operations that the page doesn't know, which a newer server sends.
    private static func entries(_ json: JSON) -> [ServerEntry]? {
        try? json.list { json throws(BoardFormatError) in try ServerEntry(json) }
    }
}

// MARK: - Effects

extension BoardModule {
    private mutating func effects() -> JSON {
        let effects = session.takeEffects()
        if !effects.changes.isEmpty { controller.prune() }
        var members = [
            JSON.Member("revision", .number(Double(session.replica.revision))),
            JSON.Member("epoch", .string(session.replica.epoch)),
            JSON.Member("waiting", .number(Double(session.waitingCount))),
        ]
        func add(_ name: String, _ value: JSON) { members.append(JSON.Member(name, value)) }
        numbers = []
        if !effects.changes.isEmpty {
            let update = display.update(effects.changes.emojis, of: session.art, depths: &depths)
            if !update.removed.isEmpty { add("removed", .array(update.removed.map { .number(Double($0)) })) }
            if !update.added.isEmpty {
                let added = update.added.map { slot, emoji in
                    JSON.array([.number(Double(slot)), .string(emoji.id.rawValue), .string(emoji.text)])
                }
                add("added", .array(added))
                let texts = controller.takeUnmeasured(update.added.map { $0.emoji.text })
                if !texts.isEmpty { add("unmeasured", .array(texts.map { .string($0) })) }
            }
            if effects.changes.hasBackground { add("background", .array([session.art.background.json])) }
            numbers = update.numbers
            add("changed", .number(Double(numbers.count)))
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
        if !effects.messages.isEmpty { add("messages", .array(effects.messages.map { $0.json })) }
        if effects.hasOtherHistory { add("hasOtherHistory", .bool(true)) }
        if effects.hasNews { add("hasNews", .bool(true)) }
        if !effects.following.isEmpty { add("following", .array(effects.following.map { .string($0.rawValue) })) }
        if effects.abandonsRequest { add("abandonsRequest", .bool(true)) }
        if let open = session.openBatch { add("open", .string(open.id)) }
        return .object(members + pageEffects())
    }

    private mutating func pageEffects() -> [JSON.Member] {
        let effects = controller.takeEffects()
        var members = [JSON.Member("isGestureActive", .bool(controller.isGestureActive))]
        func add(_ name: String, _ value: JSON) { members.append(JSON.Member(name, value)) }
        if effects.hasOtherView {
            add("view", controller.view.json)
            add("percent", .string(controller.view.percent))
        }
        if let target = effects.target { add("target", target.json) }
        if effects.hasOtherSelection {
            add("selection", .array(controller.selected.map { .string($0.id.rawValue) }))
            add("keyboard", .array([controller.keyboardEmoji.map { .string($0.rawValue) } ?? .null]))
        }
        if effects.hasOtherDrag {
            add(
                "drag",
                .object([
                    JSON.Member("marquee", controller.marquee.map { controller.viewRect(of: $0).json } ?? .null),
                    JSON.Member("isDragging", .bool(controller.isDragging)),
                    JSON.Member("isResizing", .bool(controller.isResizing)),
                ]))
        }
        if let cursor = effects.cursor { add("cursor", .string(cursor.rawValue)) }
        if let time = effects.longPress { add("longPress", .array([time.map { .number($0) } ?? .null])) }
        if let time = effects.nudge { add("nudge", .array([time.map { .number($0) } ?? .null])) }
        if effects.vibrates { add("vibrates", .bool(true)) }
        switch effects.spoken {
        case .text(let text): add("announced", text.json)
        case .emoji(let id): add("described", .string(id.rawValue))
        case nil: break
        }
        add("tool", .string(controller.tool.rawValue))
        return members
    }
}

extension ArtView {
    fileprivate init(_ numbers: [Double]) {
        self.init(zoom: numbers[0], pan: ViewPoint(x: numbers[1], y: numbers[2]))
    }

    fileprivate var json: JSON { .array([.number(zoom), .number(pan.x), .number(pan.y)]) }
}

extension BoardController.Availability {
    fileprivate var json: JSON {
        let commands = unavailable.map { JSON.Member($0.command, $0.explanation.map { $0.json } ?? .null) }
        return .object([
            JSON.Member("targets", .number(Double(targetCount))), JSON.Member("isLocked", .bool(isLocked)),
            JSON.Member("unavailable", .object(commands)),
        ])
    }
}

extension ViewRect {
    fileprivate var json: JSON { .array([.number(left), .number(top), .number(right - left), .number(bottom - top)]) }
}

extension BoardRect {
    fileprivate var json: JSON { .array([.number(left), .number(bottom), .number(right), .number(top)]) }
}

// MARK: - Arguments

/// The arguments of a call.
private struct Arguments {
    private let values: [JSON]

    init(_ json: JSON) throws(BoardFormatError) {
        guard case .array(let values) = json else { throw BoardFormatError("It is not a list.") }
        self.values = values
    }

    @inline(never)
    func json(_ index: Int) throws(BoardFormatError) -> JSON {
        guard values.indices.contains(index) else {
            throw BoardFormatError("It is missing.", at: BoardFormatError.place(index))
        }
        return values[index]
    }

    private func value<Value>(
        _ index: Int, _ noun: String, _ read: (JSON) -> Value?
    ) throws(BoardFormatError) -> Value {
        guard let value = read(try json(index)) else {
            throw BoardFormatError("It is not \(noun).", at: BoardFormatError.place(index))
        }
        return value
    }

    @inline(never)
    func string(_ index: Int) throws(BoardFormatError) -> String { try value(index, "a text") { $0.string } }
    @inline(never)
    func number(_ index: Int) throws(BoardFormatError) -> Double { try value(index, "a number") { $0.number } }
    @inline(never)
    func integer(_ index: Int) throws(BoardFormatError) -> Int { try value(index, "an integer") { $0.integer } }
    @inline(never)
    func bool(_ index: Int) throws(BoardFormatError) -> Bool { try value(index, "a boolean") { $0.bool } }

    func text(_ index: Int) throws(BoardFormatError) -> BoardText {
        let json = try json(index)
        do throws(BoardFormatError) {
            return try BoardText(json)
        } catch {
            throw error.within(BoardFormatError.place(index))
        }
    }

    func optionalString(_ index: Int) -> String? { values.indices.contains(index) ? values[index].string : nil }

    func strings(_ index: Int) throws(BoardFormatError) -> [String] {
        try json(index).list { json throws(BoardFormatError) in
            guard let text = json.string else { throw BoardFormatError("It is not a text.") }
            return text
        }
    }

    @inline(never)
    func operations(_ index: Int) throws(BoardFormatError) -> [ArtOperation] {
        try json(index).list { json throws(BoardFormatError) in try ArtOperation(json) }
    }

    /// A list of `count` numbers; `nil` for null.
    @inline(never)
    func numbers(_ index: Int, _ count: Int) throws(BoardFormatError) -> [Double]? {
        let json = try json(index)
        if json.isNull { return nil }
        guard case .array(let values) = json, values.count == count else {
            throw BoardFormatError("It is not a list of the expected numbers.", at: BoardFormatError.place(index))
        }
        return try json.list { json throws(BoardFormatError) in
            guard let number = json.number else { throw BoardFormatError("It is not a number.") }
            return number
        }
    }

    func pointerEvent() throws(BoardFormatError) -> BoardController.PointerEvent {
        let flags = try integer(4)
        return BoardController.PointerEvent(
            id: try integer(0), kind: BoardController.PointerKind.named(try string(1)) ?? .mouse,
            place: ViewPoint(x: try number(2), y: try number(3)), isMiddleButton: flags & 1 != 0,
            isAdding: flags & 2 != 0, isAltHeld: flags & 4 != 0, isShiftHeld: flags & 8 != 0, time: try number(5))
    }
}
