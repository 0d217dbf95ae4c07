/// Where a command moves emoji in the order in which a board is drawn.
public enum ArtOrder: String, Hashable, Sendable, CaseIterable {
    /// In front of all others.
    case front
    /// In front of the next one that they overlap.
    case forward
    /// Behind the next one that they overlap.
    case backward
    /// Behind all others.
    case back
}

extension EmojiArt {
    /// The operations that change the depths of emoji; none if they are there already, or there are no others.
    ///
    /// Takes O(*n*) for the front and the back, and O(*n* · *k*) for a step past the next of *k* emoji.
    public func reordering(_ ids: Set<EmojiID>, to order: ArtOrder) -> [ArtOperation] {
        let chosen = emojis.filter { ids.contains($0.id) }
        let others = emojis.filter { !ids.contains($0.id) }
        guard !chosen.isEmpty, !others.isEmpty else { return [] }
        let index =
            switch order {
            case .front: others.count
            case .back: 0
            case .forward, .backward: place(of: chosen, among: others, isForward: order == .forward)
            }
        let wanted = Array(others[..<index]) + chosen + Array(others[index...])
        if zip(wanted, emojis).allSatisfy({ $0.id == $1.id }) { return [] }
        let behind = index > 0 ? others[index - 1].z : nil
        let front = index < others.count ? others[index].z : nil
        return Self.depths(of: chosen, behind: behind, front: front) ?? Self.renumbering(wanted)
    }

    /// How many of the others are behind the chosen emoji after their step.
    private func place(of chosen: [Emoji], among others: [Emoji], isForward: Bool) -> Int {
        let places = emojis.indices.filter { index in chosen.contains { $0.id == emojis[index].id } }
        guard let first = places.first, let last = places.last else { return 0 }
        let beyond = isForward ? Array(emojis[(last + 1)...]) : emojis[..<first].reversed()
        // Passing one that they don't overlap would show no difference.
        let next = beyond.first { other in chosen.contains { $0.overlaps(other) } } ?? beyond.first
        guard let next else { return isForward ? others.count : 0 }
        let place = others.firstIndex { $0.id == next.id } ?? 0
        return place + (isForward ? 1 : 0)
    }

    /// Depths between two others; `nil` if there are no numbers left between them.
    private static func depths(of chosen: [Emoji], behind: Double?, front: Double?) -> [ArtOperation]? {
        let room = Double(chosen.count + 1)
        let low = behind ?? (front ?? 0) - room
        let high = front ?? low + room
        let step = (high - low) / room
        var last = low
        var operations: [ArtOperation] = []
        for (index, emoji) in chosen.enumerated() {
            let z = low + step * Double(index + 1)
            guard z > last, z < high, abs(z) < BoardLimits.depth else { return nil }
            operations.append(.reorder(emoji.id, z: z))
            last = z
        }
        return operations
    }

    private static func renumbering(_ wanted: [Emoji]) -> [ArtOperation] {
        wanted.enumerated().compactMap { index, emoji in
            emoji.z == Double(index) ? nil : .reorder(emoji.id, z: Double(index))
        }
    }
}

extension Emoji {
    fileprivate func overlaps(_ other: Emoji) -> Bool {
        let reach = (size + other.size) / 2
        return abs(x - other.x) < reach && abs(y - other.y) < reach
    }
}
