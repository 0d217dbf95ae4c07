@testable import EmojiArtModel

// What there is of a gesture, in as few operations as there can be.

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

    /// The same change in fewer operations: of each emoji's places, sizes and depths, and of the backgrounds, only the last one.
    ///
    /// Each of the operations can be applied. It takes O(*n*).
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
                // What comes after an emoji was added or deleted must not be drawn in front of that.
                places[.place(id)] = nil
                places[.size(id)] = nil
                places[.depth(id)] = nil
            }
            result.append(operation)
        }
        return result
    }
}
