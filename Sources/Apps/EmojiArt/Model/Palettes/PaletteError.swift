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
        case .noPalette: ArtWords.noPalette
        case .noStore(let name, let known): ArtWords.noStore(name.prefix(60), known: known)
        case .lastPalette: ArtWords.lastPaletteStays
        case .name: ArtWords.invalidName(limit: BoardLimits.nameBytes)
        case .noEmoji(let text) where text.allSatisfy(\.isWhitespace): ArtWords.noEmojiEntered
        case .noEmoji(let text): ArtWords.noEmojiFound(in: "\(text.prefix(20))\(text.count > 20 ? "…" : "")")
        case .tooManyPalettes: ArtWords.tooManyPalettes(limit: BoardLimits.palettes)
        case .tooManyEmojis: ArtWords.tooManyEmoji(limit: BoardLimits.paletteEmojis)
        case .noSetAside: ArtWords.noSetAside
        case .notRestorable(let text): ArtWords.notChanged(text)
        case .newerVersion(let text), .failed(let text): text
        }
    }
}

extension PaletteError {
    init(_ error: StoreError) {
        self = error.code == .newerVersion ? .newerVersion(error.message) : .failed(error.message)
    }
}
