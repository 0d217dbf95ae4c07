package import EmojiArtModel
import Observation
import Persistence
package import Site

/// A board that tabs show: follows the document's changes, and broadcasts them to every open page.
@MainActor
package final class OpenBoard: LiveDocument {
    package typealias Key = BoardID

    /// The error thrown instead of opening a board during shutdown.
    nonisolated package static var shuttingDownError: any Error { Problem.boardsShuttingDown }

    /// The number of log entries that are cached for pages, which then don't need the store.
    ///
    /// Up to twice as many accumulate before the oldest are removed.
    private static let recentCount = 100
    /// The maximum number of operations in a cached entry; pages read larger ones from the store.
    private static let maximumCachedOperations = 1_000

    /// The broadcast to pages: the revision, and the other parts of ``BoardPart`` as JSON.
    nonisolated package let parts = Broadcast<LiveParts>()
    let document: EmojiArtDocument
    private let palettes: PaletteStores
    /// The latest known revision.
    private var revision = 0
    private var shown: [String: String] = [:]
    /// The last log entries, consecutive.
    private var recent: [LogEntry] = []
    /// The last encoded event; all pages that were up to date before it request the same one.
    private var encoded: (revisions: Range<Int>, event: ServerSentEvent)?
    /// The tabs that show the board.
    var presence = Presence()
    /// Waits before the next event about them, of which there are some if `hasPresenceNews`.
    var presencePause: Task<Void, Never>?
    var hasPresenceNews = false
    /// The tasks of this object; ``close()`` cancels them.
    private var tasks: [Task<Void, Never>] = []

    init(_ document: EmojiArtDocument, palettes: PaletteStores) {
        (self.document, self.palettes) = (document, palettes)
    }
}

extension OpenBoard {
    /// Whether changes aren't stored yet.
    package var isBusy: Bool { document.isBusy }

    /// Reads the board, and starts to follow its changes.
    package func open() async throws(any Error) {
        // Subscribes before reading, so that no change is missed.
        let news = document.entries()
        try await document.open()
        // The palettes' own page reports what can't be read.
        try? await palettes.open()
        let snapshots = Observations { [palettes] in PaletteSnapshot(palettes) }
        let changes = Observations { [document] in Self.changingParts(of: document) }
        show(Self.changingParts(of: document))
        tasks = [
            Task { [weak self] in
                for await news in news { self?.follow(news) }
            },
            Task { [weak self] in
                for await parts in changes { self?.show(parts) }
            },
            Task { [weak self] in
                for await snapshot in snapshots { self?.show(snapshot) }
            },
        ]
    }

    /// Cancels the tasks, and closes the document.
    package func close() async {
        for task in tasks { task.cancel() }
        presencePause?.cancel()
        parts.finish()
        for task in tasks { await task.value }
        await document.close()
    }

    /// The document, unless the board is deleted.
    ///
    /// For a deleted board, the store is asked again: a restore is committed before this document is notified.
    func current() async throws(BoardStoreError) -> EmojiArtDocument {
        if document.isGone { await document.refresh() }
        guard !document.isGone else { throw .notFound(document.id) }
        return document
    }
}

// MARK: - Broadcasts

extension OpenBoard {
    /// The event that brings a page up to date, and the resulting revision; `nil` if the page is up to date.
    func news(since revision: Int) async -> (revision: Int, event: ServerSentEvent)? {
        let known = self.revision
        guard revision != known else { return nil }
        if revision < known, let encoded, encoded.revisions == revision..<known { return (known, encoded.event) }
        do {
            switch try await changes(since: revision) {
            case .entries(let entries):
                guard let last = entries.last else { return nil }
                let event = ServerSentEvent(data: try ArtJSON.text(["entries": entries]), name: "entries")
                if revision < last.revision { encoded = (revision..<last.revision, event) }
                return (last.revision, event)
            case .whole(let board):
                return (board.summary.revision, Self.reloadEvent(board.summary.revision))
            }
        } catch {
            // Makes the page request the board, so that it receives the error.
            return (known, Self.reloadEvent(known))
        }
    }

    /// The changes since a revision, from the cache if possible.
    func changes(since revision: Int) async throws(BoardStoreError) -> BoardChanges {
        if let first = recent.first, let last = recent.last, first.revision - 1 <= revision, revision < last.revision {
            return .entries(Array(recent[(revision + 1 - first.revision)...]))
        }
        return try await document.changes(since: revision)
    }

    /// An event that tells a page to reload the board.
    nonisolated static func reloadEvent(_ revision: Int) -> ServerSentEvent {
        ServerSentEvent(data: #"{"revision":\#(revision)}"#, name: "board")
    }

    /// The revisions of the cached entries, for tests.
    var recentRevisions: [Int] { recent.map(\.revision) }

    private func follow(_ news: BoardNews) {
        switch news {
        case .entries(let entries):
            guard let first = entries.first, let last = entries.last else { return }
            if let known = recent.last?.revision, known + 1 != first.revision { recent = [] }
            if entries.contains(where: { $0.batch.operations.count > Self.maximumCachedOperations }) {
                recent = []
            } else {
                recent += entries
            }
            if recent.count > 2 * Self.recentCount { recent.removeFirst(recent.count - Self.recentCount) }
            show(revision: last.revision)
        case .whole(let revision):
            recent = []
            show(revision: revision)
        }
    }

    /// The broadcast parts of a document other than its revision.
    private static func changingParts(of document: EmojiArtDocument) -> [String: String] {
        var parts: [String: String] = [:]
        parts[BoardPart.name] = try? ArtJSON.text(["name": document.name])
        parts[BoardPart.picture] = try? ArtJSON.text(PictureJSON(document))
        parts[BoardPart.gone] = document.isGone ? "{}" : nil
        return parts
    }

    private func show(_ parts: [String: String]) {
        for part in [BoardPart.name, BoardPart.picture, BoardPart.gone] { shown[part] = parts[part] }
        // The entries have perhaps announced a later revision; the broadcast revision must not decrease.
        show(revision: max(revision, document.revision))
    }

    private func show(_ palettes: PaletteSnapshot) {
        shown[BoardPart.palettes] = #"{"version":"\#(palettes.version)"}"#
        parts.send(LiveParts(shown))
    }

    func showPresence() {
        shown[BoardPart.presence] = presence.json
        parts.send(LiveParts(shown))
    }

    private func show(revision: Int) {
        self.revision = revision
        shown[BoardPart.revision] = "\(revision)"
        parts.send(LiveParts(shown))
    }
}

extension ArtJSON {
    /// Encodes a value as text.
    static func text(_ value: some Encodable) throws(ArtJSONError) -> String {
        String(decoding: try data(value), as: UTF8.self)
    }
}
