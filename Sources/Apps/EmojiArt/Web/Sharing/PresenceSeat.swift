import Digests
import EmojiArtModel
import Foundation
import HTTPTypes
import Hummingbird
import Site

/// The place of a tab among those who look at a board, from the first to the last event of its stream.
@MainActor
final class PresenceSeat {
    private let tab, person: String
    private let name: Presence.Name
    private weak var board: OpenBoard?
    private var stream: Int?

    nonisolated init(tab: String, person: String, name: Presence.Name) {
        (self.tab, self.person, self.name) = (tab, person, name)
    }

    /// Seats the tab.
    ///
    /// - Returns: The number by which the tab recognises itself; `nil` if it isn't shown.
    func join(_ board: OpenBoard) -> Int? {
        stream = board.join(tab: tab, person: person, name: name)
        if stream != nil { self.board = board }
        return stream
    }

    func leave() {
        if let stream { board?.leave(tab: tab, stream: stream) }
        (board, stream) = (nil, nil)
    }
}

/// Events during which a tab is present.
struct PresentEvents<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == ServerSentEvent, Base.Failure == Never {
    typealias Element = ServerSentEvent
    typealias Failure = Never

    let base: Base
    let seat: PresenceSeat?

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeAsyncIterator(), seat: seat) }

    struct AsyncIterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator
        let seat: PresenceSeat?

        mutating func next() async -> ServerSentEvent? { await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async -> ServerSentEvent? {
            if let event = await base.next(isolation: actor) { return event }
            await seat?.leave()
            return nil
        }
    }
}

// MARK: - Requests

extension ArtPages {
    /// Who sends a request: an identifier that pages don't show, and a name.
    private func visitor(_ request: Request, _ context: SiteContext) -> (person: String, name: Presence.Name) {
        if let access, access.isLink { return ("guest " + person(request, context).author, .guest) }
        if let name = context.personName { return ("account " + name, .known(name)) }
        return ("owner " + person(request, context).author, .known(ArtWords.boardOwner))
    }

    /// The seat of a tab that asks for events; `nil` if it doesn't name itself.
    func seat(_ request: Request, _ context: SiteContext) -> PresenceSeat? {
        guard let tab = request.uri.queryParameters["tab"].map(String.init), tab.isHexadecimal(bytes: 16) else {
            return nil
        }
        let visitor = visitor(request, context)
        return PresenceSeat(tab: tab, person: visitor.person, name: visitor.name)
    }

    func reportPresence(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = try boardID(in: context)
        let data = try await ArtUpload.data(of: request, upTo: PresenceReport.maximumBytes, orElse: .presenceTooLarge)
        guard let report = PresenceReport(json: data) else { throw Problem.noPresence }
        let sender = visitor(request, context).person
        switch try await documents.use(id, { $0.receive(report, from: sender) }) {
        case .shown, .unchanged: return Response(status: .noContent)
        case .tooMany: throw Problem.tooManyReports
        case .unknownTab: throw Problem.unknownTab
        }
    }
}

extension Problem {
    fileprivate static let noPresence = Problem(
        .badRequest, title: ArtWords.presenceNotRead, detail: ArtWords.presenceNotReadDetail)
    fileprivate static let presenceTooLarge = Problem(
        .contentTooLarge, title: ArtWords.presenceNotRead, detail: ArtWords.presenceNotReadDetail)
    fileprivate static let unknownTab = Problem(
        .conflict, title: ArtWords.notPresent, detail: ArtWords.notPresentDetail)
    fileprivate static let tooManyReports = Problem(
        .tooManyRequests, title: ArtWords.tooManyReports, detail: ArtWords.tooManyReportsDetail,
        headers: [.retryAfter: "1"])
}
