import EmojiArtModel
import Site

/// What one page is told of a board, which stays open for as long as the page listens: what happened since the revision that
/// the page has, and then whatever happens.
///
/// A stream that nobody reads, as the answer to a HEAD request has, opens nothing.
struct BoardEvents: AsyncSequence, Sendable {
    typealias Element = ServerSentEvent
    typealias Failure = Never

    let boards: OpenBoards
    let id: BoardID
    /// The revision that the page has.
    let revision: Int

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(boards: boards, id: id, revision: revision)
    }
}

extension BoardEvents {
    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let boards: OpenBoards
        fileprivate let id: BoardID
        /// What the page has when it has got all that was told.
        fileprivate var revision: Int
        private var board: OpenBoard?
        private var parts: AsyncStream<[String: String]>.AsyncIterator?
        private var shown: [String: String] = [:]
        private var waiting: [ServerSentEvent] = []
        private var isEnded = false

        fileprivate init(boards: OpenBoards, id: BoardID, revision: Int) {
            (self.boards, self.id, self.revision) = (boards, id, revision)
        }

        mutating func next() async -> ServerSentEvent? {
            await next(isolation: #isolation)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async -> ServerSentEvent? {
            if !waiting.isEmpty { return waiting.removeFirst() }
            if isEnded { return nil }
            if board == nil {
                guard let board = try? await boards.documents.lease(id.rawValue) else {
                    isEnded = true
                    return nil
                }
                self.board = board
                parts = board.parts.values().makeAsyncIterator()
            }
            while waiting.isEmpty {
                guard let board, let all = await parts?.next(isolation: actor) else {
                    isEnded = true
                    await boards.documents.giveBack(id.rawValue)
                    return nil
                }
                let news = all.filter { shown[$0.key] != $0.value }
                let isBack = shown[BoardPart.gone] != nil && all[BoardPart.gone] == nil
                shown = all
                await tell(news, of: board)
                // A page that was told that the board is gone has stopped to look.
                if isBack { waiting.append(OpenBoard.take(revision)) }
            }
            return waiting.removeFirst()
        }

        private mutating func tell(_ news: [String: String], of board: OpenBoard) async {
            if news[BoardPart.revision] != nil, let steps = await board.news(since: revision) {
                revision = steps.revision
                waiting.append(steps.event)
            }
            for name in [BoardPart.picture, BoardPart.name, BoardPart.palettes, BoardPart.gone] {
                if let data = news[name] { waiting.append(ServerSentEvent(data: data, name: name)) }
            }
        }
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
