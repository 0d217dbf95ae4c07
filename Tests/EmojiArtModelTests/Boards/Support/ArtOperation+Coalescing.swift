@testable import EmojiArtModel

// Coalesces the operations of a gesture.

extension ArtOperation {
    private enum Aspect: Hashable {
        case place(EmojiID)
        case size(EmojiID)
        case depth(EmojiID)
        case background
    }

    private var aspect: Aspect? {
        switch self {
        case .move(let id, _, _): .place(id)
        case .resize(let id, _): .size(id)
        case .reorder(let id, _): .depth(id)
        case .setBackground: .background
        case .add, .delete: nil
        }
    }

    /// Returns the same change in fewer operations: only the last position, size and depth of each emoji and the last background.
    ///
    /// All operations must be applicable to the board. It takes O(*n*).
    static func coalesced(_ operations: [ArtOperation]) -> [ArtOperation] {
        var result: [ArtOperation] = []
        var places: [Aspect: Int] = [:]
        for operation in operations {
            if let aspect = operation.aspect {
                if let place = places[aspect] {
                    result[place] = operation
                    continue
                }
                places[aspect] = result.count
            } else if let id = operation.emoji {
                // Operations after an emoji was added or deleted must not be merged into those before.
                places[.place(id)] = nil
                places[.size(id)] = nil
                places[.depth(id)] = nil
            }
            result.append(operation)
        }
        return result
    }
}
