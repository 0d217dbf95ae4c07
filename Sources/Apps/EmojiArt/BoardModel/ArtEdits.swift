// What commands and gestures do, as operations. Everything here is pure: no board is changed.

extension EmojiArt {
    /// The operations that move emoji by a distance in points; places beyond a board's edge become the nearest on it.
    public func moving(_ emojis: [Emoji], x: Double, y: Double) -> [ArtOperation] {
        emojis.map { emoji in
            let place = BoardPoint(x: emoji.x + x, y: emoji.y + y).onBoard
            return .move(emoji.id, x: place.x, y: place.y)
        }
    }

    /// The operations that scale emoji by a factor around a point that stays.
    ///
    /// The factor is limited so that each of them keeps to the sizes that a board takes; so their proportions stay.
    public func scaling(_ emojis: [Emoji], by factor: Double, around center: BoardPoint) -> [ArtOperation] {
        guard let smallest = emojis.map({ $0.size }).min(), let largest = emojis.map({ $0.size }).max() else { return [] }
        let (least, most) = (BoardLimits.sizes.lowerBound / smallest, BoardLimits.sizes.upperBound / largest)
        let allowed = Swift.min(Swift.max(factor, least), most)
        return emojis.flatMap { emoji -> [ArtOperation] in
            let place = BoardPoint(
                x: center.x + (emoji.x - center.x) * allowed, y: center.y + (emoji.y - center.y) * allowed
            ).onBoard
            return [
                .resize(emoji.id, size: (emoji.size * allowed).clamped(to: BoardLimits.sizes)),
                .move(emoji.id, x: place.x, y: place.y),
            ]
        }
    }

    /// The depth in front of all emoji.
    public var frontDepth: Double { (emojis.last?.z ?? 0) + 1 }

    /// The operations that add emoji with these texts in rows around a place, in front of all others.
    public func adding(
        _ texts: [String], around center: BoardPoint, size: Double, using generator: inout some RandomNumberGenerator
    ) -> [ArtOperation] {
        let columns = Swift.max(1, Int((Double(texts.count) * 1.6).squareRoot().rounded(.up)))
        let rows = (texts.count + columns - 1) / columns
        let gap = size * 1.35
        var operations: [ArtOperation] = []
        for (index, text) in texts.enumerated() {
            let row = index / columns
            let inRow = Swift.min(columns, texts.count - row * columns)
            let place = BoardPoint(
                x: center.x + (Double(index % columns) - Double(inRow - 1) / 2) * gap,
                y: center.y - (Double(row) - Double(rows - 1) / 2) * gap)
            operations.append(
                addition(text, at: place, size: size, depth: frontDepth + Double(index), using: &generator))
        }
        return operations
    }

    /// The operations that add copies of emoji at a distance from them, in front of all others and in the same order.
    public func copying(
        _ emojis: [ClippedEmoji], x: Double, y: Double, using generator: inout some RandomNumberGenerator
    ) -> [ArtOperation] {
        var operations: [ArtOperation] = []
        for (index, emoji) in emojis.enumerated() {
            let place = BoardPoint(x: emoji.x + x, y: emoji.y + y)
            operations.append(
                addition(emoji.text, at: place, size: emoji.size, depth: frontDepth + Double(index), using: &generator))
        }
        return operations
    }

    private func addition(
        _ text: String, at place: BoardPoint, size: Double, depth: Double,
        using generator: inout some RandomNumberGenerator
    ) -> ArtOperation {
        let place = place.onBoard
        return .add(
            Emoji(
                id: EmojiID(using: &generator), text: text, x: place.x, y: place.y,
                size: size.clamped(to: BoardLimits.sizes), z: depth))
    }

    /// A place near a point at which a new emoji hides no other: the point itself, or the first free one on a spiral around it.
    public func freePlace(near point: BoardPoint, size: Double) -> BoardPoint {
        for turn in 0..<60 {
            let distance = 1.3 * size * Double(turn).squareRoot()
            let (sine, cosine) = Spiral.direction(turn)
            let spot = BoardPoint(x: point.x + distance * cosine, y: point.y - distance * sine)
            let isTaken = emojis.contains { abs($0.x - spot.x) < size / 8 && abs($0.y - spot.y) < size / 8 }
            if !isTaken { return spot }
        }
        return point
    }
}

/// Directions that turn by 2.4 radians, which is close to the golden angle: computed by rotation, as there is no `sin` here.
private enum Spiral {
    /// The cosine and the sine of 2.4.
    private static let turn = (cosine: -0.7373937155412454, sine: 0.675463180551151)

    static func direction(_ count: Int) -> (sine: Double, cosine: Double) {
        var (sine, cosine) = (0.0, 1.0)
        for _ in 0..<count {
            (sine, cosine) = (
                sine * turn.cosine + cosine * turn.sine, cosine * turn.cosine - sine * turn.sine
            )
        }
        return (sine, cosine)
    }
}

/// An emoji on the clipboard, without a name or a depth.
public struct ClippedEmoji: Hashable, Sendable {
    /// The emoji.
    public var text: String
    /// How far its middle is to the right of the origin, in points.
    public var x: Double
    /// How far its middle is above the origin, in points.
    public var y: Double
    /// The side of its box, in points.
    public var size: Double

    /// An emoji at a place.
    public init(text: String, x: Double, y: Double, size: Double) {
        (self.text, self.x, self.y, self.size) = (text, x, y, size)
    }

    /// An emoji of a board.
    public init(_ emoji: Emoji) {
        self.init(text: emoji.text, x: emoji.x, y: emoji.y, size: emoji.size)
    }
}

/// What a step is called, such as “Move 🐶” or “Delete 3 emoji”.
public enum StepName {
    /// A verb and what it's done to.
    public static func of(_ verb: String, _ texts: [String], _ end: String = "") -> String {
        "\(verb) \(texts.count == 1 ? texts[0] : "\(texts.count) emoji")\(end)"
    }
}
