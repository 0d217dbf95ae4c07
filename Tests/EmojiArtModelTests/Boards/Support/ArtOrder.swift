@testable import EmojiArtModel

/// Where in the order of the emoji something is to go.
enum ArtOrder: String, Hashable, Sendable, CaseIterable {
    /// In front of all others.
    case front
    /// Behind all others.
    case back
    /// In front of the next one.
    case forward
    /// Behind the next one.
    case backward

    /// What the step is called.
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
    /// Brings what is picked out to the front or to the back; among themselves, they stay in their order.
    ///
    /// Each gets a depth between those of its new neighbours. Where there is no number left between these, all of the
    /// board are numbered anew. It takes O(*n*). Nothing is returned where they are there already.
    func ordering(_ order: ArtOrder, on art: EmojiArt) -> [ArtOperation] {
        let wanted = arranged(order, of: art.emojis)
        guard zip(wanted, art.emojis).contains(where: { $0.id != $1.id }) else { return [] }
        let depths = depths(in: wanted) ?? wanted.indices.map(Double.init)
        return zip(wanted, depths).compactMap { emoji, z in emoji.z == z ? nil : .reorder(emoji.id, z: z) }
    }

    private func arranged(_ order: ArtOrder, of emojis: [Emoji]) -> [Emoji] {
        let (picked, others) = (emojis.filter { contains($0.id) }, emojis.filter { !contains($0.id) })
        switch order {
        case .front: return others + picked
        case .back: return picked + others
        case .forward: return steppedForward(emojis.reversed()).reversed()
        case .backward: return steppedForward(emojis)
        }
    }

    /// Each that is picked out, one step nearer to the beginning; those that are there already stay.
    private func steppedForward(_ emojis: [Emoji]) -> [Emoji] {
        var result = emojis
        for index in result.indices.dropFirst() where contains(result[index].id) && !contains(result[index - 1].id) {
            result.swapAt(index, index - 1)
        }
        return result
    }

    /// A depth for each such that they are drawn in that order, and only those that are picked out get another one;
    /// `nil` if there are not enough numbers between two neighbours.
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
            let known = [below].compactMap(\.self) + depths[first..<end] + [above].compactMap(\.self)
            guard zip(known, known.dropFirst()).allSatisfy(<), known.allSatisfy(Emoji.isDepth) else { return nil }
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
