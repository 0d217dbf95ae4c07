/// The palettes of a store and the selected one; never empty, with unique ids.
///
/// The cursor follows its palette when others are moved, added or deleted.
public struct PaletteList: Hashable, Sendable {
    /// The palettes, in their order.
    public private(set) var palettes: [Palette]
    /// The index of the selected palette, always valid.
    private var index: Int

    /// Creates a list of palettes and the index of the selected one; `nil` if there are no palettes.
    ///
    /// A palette with a duplicate id gets a new id.
    public init?(_ palettes: [Palette], cursor: Int = 0) {
        guard !palettes.isEmpty else { return nil }
        self.palettes = Self.renumbered(palettes)
        self.index = 0
        self.cursor = cursor
    }

    /// The palettes with unique ids: otherwise an edit could change the wrong one.
    ///
    /// The new ids are the same each time the palettes are decoded.
    private static func renumbered(_ palettes: [Palette]) -> [Palette] {
        var taken: Set<Int> = []
        var next = (palettes.map(\.id).max() ?? 0)
        return palettes.map { palette in
            if taken.insert(palette.id).inserted { return palette }
            repeat { next = next &+ 1 } while !taken.insert(next).inserted
            return palette.renumbered(next)
        }
    }
}

// MARK: - The chooser

extension PaletteList {
    /// The index of the selected palette; an index out of range wraps around.
    public var cursor: Int {
        get { index }
        set {
            let remainder = newValue % palettes.count
            index = remainder < 0 ? remainder + palettes.count : remainder
        }
    }

    /// The selected palette.
    public var current: Palette { palettes[index] }

    /// The palette with an id; throws ``PaletteError/noPalette`` if there is none.
    public func palette(_ id: Palette.ID) throws(PaletteError) -> Palette {
        palettes[try place(of: id)]
    }

    /// Selects a palette; throws ``PaletteError/noPalette`` if there is none with this id.
    public mutating func show(_ id: Palette.ID) throws(PaletteError) {
        index = try place(of: id)
    }

    private func place(of id: Palette.ID) throws(PaletteError) -> Int {
        guard let place = palettes.firstIndex(where: { $0.id == id }) else { throw .noPalette }
        return place
    }
}

// MARK: - The list

extension PaletteList {
    /// Replaces the palettes; if there are none, changes nothing and returns `false`.
    @discardableResult
    public mutating func replace(with palettes: [Palette]) -> Bool {
        guard !palettes.isEmpty else { return false }
        let shown = current.id
        self.palettes = Self.renumbered(palettes)
        follow(shown)
        return true
    }

    /// Inserts a palette at an index, clamped to the list; a palette with the same id is replaced and moved.
    ///
    /// Without an index, it is inserted at the cursor and selected.
    ///
    /// - Throws: ``PaletteError/tooManyPalettes``.
    public mutating func insert(_ palette: Palette, at place: Int? = nil) throws(PaletteError) {
        let shown = place == nil ? palette.id : current.id
        let place = place ?? index
        if let old = palettes.firstIndex(where: { $0.id == palette.id }) {
            palettes.remove(at: old)
        } else if palettes.count >= BoardLimits.palettes {
            throw .tooManyPalettes
        }
        palettes.insert(palette, at: min(max(place, 0), palettes.count))
        follow(shown)
    }

    /// Inserts a palette at the end; a palette with the same id is replaced and moved.
    ///
    /// - Throws: ``PaletteError/tooManyPalettes``.
    public mutating func append(_ palette: Palette) throws(PaletteError) {
        try insert(palette, at: palettes.count)
    }

    /// Moves a palette to an index, clamped to the list; throws ``PaletteError/noPalette`` if there is none with this
    /// id.
    public mutating func move(_ id: Palette.ID, to place: Int) throws(PaletteError) {
        try insert(try palette(id), at: place)
    }

    /// Deletes a palette; if it was selected, the next one is selected.
    ///
    /// - Throws: ``PaletteError``: `noPalette`, or `lastPalette` if it is the only one.
    public mutating func delete(_ id: Palette.ID) throws(PaletteError) {
        let place = try place(of: id)
        guard palettes.count > 1 else { throw .lastPalette }
        palettes.remove(at: place)
        cursor = place < index ? index - 1 : index
    }

    /// Selects a palette again after a change; if it is gone, selects the one in its place.
    private mutating func follow(_ shown: Palette.ID) {
        if let place = palettes.firstIndex(where: { $0.id == shown }) {
            index = place
        } else {
            index = min(index, palettes.count - 1)
        }
    }
}

// MARK: - The editor

extension PaletteList {
    private mutating func edit<Outcome>(
        _ id: Palette.ID, _ change: (inout Palette) throws(PaletteError) -> Outcome
    ) throws(PaletteError) -> Outcome {
        try change(&palettes[try place(of: id)])
    }

    /// Renames a palette; see ``Palette/rename(to:)``.
    public mutating func rename(_ id: Palette.ID, to name: String) throws(PaletteError) {
        try edit(id) { palette throws(PaletteError) in try palette.rename(to: name) }
    }

    /// Inserts the emoji of a text at the front of a palette; see ``Palette/add(_:)``.
    @discardableResult
    public mutating func add(_ text: String, to id: Palette.ID) throws(PaletteError) -> [String] {
        try edit(id) { palette throws(PaletteError) in try palette.add(text) }
    }

    /// Removes an emoji from a palette; does nothing if the palette doesn't contain it.
    public mutating func remove(_ emoji: String, from id: Palette.ID) throws(PaletteError) {
        try edit(id) { palette in palette.remove(emoji) }
    }
}
