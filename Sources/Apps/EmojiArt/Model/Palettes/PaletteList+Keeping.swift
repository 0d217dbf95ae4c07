import Foundation
import Persistence

extension PaletteList: Codable {
    private enum Key: String, CodingKey {
        case palettes, cursor
    }

    /// Reads them; no palettes are no list.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let palettes = try values.decode([Palette].self, forKey: .palettes)
        guard let list = PaletteList(palettes, cursor: try values.decodeIfPresent(Int.self, forKey: .cursor) ?? 0)
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .palettes, in: values, debugDescription: "There is not one palette.")
        }
        self = list
    }

    /// Writes them.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(palettes, forKey: .palettes)
        try values.encode(cursor, forKey: .cursor)
    }
}

// MARK: - Keeping

extension PaletteList {
    /// Version 1 is what the course keeps: the palettes alone, their emoji as one text.
    static let format = StoredFormat<PaletteList>("emojiart.palettes", version: 2)
        .migrating(from: 1) { (palettes: [CoursePalette]) in KeptPalettes(palettes: palettes.map(\.palette), cursor: 0)
        }

    /// The key of the palettes of a store: that of the course.
    static func key(named name: String) throws(StoreError) -> StoreKey {
        try StoreKey("PaletteStore:" + name)
    }

    /// The palettes of a store, stored under the name of the course; of what two have changed at once, neither is lost.
    @MainActor
    static func kept(
        named name: String, in store: any Store, firstID: Int, settings: AutosaveSettings
    ) throws(StoreError) -> Stored<PaletteList> {
        Stored(
            try key(named: name), in: store, format: format, default: builtins(firstID: firstID),
            settings: settings,
            merge: { conflict in
                // Where nothing was kept, both began with the built-in ones.
                let base = conflict.base ?? builtins(firstID: firstID)
                return .merged(conflict.local.merged(with: conflict.foreign, from: base))
            })
    }

    /// The nine of the course.
    static func builtins(firstID: Int) -> PaletteList {
        guard let list = PaletteList(Palette.builtins(firstID: firstID)) else {
            preconditionFailure("There are nine built-in palettes.")
        }
        return list
    }
}

/// A palette as the course keeps it.
private struct CoursePalette: Decodable {
    var id: UUID
    var name: String
    var emojis: String

    var palette: Palette {
        let bytes = id.uuid
        // The same each time it is read: what is read is not written before something is changed.
        let number = [bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5].reduce(0) { $0 << 8 | Int($1) }
        return Palette(tolerating: 1_000_000 + number, name: name, emojis: [emojis])
    }
}

/// What version 2 has.
private struct KeptPalettes: Encodable {
    var palettes: [Palette]
    var cursor: Int
}
