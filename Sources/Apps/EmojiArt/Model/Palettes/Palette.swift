import Foundation

/// A named collection of emoji that users drag onto boards.
public struct Palette: Hashable, Sendable, Identifiable {
    /// The id, unique among the owner's stores; the palette keeps it when it is moved.
    public private(set) var id: Int
    /// The name: not empty, on one line.
    public private(set) var name: String
    /// The distinct characters, most of them emoji.
    public private(set) var emojis: [String]

    /// Creates a palette; trims the name, and removes duplicates after their first occurrence.
    ///
    /// - Throws: ``PaletteError``: `name` or `tooManyEmojis`.
    public init(id: Int, name: String, emojis: [String]) throws(PaletteError) {
        self.init(tolerating: id, name: try Self.checkedName(name), emojis: emojis)
        guard self.emojis.count <= BoardLimits.paletteEmojis else { throw .tooManyEmojis }
    }

    /// Creates a palette from data that another version of the program, or a person, may have written.
    ///
    /// An invalid name becomes “Palette”. Every visible character of the texts is included.
    init(tolerating id: Int, name: String, emojis: [String]) {
        self.id = id
        self.name = (try? Self.checkedName(name)) ?? "Palette"
        self.emojis = emojis.flatMap { $0.map(String.init) }.filter(Self.isShown).uniqued
    }
}

extension Palette {
    /// The palette of the course's “New” command: mathematical signs rather than emoji.
    public static let math = (name: "Math", emojis: ["+", "−", "×", "÷", "∝", "∞"])

    /// The palette with another id.
    func renumbered(_ id: Int) -> Palette {
        var palette = self
        palette.id = id
        return palette
    }

    /// Generates a random id that is unique across machines.
    ///
    /// It is greater than the built-in palettes' ids in ``PaletteStores``, and within JavaScript's exact integers.
    public static func freshID() -> Palette.ID {
        Int.random(in: 1_000_000..<(1 << 53))
    }
}

// MARK: - The editor

extension Palette {
    /// Renames the palette, trimming white space; throws ``PaletteError/name`` if the name is invalid.
    public mutating func rename(to name: String) throws(PaletteError) {
        self.name = try Self.checkedName(name)
    }

    /// Inserts the distinct emoji of a text at the front, and returns them; those already present are moved there.
    ///
    /// Other characters of the text are ignored, and the palette's other characters are retained: the course's editor
    /// removes the signs of Math as soon as the user types an emoji.
    ///
    /// - Throws: ``PaletteError``: `noEmoji` or `tooManyEmojis`; the palette is unchanged then.
    @discardableResult
    public mutating func add(_ text: String) throws(PaletteError) -> [String] {
        let typed = EmojiText.emojis(in: text).uniqued
        guard !typed.isEmpty else { throw .noEmoji(text) }
        let all = (typed + emojis).uniqued
        guard all.count <= BoardLimits.paletteEmojis else { throw .tooManyEmojis }
        emojis = all
        return typed
    }

    /// Removes an emoji; does nothing if the palette doesn't contain it.
    public mutating func remove(_ emoji: String) {
        emojis.removeAll { $0 == emoji }
    }
}

/// A field of the palette editor.
public enum PaletteField: Hashable, Sendable {
    /// The name.
    case name
    /// The field for emoji to add.
    case addition

    /// The field to focus first: the name if it is empty, otherwise the field for emoji to add.
    public static func first(forName name: String) -> PaletteField {
        name.allSatisfy(\.isWhitespace) ? .name : .addition
    }
}

// MARK: - Validation

extension Palette: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, name, emojis
    }

    /// Decodes a palette, leaving out invalid contents.
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
        // Characters that only format their neighbours are invisible by themselves.
        let isShown = categories.contains { ![.format, .spaceSeparator].contains($0) }
        guard isOneLine, isShown, name.utf8.count <= BoardLimits.nameBytes else { throw .name }
        return name
    }

    /// Whether a character is visible and short enough for a palette.
    private static func isShown(_ character: String) -> Bool {
        let isVisible = character.unicodeScalars.contains { scalar in
            // An emoji of a later Unicode version is unassigned here, and is accepted.
            ![.control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator].contains(
                scalar.properties.generalCategory)
        }
        return isVisible && character.utf8.count <= BoardLimits.emojiBytes
    }
}

extension Sequence where Element: Hashable {
    /// The distinct elements, in the order of their first occurrence.
    var uniqued: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
