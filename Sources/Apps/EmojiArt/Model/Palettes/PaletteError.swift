import Persistence

/// Why palettes could not be changed or kept.
public enum PaletteError: Error, Hashable, Sendable {
    /// The palette is not there, or no longer.
    case noPalette
    /// There is no such store of palettes.
    case noStore(String, known: [String])
    /// It is the last one of its store.
    case lastPalette
    /// The name is empty, too long, or not on one line.
    case name
    /// There is no emoji in the text.
    case noEmoji(String)
    /// The store has as many palettes as it takes.
    case tooManyPalettes
    /// The palette would have more emoji than it takes.
    case tooManyEmojis
    /// The palettes that were set aside are no longer there.
    case noSetAside
    /// The palettes that were set aside can't be read; the text says why.
    case notRestorable(String)
    /// It was written by a newer version of this program, and is left as it is.
    case fromTheFuture(String)
    /// It could not be written or read; the text says what happened and what to do.
    case failed(String)
}

extension PaletteError: CustomStringConvertible {
    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .noPalette: "This palette is not there, or no longer. It may have been deleted or moved in another tab."
        case .noStore(let name, let known):
            "There are no palettes “\(name.prefix(60))”. There are: \(known.joined(separator: ", "))."
        case .lastPalette: "The last palette stays. Add another one first, then this one can go."
        case .name: "Give the palette a name on one line, of up to \(BoardLimits.nameBytes) bytes."
        case .noEmoji(let text) where text.allSatisfy(\.isWhitespace):
            "There is no emoji. Type or paste one, such as 🐶."
        case .noEmoji(let text):
            "There is no emoji in “\(text.prefix(20))\(text.count > 20 ? "…" : "")”. Type or paste one, such as 🐶."
        case .tooManyPalettes:
            "There are \(BoardLimits.palettes) palettes here, and there is no room for more. Delete one first."
        case .tooManyEmojis:
            "A palette takes up to \(BoardLimits.paletteEmojis) emoji. Add fewer, or put them into another palette."
        case .noSetAside:
            "These palettes are no longer set aside: they were restored or deleted, perhaps in another tab. Reload the page."
        case .notRestorable(let text): "\(text) Nothing was changed."
        case .fromTheFuture(let text), .failed(let text): text
        }
    }
}

extension PaletteError {
    /// What went wrong in the store.
    init(_ error: StoreError) {
        self = error.code == .newerVersion ? .fromTheFuture(error.message) : .failed(error.message)
    }
}
