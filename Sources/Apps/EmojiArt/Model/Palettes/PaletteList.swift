/// The palettes of a store, and which of them is shown: never none, each number once.
///
/// The cursor stays with its palette when others are moved, added or deleted.
public struct PaletteList: Hashable, Sendable {
    /// The palettes, in their order.
    public private(set) var palettes: [Palette]
    /// Always the index of a palette.
    private var index: Int

    /// These palettes and the index of the one that is shown; `nil` if there are none.
    ///
    /// Of two with one number the second gets another one.
    public init?(_ palettes: [Palette], cursor: Int = 0) {
        guard !palettes.isEmpty else { return nil }
        self.palettes = Self.renumbered(palettes)
        self.index = 0
        self.cursor = cursor
    }

    /// The palettes, each with a number of its own: two of one number would be one for whoever changes them.
    ///
    /// What they get does not change from one reading to the next.
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
    /// Which palette is shown, as an index; past the end it begins anew, and below zero from the end.
    public var cursor: Int {
        get { index }
        set {
            let remainder = newValue % palettes.count
            index = remainder < 0 ? remainder + palettes.count : remainder
        }
    }

    /// The palette that is shown.
    public var current: Palette { palettes[index] }

    /// A palette; ``PaletteError/noPalette`` if it is not there.
    public func palette(_ id: Palette.ID) throws(PaletteError) -> Palette {
        palettes[try place(of: id)]
    }

    /// Shows a palette; ``PaletteError/noPalette`` if it is not there.
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
    /// Puts other palettes in the place of these; no palettes are refused, and nothing changes: then it returns
    /// `false`.
    @discardableResult
    public mutating func replace(with palettes: [Palette]) -> Bool {
        guard !palettes.isEmpty else { return false }
        let shown = current.id
        self.palettes = Self.renumbered(palettes)
        follow(shown)
        return true
    }

    /// Puts a palette at an index, or the nearest that there is; where it is there already, it is moved, and is as it
    /// is given.
    ///
    /// Without an index, it takes the place of the one that is shown, and is shown.
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

    /// Puts a palette at the end; where it is there already, it is moved there, and is as it is given.
    ///
    /// - Throws: ``PaletteError/tooManyPalettes``.
    public mutating func append(_ palette: Palette) throws(PaletteError) {
        try insert(palette, at: palettes.count)
    }

    /// Moves a palette to an index, or the nearest that there is; ``PaletteError/noPalette`` if it is not there.
    public mutating func move(_ id: Palette.ID, to place: Int) throws(PaletteError) {
        try insert(try palette(id), at: place)
    }

    /// Deletes a palette; if it is the one that is shown, the next one is.
    ///
    /// - Throws: ``PaletteError``: `noPalette`, or `lastPalette`, which stays.
    public mutating func delete(_ id: Palette.ID) throws(PaletteError) {
        let place = try place(of: id)
        guard palettes.count > 1 else { throw .lastPalette }
        palettes.remove(at: place)
        cursor = place < index ? index - 1 : index
    }

    /// Shows what was shown before; if it is gone, what has come in its place.
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
    /// Changes a palette where it stands.
    private mutating func edit<Outcome>(
        _ id: Palette.ID, _ change: (inout Palette) throws(PaletteError) -> Outcome
    ) throws(PaletteError) -> Outcome {
        try change(&palettes[try place(of: id)])
    }

    /// Gives a palette another name; see ``Palette/rename(to:)``.
    public mutating func rename(_ id: Palette.ID, to name: String) throws(PaletteError) {
        try edit(id) { palette throws(PaletteError) in try palette.rename(to: name) }
    }

    /// Puts the emoji of a text before those of a palette; see ``Palette/add(_:)``.
    @discardableResult
    public mutating func add(_ text: String, to id: Palette.ID) throws(PaletteError) -> [String] {
        try edit(id) { palette throws(PaletteError) in try palette.add(text) }
    }

    /// Takes an emoji out of a palette; where it is not in it, nothing happens.
    public mutating func remove(_ emoji: String, from id: Palette.ID) throws(PaletteError) {
        try edit(id) { palette in palette.remove(emoji) }
    }
}
