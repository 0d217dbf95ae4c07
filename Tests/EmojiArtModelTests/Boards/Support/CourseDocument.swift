import Foundation
import SeededChance
import Testing

@testable import EmojiArtModel

/// A rectangle like CGRect, with y growing downwards.
struct CourseRect: Equatable {
    var (x, y, width, height) = (0.0, 0.0, 0.0, 0.0)

    var midX: Double { x + width / 2 }
    var midY: Double { y + height / 2 }

    func union(_ other: CourseRect) -> CourseRect {
        let (left, top) = (min(x, other.x), min(y, other.y))
        return CourseRect(
            x: left, y: top, width: max(x + width, other.x + other.width) - left,
            height: max(y + height, other.y + other.height) - top)
    }
}

/// The course's document and its view: a board, its zoom and pan, and the intents.
///
/// The intents identify emoji by their indices in the board's list.
struct CourseDocument {
    var art = CourseArt()
    var zoom = 1.0
    var pan = (width: 0.0, height: 0.0)
    var size = (width: 800.0, height: 600.0)
    private var undos: [CourseArt] = []
    private var redos: [CourseArt] = []

    // Takes a snapshot of the whole model, as `undoablyPerform` does.
    private mutating func undoably(_ change: (inout CourseArt) -> Void) {
        undos.append(art)
        redos = []
        change(&art)
    }

    mutating func undo() {
        guard let last = undos.popLast() else { return }
        redos.append(art)
        art = last
    }

    // An undo registers its own undo, which the undo manager treats as a redo.
    mutating func redo() {
        guard let last = redos.popLast() else { return }
        undos.append(art)
        art = last
    }

    mutating func drop(_ emoji: String, at location: (x: Double, y: Double)) {
        let position = CourseArt.Position(
            x: Int((location.x - size.width / 2 - pan.width) / zoom),
            y: Int(-(location.y - size.height / 2 - pan.height) / zoom))
        let side = Int(40 / zoom)
        undoably { $0.addEmoji(emoji, at: position, size: side) }
    }

    mutating func drag(_ indices: [Int], by translation: (width: Double, height: Double)) {
        let offset = (x: Int(translation.width / zoom), y: Int(-translation.height / zoom))
        let ids = indices.map { art.emojis[$0].id }
        undoably { art in
            for id in ids {
                guard let position = art[id]?.position else { continue }
                art[id]?.position = CourseArt.Position(x: position.x + offset.x, y: position.y + offset.y)
            }
        }
    }

    mutating func pinch(_ indices: [Int], by scale: Double) {
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

    mutating func delete(_ indices: [Int]) {
        let ids = indices.map { art.emojis[$0].id }
        undoably { art in
            for id in ids { art.remove(id) }
        }
    }

    mutating func setBackground(_ address: String?) {
        undoably { $0.background = address.flatMap { URL(string: $0) } }
    }

    static func box(of emoji: CourseArt.Emoji) -> CourseRect {
        let side = Double(emoji.size)
        return CourseRect(
            x: Double(emoji.position.x) - side / 2, y: -Double(emoji.position.y) - side / 2, width: side, height: side)
    }

    /// The bounds of all emoji, starting from a rectangle at zero, so they always contain the origin.
    var bbox: CourseRect {
        art.emojis.reduce(CourseRect()) { $0.union(Self.box(of: $1)) }
    }

    mutating func zoomToFit() {
        let rect = bbox
        guard rect.width > 0, rect.height > 0, size.width > 0, size.height > 0 else { return }
        zoom = min(size.width / rect.width, size.height / rect.height)
        pan = (-rect.midX * zoom, -rect.midY * zoom)
    }

    /// Returns the URL in a query item `imgurl` with exactly one equals sign; the given URL if there is no such item.
    static func imageURL(_ url: URL) -> URL {
        for query in url.query?.components(separatedBy: "&") ?? [] {
            let parts = query.components(separatedBy: "=")
            if parts.count == 2, parts[0] == "imgurl", let inner = URL(string: parts[1].removingPercentEncoding ?? "") {
                return inner
            }
        }
        return url
    }
}

/// This app's board, driven by the same intents.
struct OwnDocument {
    private(set) var art = EmojiArt()
    private(set) var view = ArtView()
    let size = ViewSize(width: 800, height: 600)
    private var chance = SeededChance(seed: 1)
    private var undos: [[ArtOperation]] = []
    private var redos: [[ArtOperation]] = []

    private mutating func perform(_ operations: [ArtOperation]) {
        undos.append(art.inverse(of: operations))
        redos = []
        apply(operations)
    }

    private mutating func apply(_ operations: [ArtOperation]) {
        #expect(art.apply(OperationBatch(id: "a", name: "", operations: operations)).refused.isEmpty)
    }

    private func selection(_ indices: [Int]) -> ArtSelection { ArtSelection(indices.map { art.emojis[$0].id }) }

    mutating func undo() {
        guard let last = undos.popLast() else { return }
        redos.append(art.inverse(of: last))
        apply(last)
    }

    mutating func redo() {
        guard let last = redos.popLast() else { return }
        undos.append(art.inverse(of: last))
        apply(last)
    }

    mutating func drop(_ text: String, at location: (x: Double, y: Double)) {
        let point = view.boardPoint(at: ViewPoint(x: location.x, y: location.y), in: size)
        let emoji = Emoji(
            id: EmojiID(using: &chance), text: text, x: point.x, y: point.y, size: view.sizeOfDroppedEmoji,
            z: art.frontDepth)
        perform([.add(emoji)])
    }

    mutating func drag(_ indices: [Int], by translation: (width: Double, height: Double)) {
        let offset = view.boardOffset(of: ViewPoint(x: translation.width, y: translation.height))
        perform(selection(indices).moving(by: offset, on: art))
    }

    mutating func pinch(_ indices: [Int], by scale: Double) {
        if let operations = selection(indices).scaling(by: scale, on: art) {
            perform(operations)
        } else {
            view.zoom(by: scale)
        }
    }

    mutating func delete(_ indices: [Int]) {
        perform(selection(indices).deleting(on: art))
    }

    mutating func setBackground(_ address: String?) {
        perform([.setBackground(address.map(Background.address) ?? .blank)])
    }

    mutating func zoomToFit() {
        // The course leaves no margin and has no zoom limit.
        if let bounds = art.bounds(), let view = ArtView.fitting(bounds, in: size, margin: 0, zoomLimit: .infinity) {
            self.view = view
        }
    }
}

/// Both documents, side by side.
struct BothDocuments {
    private(set) var course = CourseDocument()
    private(set) var own = OwnDocument()

    mutating func drop(_ text: String, at location: (x: Double, y: Double)) {
        course.drop(text, at: location)
        own.drop(text, at: location)
    }

    mutating func drag(_ indices: [Int], by translation: (width: Double, height: Double)) {
        course.drag(indices, by: translation)
        own.drag(indices, by: translation)
    }

    mutating func pinch(_ indices: [Int], by scale: Double) {
        course.pinch(indices, by: scale)
        own.pinch(indices, by: scale)
    }

    mutating func delete(_ indices: [Int]) {
        course.delete(indices)
        own.delete(indices)
    }

    mutating func setBackground(_ address: String?) {
        course.setBackground(address)
        own.setBackground(address)
    }

    mutating func undo() {
        course.undo()
        own.undo()
    }

    mutating func redo() {
        course.redo()
        own.redo()
    }

    mutating func zoomToFit() {
        course.zoomToFit()
        own.zoomToFit()
    }
}
