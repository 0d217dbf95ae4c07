import Foundation

/// Emoji under a name, to be dragged onto boards.
public struct Palette: Hashable, Sendable, Identifiable {
    /// What names it among the palettes of its store, and of the others: it keeps it when it is moved.
    public private(set) var id: Int
    /// What it is called: not empty, on one line.
    public private(set) var name: String
    /// What is in it, each once: characters, most of them emoji.
    public private(set) var emojis: [String]

    /// A palette; spaces around the name are left out, and what is there twice stays at its first place.
    ///
    /// - Throws: ``PaletteError``: `name` or `tooManyEmojis`.
    public init(id: Int, name: String, emojis: [String]) throws(PaletteError) {
        self.init(tolerating: id, name: try Self.checkedName(name), emojis: emojis)
        guard self.emojis.count <= BoardLimits.paletteEmojis else { throw .tooManyEmojis }
    }

    /// A palette that another version of the program, or a person, may have written.
    ///
    /// A name that is none becomes “Palette”. Every character of the texts that can be seen is taken.
    init(tolerating id: Int, name: String, emojis: [String]) {
        self.id = id
        self.name = (try? Self.checkedName(name)) ?? "Palette"
        self.emojis = emojis.flatMap { $0.map(String.init) }.filter(Self.isShown).uniqued
    }
}

extension Palette {
    /// What the course's “New” adds: signs, which are no emoji.
    public static let math = (name: "Math", emojis: ["+", "−", "×", "÷", "∝", "∞"])

    /// The same palette under another number.
    func renumbered(_ id: Int) -> Palette {
        var palette = self
        palette.id = id
        return palette
    }

    /// A number by chance, which no other palette has, on whichever machine.
    ///
    /// It is greater than those of the built-in palettes, and one that JavaScript counts to.
    public static func freshID() -> Palette.ID {
        Int.random(in: 1_000_000..<(1 << 53))
    }
}

// MARK: - The editor

extension Palette {
    /// Gives it another name, without spaces around it; ``PaletteError/name`` if that is none.
    public mutating func rename(to name: String) throws(PaletteError) {
        self.name = try Self.checkedName(name)
    }

    /// Puts the emoji of a text before the others, and returns them, each once; one that is there already comes to the
    /// front.
    ///
    /// What else is in the text is left out, and what else is in the palette stays: the course's editor takes the signs out of
    /// Math as soon as an emoji is typed.
    ///
    /// - Throws: ``PaletteError``: `noEmoji` or `tooManyEmojis`; then nothing was added.
    @discardableResult
    public mutating func add(_ text: String) throws(PaletteError) -> [String] {
        let typed = EmojiText.emojis(in: text).uniqued
        guard !typed.isEmpty else { throw .noEmoji(text) }
        let all = (typed + emojis).uniqued
        guard all.count <= BoardLimits.paletteEmojis else { throw .tooManyEmojis }
        emojis = all
        return typed
    }

    /// Takes an emoji out; where it is not in it, nothing happens.
    public mutating func remove(_ emoji: String) {
        emojis.removeAll { $0 == emoji }
    }
}

/// A field of the palettes' editor.
public enum PaletteField: Hashable, Sendable {
    /// The name.
    case name
    /// Where emoji are typed that are to be added.
    case addition

    /// Which field is typed in first: the name, if it is empty, else what is to be added.
    public static func first(forName name: String) -> PaletteField {
        name.allSatisfy(\.isWhitespace) ? .name : .addition
    }
}

// MARK: - What it takes

extension Palette: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, name, emojis
    }

    /// Reads it; what cannot be in a palette is left out.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            tolerating: try values.decode(Int.self, forKey: .id),
            name: try values.decodeIfPresent(String.self, forKey: .name) ?? "",
            emojis: try values.decodeIfPresent([String].self, forKey: .emojis) ?? [])
    }
}

extension Palette {
    private static func checkedName(_ text: String) throws(PaletteError) -> String {
        let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let categories = name.unicodeScalars.lazy.map(\.properties.generalCategory)
        let isOneLine = !categories.contains { [.control, .lineSeparator, .paragraphSeparator].contains($0) }
        // What only shapes its neighbours shows nothing by itself.
        let isShown = categories.contains { ![.format, .spaceSeparator].contains($0) }
        guard isOneLine, isShown, name.utf8.count <= BoardLimits.nameBytes else { throw .name }
        return name
    }

    /// Whether a character can be in a palette.
    private static func isShown(_ character: String) -> Bool {
        let isVisible = character.unicodeScalars.contains { scalar in
            // An emoji of a later Unicode is unassigned here, and stays.
            ![.control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator].contains(
                scalar.properties.generalCategory)
        }
        return isVisible && character.utf8.count <= BoardLimits.emojiBytes
    }
}

extension Sequence where Element: Hashable {
    /// The elements, each at its first place.
    var uniqued: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
