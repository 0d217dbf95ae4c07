package import Foundation

/// The board of the Stanford course CS193p, as in lectures 9 to 15: positions and sizes are whole numbers, IDs are
/// counted up, and the list is in drawing order.
///
/// It was written anew for tests that compare this app's behaviour with the course's.
package struct CourseArt: Codable, Equatable {
    package struct Position: Codable, Equatable {
        package var x: Int
        package var y: Int

        package init(x: Int, y: Int) { (self.x, self.y) = (x, y) }
    }

    package struct Emoji: Codable, Equatable, Identifiable {
        package let string: String
        package var position: Position
        package var size: Int
        package var id: Int
    }

    package var background: URL?
    package private(set) var emojis: [Emoji] = []
    private var uniqueEmojiId = 0

    package init() {}

    package init(json: Data) throws {
        self = try JSONDecoder().decode(CourseArt.self, from: json)
    }

    package func json() throws -> Data {
        try JSONEncoder().encode(self)
    }

    package mutating func addEmoji(_ emoji: String, at position: Position, size: Int) {
        uniqueEmojiId += 1
        emojis.append(Emoji(string: emoji, position: position, size: size, id: uniqueEmojiId))
    }

    package mutating func remove(_ id: Int) {
        emojis.removeAll { $0.id == id }
    }

    package subscript(_ id: Int) -> Emoji? {
        get { emojis.first { $0.id == id } }
        set {
            guard let newValue, let index = emojis.firstIndex(where: { $0.id == id }) else { return }
            emojis[index] = newValue
        }
    }
}
