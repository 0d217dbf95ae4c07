import EmojiArtModel
import Site

/// Makes the events for one page of a board: the changes since the page's revision, and then each further change.
struct BoardEvents: DocumentEventMaker {
    /// The revision that the page has after all events so far.
    private var revision: Int
    private var isGone = false

    /// - Parameter revision: The page's revision.
    init(since revision: Int) {
        self.revision = revision
    }

    mutating func events(
        for changed: [String: String], of parts: [String: String], in board: OpenBoard
    ) async -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        if changed[BoardPart.revision] != nil, let steps = await board.news(since: revision) {
            revision = steps.revision
            events.append(steps.event)
        }
        for name in [BoardPart.picture, BoardPart.name, BoardPart.palettes, BoardPart.gone] {
            if let data = changed[name] { events.append(ServerSentEvent(data: data, name: name)) }
        }
        let wasGone = isGone
        isGone = parts[BoardPart.gone] != nil
        // A page stops applying changes once the board is deleted, so it must reload the board when it is restored.
        if wasGone, !isGone { events.append(OpenBoard.reloadEvent(revision)) }
        return events
    }
}

/// The parts of an open board's broadcast; all but the revision are also names of events.
enum BoardPart {
    static let revision = "revision"
    static let picture = "picture"
    static let name = "name"
    static let gone = "gone"
    /// The version of the palettes, which all boards share.
    static let palettes = "palettes"
}
