package import EmojiArtModel
import Observation
import Persistence
package import Site

/// A board while somebody looks at it: it follows what happens on it, and tells every open page.
@MainActor
package final class OpenBoard: LiveDocument {
    package typealias Key = BoardID

    /// Why nothing is opened while the server is ending.
    nonisolated package static var ending: any Error { Problem.boardsEnding }

    /// How many steps are known here, so that a page that follows asks the store for none.
    private static let recentCount = 100
    /// How many operations such a step has at most: whoever wants a larger one asks the store.
    private static let recentOperations = 1_000

    /// What tells a page that there is something new: the revision, and the name and the picture as they are sent.
    nonisolated package let parts = Broadcast<[String: String]>()
    let document: EmojiArtDocument
    private let palettes: PaletteStores
    /// The newest revision that is known.
    private var revision = 0
    private var shown: [String: String] = [:]
    /// The last steps, one after another without a gap.
    private var recent: [LogEntry] = []
    /// What was sent last: pages that follow ask for the same.
    private var written: (steps: Range<Int>, event: ServerSentEvent)?
    /// Owned by this one; ``close()`` ends them.
    private var tasks: [Task<Void, Never>] = []

    init(_ document: EmojiArtDocument, palettes: PaletteStores) {
        (self.document, self.palettes) = (document, palettes)
    }
}

extension OpenBoard {
    /// Whether something is on its way to where it is kept.
    package var isBusy: Bool { document.isBusy }

    /// Reads the board, and begins to follow it.
    package func open() async throws(any Error) {
        // Before it is read, so that nothing is missed in between.
        let news = document.entries()
        try await document.open()
        // What cannot be read now is told by the palettes' own page.
        try? await palettes.open()
        let snapshots = Observations { [palettes] in PaletteSnapshot(palettes) }
        let looks = Observations { [document] in Self.look(of: document) }
        show(Self.look(of: document))
        tasks = [
            Task { [weak self] in
                for await news in news { self?.follow(news) }
            },
            Task { [weak self] in
                for await look in looks { self?.show(look) }
            },
            Task { [weak self] in
                for await snapshot in snapshots { self?.show(snapshot) }
            },
        ]
    }

    /// Ends what it has begun.
    package func close() async {
        for task in tasks { task.cancel() }
        parts.finish()
        for task in tasks { await task.value }
        await document.close()
    }

    /// The document, unless the board is deleted.
    ///
    /// The store is asked again about a deleted board: a restore is committed before this document is told.
    func current() async throws(BoardStoreError) -> EmojiArtDocument {
        if document.isGone { await document.refresh() }
        guard !document.isGone else { throw .noBoard(document.id) }
        return document
    }
}

// MARK: - What pages are told

extension OpenBoard {
    /// What a page that has a revision is to be sent, and the revision that it has then; `nil` where it has all there is.
    func news(since revision: Int) async -> (revision: Int, event: ServerSentEvent)? {
        let known = self.revision
        guard revision != known else { return nil }
        if revision < known, let written, written.steps == revision..<known { return (known, written.event) }
        do {
            switch try await changes(since: revision) {
            case .entries(let entries):
                guard let last = entries.last else { return nil }
                let event = ServerSentEvent(data: try ArtJSON.text(["entries": entries]), name: "entries")
                if revision < last.revision { written = (revision..<last.revision, event) }
                return (last.revision, event)
            case .whole(let board):
                return (board.summary.revision, Self.take(board.summary.revision))
            }
        } catch {
            // The page asks itself, and is told what is wrong.
            return (known, Self.take(known))
        }
    }

    /// What happened since a revision; the last steps are known here.
    func changes(since revision: Int) async throws(BoardStoreError) -> BoardChanges {
        if let first = recent.first, let last = recent.last, first.revision - 1 <= revision, revision < last.revision {
            return .entries(Array(recent[(revision + 1 - first.revision)...]))
        }
        return try await document.changes(since: revision)
    }

    /// Says that a page is to take the board anew.
    nonisolated static func take(_ revision: Int) -> ServerSentEvent {
        ServerSentEvent(data: #"{"revision":\#(revision)}"#, name: "board")
    }

    /// The revisions of the steps that are known here, for the tests.
    var recentRevisions: [Int] { recent.map(\.revision) }

    private func follow(_ news: BoardNews) {
        switch news {
        case .entries(let entries):
            guard let first = entries.first, let last = entries.last else { return }
            if let known = recent.last?.revision, known + 1 != first.revision { recent = [] }
            if entries.contains(where: { $0.batch.operations.count > Self.recentOperations }) {
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

    /// What else than its steps is told of a board.
    private static func look(of document: EmojiArtDocument) -> [String: String] {
        var look: [String: String] = [:]
        look[BoardPart.name] = try? ArtJSON.text(["name": document.name])
        look[BoardPart.picture] = try? ArtJSON.text(PictureJSON(document))
        look[BoardPart.gone] = document.isGone ? "{}" : nil
        return look
    }

    private func show(_ look: [String: String]) {
        for part in [BoardPart.name, BoardPart.picture, BoardPart.gone] { shown[part] = look[part] }
        // What is performed by others comes in by steps, which are told by their own numbers.
        show(revision: max(revision, document.revision))
    }

    private func show(_ palettes: PaletteSnapshot) {
        shown[BoardPart.palettes] = #"{"version":"\#(palettes.version)"}"#
        parts.send(shown)
    }

    private func show(revision: Int) {
        self.revision = revision
        shown[BoardPart.revision] = "\(revision)"
        parts.send(shown)
    }
}

extension ArtJSON {
    /// A value as text.
    static func text(_ value: some Encodable) throws(ArtJSONError) -> String {
        String(decoding: try data(value), as: UTF8.self)
    }
}
