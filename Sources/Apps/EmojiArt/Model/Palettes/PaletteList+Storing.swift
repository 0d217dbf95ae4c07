import Foundation
import Persistence

extension PaletteList: Codable {
    private enum Key: String, CodingKey {
        case palettes, cursor
    }

    /// Decodes a list; fails if there are no palettes.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let palettes = try values.decode([Palette].self, forKey: .palettes)
        guard let list = PaletteList(palettes, cursor: try values.decodeIfPresent(Int.self, forKey: .cursor) ?? 0)
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .palettes, in: values, debugDescription: ArtWords.noPalettes)
        }
        self = list
    }

    /// Encodes the palettes and the cursor.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(palettes, forKey: .palettes)
        try values.encode(cursor, forKey: .cursor)
    }
}

// MARK: - Storage

extension PaletteList {
    /// Version 1 is the course's format: the palettes alone, each with its emoji as one text.
    static let format = StoredFormat<PaletteList>("emojiart.palettes", version: 2)
        .migrating(from: 1) { (palettes: [CoursePalette]) in
            StoredPalettes(palettes: palettes.map(\.palette), cursor: 0)
        }

    /// The key of a store's palettes, the same as in the course.
    static func key(named name: String) throws(StoreError) -> StoreKey {
        try StoreKey("PaletteStore:" + name)
    }

    /// The stored palettes of a store, under the course's key; concurrent changes are merged.
    @MainActor
    static func stored(
        named name: String, in store: any Store, firstID: Int, settings: AutosaveSettings
    ) throws(StoreError) -> Stored<PaletteList> {
        Stored(
            try key(named: name), in: store, format: format, default: builtins(firstID: firstID),
            settings: settings,
            merge: { conflict in
                // If nothing was stored, both sides started from the built-in palettes.
                let base = conflict.base ?? builtins(firstID: firstID)
                return .merged(conflict.local.merged(with: conflict.foreign, from: base))
            })
    }

    /// The course's nine palettes.
    static func builtins(firstID: Int) -> PaletteList {
        guard let list = PaletteList(Palette.builtins(firstID: firstID)) else {
            preconditionFailure("There are nine built-in palettes.")
        }
        return list
    }
}

/// A palette in the course's format.
private struct CoursePalette: Decodable {
    var id: UUID
    var name: String
    var emojis: String

    var palette: Palette {
        let bytes = id.uuid
        // Derived from the UUID and not random, because each read migrates the value again until a change is written.
        let number = [bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5].reduce(0) { $0 << 8 | Int($1) }
        return Palette(tolerating: 1_000_000 + number, name: name, emojis: [emojis])
    }
}

/// The contents of version 2.
private struct StoredPalettes: Encodable {
    var palettes: [Palette]
    var cursor: Int
}
