import EmojiArtModel
import Foundation
import HTTPTypes
import Hummingbird
import Persistence
import Site

// What the pages can do, for scripts.

extension ArtPages {
    /// The app's part of the API.
    static let api = SiteAPI(name: "art", description: PackageResources.api_json)

    func addAPIRoutes(to router: some RouterMethods<SiteContext>) {
        let api = router.api(Self.api)
        api.get("/boards") { request, _ in try await listBoards(request) }
        api.post("/boards") { request, context in
            let new = try await APIJSON.decode(NewBoard.self, from: request, context)
            let typed = try new.name.map { name throws(Problem) in try BoardName.required(name) }
            let art = new.example == true ? EmojiArt.example : EmojiArt()
            let name: String =
                if let typed { typed } else { BoardName.unique(BoardName.dated(.now), among: try await names) }
            return try Self.created(try await store.create(newID, named: name, art: art, owner: owner))
        }
        let board = api.group("/boards/:id")
        board.get { request, context in try await readBoard(request, context) }
        board.patch { request, context in
            let id = try boardID(in: context)
            let change = try await APIJSON.decode(BoardChange.self, from: request, context)
            let name = try BoardName.required(change.name)
            try await check(request, id)
            try await store.rename(id, to: name, owner: owner)
            return try await response(id)
        }
        board.delete { request, context in
            let id = try boardID(in: context)
            try await check(request, id)
            try await store.delete(id, owner: owner)
            thumbnails.forget(id)
            return Response(status: .noContent)
        }
        board.post("/restore") { _, context in
            let id = try boardID(in: context)
            try await store.restore(id, owner: owner)
            return try await response(id)
        }
        board.post("/duplicate") { _, context in
            let id = try boardID(in: context)
            let name = BoardName.copy(of: try await summary(of: id).name)
            return try Self.created(try await store.duplicate(id, as: newID, named: name, owner: owner))
        }
        board.get("/entries") { request, context in
            _ = try APIQuery(request, known: ["since"])
            return try await entries(request, context)
        }
        board.get("/pictures/:hash") { request, context in
            _ = try APIQuery(request)
            return try await picture(request, context)
        }
        board.post("/background/retry") { _, context in try await retryBackground(context) }
        board.get("/export.{format}") { request, context in
            _ = try APIQuery(request, known: ["scale", "margin", "ground"])
            return try await export(as: context.parameters.get("format"), request, context)
        }
        addPaletteAPIRoutes(to: api)
        addMorePaletteAPIRoutes(to: api)
        // Batches and pictures have identifiers of their own, by which they are stored once.
        let bodies = router.api(Self.api, isRepeatable: false)
        bodies.post("/boards/:id/operations") { request, context in try await apply(request, context, author: "") }
        bodies.post("/boards/:id/pictures") { request, context in try await addPicture(request, context) }
        bodies.post("/import") { request, _ in
            let imported = try await readFile(
                of: request, named: try APIQuery(request, known: ["name"])["name"])
            return try APIJSON.response(
                ImportJSON(board: BoardJSON(imported.board), notes: imported.notes), status: .created,
                headers: [.location: Self.path(of: imported.board.id)])
        }
    }

    private static func path(of id: BoardID) -> String { "\(api.path)/boards/\(id)" }

    private static func created(_ board: BoardSummary) throws -> Response {
        let json = BoardJSON(board)
        return try APIJSON.response(
            json, status: .created, headers: [.location: path(of: board.id), .eTag: try APIVersion(of: json).text])
    }

    private func summary(of id: BoardID) async throws(BoardStoreError) -> BoardSummary {
        guard let board = try await store.summary(of: id, owner: owner) else { throw .notFound(id) }
        return board
    }

    private func response(_ id: BoardID) async throws -> Response {
        let json = BoardJSON(try await summary(of: id))
        return try APIJSON.response(json, headers: [.eTag: try APIVersion(of: json).text])
    }

    private func check(_ request: Request, _ id: BoardID) async throws {
        try APIVersion(of: BoardJSON(try await summary(of: id))).check(request)
    }

    private func readBoard(_ request: Request, _ context: SiteContext) async throws -> Response {
        _ = try APIQuery(request)
        let id = try boardID(in: context)
        guard let board = try await store.board(id, owner: owner) else { throw BoardStoreError.notFound(id) }
        let json = BoardJSON(board.summary)
        let version = try APIVersion(of: json)
        let response = try version.response(to: request, with: json)
        guard response.status == .ok else { return response }
        var whole = try await self.json(
            ArtWords.readingBoard, WholeBoard(board: json, art: board.art),
            isLarge: board.art.emojis.count > Self.manyEmojis)
        whole.headers[.eTag] = version.text
        return whole
    }

    private struct Position: Codable {
        var changed: Double
        var id: String

        func isBefore(_ board: BoardSummary) -> Bool {
            let time = board.changed.timeIntervalSince1970
            return time < changed || time == changed && board.id.rawValue > id
        }
    }

    private func listBoards(_ request: Request) async throws -> Response {
        let query = try APIQuery(request, known: ["deleted", "limit", "cursor"])
        let limit = try query.limit
        let position = try query.cursor(Position.self)
        let boards =
            try query.flag("deleted")
            ? try await store.deleted(of: owner) : try await store.boards(of: owner, limit: .max, offset: 0)
        let rest = boards.sorted {
            ($1.changed, $0.id.rawValue) < ($0.changed, $1.id.rawValue)
        }.filter { position?.isBefore($0) ?? true }
        let part = rest.prefix(limit)
        let next = rest.count > limit ? part.last : nil
        return try APIJSON.response(
            try APIList(
                part.map { BoardJSON($0) },
                next: next.map { Position(changed: $0.changed.timeIntervalSince1970, id: $0.id.rawValue) }))
    }
}

// MARK: - Palettes

extension ArtPages {
    private func addPaletteAPIRoutes(to api: RouterGroup<SiteContext>) {
        api.get("/palettes") { request, _ in
            _ = try APIQuery(request)
            try await palettes.open()
            let snapshot = await PaletteSnapshot(palettes)
            return try APIJSON.response(
                try APIList(snapshot.stores.map { StoreJSON($0) }))
        }
        api.post("/palettes/:store") { request, context in
            let new = try await APIJSON.decode(NewPalette.self, from: request, context)
            let palette = try await edit(context) { store throws(PaletteError) in
                try store.insertNew(name: new.name, emojis: new.emojis?.joined() ?? "")
            }
            return try APIJSON.response(palette, status: .created)
        }
        let palette = api.group("/palettes/:store/:palette")
        palette.patch { request, context in
            let id = try Self.palette(in: context)
            let change = try await APIJSON.decode(PaletteChange.self, from: request, context)
            let palette = try await edit(context) { store throws(PaletteError) in
                // Changes a copy, so that an error leaves the palette unchanged.
                var list = store.list
                if let name = change.name { try list.rename(id, to: name) }
                for emoji in change.remove ?? [] { try list.remove(emoji, from: id) }
                if let emojis = change.add, !emojis.isEmpty { _ = try list.add(emojis.joined(), to: id) }
                try store.edit { current throws(PaletteError) in current = list }
                return try list.palette(id)
            }
            return try APIJSON.response(palette)
        }
        palette.delete { _, context in
            let id = try Self.palette(in: context)
            try await edit(context) { store throws(PaletteError) in try store.delete(id) }
            return Response(status: .noContent)
        }
        palette.post("/restore") { _, context in
            let id = try Self.palette(in: context)
            let palette = try await edit(context) { store throws(PaletteError) in
                try store.restore(id)
                return try store.list.palette(id)
            }
            return try APIJSON.response(palette)
        }
    }

    /// The name of the request's store.
    static func storeName(in context: SiteContext) -> String {
        context.parameters.get("store").flatMap { $0.removingPercentEncoding } ?? ""
    }

    /// Changes the palettes of the request's store, and saves them.
    @MainActor
    @discardableResult
    func edit<Value: Sendable>(
        _ context: SiteContext, _ body: @MainActor (PaletteStore) throws(PaletteError) -> Value
    ) async throws(PaletteError) -> Value {
        let store = try palettes.store(named: Self.storeName(in: context))
        try await store.open()
        let value = try body(store)
        try await store.save()
        return value
    }
}

// MARK: - Requests and responses

private struct NewBoard: Decodable {
    var name: String?
    /// Whether the board has the contents of the example.
    var example: Bool?
}

private struct BoardChange: Decodable {
    var name: String
}

private struct NewPalette: Decodable, Sendable {
    var name: String
    var emojis: [String]?
}

private struct PaletteChange: Decodable, Sendable {
    var name: String?
    var add: [String]?
    var remove: [String]?
}

private struct BoardJSON: Encodable, Sendable {
    var id, name: String
    var emojiCount, revision: Int
    /// Texts, because a board's JSON is encoded without a format of dates.
    var created, changed: String

    init(_ board: BoardSummary) {
        (id, name) = (board.id.rawValue, board.name)
        (emojiCount, revision) = (board.emojiCount, board.revision)
        (created, changed) = (APIJSON.text(board.created), APIJSON.text(board.changed))
    }
}

private struct WholeBoard: Encodable, Sendable {
    private enum CodingKeys: CodingKey {
        case art
    }

    var board: BoardJSON
    var art: EmojiArt

    func encode(to encoder: any Encoder) throws {
        try board.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(art, forKey: .art)
    }
}

private struct ImportJSON: Encodable {
    var board: BoardJSON
    var notes: [String]
}

private struct StoreJSON: Encodable, Sendable {
    var name: String
    var palettes: [Palette]
    /// The identifier of the palette that the pages show; `nil` if there is none.
    var chosen: Palette.ID?

    init(_ store: PaletteSnapshot.Store) {
        (name, palettes) = (store.name, store.list.palettes)
        let cursor = store.list.cursor
        chosen = palettes.indices.contains(cursor) ? palettes[cursor].id : nil
    }
}
