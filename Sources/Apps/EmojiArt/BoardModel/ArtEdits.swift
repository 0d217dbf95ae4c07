// What commands and gestures do, as operations. Everything here is pure: no board is changed.

extension EmojiArt {
    /// The operations that move emoji by a distance in points, at most to the edge of the board.
    @inline(never)
    public func moving(_ emojis: [Emoji], x: Double, y: Double) -> [ArtOperation] {
        emojis.map { emoji in
            let place = BoardPoint(x: emoji.x + x, y: emoji.y + y).onBoard
            return .move(emoji.id, x: place.x, y: place.y)
        }
    }

    /// The operations that scale emoji by a factor around a point that stays.
    ///
    /// The factor is limited so that all sizes stay within the board's limits, and the proportions are preserved.
    public func scaling(_ emojis: [Emoji], by factor: Double, around center: BoardPoint) -> [ArtOperation] {
        let sizes = emojis.map { $0.size }
        guard let smallest = sizes.min(), let largest = sizes.max() else { return [] }
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
            let emoji = ClippedEmoji(text: text, x: place.x, y: place.y, size: size)
            operations.append(addition(emoji, depth: frontDepth + Double(index), using: &generator))
        }
        return operations
    }

    /// The operations that add unlocked copies of emoji at a distance from them, in front of all others and in the same
    /// order.
    public func copying(
        _ emojis: [ClippedEmoji], x: Double, y: Double, using generator: inout some RandomNumberGenerator
    ) -> [ArtOperation] {
        var operations: [ArtOperation] = []
        for (index, emoji) in emojis.enumerated() {
            var copy = emoji
            (copy.x, copy.y) = (emoji.x + x, emoji.y + y)
            operations.append(addition(copy, depth: frontDepth + Double(index), using: &generator))
        }
        return operations
    }

    private func addition(
        _ emoji: ClippedEmoji, depth: Double, using generator: inout some RandomNumberGenerator
    ) -> ArtOperation {
        let place = BoardPoint(x: emoji.x, y: emoji.y).onBoard
        return .add(
            Emoji(
                id: EmojiID(using: &generator), text: emoji.text, x: place.x, y: place.y,
                size: emoji.size.clamped(to: BoardLimits.sizes), z: depth, angle: Emoji.normalizedAngle(emoji.angle),
                isFlipped: emoji.isFlipped))
    }

    /// A place in the visible part of the board for a new emoji: the middle, or the nearest place without another emoji.
    ///
    /// On a crowded board, it only avoids the middles of others.
    public func freePlace(in visible: BoardRect, size: Double) -> BoardPoint {
        let (middle, half) = (visible.middle, size / 2)
        // The candidates are on a spiral, about one emoji apart: each is 2.4 radians further, close to the golden angle.
        var candidates: [BoardPoint] = []
        for turn in 0..<120 {
            let distance = 1.3 * size * Double(turn).squareRoot()
            let rotation = Rotation(degrees: Double(turn) * 2.4 * (180 / Double.pi))
            let place = BoardPoint(x: middle.x + distance * rotation.cosine, y: middle.y - distance * rotation.sine)
            let isVisible =
                place.x - half > visible.left && place.x + half < visible.right && place.y - half > visible.bottom
                && place.y + half < visible.top
            if isVisible { candidates.append(place) }
        }
        // A new emoji may cover a part of a much larger one.
        func leastDistance(to other: Emoji) -> Double { other.size > 3 * size ? size / 8 : 0.45 * (other.size + size) }
        let free = candidates.first { isFree($0, leastDistance(to:)) }
        return free ?? candidates.first { place in isFree(place) { _ in size / 8 } } ?? middle
    }

    /// Whether each emoji is at least its given distance away from a place, horizontally or vertically.
    private func isFree(_ place: BoardPoint, _ distance: (Emoji) -> Double) -> Bool {
        !emojis.contains { emoji in
            let least = distance(emoji)
            return abs(emoji.x - place.x) < least && abs(emoji.y - place.y) < least
        }
    }
}

/// An emoji on the clipboard, without an identifier, a depth or a lock.
public struct ClippedEmoji: Hashable, Sendable {
    /// The emoji.
    public var text: String
    /// How far its middle is to the right of the origin, in points.
    public var x: Double
    /// How far its middle is above the origin, in points.
    public var y: Double
    /// The side of its box, in points.
    public var size: Double
    /// How far it is rotated clockwise, in degrees.
    public var angle: Double
    /// Whether it is mirrored left to right, before it is rotated.
    public var isFlipped: Bool

    /// Creates an emoji at a place, by default upright.
    public init(text: String, x: Double, y: Double, size: Double, angle: Double = 0, isFlipped: Bool = false) {
        (self.text, self.x, self.y, self.size) = (text, x, y, size)
        (self.angle, self.isFlipped) = (angle, isFlipped)
    }

    /// An emoji of a board.
    public init(_ emoji: Emoji) {
        self.init(
            text: emoji.text, x: emoji.x, y: emoji.y, size: emoji.size, angle: emoji.angle, isFlipped: emoji.isFlipped)
    }
}
