/// What two have made of one list at the same time.
enum ListMerge {
    /// What both have added is there, what either has taken away is not, unless the other one has changed it.
    ///
    /// The order is that of the side that has moved items; if both have, the local one. What only the other has stands
    /// behind what it stands behind there. Each item of a list has another name. An item that both have is made of the
    /// local one, the foreign one, and the one of the base, if it was there.
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
            case (let mine?, let other?): both(mine, other, bases[name])
            // Taken away there, or not there yet; what was changed here stays.
            case (let mine?, nil): mine == bases[name] ? nil : mine
            case (nil, let other?): other == bases[name] ? nil : other
            case (nil, nil): nil
            }
        }
        let localOrder = local.map(name)
        let isReordered =
            localOrder.filter { bases[$0] != nil } != base.map(name).filter { locals[$0] != nil }
        let (leader, follower) = isReordered ? (localOrder, foreign.map(name)) : (foreign.map(name), localOrder)
        var order = leader
        var there = Set(leader)
        for (index, name) in follower.enumerated() where there.insert(name).inserted {
            let before = index > 0 ? order.firstIndex(of: follower[index - 1]) : nil
            order.insert(name, at: before.map { $0 + 1 } ?? 0)
        }
        return order.compactMap(survivor)
    }

    /// The same for items that are only there or not.
    static func merged<Item: Hashable>(_ local: [Item], _ foreign: [Item], from base: [Item]) -> [Item] {
        merged(local, foreign, from: base, by: { $0 }, both: { mine, _, _ in mine })
    }
}

extension PaletteList {
    /// What two have made of the same palettes at once: nothing that either has added is lost.
    ///
    /// Where both have given one palette another name, it has the local one.
    func merged(with foreign: PaletteList, from base: PaletteList) -> PaletteList {
        let all = ListMerge.merged(palettes, foreign.palettes, from: base.palettes, by: \.id) { mine, other, old in
            Palette(
                tolerating: mine.id, name: mine.name == old?.name ? other.name : mine.name,
                emojis: ListMerge.merged(mine.emojis, other.emojis, from: old?.emojis ?? []))
        }
        // Each has deleted what the other one left: somebody's last palette stays.
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
