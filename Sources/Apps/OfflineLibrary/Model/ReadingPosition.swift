public import Foundation

/// A view in which a page is read, and which remembers how far.
public enum ReadingView: String, CaseIterable, Hashable, Sendable {
    /// The article alone.
    case reader
    /// The picture of the page.
    case picture
}

/// How far a page has been read in a view.
public struct ReadingPosition: Hashable, Sendable {
    /// How far the page is scrolled, from 0 at its top to 1 at its end.
    public let share: Double
    /// The number of the first paragraph on the screen; `nil` in a view without paragraphs.
    public let paragraph: Int?
    /// When the reader was there.
    public let changedAt: Date

    /// Creates a position; a share beyond the ends of the page is that of the nearest end.
    public init(share: Double, paragraph: Int?, changedAt: Date) {
        self.share = share.isFinite ? min(max(share, 0), 1) : 0
        self.paragraph = paragraph.map { min(max($0, 0), 1_000_000) }
        self.changedAt = changedAt
    }

    /// Whether the reader has reached the end.
    public var isFinished: Bool { share >= 0.98 }
}

extension LibraryItem {
    /// How far the page has been read: where the reader was last in any view; `nil` if it wasn't opened.
    public var lastPosition: ReadingPosition? { positions.values.max { $0.changedAt < $1.changedAt } }
}

extension Library {
    /// Records how far a page has been read, and returns when that is stored; an earlier position changes nothing.
    ///
    /// - Parameters:
    ///   - position: The position. A time in the future, by a clock that is wrong, counts as now.
    ///   - view: The view.
    ///   - id: The page.
    /// - Throws: ``LibraryError/notFound`` if the page doesn't exist or is deleted; ``LibraryError`` if it can't be stored.
    public func setPosition(
        _ position: ReadingPosition, in view: ReadingView, of id: SavedPage.ID
    ) async throws(LibraryError) {
        if isShuttingDown { throw .shuttingDown }
        guard let item = item(id), !item.isDeleted else { throw .notFound }
        let new = ReadingPosition(
            share: position.share, paragraph: position.paragraph,
            changedAt: min(position.changedAt, configuration.now()))
        func isLater(than other: ReadingPosition?) -> Bool { other.map { $0.changedAt < new.changedAt } ?? true }
        guard isLater(than: item.positions[view]) else { return }
        try await store.setPosition(new, in: view, of: id, owner: owner)
        // Another position may have been stored meanwhile.
        change(id) { if isLater(than: $0.positions[view]) { $0.positions[view] = new } }
    }
}
