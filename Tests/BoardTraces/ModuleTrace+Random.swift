import BoardModel
import ModelJSON

extension ModuleTrace {
    /// A trace of random calls of all functions, also with arguments that they don't take.
    package static func random(seed: Int, count: Int) -> ModuleTrace {
        var caller = RandomCaller(seed: seed)
        for _ in 0..<count { caller.callAny() }
        caller.trace.call(.art)
        return caller.trace
    }
}

/// Makes random calls, as a page with an unreliable server and several people could.
private struct RandomCaller {
    var trace: ModuleTrace
    private var chance: BoardChance
    /// What the server has.
    private var (server, revision) = (EmojiArt(), 0)
    /// The server's log entries that haven't been delivered.
    private var entries: [JSON] = []
    /// The batch under way.
    private var sending: JSON?
    private var history = JSON.null
    private var copied = JSON.array([])
    private var time = 0.0

    init(seed: Int) {
        trace = ModuleTrace(seed: UInt64(truncatingIfNeeded: seed))
        chance = BoardChance(seed: seed)
        server = chance.board()
        trace.call(.open, [state])
        trace.call(.resize, [.number(800), .number(600)])
        trace.call(.measure, [.array(BoardChance.texts.map { .array([.string($0), .number(0.55)]) })])
    }

    private var state: JSON {
        .object(["revision": .number(Double(revision)), "epoch": .string("a"), "art": server.json])
    }

    mutating func callAny() {
        switch chance.number(in: 0..<24) {
        case 0...6: callChange()
        case 7...9: callCommand()
        case 10...13: callPointer()
        case 14...16: callView()
        case 17...20: callSending()
        case 21: callReceiving()
        case 22: callQuery()
        default: callWithoutArguments()
        }
    }

    private mutating func ids() -> JSON {
        .array((0..<chance.number(in: 0..<6)).map { _ in .string(chance.id().rawValue) })
    }

    private mutating func operations(_ count: Range<Int> = 1..<5) -> JSON {
        .array(chance.operations(count).filter { !$0.hasInvalidNumber }.map { $0.json })
    }

    private mutating func place() -> [JSON] {
        [.number(Double(chance.number(in: -50..<850))), .number(Double(chance.number(in: -50..<650)) / 2)]
    }

    private mutating func flag() -> JSON { .bool(chance.flag()) }

    private mutating func number(_ range: Range<Int>) -> JSON { .number(Double(chance.number(in: range))) }

    private mutating func text() -> JSON { .string(BoardChance.texts[chance.number(in: 0..<BoardChance.texts.count)]) }

    // MARK: - Changing

    private mutating func callChange() {
        switch chance.number(in: 0..<6) {
        case 0: trace.call(.undo, [number(1..<4)])
        case 1: trace.call(.redo, [number(1..<3)])
        case 2:
            history = trace.call(.history)["value"] ?? .null
            trace.call(.restoreHistory, [history])
        default: trace.call(.change, [text(), operations()])
        }
    }

    private mutating func callCommand() {
        let commands = BoardController.Command.allCases
        switch chance.number(in: 0..<12) {
        case 0: trace.call(.add, [flag(), .array([text(), text()]), chance.flag() ? .null : .array(place())])
        case 1: copied = trace.call(.copy, [flag()])["value"] ?? .null
        case 2: trace.call(.paste, [copied] + place())
        case 3: trace.call(.readCopied, [.object(["emojis": copied])])
        case 4: trace.call(.nudge, [number(-1..<2), number(-10..<11)])
        case 5: trace.call([.restNudge, .endNudge, .cancelNudge, .settle][chance.number(in: 0..<4)])
        case 6: trace.call(.select, [ids()])
        default: trace.call(.run, [.string(commands[chance.number(in: 0..<commands.count)].rawValue)])
        }
    }

    // MARK: - The page

    private mutating func callPointer() {
        time += Double(chance.number(in: 1..<400))
        let pointer: [JSON] =
            [number(1..<3), .string(["mouse", "touch", "pen"][chance.number(in: 0..<3)])] + place()
            + [number(0..<16), .number(time)]
        switch chance.number(in: 0..<14) {
        case 0...2: trace.call(.pointerDown, pointer)
        case 3...7: trace.call(.pointerMoved, pointer)
        case 8, 9: trace.call(.pointerUp, pointer)
        case 10: trace.call(.openMenu, [chance.flag() ? .null : .array(place())])
        case 11: trace.call(.holdSpace, [flag()])
        case 12: trace.call(.boardPoint, [chance.flag() ? .null : .array(place())])
        default: trace.call([.pointerLeft, .longPress, .cancelPointers][chance.number(in: 0..<3)])
        }
    }

    private mutating func callView() {
        let zoom = JSON.number(Double(chance.number(in: 1..<80)) / 16)
        switch chance.number(in: 0..<14) {
        case 0: trace.call(.resize, [number(0..<1000), number(1..<800)])
        case 1: trace.call(.openView, [chance.flag() ? .null : .array([zoom] + place())])
        case 2: trace.call(.setView, [zoom] + place())
        case 3: trace.call(.moveView, place())
        case 4: trace.call(.moveViewByKey, [number(-1..<2), number(-1..<2), flag()])
        case 5: trace.call(.zoomView, [zoom] + place())
        case 6: trace.call(.setPicture, [chance.flag() ? .null : .array([number(1..<2000), number(1..<2000)])])
        case 7: trace.call(.setReducedMotion, [flag()])
        case 8: trace.call(.measure, [.array([.array([text(), zoom])])])
        case 9:
            let obstacle = JSON.array(place() + place())
            trace.call(.barPlace, [number(100..<400), number(30..<60), number(0..<20), .array([obstacle])])
        case 10: trace.call(.describe, [.string(chance.id().rawValue), chance.flag() ? .null : text()])
        default:
            let functions: [BoardModule.Function] = [
                .content, .isContentVisible, .frame, .outlines, .keyboardOutline, .picture,
            ]
            trace.call(functions[chance.number(in: 0..<functions.count)])
        }
    }

    private mutating func callQuery() {
        let functions: [BoardModule.Function] = [
            .art, .undoNames, .redoNames, .history, .availability, .newEmojiSize, .sealAll,
        ]
        let index = chance.number(in: 0..<functions.count + 1)
        if index < functions.count { trace.call(functions[index]) } else { trace.call(.status, [flag()]) }
    }

    /// Calls any function without its arguments.
    private mutating func callWithoutArguments() {
        let functions = BoardModule.Function.allCases.filter { $0 != .open }
        trace.call(functions[chance.number(in: 0..<functions.count)])
    }

    // MARK: - The server

    /// Applies a batch on the server, which logs it.
    private mutating func serve(_ id: String, _ operations: [ArtOperation]) -> [RefusedOperation] {
        let outcome = server.apply(OperationBatch(id: id, name: "", operations: operations))
        guard !outcome.applied.isEmpty else { return outcome.refused }
        revision += 1
        entries.append(
            .object([
                "revision": .number(Double(revision)), "id": .string(id), "name": .string(""),
                "operations": .array(outcome.applied.map { $0.json }),
            ]))
        return outcome.refused
    }

    private mutating func callSending() {
        switch chance.number(in: 0..<8) {
        case 0: serveOther()
        case 1, 2, 3: deliver()
        case 4:
            guard let id = sending?["id"] else { return }
            trace.call(.batch, [id])
        default:
            guard let batch = sending else {
                let batch = trace.call(.nextBatch)["value"] ?? .null
                sending = batch.isNull ? nil : batch
                return
            }
            respond(to: batch)
        }
    }

    private mutating func serveOther() {
        _ = serve("other\(revision)", chance.operations(1..<4).filter { !$0.hasInvalidNumber })
    }

    private mutating func deliver() {
        guard !entries.isEmpty else { return }
        let count = chance.number(in: 1..<entries.count + 1)
        trace.call(.receiveEntries, [.array(Array(entries.prefix(count)))])
        entries.removeFirst(count)
    }

    private mutating func respond(to batch: JSON) {
        guard let id = batch["id"]?.string else { return }
        let (status, hasArrived) = (chance.number(in: 0..<6), chance.flag())
        var response = JSON.null
        if status < 4 || hasArrived {
            let operations = batch["operations"]?.array?.compactMap { try? ArtOperation($0) } ?? []
            let refused = serve(id, operations).map { refusal in
                JSON.object([
                    "index": .number(Double(refusal.index)), "reason": .string(refusal.reason.rawValue),
                    "message": .string("It was refused."),
                ])
            }
            response = .object(["revision": .number(Double(revision)), "refused": .array(refused)])
        }
        switch status {
        case 0..<4: trace.call(.receiveResponse, [.string(id), .number(200), response])
        case 4: trace.call(.receiveResponse, [.string(id), .number(503), .null])
        default: trace.call(.receiveResponse, [.string(id), .null, .null])
        }
        sending = nil
    }

    private mutating func callReceiving() {
        switch chance.number(in: 0..<14) {
        case 0: trace.call(.receiveRevision, [.number(Double(revision))])
        case 1:
            trace.call(.receiveState, [state])
            entries = []
        case 2:
            trace.call(.receiveLog, [state])
            entries = []
        case 3:
            trace.call(.receiveLog, [.object(["revision": .number(Double(revision)), "entries": .array(entries)])])
            entries = []
        case 4: trace.call(.requestFailed, [flag(), flag()])
        case 5: trace.call(.prepareToLeave, [number(0..<3000), sending?["id"] ?? .null, flag()])
        case 6:
            let batch = JSON.object([
                "id": .string("left\(revision)"), "name": .string("Left"), "operations": operations(),
                "parts": .array([]),
            ])
            trace.call(.inherit, [.array([batch]), sending?["id"] ?? .null])
        default:
            let functions: [BoardModule.Function] = [
                .follow, .unfollow, .streamOpened, .streamLost, .streamRefused, .entryIsLate, .poll, .receiveGone,
            ]
            trace.call(functions[chance.number(in: 0..<functions.count)])
        }
    }
}

extension ArtOperation {
    /// Whether a number of the operation can't be written as JSON.
    fileprivate var hasInvalidNumber: Bool {
        switch self {
        case .move(_, let x, let y): !x.isFinite || !y.isFinite
        case .reorder(_, let z): !z.isFinite
        case .add, .resize, .delete, .rotate, .flip, .lock, .setBackground: false
        }
    }
}
