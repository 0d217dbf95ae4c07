import EmojiArtModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Persistence
import Site

// The list of boards, and the actions on whole boards: create, rename, duplicate, delete, restore.

extension ArtPages {
    /// Adds the routes of the list: its page, its events, and `POST` to `boards` and `boards/ID/rename`, `/duplicate`,
    /// `/delete` and `/restore`.
    func addListRoutes(to art: RouterGroup<SiteContext>, layout: Layout) {
        art.get("/") { request, _ in
            let list = try await BoardList(of: owner, in: store, page: Self.page(of: request))
            let sharedVersion = try await sharedVersion()
            let content = templates.render(
                "list",
                await BoardListView(
                    list, thumbnails: thumbnails, notice: notice, shared: try await sharedBoards(),
                    sharedVersion: sharedVersion))
            return page(
                layout, title: Self.app.name, content, styles: ["art/boards.css"], scripts: ["art/board-list.js"],
                firstPageIn: request)
        }
        art.get("/events") { request, _ in
            // Reads the list first, so that a failure becomes the response; the stream reads it again.
            let list = try await BoardList(of: owner, in: store, page: Self.page(of: request))
            return events.response(
                to: request, sending: DocumentEvents(of: documents.lists, key: list.page))
        }
        art.post("/boards") { request, context in
            let form = try await request.decode(as: Form.self, context: context)
            let art = form.example == nil ? EmojiArt() : EmojiArt.example
            let board = try await store.create(newID, named: try await name(in: form), art: art, owner: owner)
            return try answer(board, .created, to: request) { "/art/boards/\(board.id)" }
        }
        art.post("/boards/:id/rename") { request, context in
            let (id, form) = try await read(request, context)
            try await store.rename(id, to: try BoardName.required(form.name ?? ""), owner: owner)
            return try await answer(id, to: request, form)
        }
        art.post("/boards/:id/duplicate") { request, context in
            let (id, form) = try await read(request, context)
            guard let original = try await store.summary(of: id, owner: owner) else {
                throw BoardStoreError.notFound(id)
            }
            let name = BoardName.copy(of: original.name)
            let copy = try await store.duplicate(id, as: newID, named: name, owner: owner)
            return try answer(copy, .created, to: request) { form.back }
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

    /// The fields of the list's forms.
    private struct Form: Decodable {
        var name: String?
        /// Set if the new board has the contents of the example.
        var example: String?
        /// The page of the list that the form was on.
        var page: String?

        /// The path of the list's page that the form was on.
        var back: String { BoardList.path(page: page.flatMap { Int($0) } ?? 1) }
    }

    /// The name that the user has typed for a new board, or else the day; see ``nameBoard(_:after:)``.
    private func name(in form: Form) async throws -> String {
        if let typed = try form.name.flatMap({ try BoardName.normalized($0) }) { return typed }
        return BoardName.unique(BoardName.dated(.now), among: try await names)
    }

    /// The names of all boards.
    var names: [String] {
        get async throws(BoardStoreError) {
            try await store.boards(of: owner, limit: .max, offset: 0).map(\.name)
        }
    }

    /// Names a board after its first emoji, if it still has the name that it was created with.
    func nameBoard(_ id: BoardID, after emoji: String) async throws(BoardStoreError) {
        guard let name = BoardName.named(after: emoji),
            let board = try await store.summary(of: id, owner: owner),
            BoardName.isAutomatic(board.name, created: board.created)
        else { return }
        _ = try await store.rename(
            id, from: board.name, to: BoardName.unique(name, among: try await names), owner: owner)
    }

    var newID: BoardID {
        var generator = SystemRandomNumberGenerator()
        return BoardID(using: &generator)
    }

    private static func page(of request: Request) -> Int {
        request.uri.queryParameters["page"].flatMap { Int($0) } ?? 1
    }

    /// The board and the form of a request.
    private func read(_ request: Request, _ context: SiteContext) async throws -> (BoardID, Form) {
        let id = try boardID(in: context)
        // A form without fields may have no content type.
        guard request.headers[.contentType] != nil else { return (id, Form()) }
        return (id, try await request.decode(as: Form.self, context: context))
    }

    /// Redirects to the list, or responds with the board's new state to a client that expects JSON.
    private func answer(_ id: BoardID, to request: Request, _ form: Form) async throws -> Response {
        guard request.wantsJSON else { return .redirect(to: form.back, type: .normal) }
        guard let board = try await store.summary(of: id, owner: owner) else { throw BoardStoreError.notFound(id) }
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
    /// Whether the client is a program that expects JSON.
    ///
    /// A page's script accepts HTML too, so it gets the same redirect as a form.
    var wantsJSON: Bool {
        let accepted = headers[values: .accept].joined(separator: ",").lowercased()
        return accepted.contains("application/json") && !accepted.contains("text/html")
    }
}

extension Response {
    /// A JSON response that isn't cached.
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        json(data: try ArtJSON.data(value), status: status)
    }

    static func json(data: Data, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }
}
