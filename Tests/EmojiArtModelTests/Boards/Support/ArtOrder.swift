@testable import BoardModel
@testable import EmojiArtModel

/// A new position in the drawing order.
enum ArtOrder: String, Hashable, Sendable, CaseIterable {
    /// In front of all other emoji.
    case front
    /// Behind all other emoji.
    case back
    /// One emoji further to the front.
    case forward
    /// One emoji further to the back.
    case backward

    /// The name of the undo step.
    var name: String {
        switch self {
        case .front: "Bring to Front"
        case .back: "Send to Back"
        case .forward: "Bring Forward"
        case .backward: "Send Backward"
        }
    }
}

extension ArtSelection {
    /// Returns operations that move the selected emoji in the drawing order; among themselves they keep their order.
    ///
    /// Each moved emoji gets a depth between those of its new neighbours. If there is no number left between these, all emoji
    /// of the board are renumbered. The result is empty if the order doesn't change. It takes O(*n*).
    func ordering(_ order: ArtOrder, on art: EmojiArt) -> [ArtOperation] {
        let wanted = arranged(order, of: art.emojis)
        guard zip(wanted, art.emojis).contains(where: { $0.id != $1.id }) else { return [] }
        let depths = depths(in: wanted) ?? wanted.indices.map(Double.init)
        return zip(wanted, depths).compactMap { emoji, z in emoji.z == z ? nil : .reorder(emoji.id, z: z) }
    }

    private func arranged(_ order: ArtOrder, of emojis: [Emoji]) -> [Emoji] {
        let (selected, others) = (emojis.filter { contains($0.id) }, emojis.filter { !contains($0.id) })
        switch order {
        case .front: return others + selected
        case .back: return selected + others
        case .forward: return movedTowardsBeginning(emojis.reversed()).reversed()
        case .backward: return movedTowardsBeginning(emojis)
        }
    }

    /// Moves each selected emoji one step towards the beginning, unless only selected ones are before it.
    private func movedTowardsBeginning(_ emojis: [Emoji]) -> [Emoji] {
        var result = emojis
        for index in result.indices.dropFirst() where contains(result[index].id) && !contains(result[index - 1].id) {
            result.swapAt(index, index - 1)
        }
        return result
    }

    /// Returns depths that give this order and change only the selected emoji's; `nil` if there are too few numbers between
    /// two neighbours.
    private func depths(in wanted: [Emoji]) -> [Double]? {
        var depths = wanted.map(\.z)
        var start = 0
        while let first = wanted[start...].firstIndex(where: { contains($0.id) }) {
            let end = wanted[first...].firstIndex { !contains($0.id) } ?? wanted.endIndex
            let below = first > 0 ? wanted[first - 1].z : nil
            let above = end < wanted.endIndex ? wanted[end].z : nil
            for index in first..<end {
                depths[index] = Self.depth(index - first, of: end - first, below: below, above: above)
            }
            let section = [below].compactMap(\.self) + depths[first..<end] + [above].compactMap(\.self)
            guard zip(section, section.dropFirst()).allSatisfy(<), section.allSatisfy(Emoji.isDepth) else { return nil }
            start = end
        }
        return depths
    }

    private static func depth(_ index: Int, of count: Int, below: Double?, above: Double?) -> Double {
        switch (below, above) {
        case (let below?, let above?): below + (above - below) * (Double(index + 1) / Double(count + 1))
        case (let below?, nil): below + Double(index + 1)
        case (nil, let above?): above - Double(count - index)
        case (nil, nil): Double(index)
        }
    }
}
