import EmojiArtModel
import Site

/// Makes the events for one page of a board: the changes since the page's revision, and then each further change.
struct BoardEvents: DocumentEventMaker {
    /// The revision that the page has after all events so far.
    private var revision: Int
    private var isGone = false
    private let isShared: Bool
    /// The page's place among those who look at the board, until it has taken it.
    private var seat: PresenceSeat?
    private var waiting: [ServerSentEvent] = []

    /// - Parameters:
    ///   - revision: The page's revision.
    ///   - isShared: Whether the page is that of a visitor, who doesn't have the owner's palettes.
    ///   - seat: The page's place among those who look at the board.
    init(since revision: Int, isShared: Bool = false, seat: PresenceSeat? = nil) {
        (self.revision, self.isShared, self.seat) = (revision, isShared, seat)
    }

    /// Makes the page reload the board, whose current revision is given, instead of receiving the changes.
    mutating func reload(at revision: Int) {
        self.revision = revision
        waiting = [OpenBoard.reloadEvent(revision)]
    }

    mutating func events(
        for changed: [String: String], of parts: [String: String], in board: OpenBoard
    ) async -> [ServerSentEvent] {
        var events = waiting
        waiting = []
        if let seat {
            self.seat = nil
            if let tab = await seat.join(board) {
                events.append(ServerSentEvent(data: #"{"tab":\#(tab)}"#, name: "seat"))
            }
        }
        if changed[BoardPart.revision] != nil, let steps = await board.news(since: revision) {
            revision = steps.revision
            events.append(steps.event)
        }
        for name in [BoardPart.picture, BoardPart.name, BoardPart.palettes, BoardPart.gone, BoardPart.presence] {
            if isShared, name == BoardPart.palettes { continue }
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
    /// The people who look at the board, and their cursors.
    static let presence = "presence"
}
