import EmojiArtModel
import Site

/// Makes the events of one page of a board: what happened since the revision that the page has, and then whatever happens.
struct BoardEvents: DocumentEventMaker {
    /// The revision that the page has when it has got all events.
    private var revision: Int
    private var isGone = false

    /// - Parameter revision: The revision that the page has.
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
        // A page that was told that the board is gone has stopped to look.
        if wasGone, !isGone { events.append(OpenBoard.take(revision)) }
        return events
    }
}

/// What an open board broadcasts; all but the revision are events of that name.
enum BoardPart {
    static let revision = "revision"
    static let picture = "picture"
    static let name = "name"
    static let gone = "gone"
    /// That the palettes are others; all boards are drawn on with the same ones.
    static let palettes = "palettes"
}
