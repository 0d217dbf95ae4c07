// Rotating, mirroring, aligning and distributing emoji, as operations.

#if canImport(ModelJSON)
    import ModelJSON
#endif

/// A side, or a middle, of the common box of emoji.
public enum ArtSide: Hashable, Sendable, CaseIterable {
    /// The left side.
    case left
    /// The middle between left and right.
    case center
    /// The right side.
    case right
    /// The upper side.
    case top
    /// The middle between the upper and the lower side.
    case middle
    /// The lower side.
    case bottom
}

// MARK: - Rotating and mirroring

extension EmojiArt {
    /// The mean of the places of emoji, which stays the same while they are rotated around it.
    static func centroid(of emojis: [Emoji]) -> BoardPoint {
        let count = Double(emojis.count)
        let sum = emojis.reduce(BoardPoint.origin) { BoardPoint(x: $0.x + $1.x, y: $0.y + $1.y) }
        return BoardPoint(x: sum.x / count, y: sum.y / count)
    }

    /// The operations that rotate emoji clockwise around the mean of their places, by degrees.
    public func rotating(_ emojis: [Emoji], by degrees: Double) -> [ArtOperation] {
        let centroid = Self.centroid(of: emojis)
        let rotation = Rotation(degrees: degrees)
        return emojis.flatMap { emoji -> [ArtOperation] in
            let operation = ArtOperation.rotate(emoji.id, angle: Emoji.normalizedAngle(emoji.angle + degrees))
            if emojis.count == 1 { return [operation] }
            let offset = rotation.rotated(BoardPoint(x: emoji.x - centroid.x, y: emoji.y - centroid.y))
            let place = BoardPoint(x: centroid.x + offset.x, y: centroid.y + offset.y).onBoard
            return [operation, .move(emoji.id, x: place.x, y: place.y)]
        }
    }

    /// The operations that scale emoji around a fixed point, and rotate them around the mean of their places.
    ///
    /// In a gesture, the later of two moves of an emoji replaces the earlier one.
    public func pinching(
        _ emojis: [Emoji], by factor: Double, degrees: Double, around center: BoardPoint
    ) -> [ArtOperation] {
        let scaled = scaling(emojis, by: factor, around: center)
        var moved = emojis
        for index in moved.indices {
            if case .move(_, let x, let y) = scaled[2 * index + 1] { (moved[index].x, moved[index].y) = (x, y) }
        }
        return scaled + rotating(moved, by: degrees)
    }

    /// The operations that mirror emoji within their common box: left to right, or top to bottom.
    public func flipping(_ emojis: [Emoji], in box: BoardRect, isHorizontal: Bool) -> [ArtOperation] {
        emojis.flatMap { emoji -> [ArtOperation] in
            let angle = Emoji.normalizedAngle(isHorizontal ? -emoji.angle : 180 - emoji.angle)
            let operations: [ArtOperation] = [
                .flip(emoji.id, isFlipped: !emoji.isFlipped), .rotate(emoji.id, angle: angle),
            ]
            if emojis.count == 1 { return operations }
            let x = isHorizontal ? box.left + box.right - emoji.x : emoji.x
            let y = isHorizontal ? emoji.y : box.bottom + box.top - emoji.y
            let place = BoardPoint(x: x, y: y).onBoard
            return operations + [.move(emoji.id, x: place.x, y: place.y)]
        }
    }
}

// MARK: - Aligning

extension EmojiArt {
    /// The operations that move emoji to a side or the middle of their common box.
    ///
    /// - Parameters:
    ///   - emojis: The emoji.
    ///   - side: Where they are moved.
    ///   - all: Their common box.
    ///   - boxOf: Returns the box of one of them.
    /// - Returns: The moves, without those of emoji that are there already.
    public func aligning(
        _ emojis: [Emoji], to side: ArtSide, of all: BoardRect, boxOf: (Emoji) -> BoardRect
    ) -> [ArtOperation] {
        emojis.flatMap { emoji -> [ArtOperation] in
            let box = boxOf(emoji)
            switch side {
            case .left: return significantMoves(emoji, x: all.left - box.left, y: 0)
            case .center: return significantMoves(emoji, x: all.middle.x - box.middle.x, y: 0)
            case .right: return significantMoves(emoji, x: all.right - box.right, y: 0)
            case .top: return significantMoves(emoji, x: 0, y: all.top - box.top)
            case .middle: return significantMoves(emoji, x: 0, y: all.middle.y - box.middle.y)
            case .bottom: return significantMoves(emoji, x: 0, y: all.bottom - box.bottom)
            }
        }
    }

    /// The operations that move emoji so that the gaps between them are equal, from left to right or from top to bottom.
    ///
    /// - Parameters:
    ///   - emojis: The emoji.
    ///   - isHorizontal: Whether they are distributed from left to right.
    ///   - all: Their common box.
    ///   - boxOf: Returns the box of one of them.
    /// - Returns: The moves, without those of emoji that are there already.
    public func distributing(
        _ emojis: [Emoji], isHorizontal: Bool, in all: BoardRect, boxOf: (Emoji) -> BoardRect
    ) -> [ArtOperation] {
        func length(_ box: BoardRect) -> Double { isHorizontal ? box.width : box.height }
        let order = sortedIndices(emojis.count) { first, second in
            isHorizontal ? emojis[first].x < emojis[second].x : emojis[first].y > emojis[second].y
        }
        let ordered = order.map { emojis[$0] }
        let boxes = ordered.map { boxOf($0) }
        let total = boxes.reduce(0) { $0 + length($1) }
        let gap = ordered.count > 1 ? (length(all) - total) / Double(ordered.count - 1) : 0
        var offset = 0.0
        var operations: [ArtOperation] = []
        for (emoji, box) in zip(ordered, boxes) {
            let x = isHorizontal ? all.left + offset - box.left : 0
            let y = isHorizontal ? 0 : all.top - offset - box.top
            offset += length(box) + gap
            operations += significantMoves(emoji, x: x, y: y)
        }
        return operations
    }

    /// The move of an emoji; none if only the rounding of its place would change.
    private func significantMoves(_ emoji: Emoji, x: Double, y: Double) -> [ArtOperation] {
        abs(x) < 1e-6 && abs(y) < 1e-6 ? [] : moving([emoji], x: x, y: y)
    }
}
