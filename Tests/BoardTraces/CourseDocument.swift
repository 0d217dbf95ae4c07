package import BoardModel
package import Foundation
import ModelJSON
import SeededChance

/// A rectangle like CGRect, with y growing downwards.
package struct CourseRect: Equatable {
    package var (x, y, width, height) = (0.0, 0.0, 0.0, 0.0)

    package var midX: Double { x + width / 2 }
    package var midY: Double { y + height / 2 }

    package func union(_ other: CourseRect) -> CourseRect {
        let (left, top) = (min(x, other.x), min(y, other.y))
        return CourseRect(
            x: left, y: top, width: max(x + width, other.x + other.width) - left,
            height: max(y + height, other.y + other.height) - top)
    }
}

/// The course's document and its view: a board, its zoom and pan, and the intents.
///
/// The intents identify emoji by their indices in the board's list.
package struct CourseDocument {
    package var art = CourseArt()
    package var zoom = 1.0
    package var pan = (width: 0.0, height: 0.0)
    package var size = (width: 800.0, height: 600.0)
    private var undos: [CourseArt] = []
    private var redos: [CourseArt] = []

    package init() {}

    // Takes a snapshot of the whole model, as `undoablyPerform` does.
    private mutating func undoably(_ change: (inout CourseArt) -> Void) {
        undos.append(art)
        redos = []
        change(&art)
    }

    package mutating func undo() {
        guard let last = undos.popLast() else { return }
        redos.append(art)
        art = last
    }

    // An undo registers its own undo, which the undo manager treats as a redo.
    package mutating func redo() {
        guard let last = redos.popLast() else { return }
        undos.append(art)
        art = last
    }

    package mutating func drop(_ emoji: String, at location: (x: Double, y: Double)) {
        let position = CourseArt.Position(
            x: Int((location.x - size.width / 2 - pan.width) / zoom),
            y: Int(-(location.y - size.height / 2 - pan.height) / zoom))
        let side = Int(40 / zoom)
        undoably { $0.addEmoji(emoji, at: position, size: side) }
    }

    package mutating func drag(_ indices: [Int], by translation: (width: Double, height: Double)) {
        let offset = (x: Int(translation.width / zoom), y: Int(-translation.height / zoom))
        let ids = indices.map { art.emojis[$0].id }
        undoably { art in
            for id in ids {
                guard let position = art[id]?.position else { continue }
                art[id]?.position = CourseArt.Position(x: position.x + offset.x, y: position.y + offset.y)
            }
        }
    }

    package mutating func pinch(_ indices: [Int], by scale: Double) {
        guard !indices.isEmpty else {
            zoom *= scale
            return
        }
        let ids = indices.map { art.emojis[$0].id }
        undoably { art in
            for id in ids {
                guard let size = art[id]?.size else { continue }
                art[id]?.size = Int((Double(size) * scale).rounded(.toNearestOrAwayFromZero))
            }
        }
    }

    package mutating func delete(_ indices: [Int]) {
        let ids = indices.map { art.emojis[$0].id }
        undoably { art in
            for id in ids { art.remove(id) }
        }
    }

    package mutating func setBackground(_ address: String?) {
        undoably { $0.background = address.flatMap { URL(string: $0) } }
    }

    package static func box(of emoji: CourseArt.Emoji) -> CourseRect {
        let side = Double(emoji.size)
        return CourseRect(
            x: Double(emoji.position.x) - side / 2, y: -Double(emoji.position.y) - side / 2, width: side, height: side)
    }

    /// The bounds of all emoji, starting from a rectangle at zero, so they always contain the origin.
    package var bbox: CourseRect {
        art.emojis.reduce(CourseRect()) { $0.union(Self.box(of: $1)) }
    }

    package mutating func zoomToFit() {
        let rect = bbox
        guard rect.width > 0, rect.height > 0, size.width > 0, size.height > 0 else { return }
        zoom = min(size.width / rect.width, size.height / rect.height)
        pan = (-rect.midX * zoom, -rect.midY * zoom)
    }

    /// Returns the URL in a query item `imgurl` with exactly one equals sign; the given URL if there is no such item.
    package static func imageURL(_ url: URL) -> URL {
        for query in url.query?.components(separatedBy: "&") ?? [] {
            let parts = query.components(separatedBy: "=")
            if parts.count == 2, parts[0] == "imgurl", let inner = URL(string: parts[1].removingPercentEncoding ?? "") {
                return inner
            }
        }
        return url
    }
}

/// This app's board, driven by the same intents: by the functions that a page calls.
package struct OwnDocument: Sendable {
    /// The calls so far.
    package private(set) var trace: ModuleTrace
    package private(set) var art = EmojiArt()
    package private(set) var view = ArtView()
    private let size = ViewSize(width: 800, height: 600)
    private var chance = SeededChance(seed: 2)

    package init(seed: UInt64 = 1) {
        trace = ModuleTrace(seed: seed)
        let state: JSON = .object(["revision": .number(0), "epoch": .string("a"), "art": art.json])
        call(.open, [state])
        call(.resize, [.number(size.width), .number(size.height)])
        show(ArtView())
    }

    /// Calls a function, and takes over what is shown then.
    @discardableResult
    private mutating func call(_ function: BoardModule.Function, _ arguments: [JSON] = []) -> JSON {
        let outcome = trace.call(function, arguments)
        if let numbers = outcome["effects"]?["view"]?.array?.compactMap({ $0.number }), numbers.count == 3 {
            view = ArtView(zoom: numbers[0], pan: ViewPoint(x: numbers[1], y: numbers[2]))
        }
        return outcome["value"] ?? .null
    }

    /// Calls a function that changes the board.
    private mutating func change(_ function: BoardModule.Function, _ arguments: [JSON]) {
        call(function, arguments)
        do throws(BoardFormatError) {
            art = try EmojiArt(call(.art))
        } catch {
            preconditionFailure("The module's board can't be read: \(error)")
        }
    }

    private mutating func show(_ view: ArtView) {
        call(.setView, [.number(view.zoom), .number(view.pan.x), .number(view.pan.y)])
    }

    /// Performs operations as one step.
    private mutating func perform(_ operations: [ArtOperation]) {
        change(.change, [.string("Step"), .array(operations.map { $0.json })])
    }

    package mutating func undo() { change(.undo, [.number(1)]) }

    package mutating func redo() { change(.redo, [.number(1)]) }

    /// Adds an emoji as large as the course's are.
    package mutating func drop(_ text: String, at location: (x: Double, y: Double)) {
        guard let point = call(.boardPoint, [.numbers(location.x, location.y)]).array?.compactMap({ $0.number }) else {
            preconditionFailure("The view has no such place.")
        }
        // JavaScript writes a negative zero without its sign; adding zero removes it.
        let emoji = Emoji(
            id: EmojiID(using: &chance), text: text, x: point[0] + 0, y: point[1] + 0,
            size: (40 / view.zoom).clamped(to: BoardLimits.sizes), z: art.frontDepth)
        perform([.add(emoji)])
    }

    /// Adds an emoji from the palette.
    package mutating func add(_ text: String, at location: (x: Double, y: Double)) {
        let point = call(.boardPoint, [.numbers(location.x, location.y)])
        change(.add, [.bool(false), .array([.string(text)]), point])
    }

    package mutating func drag(_ indices: [Int], by translation: (width: Double, height: Double)) {
        let (x, y) = (translation.width / view.zoom, translation.height / view.zoom)
        perform(indices.map { art.emojis[$0] }.map { .move($0.id, x: $0.x + x, y: $0.y - y) })
    }

    package mutating func pinch(_ indices: [Int], by scale: Double) {
        if indices.isEmpty {
            call(.zoomView, [.number(scale), .number(size.width / 2), .number(size.height / 2)])
            return
        }
        perform(
            indices.map { art.emojis[$0] }.map { emoji in
                .resize(emoji.id, size: (emoji.size * scale).clamped(to: BoardLimits.sizes))
            })
    }

    package mutating func delete(_ indices: [Int]) {
        call(.select, [.array(indices.map { .string(art.emojis[$0].id.rawValue) })])
        change(.run, [.string(BoardController.Command.delete.rawValue)])
    }

    package mutating func setBackground(_ address: String?) {
        perform([.setBackground(address.map(Background.address) ?? .blank)])
    }

    package mutating func zoomToFit() {
        // The course leaves no margin and has no zoom limit.
        if let bounds = art.bounds(), let view = ArtView.fitting(bounds, in: size, margin: 0, zoomLimit: .infinity) {
            show(view)
        }
    }
}

/// Both documents, side by side.
package struct BothDocuments {
    package private(set) var course = CourseDocument()
    package private(set) var own = OwnDocument()

    package init() {}

    package mutating func drop(_ text: String, at location: (x: Double, y: Double)) {
        course.drop(text, at: location)
        own.drop(text, at: location)
    }

    package mutating func drag(_ indices: [Int], by translation: (width: Double, height: Double)) {
        course.drag(indices, by: translation)
        own.drag(indices, by: translation)
    }

    package mutating func pinch(_ indices: [Int], by scale: Double) {
        course.pinch(indices, by: scale)
        own.pinch(indices, by: scale)
    }

    package mutating func delete(_ indices: [Int]) {
        course.delete(indices)
        own.delete(indices)
    }

    package mutating func setBackground(_ address: String?) {
        course.setBackground(address)
        own.setBackground(address)
    }

    package mutating func undo() {
        course.undo()
        own.undo()
    }

    package mutating func redo() {
        course.redo()
        own.redo()
    }

    package mutating func zoomToFit() {
        course.zoomToFit()
        own.zoomToFit()
    }
}

extension BothDocuments {
    /// Performs random steps whose numbers stay whole, so that both show the same after each of them.
    ///
    /// The zooms keep the coordinates of dragged and dropped emoji whole.
    ///
    /// - Parameters:
    ///   - seed: Determines the steps.
    ///   - check: Called after each step.
    /// - Returns: Both documents after the steps.
    /// - Throws: What `check` throws.
    package static func walk(seed: Int, check: (BothDocuments) throws -> Void) rethrows -> BothDocuments {
        var chance = BoardChance(seed: seed)
        var both = BothDocuments()
        // The zoom is two to this power: from a half to 4.
        var power = 0
        for _ in 0..<40 {
            let places = both.course.art.emojis.indices.filter { _ in chance.number(in: 0..<3) == 0 }
            // These are whole numbers on the board at each of the zooms.
            let (x, y) = (Double(chance.number(in: -40..<40) * 8), Double(chance.number(in: -30..<30) * 8))
            switch chance.number(in: 0..<10) {
            case 0, 1: both.drop(chance.flag() ? "🐶" : "👨‍👩‍👧", at: (400 + x, 300 + y))
            case 2...3 where !places.isEmpty && (x, y) != (0, 0): both.drag(places, by: (x, y))
            case 4 where !places.isEmpty: both.pinch(places, by: 2)
            case 4:
                both.pinch([], by: power < 2 ? 2 : 0.125)
                power += power < 2 ? 1 : -3
            case 5 where !places.isEmpty: both.delete(places)
            case 6:
                both.setBackground(chance.flag() ? "https://example.com/\(chance.number(in: 0..<9)).png" : nil)
            case 7, 8: both.undo()
            case 9: both.redo()
            default: break
            }
            try check(both)
        }
        return both
    }
}
