import Digests
import EmojiArtModel
import FuturesFoundation
import HTTPTypes
import Hummingbird
import Observation
import Site

// The palettes' page, and the endpoints for pages that draw: palettes, recents and the emoji search.

extension ArtPages {
    /// The maximum number of search results.
    static let maximumResults = 100

    /// The palettes of a store, by default the first, as in `palettes.json`.
    @MainActor
    func palettesJSON(store: String?) async throws -> PaletteDocument {
        // A store that can't be read shows the built-in palettes; the palettes' own page reports the error.
        try? await palettes.open()
        return try PaletteDocument(palettes, of: store ?? PaletteQuery.firstStore)
    }
}

// MARK: - Routes

extension ArtPages {
    func addPaletteRoutes(to art: RouterGroup<SiteContext>, layout: Layout) {
        art.get("/palettes") { request, _ in try await palettesPage(request, layout: layout) }
        art.get("/palettes.json") { request, _ in
            let query = PaletteQuery(request.uri.query ?? "")
            try await palettes.open()
            let document = try await PaletteDocument(palettes, of: query.store ?? PaletteQuery.firstStore)
            return try await WorkerThreads.computing.answer(ArtWords.readingPalettes) { () throws(any Error) in
                try Response.json(document)
            }
        }
        art.get("/palettes/events") { request, _ in try await followPalettes(request) }
        art.get("/emoji.json") { request, _ in try Self.findEmoji(request) }
        art.post("/recents") { request, context in
            let form = try await request.decode(as: PaletteForm.self, context: context)
            try await use(form.emoji ?? "")
            return Response(status: .noContent)
        }
        addStoreRoutes(to: art)
        addEditorRoutes(to: art)
        addSetAsideRoutes(to: art)
    }

    /// Adds an emoji to the recent ones.
    func use(_ emoji: String) async throws {
        try await palettes.recents.open()
        try await palettes.recents.use(emoji)
        try await palettes.recents.save()
    }

    static func findEmoji(_ request: Request) throws -> Response {
        let query = PaletteQuery(request.uri.query ?? "")
        let hits = EmojiSearch.search(query.q ?? "", limit: maximumResults)
        return try Response.json(["emojis": query.toned(hits)])
    }

    private func palettesPage(_ request: Request, layout: Layout) async throws -> Response {
        var failure: String?
        do throws(PaletteError) {
            try await palettes.open()
            try await palettes.loadSetAside()
        } catch {
            failure = error.description
        }
        let query = PaletteQuery(request.uri.query ?? "")
        let snapshot = await PaletteSnapshot(palettes)
        let view = PalettesView(snapshot, query, failure: failure, notice: notice)
        return page(
            layout, title: view.editor.map { ArtWords.title(ofPalette: $0.name) } ?? ArtWords.palettes,
            templates.render("palettes", view), styles: ["art/boards.css"],
            scripts: ["art/palettes-page.js"])
    }

    /// Sends an event at the beginning and after each change: a given one, or one with the version of the palettes.
    func followPalettes(_ request: Request, sending event: ServerSentEvent? = nil) async throws -> Response {
        // The page itself reports what can't be read.
        try? await palettes.open()
        try? await palettes.loadSetAside()
        let events = await snapshots().map { [palettes] _ in
            await palettes.loadNewSetAside()
            if let event { return event }
            return ServerSentEvent(data: await PaletteSnapshot(palettes).version, name: "palettes")
        }
        return self.events.response(to: request, sending: events)
    }

    /// The current palettes, and a snapshot after each change, whichever process made it.
    @MainActor
    private func snapshots() -> Observations<PaletteSnapshot, Never> {
        Observations { [palettes] in PaletteSnapshot(palettes) }
    }
}

// MARK: - Snapshots

/// A snapshot of all palettes.
struct PaletteSnapshot: Sendable {
    struct Store: Sendable {
        let name: String
        let list: PaletteList
        var setAside: [SetAsidePalettes] = []
        var isBuiltIn = true
        var deletion: PaletteDeletion?
    }

    let stores: [Store]
    let recents: [String]

    /// Reads the current palettes; observable.
    @MainActor
    init(_ palettes: PaletteStores) {
        stores = palettes.stores.map { store in
            // Observed, so that set-aside palettes are reloaded after a new report.
            _ = store.reports
            return Store(
                name: store.name, list: store.list, setAside: store.setAside, isBuiltIn: store.isBuiltIn,
                deletion: store.lastDeletion)
        }
        recents = palettes.recents.emojis
    }

    /// A hash of the palettes, those that can be restored, and the recents.
    var version: String {
        var hash = XXH64()
        for store in stores {
            hash.add("\(store.name) \(store.list.cursor)")
            for palette in store.list.palettes {
                hash.add("\(palette.id)")
                hash.add(palette.name)
                for emoji in palette.emojis { hash.add(emoji) }
            }
            if let deletion = store.deletion { hash.add("-\(deletion.palette.id)") }
            for palettes in store.setAside { hash.add("\(palettes.id) \(palettes.count)") }
        }
        for emoji in recents { hash.add(emoji) }
        return String(hash.value, radix: 16)
    }
}

/// The JSON of a store's palettes.
struct PaletteDocument: Encodable, Sendable {
    let stores: [String]
    let store: String
    let palettes: [Palette]
    let cursor: Int
    let recents: [String]
    /// The version that a board's stream announces.
    let version: String

    /// The built-in palettes, which visitors of a shared board use.
    static let builtIn = PaletteDocument(
        stores: [PaletteQuery.firstStore], store: PaletteQuery.firstStore, palettes: Palette.builtins(firstID: 1),
        cursor: 0, recents: [], version: "")

    private init(
        stores: [String], store: String, palettes: [Palette], cursor: Int, recents: [String], version: String
    ) {
        (self.stores, self.store, self.palettes) = (stores, store, palettes)
        (self.cursor, self.recents, self.version) = (cursor, recents, version)
    }

    @MainActor
    init(_ all: PaletteStores, of name: String) throws(PaletteError) {
        let list = try all.store(named: name).list
        (stores, store, palettes, cursor) = (all.stores.map(\.name), name, list.palettes, list.cursor)
        (recents, version) = (all.recents.emojis, PaletteSnapshot(all).version)
    }
}
