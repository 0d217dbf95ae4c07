public import Foundation

/// Something to do.
public struct Item: Codable, Hashable, Identifiable, Sendable {
    /// The ID, which never changes.
    public let id: UUID
    /// The name of its list.
    public let list: String
    /// What to do.
    public let text: String
    /// Whether it is done.
    public internal(set) var isDone = false
    /// Whether it was deleted, and can be restored.
    public internal(set) var isDeleted = false
}

/// An owner's lists of things to do, with the rules for changing them.
public struct Checklists: Codable, Hashable, Sendable {
    /// The maximum number of items.
    public static let maximumCount = 1_000
    /// The maximum number of Unicode scalars of a name or a text.
    public static let maximumLength = 200

    /// The items of all lists, oldest first.
    public private(set) var items: [Item] = []

    /// Creates a value without items.
    public init() {}
}

extension Checklists {
    /// Adds an item to the list with a name; a list exists as long as it has items.
    public mutating func add(_ text: String, to list: String) throws(ChecklistError) {
        guard items.count < Self.maximumCount else { throw .full }
        items.append(Item(id: UUID(), list: try Self.line(list), text: try Self.line(text)))
    }

    /// Marks an item as done, or as not done.
    public mutating func mark(_ id: Item.ID, isDone: Bool) throws(ChecklistError) {
        let index = try index(of: id)
        items[index].isDone = isDone
    }

    /// Deletes an item; ``restore(_:)`` undoes that until another item is deleted.
    public mutating func delete(_ id: Item.ID) throws(ChecklistError) {
        let index = try index(of: id)
        items[index].isDeleted = true
        items.removeAll { $0.isDeleted && $0.id != id }
    }

    /// Restores a deleted item.
    public mutating func restore(_ id: Item.ID) throws(ChecklistError) {
        let index = try index(of: id)
        items[index].isDeleted = false
    }

    private func index(of id: Item.ID) throws(ChecklistError) -> Int {
        guard let index = items.firstIndex(where: { $0.id == id }) else { throw .notFound }
        return index
    }

    /// Returns a name or a text without surrounding spaces.
    private static func line(_ text: String) throws(ChecklistError) -> String {
        let line = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let isTooLong = line.unicodeScalars.count > maximumLength
        guard !line.isEmpty, !isTooLong, !line.contains(where: \.isNewline) else { throw .invalidText }
        return line
    }
}
