import Foundation

/// The app's own file format, version 1.
package struct OwnArtFile: Codable {
    struct Art: Codable {
        var background: Background
        var emojis: [ReadEmoji]
    }

    struct Picture: Codable {
        var type: String
        var data: String
    }

    var format = ArtFile.formatName
    var version = ArtFile.version
    var name: String?
    var art: Art
    var picture: Picture?

    private enum Keys: String, CodingKey {
        case format, version, name, art, picture
    }

    private enum ArtKeys: String, CodingKey {
        case background, emojis
    }

    init(_ file: ArtFile) {
        name = file.name ?? ""
        art = Art(background: file.art.background, emojis: file.art.emojis.map(ReadEmoji.init))
        picture = file.picture.map { Picture(type: $0.type, data: $0.data.base64EncodedString()) }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        version = try container.decode(Int.self, forKey: .version)
        name = try container.decodeIfPresent(String.self, forKey: .name)
        let art = try container.nestedContainer(keyedBy: ArtKeys.self, forKey: .art)
        let background = art.contains(.background) ? try art.background(forKey: .background) : .blank
        self.art = Art(background: background, emojis: try art.emojis(ReadEmoji.self, forKey: .emojis))
        picture = try container.decodeIfPresent(Picture.self, forKey: .picture)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(format, forKey: .format)
        try container.encode(version, forKey: .version)
        try container.encode(name, forKey: .name)
        try container.encode(art, forKey: .art)
        try container.encode(picture, forKey: .picture)
    }

    /// Converts the file to a board, repairing values that are out of bounds.
    package func file() throws(ArtFileError) -> ArtFile {
        var repair = BoardRepair()
        let emojis = repair.repaired(art.emojis)
        var picture = self.picture.flatMap { repair.picture($0.data, type: $0.type) }
        let background: Background
        switch art.background {
        case .blank: background = .blank
        case .address(let address):
            (background, picture) = repair.background(address, picture: picture)
        case .picture(let id):
            background = picture == nil ? .blank : .picture(id)
            if picture == nil { repair.note(ArtWords.pictureNotInFile) }
        }
        // This call can't be an argument of the next one: Swift copies `repair` for that call before it evaluates the
        // arguments, and the copy would lack a note about the name.
        let name = repair.name(self.name)
        return try repair.file(name: name, background: background, emojis: emojis, picture: picture)
    }
}

/// An emoji as decoded from a file, before validation.
struct ReadEmoji: Codable {
    var id: String
    var text: String
    var x: Double
    var y: Double
    var size: Double
    var z: Double
    var angle: Double?
    var flipped: Bool?
    var locked: Bool?
}

extension ReadEmoji {
    init(_ emoji: Emoji) {
        self.init(
            id: emoji.id.rawValue, text: emoji.text, x: emoji.x, y: emoji.y, size: emoji.size, z: emoji.z,
            angle: emoji.angle == 0 ? nil : emoji.angle, flipped: emoji.isFlipped ? true : nil,
            locked: emoji.isLocked ? true : nil)
    }
}

extension KeyedDecodingContainer {
    /// Decodes the emoji of a file; throws, without decoding the rest, if there are more than a board may have.
    func emojis<Element: Decodable>(_ type: Element.Type, forKey key: Key) throws -> [Element] {
        var list = try nestedUnkeyedContainer(forKey: key)
        var emojis: [Element] = []
        guard list.count ?? 0 <= BoardLimits.emojis else { throw ArtFileError.tooMany }
        while !list.isAtEnd {
            guard emojis.count < BoardLimits.emojis else { throw ArtFileError.tooMany }
            emojis.append(try list.decode(type))
        }
        return emojis
    }
}
