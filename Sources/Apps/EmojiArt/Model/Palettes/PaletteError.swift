import Persistence

/// Why palettes can't be changed or stored.
public enum PaletteError: Error, Hashable, Sendable {
    /// The palette doesn't exist, or was deleted or moved.
    case noPalette
    /// There is no palette store with this name.
    case noStore(String, known: [String])
    /// The palette is the last one of its store.
    case lastPalette
    /// The name is empty, too long, or not on one line.
    case name
    /// The text contains no emoji.
    case noEmoji(String)
    /// The store has the maximum number of palettes.
    case tooManyPalettes
    /// The palette would exceed the maximum number of emoji.
    case tooManyEmojis
    /// The set-aside palettes no longer exist.
    case noSetAside
    /// The set-aside palettes can't be decoded; the text says why.
    case notRestorable(String)
    /// A newer version of the program wrote the data, which is left unchanged.
    case newerVersion(String)
    /// The data can't be written or read; the text says what happened and what to do.
    case failed(String)
}

extension PaletteError: CustomStringConvertible {
    /// A message for the user: what happened, and what to do now.
    public var description: String {
        switch self {
        case .noPalette: "This palette does not exist. It may have been deleted or moved in another tab."
        case .noStore(let name, let known):
            "There are no palettes called “\(name.prefix(60))”. Choose one of: \(known.joined(separator: ", "))."
        case .lastPalette: "The last palette can't be deleted or moved. Add another one first."
        case .name: "Enter a name of up to \(BoardLimits.nameBytes) bytes, on one line."
        case .noEmoji(let text) where text.allSatisfy(\.isWhitespace):
            "No emoji was entered. Type or paste one, such as 🐶."
        case .noEmoji(let text):
            "There is no emoji in “\(text.prefix(20))\(text.count > 20 ? "…" : "")”. Type or paste one, such as 🐶."
        case .tooManyPalettes:
            "There are \(BoardLimits.palettes) palettes here, the most allowed. Delete one first."
        case .tooManyEmojis:
            "A palette can have up to \(BoardLimits.paletteEmojis) emoji. Add fewer, or add them to another palette."
        case .noSetAside:
            "These palettes are no longer set aside: they were restored or deleted, perhaps in another tab. Reload the page."
        case .notRestorable(let text): "\(text) Nothing was changed."
        case .newerVersion(let text), .failed(let text): text
        }
    }
}

extension PaletteError {
    init(_ error: StoreError) {
        self = error.code == .newerVersion ? .newerVersion(error.message) : .failed(error.message)
    }
}
