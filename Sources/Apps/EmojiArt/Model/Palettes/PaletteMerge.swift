/// A three-way merge of lists.
enum ListMerge {
    /// Merges two versions of a list: keeps the items that either side has added, and removes those that one side has
    /// deleted and the other hasn't changed.
    ///
    /// The order is that of the side that has reordered items; if both have, the local one. An item that only the other
    /// side has is inserted after its predecessor on that side. Names must be unique within a list. `both` merges an
    /// item that both sides have, given the local one, the foreign one, and the base's, if any.
    static func merged<Item: Equatable, Name: Hashable>(
        _ local: [Item], _ foreign: [Item], from base: [Item], by name: (Item) -> Name,
        both: (Item, Item, Item?) -> Item
    ) -> [Item] {
        func named(_ items: [Item]) -> [Name: Item] {
            Dictionary(items.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
        }
        let (locals, foreigns, bases) = (named(local), named(foreign), named(base))
        func survivor(_ name: Name) -> Item? {
            switch (locals[name], foreigns[name]) {
            case (let local?, let foreign?): both(local, foreign, bases[name])
            // One side has deleted the item, or the other has added it; a change wins over a deletion.
            case (let local?, nil): local == bases[name] ? nil : local
            case (nil, let foreign?): foreign == bases[name] ? nil : foreign
            case (nil, nil): nil
            }
        }
        let localOrder = local.map(name)
        let isReordered =
            localOrder.filter { bases[$0] != nil } != base.map(name).filter { locals[$0] != nil }
        let (leader, follower) = isReordered ? (localOrder, foreign.map(name)) : (foreign.map(name), localOrder)
        var order = leader
        var placed = Set(leader)
        for (index, name) in follower.enumerated() where placed.insert(name).inserted {
            let before = index > 0 ? order.firstIndex(of: follower[index - 1]) : nil
            order.insert(name, at: before.map { $0 + 1 } ?? 0)
        }
        return order.compactMap(survivor)
    }

    /// Merges lists of items that have no contents of their own.
    static func merged<Item: Hashable>(_ local: [Item], _ foreign: [Item], from base: [Item]) -> [Item] {
        merged(local, foreign, from: base, by: { $0 }, both: { local, _, _ in local })
    }
}

extension PaletteList {
    /// Merges two versions of the same palettes, so that no addition is lost.
    ///
    /// If both sides have renamed a palette, the local name wins.
    func merged(with foreign: PaletteList, from base: PaletteList) -> PaletteList {
        let all = ListMerge.merged(palettes, foreign.palettes, from: base.palettes, by: \.id) {
            localPalette, foreignPalette, old in
            Palette(
                tolerating: localPalette.id,
                name: localPalette.name == old?.name ? foreignPalette.name : localPalette.name,
                emojis: ListMerge.merged(localPalette.emojis, foreignPalette.emojis, from: old?.emojis ?? []))
        }
        // Each side has deleted all palettes that the other side still has: the local palettes stay.
        guard var merged = PaletteList(all) else { return self }
        let isMoved = current.id != base.current.id
        let shown = isMoved ? [current.id, foreign.current.id] : [foreign.current.id, current.id]
        for id in shown {
            guard let place = merged.palettes.firstIndex(where: { $0.id == id }) else { continue }
            merged.cursor = place
            return merged
        }
        merged.cursor = min(foreign.cursor, merged.palettes.count - 1)
        return merged
    }
}
