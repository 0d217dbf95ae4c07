public import Foundation

/// A view in which a page is read, and which remembers how far, or another source of what is known about reading.
public enum ReadingView: String, CaseIterable, Hashable, Sendable {
    /// The article alone.
    case reader
    /// The picture of the page.
    case picture
    /// Any view, when the page was opened and nothing else is known: some views don't know how far they are scrolled.
    case opened
    /// None: the owner has marked the page as read, with a share of 1, or as unread, with a share of 0.
    case marked

    /// The views that can be scrolled, and whose scripts send positions.
    public static let scrolled: Set<ReadingView> = [.reader, .picture]
}

/// How far a page has been read, as far as a filter asks for it.
public enum ReadingState: String, CaseIterable, Hashable, Sendable {
    /// It wasn't opened since it was saved or marked as unread.
    case unread
    /// It was opened, but not read to its end.
    case started
    /// It was read to its end, or marked as read.
    case finished
}

/// How far a page has been read in a view.
public struct ReadingPosition: Hashable, Codable, Sendable {
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

    private enum CodingKeys: String, CodingKey {
        case share, paragraph, changedAt
    }

    /// Decodes a position with the same limits as the initializer.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            share: try values.decode(Double.self, forKey: .share),
            paragraph: try values.decodeIfPresent(Int.self, forKey: .paragraph),
            changedAt: try values.decode(Date.self, forKey: .changedAt))
    }

    /// The share from which a page counts as finished: what follows the last paragraph isn't read.
    public static let finishedShare = 0.95

    /// Whether the reader has reached the end.
    public var isFinished: Bool { share >= Self.finishedShare }
}

extension [ReadingView: ReadingPosition] {
    /// The latest position, with its view.
    fileprivate var last: (view: ReadingView, position: ReadingPosition)? {
        filter { $0.key != .opened }.max { $0.value.changedAt < $1.value.changedAt }
            .map { (view: $0.key, position: $0.value) }
    }

    /// How far the page has been read, by the latest position.
    public var state: ReadingState {
        if let last, last.view != .marked || last.position.isFinished {
            return last.position.isFinished ? .finished : .started
        }
        // The page has no position, or was marked as unread.
        guard let opened = self[.opened] else { return .unread }
        return opened.changedAt > last?.position.changedAt ?? .distantPast ? .started : .unread
    }
}

extension LibraryItem {
    /// How far the page has been read: where the reader was last in any view; `nil` if it wasn't opened.
    public var lastPosition: ReadingPosition? { positions.last?.position }
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

    /// Records that a page was opened, unless it was before.
    ///
    /// - Throws: As ``setPosition(_:in:of:)``.
    func recordReading(of id: SavedPage.ID) async throws(LibraryError) {
        guard let item = item(id), item.positions.state == .unread else { return }
        try await setPosition(
            ReadingPosition(share: 0, paragraph: nil, changedAt: configuration.now()), in: .opened, of: id)
    }
}
