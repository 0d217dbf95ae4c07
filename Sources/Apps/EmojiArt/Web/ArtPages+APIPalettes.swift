import EmojiArtModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Persistence
import Site

// The order and the stores of palettes, those that were set aside, recent emoji and the search, for scripts.

extension ArtPages {
    func addMorePaletteAPIRoutes(to api: RouterGroup<SiteContext>) {
        api.post("/palettes/:store/:palette/move") { request, context in
            let id = try Self.palette(in: context)
            let move = try await APIJSON.decode(PaletteMove.self, from: request, context)
            try await apply(move, to: id, context)
            return Response(status: .noContent)
        }
        api.patch("/palettes/:store") { request, context in
            let chosen = try await APIJSON.decode(ChosenPalette.self, from: request, context).chosen
            try await edit(context) { store throws(PaletteError) in
                let place = store.list.palettes.firstIndex { $0.id == chosen }
                guard let place else { throw PaletteError.noPalette }
                store.cursorIndex = place
            }
            return Response(status: .noContent)
        }
        api.get("/recents") { request, _ in
            _ = try APIQuery(request)
            return try await recents()
        }
        api.post("/recents") { request, context in
            let emoji = try await APIJSON.decode(UsedEmoji.self, from: request, context).emoji
            try await use(emoji)
            return try await recents()
        }
        api.get("/emoji") { request, _ in
            let query = try APIQuery(request, known: ["q", "tone", "limit"])
            var toned = PaletteQuery()
            toned.tone = try query.choice("tone", of: SkinTone.self)
            let hits = EmojiSearch.search(query["q"] ?? "", limit: min(try query.limit, Self.maximumResults))
            return try APIJSON.response(try APIList(toned.toned(hits)))
        }
        addSetAsideAPIRoutes(to: api)
        api.get("/palettes/events") { request, _ in
            _ = try APIQuery(request)
            return try await followPalettes(request, sending: APIChangeEvents<OpenBoard>.event)
        }
        api.get("/events") { request, _ in
            _ = try APIQuery(request)
            let list = try await BoardList(of: owner, in: store, page: 1)
            return events.response(
                to: request,
                sending: DocumentEvents(of: documents.lists, key: list.page, maker: APIChangeEvents()))
        }
        api.get("/boards/:id/events") { request, context in
            _ = try APIQuery(request)
            let id = try boardID(in: context)
            guard try await store.summary(of: id, owner: owner) != nil else { throw BoardStoreError.notFound(id) }
            return events.response(
                to: request, sending: DocumentEvents(of: documents.documents, key: id, maker: APIChangeEvents()))
        }
    }

    private func addSetAsideAPIRoutes(to api: RouterGroup<SiteContext>) {
        api.get("/palettes/:store/set-aside") { request, context in
            _ = try APIQuery(request)
            let setAside = try await setAside(context) { store async throws(PaletteError) in
                try await store.loadSetAside()
                return store.setAside
            }
            return try APIJSON.response(try APIList(setAside.map { SetAsideJSON($0) }))
        }
        let record = api.group("/palettes/:store/set-aside/:record")
        record.get { request, context in
            _ = try APIQuery(request)
            let bytes = try await setAside(context) { store async throws(PaletteError) in
                try await store.setAsideBytes(Self.record(in: context))
            }
            return Response(
                status: .ok, headers: [.contentType: "application/octet-stream", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
        record.post("/restore") { _, context in
            try await setAside(context) { store async throws(PaletteError) in
                try await store.restore(setAside: Self.record(in: context))
            }
            return Response(status: .noContent)
        }
        record.delete { _, context in
            try await setAside(context) { store async throws(PaletteError) in
                try await store.deleteSetAside(Self.record(in: context))
            }
            return Response(status: .noContent)
        }
    }

    private static func record(in context: SiteContext) -> SetAsidePalettes.ID {
        context.parameters.get("record") ?? ""
    }

    /// Opens the request's store, and calls the body with it.
    @MainActor
    @discardableResult
    private func setAside<Value: Sendable>(
        _ context: SiteContext, _ body: @MainActor (PaletteStore) async throws(PaletteError) -> Value
    ) async throws(PaletteError) -> Value {
        let store = try palettes.store(named: Self.storeName(in: context))
        try await store.open()
        return try await body(store)
    }

    @MainActor
    private func apply(_ move: PaletteMove, to id: Palette.ID, _ context: SiteContext) async throws(PaletteError) {
        try await palettes.open()
        let source = try palettes.store(named: Self.storeName(in: context))
        let target = try move.store.map { name throws(PaletteError) in try palettes.store(named: name) } ?? source
        try await palettes.move(id, from: source, to: target, at: move.index)
    }

    private func recents() async throws -> Response {
        try await palettes.recents.open()
        return try APIJSON.response(try APIList(await palettes.recents.emojis))
    }
}

// MARK: - Requests and responses

private struct PaletteMove: Decodable, Sendable {
    private enum CodingKeys: CodingKey {
        case index, store
    }

    static let maximumIndex = 1_000_000

    /// The index in the list; `nil` for the end.
    let index: Int?
    /// The name of another store; `nil` for the same one.
    let store: String?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        index = try container.decodeIfPresent(Int.self, forKey: .index)
        store = try container.decodeIfPresent(String.self, forKey: .store)
        guard (0...Self.maximumIndex).contains(index ?? 0) else {
            throw DecodingError.dataCorruptedError(
                forKey: .index, in: container, debugDescription: ArtWords.anIndex(to: Self.maximumIndex))
        }
    }
}

private struct ChosenPalette: Decodable, Sendable {
    var chosen: Palette.ID
}

private struct UsedEmoji: Decodable, Sendable {
    var emoji: String
}

private struct SetAsideJSON: Encodable, Sendable {
    /// `unreadable` or `replaced`.
    var id, cause: String
    var time: Date
    /// The number of palettes that can be restored.
    var count: Int
    /// Why they can't be restored.
    var problem: String?

    init(_ palettes: SetAsidePalettes) {
        (id, time, count, problem) = (palettes.id, palettes.time, palettes.count, palettes.problem)
        cause = palettes.cause == .replaced ? "replaced" : "unreadable"
    }
}
