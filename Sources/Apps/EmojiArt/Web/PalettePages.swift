import Digests
import EmojiArtModel
import FuturesFoundation
import HTTPTypes
import Hummingbird
import Observation
import Site

/// The page of the palettes, and what pages that draw ask for: palettes, recents and emoji by their names.
struct PalettePages: Sendable {
    let palettes: PaletteStores
    let templates: ArtTemplates
    let notice: String?
    private let events = EventStream()

    /// Creates the page.
    ///
    /// - Parameters:
    ///   - palettes: What it shows and changes.
    ///   - templates: What it is made with.
    ///   - notice: What everybody who comes should be told.
    init(palettes: PaletteStores, templates: ArtTemplates, notice: String? = nil) {
        self.palettes = palettes
        self.templates = templates
        self.notice = notice
    }

    static let scripts = ["art/list.js", "art/palettes.js"]
    /// How many emoji a search finds at the most.
    static let foundLength = 100
}

extension ArtPages {
    /// Adds the routes of the palettes.
    ///
    /// - Parameters:
    ///   - art: What to add them to.
    ///   - layout: What pages are made with.
    func addPaletteRoutes(to art: RouterGroup<SiteContext>, layout: Layout) {
        PalettePages(palettes: palettes, templates: templates, notice: notice).addRoutes(to: art, layout: layout)
    }

    /// The palettes of a store as `palettes.json` has them, for the page of a board.
    ///
    /// - Parameter store: The store's name; without it, the first.
    /// - Returns: What becomes the JSON.
    /// - Throws: ``PaletteError/noStore(_:known:)``.
    @MainActor
    func palettesJSON(store: String?) async throws -> PaletteDocument {
        // What cannot be read is shown as the built-in ones are, and told on the palettes' own page.
        try? await palettes.open()
        return try PaletteDocument(palettes, of: store ?? PaletteQuery.firstStore)
    }
}

// MARK: - Routes

extension PalettePages {
    /// Adds the routes.
    func addRoutes(to art: RouterGroup<SiteContext>, layout: Layout) {
        art.get("/palettes") { request, _ in try await page(request, layout: layout) }
        art.get("/palettes.json") { request, _ in
            let query = PaletteQuery(request.uri.query ?? "")
            try await palettes.open()
            let document = try await PaletteDocument(palettes, of: query.store ?? PaletteQuery.firstStore)
            return try await WorkerThreads.computing.answer("Reading the palettes") { () throws(any Error) in
                try Response.json(document)
            }
        }
        art.get("/palettes/events") { request, _ in try await follow(request) }
        art.get("/emoji.json") { request, _ in
            let query = PaletteQuery(request.uri.query ?? "")
            return try Response.json(["emojis": EmojiSearch.search(query.q ?? "", limit: Self.foundLength)])
        }
        art.post("/recents") { request, context in
            let form = try await request.decode(as: PaletteForm.self, context: context)
            try await palettes.recents.open()
            try await palettes.recents.use(form.emoji ?? "")
            try await palettes.recents.save()
            return Response(status: .noContent)
        }
        addStoreRoutes(to: art)
        addEditorRoutes(to: art)
        addSetAsideRoutes(to: art)
    }

    private func page(_ request: Request, layout: Layout) async throws -> Response {
        var failure: String?
        do throws(PaletteError) {
            try await palettes.open()
            try await palettes.loadSetAside()
        } catch {
            failure = error.description
        }
        let query = PaletteQuery(request.uri.query ?? "")
        let snapshot = await PaletteSnapshot(palettes)
        let content = templates.palettes(snapshot, query, failure: failure, notice: notice)
        let opened = query.opened(in: snapshot)
        return layout.page(
            title: opened.map { "\($0.palette.name) · Palettes" } ?? "Palettes", heading: nil, app: ArtPages.app,
            content: content, styles: ListPages.styles, scripts: Self.scripts)
    }

    private func follow(_ request: Request) async throws -> Response {
        // What cannot be read now is told by the page.
        try? await palettes.open()
        try? await palettes.loadSetAside()
        let events = await snapshots().map { [palettes] _ in
            await palettes.loadNewSetAside()
            return ServerSentEvent(data: await PaletteSnapshot(palettes).version, name: "palettes")
        }
        return self.events.response(to: request, sending: events)
    }

    /// All palettes now, and whenever something is different, whoever changed it.
    @MainActor
    private func snapshots() -> Observations<PaletteSnapshot, Never> {
        Observations { [palettes] in PaletteSnapshot(palettes) }
    }
}

// MARK: - What is shown

/// All palettes at one moment.
struct PaletteSnapshot: Sendable {
    struct Store: Sendable {
        let name: String
        let list: PaletteList
        var setAside: [SetAsidePalettes] = []
        var isBuiltIn = true
    }

    let stores: [Store]
    let recents: [String]

    /// The palettes as they are now; observed, where that is asked for.
    @MainActor
    init(_ palettes: PaletteStores) {
        stores = palettes.stores.map { store in
            // Observed, so that what is set aside is read when there is something new.
            _ = store.reports
            return Store(
                name: store.name, list: store.list, setAside: store.setAside, isBuiltIn: store.isBuiltIn)
        }
        recents = palettes.recents.emojis
    }

    /// Another one whenever something is different; the same in every process.
    var version: String {
        var hash = XXH64()
        for store in stores {
            hash.add("\(store.name) \(store.list.cursor)")
            for palette in store.list.palettes {
                hash.add("\(palette.id)")
                hash.add(palette.name)
                for emoji in palette.emojis { hash.add(emoji) }
            }
            for palettes in store.setAside { hash.add("\(palettes.id) \(palettes.count)") }
        }
        for emoji in recents { hash.add(emoji) }
        return String(hash.value, radix: 16)
    }
}

/// The palettes of a store as JSON has them.
struct PaletteDocument: Encodable, Sendable {
    struct Entry: Encodable, Sendable {
        let id: Int
        let name: String
        let emojis: [String]
    }

    let stores: [String]
    let store: String
    let palettes: [Entry]
    let cursor: Int
    let recents: [String]

    /// The palettes of a store.
    ///
    /// - Parameters:
    ///   - all: All stores.
    ///   - name: Which one.
    /// - Throws: ``PaletteError/noStore(_:known:)``.
    @MainActor
    init(_ all: PaletteStores, of name: String) throws(PaletteError) {
        let list = try all.store(named: name).list
        stores = all.stores.map(\.name)
        store = name
        palettes = list.palettes.map { Entry(id: $0.id, name: $0.name, emojis: $0.emojis) }
        cursor = list.cursor
        recents = all.recents.emojis
    }
}
