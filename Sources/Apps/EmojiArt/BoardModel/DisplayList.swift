#if canImport(ModelJSON)
    import ModelJSON
#endif

/// The emoji that a page draws, each with a slot: a small number by which the page knows it.
///
/// To redraw an emoji that has moved, a page needs only numbers, so an update has its slot and not its ID.
struct DisplayList: Sendable {
    private struct Slot: Sendable {
        var number: Int
        var text: String
    }

    private var slots: [EmojiID: Slot] = [:]
    private var free: [Int] = []

    /// The changes that a page has to make to its drawing.
    struct Update: Sendable {
        /// Slots that are free from now on.
        var removed: [Int] = []
        /// Emoji that are new, or have another text, and their slots.
        var added: [(slot: Int, emoji: Emoji)] = []
        /// For each emoji that looks different, also each of ``added``: slot, x, y, size, z, angle, and flags.
        ///
        /// The flags are 1 if it is flipped, and 2 if it is locked.
        var numbers: [Double] = []
        /// The slots from the back to the front; `nil` if the order hasn't changed.
        var order: [Double]?
    }

    /// Updates the slots and depths of these emoji from a board, and returns the changes for the page.
    ///
    /// The changes are in the same order on every machine: by slot, and then the new emoji by ID; on the first update, from
    /// back to front.
    mutating func update(_ changed: Set<EmojiID>, of art: EmojiArt, depths: inout [EmojiID: Double]) -> Update {
        var update = Update()
        var hasOtherOrder = false
        let ids = slots.isEmpty ? art.emojis.map { $0.id } : Array(changed)
        let numbers = ids.map { slots[$0]?.number ?? .max }
        let order = sortedIndices(slots.isEmpty ? 0 : ids.count) {
            numbers[$0] == numbers[$1] ? ids[$0] < ids[$1] : numbers[$0] < numbers[$1]
        }
        for index in ids.indices {
            let id = ids[order.isEmpty ? index : order[index]]
            let slot = slots[id]
            guard let emoji = art.emoji(id) else {
                guard let slot else { continue }
                slots[id] = nil
                depths[id] = nil
                free.append(slot.number)
                update.removed.append(slot.number)
                hasOtherOrder = true
                continue
            }
            if depths.updateValue(emoji.z, forKey: id) != emoji.z { hasOtherOrder = true }
            let number = slot?.number ?? free.popLast() ?? slots.count
            if !(slot?.text.isSame(as: emoji.text) ?? false) {
                slots[id] = Slot(number: number, text: emoji.text)
                update.added.append((number, emoji))
            }
            let flags = (emoji.isFlipped ? 1.0 : 0) + (emoji.isLocked ? 2 : 0)
            update.numbers += [Double(number), emoji.x, emoji.y, emoji.size, emoji.z, emoji.angle, flags]
        }
        if hasOtherOrder { update.order = art.emojis.map { Double(slots[$0.id]?.number ?? 0) } }
        return update
    }
}
