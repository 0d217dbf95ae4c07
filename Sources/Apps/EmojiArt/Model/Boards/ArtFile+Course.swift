import Foundation

/// The course's `.emojiart` format: the JSON that Swift synthesizes for its `EmojiArt` structure.
///
/// Coordinates are whole numbers with y growing upwards, the list's order is the drawing order, and ids count up:
/// `uniqueEmojiId` is the last one assigned. Fractional numbers are decoded too: people who took the course have
/// written such files.
package struct CourseArtFile: Codable {
    struct Position: Codable {
        var x: Double
        var y: Double
    }

    struct Element: Codable {
        var string: String
        var position: Position
        var size: Double
        var id: Int
    }

    var background: String?
    var emojis: [Element]
    var uniqueEmojiId: Int

    private enum CodingKeys: String, CodingKey {
        case background, emojis, uniqueEmojiId
    }

    /// Rounds a board's numbers to whole ones, and assigns new ids to emoji whose ids aren't numbers.
    init(_ file: ArtFile) {
        switch file.art.background {
        case .address(let address): background = address
        case .blank, .picture:
            background = file.picture.map { "data:\($0.type);base64,\($0.data.base64EncodedString())" }
        }
        let numbers = file.art.emojis.map { Self.number(of: $0.id) }
        var last = max(0, numbers.lazy.compactMap(\.self).max() ?? 0)
        emojis = []
        for (emoji, number) in zip(file.art.emojis, numbers) {
            if number == nil { last += 1 }
            emojis.append(
                Element(
                    string: emoji.text, position: Position(x: Self.whole(emoji.x), y: Self.whole(emoji.y)),
                    size: max(1, Self.whole(emoji.size)), id: number ?? last))
        }
        uniqueEmojiId = last
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        background = try container.decodeIfPresent(String.self, forKey: .background)
        emojis = try container.emojis(Element.self, forKey: .emojis)
        uniqueEmojiId = try container.decodeIfPresent(Int.self, forKey: .uniqueEmojiId) ?? 0
    }

    /// Rounds to the nearest whole number, and turns -0 into 0.
    private static func whole(_ value: Double) -> Double { value.rounded() + 0 }

    /// The number that an emoji had in a course file; see ``EmojiID/init(_:)-(Int)``.
    private static func number(of id: EmojiID) -> Int? {
        let text = id.rawValue
        // Leaves room above for the ids that are assigned here.
        guard let number = Int(text.first == "n" ? "-" + text.dropFirst() : text), number < Int.max / 2 else {
            return nil
        }
        return EmojiID(number) == id ? number : nil
    }

    /// Converts the file to a board, repairing values that are out of bounds.
    package func file() throws(ArtFileError) -> ArtFile {
        var repair = BoardRepair()
        let emojis = repair.repaired(
            emojis.enumerated().map { index, emoji in
                ReadEmoji(
                    id: EmojiID(emoji.id).rawValue, text: emoji.string, x: emoji.position.x, y: emoji.position.y,
                    size: emoji.size, z: Double(index))
            })
        let (background, picture) = repair.background(background, picture: nil)
        return try repair.file(name: nil, background: background, emojis: emojis, picture: picture)
    }
}
