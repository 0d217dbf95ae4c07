import EmojiArtModel
import Foundation
import HTTPTypes
import Hummingbird
import Site

/// The page of all boards, and what is done with a board as a whole: made, renamed, duplicated, deleted, had back.
struct ListPages: Sendable {
    let store: any BoardStoring
    let owner: String
    let templates: ArtTemplates
    let thumbnails: ListThumbnails
    let notice: String?
    private let events = EventStream()
    private let clock: any Clock<Duration>

    /// Creates the page.
    ///
    /// - Parameters:
    ///   - store: Where the boards are kept.
    ///   - owner: Whose they are.
    ///   - templates: What the page is made with.
    ///   - notice: What everybody who comes should be told.
    ///   - clock: What measures how often a page is told of changes.
    init(
        store: any BoardStoring, owner: String, templates: ArtTemplates, notice: String? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.store = store
        self.owner = owner
        self.templates = templates
        self.thumbnails = ListThumbnails(store: store, owner: owner)
        self.notice = notice
        self.clock = clock
    }

    static let styles = ["art/boards.css"]
    static let scripts = ["art/list.js"]
}

extension ArtPages {
    /// Adds the routes of the list.
    ///
    /// - Parameters:
    ///   - art: What to add them to.
    ///   - layout: What pages are made with.
    func addListRoutes(to art: RouterGroup<SiteContext>, layout: Layout) {
        ListPages(store: store, owner: Self.owner, templates: templates, notice: notice)
            .addRoutes(to: art, layout: layout)
    }
}

// MARK: - Routes

extension ListPages {
    /// Adds the routes: the page, its events, and `POST` for `boards` and `boards/ID/rename`, `/duplicate`, `/delete` and
    /// `/restore`.
    func addRoutes(to art: RouterGroup<SiteContext>, layout: Layout) {
        art.get("/") { request, _ in
            let list = try await BoardList(of: owner, in: store, page: Self.page(of: request))
            let content = await templates.boards(list, thumbnails: thumbnails, notice: notice)
            return layout.page(
                title: ArtPages.app.name, heading: nil, app: ArtPages.app, content: content, styles: Self.styles,
                scripts: Self.scripts)
        }
        art.get("/events") { request, _ in
            let page = Self.page(of: request)
            // What keeps it from being read is an answer; the stream itself reads it again.
            _ = try await BoardList(of: owner, in: store, page: page)
            return events.response(
                to: request, sending: BoardListEvents(store: store, owner: owner, page: page, clock: clock))
        }
        art.post("/boards") { request, context in
            let form = try await request.decode(as: Form.self, context: context)
            // Without a name it gets one that tells it from the others well enough; it is renamed with a tap.
            let name = try form.name.flatMap { try BoardName.ifAny($0) } ?? BoardName.untitled
            let made = try await store.create(newID, named: name, art: EmojiArt(), owner: owner)
            return try answer(made, .created, to: request) { "/art/boards/\(made.id)" }
        }
        art.post("/boards/:id/rename") { request, context in
            let (id, form) = try await read(request, context)
            try await store.rename(id, to: try BoardName.required(form.name ?? ""), owner: owner)
            return try await answer(id, to: request, form)
        }
        art.post("/boards/:id/duplicate") { request, context in
            let (id, form) = try await read(request, context)
            guard let original = try await store.summary(of: id, owner: owner) else {
                throw BoardStoreError.noBoard(id)
            }
            let name = BoardName.copy(of: original.name)
            let made = try await store.duplicate(id, as: newID, named: name, owner: owner)
            return try answer(made, .created, to: request) { form.back }
        }
        art.post("/boards/:id/delete") { request, context in
            let (id, form) = try await read(request, context)
            try await store.delete(id, owner: owner)
            thumbnails.forget(id)
            return request.wantsJSON ? Response(status: .noContent) : .redirect(to: form.back, type: .normal)
        }
        art.post("/boards/:id/restore") { request, context in
            let (id, form) = try await read(request, context)
            try await store.restore(id, owner: owner)
            return try await answer(id, to: request, form)
        }
    }

    /// What a form of the list holds.
    private struct Form: Decodable {
        var name: String?
        /// Which page of the list it was on.
        var page: String?

        /// The page of the list that it came from.
        var back: String { BoardList.path(page: page.flatMap { Int($0) } ?? 1) }
    }

    private var newID: BoardID {
        var generator = SystemRandomNumberGenerator()
        return BoardID(using: &generator)
    }

    private static func page(of request: Request) -> Int {
        request.uri.queryParameters["page"].flatMap { Int($0) } ?? 1
    }

    /// The board that is meant, and what is to be done with it.
    private func read(_ request: Request, _ context: SiteContext) async throws -> (BoardID, Form) {
        guard let id = context.parameters.get("id").flatMap({ BoardID($0) }) else {
            throw Problem.noSuchBoard
        }
        // A form without fields may come without a type.
        guard request.headers[.contentType] != nil else { return (id, Form()) }
        return (id, try await request.decode(as: Form.self, context: context))
    }

    /// Leads back to the list, or tells whoever wants JSON what the board is now.
    private func answer(_ id: BoardID, to request: Request, _ form: Form) async throws -> Response {
        guard request.wantsJSON else { return .redirect(to: form.back, type: .normal) }
        guard let board = try await store.summary(of: id, owner: owner) else { throw BoardStoreError.noBoard(id) }
        return try answer(board, .ok, to: request) { form.back }
    }

    private func answer(
        _ board: BoardSummary, _ status: HTTPResponse.Status, to request: Request, or path: () -> String
    ) throws -> Response {
        guard request.wantsJSON else { return .redirect(to: path(), type: .normal) }
        return try .json(
            ["id": board.id.rawValue, "name": board.name, "path": "/art/boards/\(board.id)"], status: status)
    }
}

// MARK: - JSON

extension Request {
    /// Whether a program asks, which is answered in JSON.
    ///
    /// A page's script names HTML too, and is led to a page.
    var wantsJSON: Bool {
        let accepted = headers[values: .accept].joined(separator: ",").lowercased()
        return accepted.contains("application/json") && !accepted.contains("text/html")
    }
}

extension Response {
    /// A value as JSON, which is not kept by anybody.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - status: The status.
    /// - Returns: The answer.
    /// - Throws: What keeps it from being encoded.
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        try ArtPages.json(value, status: status)
    }
}
