import Foundation

/// The board of the Stanford course CS193p, as in lectures 9 to 15: positions and sizes are whole numbers, IDs are
/// counted up, and the list is in drawing order.
///
/// It was written anew for tests that compare this app's behaviour with the course's.
struct CourseArt: Codable, Equatable {
    struct Position: Codable, Equatable {
        var x: Int
        var y: Int
    }

    struct Emoji: Codable, Equatable, Identifiable {
        let string: String
        var position: Position
        var size: Int
        var id: Int
    }

    var background: URL?
    private(set) var emojis: [Emoji] = []
    private var uniqueEmojiId = 0

    init() {}

    init(json: Data) throws {
        self = try JSONDecoder().decode(CourseArt.self, from: json)
    }

    func json() throws -> Data {
        try JSONEncoder().encode(self)
    }

    mutating func addEmoji(_ emoji: String, at position: Position, size: Int) {
        uniqueEmojiId += 1
        emojis.append(Emoji(string: emoji, position: position, size: size, id: uniqueEmojiId))
    }

    mutating func remove(_ id: Int) {
        emojis.removeAll { $0.id == id }
    }

    subscript(_ id: Int) -> Emoji? {
        get { emojis.first { $0.id == id } }
        set {
            guard let newValue, let index = emojis.firstIndex(where: { $0.id == id }) else { return }
            emojis[index] = newValue
        }
    }
}
