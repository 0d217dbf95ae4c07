import Foundation

/// The course's `.emojiart`: what Swift makes of its `EmojiArt` structure by itself.
///
/// Whole numbers, y growing upwards, the order of the list for what is in front, and ids that are counted; `uniqueEmojiId` is the last one
/// that was given. Numbers with a fraction are read, too: followers of the course have written such files.
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

    /// Makes whole numbers of a board, and counts the emoji anew that have no number as a name.
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

    /// The nearest whole number, and none that is below zero by nothing.
    private static func whole(_ value: Double) -> Double { value.rounded() + 0 }

    /// The number that an emoji had in a file of the course; see ``EmojiID/init(_:)-(Int)``.
    private static func number(of id: EmojiID) -> Int? {
        let text = id.rawValue
        // The room above is for those that are counted anew.
        guard let number = Int(text.first == "n" ? "-" + text.dropFirst() : text), number < Int.max / 2 else {
            return nil
        }
        return EmojiID(number) == id ? number : nil
    }

    /// The board that is in the file.
    package func file() throws(ArtFileError) -> ArtFile {
        var mending = ArtMending()
        let emojis = mending.mended(
            emojis.enumerated().map { index, emoji in
                ReadEmoji(
                    id: EmojiID(emoji.id).rawValue, text: emoji.string, x: emoji.position.x, y: emoji.position.y,
                    size: emoji.size, z: Double(index))
            })
        let (background, picture) = mending.background(background, picture: nil)
        return try mending.file(name: nil, background: background, emojis: emojis, picture: picture)
    }
}
