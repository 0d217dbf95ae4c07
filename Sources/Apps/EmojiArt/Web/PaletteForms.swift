public import EmojiArtModel
import Foundation
import HTTPTypes
import Hummingbird
public import Site

/// The fields of the palettes' forms, as text.
struct PaletteForm: Decodable, Sendable {
    /// The name of a new palette, which its editor selects so that typing replaces it.
    static let newName = ArtWords.newPalette

    var name: String?
    var emojis: String?
    var emoji: String?
    /// The new index of a palette in its list.
    var to: String?
    /// The store to move a palette to.
    var store: String?
    var index: String?
    /// The query of the page that the user was on, to redirect back to.
    var open: String?

    /// Parses an index in a list.
    static func parseIndex(_ text: String?) throws(Problem) -> Int {
        // A fraction is truncated, and a number out of range is clamped.
        guard let text, let number = Double(text), number.isFinite else {
            throw Problem(
                .unprocessableContent, title: ArtWords.invalidPosition,
                detail: ArtWords.invalidPositionDetail((text ?? "").prefix(40)))
        }
        return Int(min(max(number, -1_000_000), 1_000_000))
    }
}

/// The state of the palettes' page, encoded in the query of its address.
struct PaletteQuery: Decodable, Sendable, Equatable {
    /// The default store.
    static let firstStore = "Main"

    /// The store of the open palette.
    var store: String?
    /// The open palette.
    var palette: Int?
    /// The search text.
    var q: String?
    /// The ``EmojiSearch/Group/key`` of the group of emoji that the editor shows.
    var group: String?
    /// The skin tone of the emoji that the editor shows.
    var tone: SkinTone?

    init() {}

    /// Creates the query that opens a palette in the editor.
    init(store: String, palette: Palette.ID) {
        (self.store, self.palette) = (store, palette)
    }

    /// Parses an address's query, ignoring invalid fields.
    init(_ text: String) {
        guard let fields = try? URLEncodedFormDecoder().decode(Fields.self, from: text) else { return }
        (store, palette, q) = (fields.store, fields.palette.flatMap { Int($0) }, fields.q)
        if q?.isEmpty ?? false { q = nil }
        group = EmojiSearch.groups.first { $0.key == fields.group }?.key
        tone = fields.tone.flatMap { SkinTone(rawValue: $0) }
    }

    private struct Fields: Decodable {
        var store: String?
        var palette: String?
        var q: String?
        var group: String?
        var tone: String?
    }

    /// The query, encoded as browsers encode a form.
    ///
    /// The page's script compares it to detect whether the page is the same.
    var text: String {
        let fields = [
            ("store", store), ("palette", palette.map { "\($0)" }), ("q", q), ("group", group),
            ("tone", tone?.rawValue),
        ]
        return fields.compactMap { name, value in value.map { "\(name)=\(Self.encoded($0))" } }.joined(separator: "&")
    }

    var path: String {
        text.isEmpty ? "/art/palettes" : "/art/palettes?\(text)"
    }

    /// Encodes as browsers do (https://url.spec.whatwg.org/#application-x-www-form-urlencoded-percent-encode-set).
    private static func encoded(_ text: String) -> String {
        let unescaped = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*-._ ")
        let encoded = text.addingPercentEncoding(withAllowedCharacters: unescaped) ?? ""
        return encoded.replacing(" ", with: "+")
    }

    /// The emoji in the chosen skin tone.
    func toned(_ hits: [EmojiSearch.Hit]) -> [EmojiSearch.Hit] {
        guard let tone else { return hits }
        return hits.map { EmojiSearch.toned($0, tone) }
    }

    /// The open palette with its store: the one in the query, or another one that it was moved to.
    func opened(in snapshot: PaletteSnapshot) -> (store: String, palette: Palette)? {
        guard let palette else { return nil }
        let stores = snapshot.stores.filter { $0.name == store } + snapshot.stores.filter { $0.name != store }
        for store in stores {
            if let found = try? store.list.palette(palette) { return (store.name, found) }
        }
        return nil
    }
}

extension EmojiSearch.Group {
    /// The first word of the name, such as `Animals`.
    var label: String { String(name.prefix { $0 != " " }) }

    /// The group's name in the query of an address.
    var key: String { label.lowercased() }
}

// MARK: - Routes

extension ArtPages {
    /// Adds the actions on a store's palettes: `new`, `cursor`, and for each palette `move`, `to`, `delete` and
    /// `restore`.
    func addStoreRoutes(to art: RouterGroup<SiteContext>) {
        art.post("/palettes/:store/new") { request, context in
            try await change(request, context) { store, form in
                let palette = try store.insertNew(name: form.name ?? PaletteForm.newName, emojis: form.emojis)
                return PaletteQuery(store: store.name, palette: palette.id)
            }
        }
        art.post("/palettes/:store/cursor") { request, context in
            try await change(request, context) { store, form in
                store.cursorIndex = try PaletteForm.parseIndex(form.index)
                return nil
            }
        }
        let palette = art.group("/palettes/:store/:palette")
        palette.post("/move") { request, context in
            try await edit(request, context) { list, id, form in
                try list.move(id, to: try PaletteForm.parseIndex(form.to))
            }
        }
        palette.post("/to") { request, context in
            let id = try Self.palette(in: context)
            return try await change(request, context) { store, form in
                let target = try palettes.store(named: form.store ?? "")
                try await palettes.move(id, from: store, to: target)
                return nil
            }
        }
        palette.post("/delete") { request, context in
            let id = try Self.palette(in: context)
            return try await change(request, context) { store, _ in
                try store.delete(id)
                return nil
            }
        }
        palette.post("/restore") { request, context in
            let id = try Self.palette(in: context)
            return try await change(request, context) { store, _ in
                try store.restore(id)
                return nil
            }
        }
    }

    /// Adds the actions of a palette's editor: `rename`, `add` and `remove`.
    func addEditorRoutes(to art: RouterGroup<SiteContext>) {
        let palette = art.group("/palettes/:store/:palette")
        palette.post("/rename") { request, context in
            try await edit(request, context, isEditor: true) { list, id, form in
                try list.rename(id, to: form.name ?? "")
            }
        }
        palette.post("/add") { request, context in
            try await edit(request, context, isEditor: true) { list, id, form in
                try list.add(form.emojis ?? "", to: id)
            }
        }
        palette.post("/remove") { request, context in
            try await edit(request, context, isEditor: true) { list, id, form in
                try list.remove(form.emoji ?? "", from: id)
            }
        }
    }

    static func palette(in context: SiteContext) throws(PaletteError) -> Palette.ID {
        guard let id = context.parameters.get("palette").flatMap({ Int($0) }) else { throw .noPalette }
        return id
    }

    /// Changes a store's palettes, and saves them; `isEditor` keeps the editor open.
    private func edit(
        _ request: Request, _ context: SiteContext, isEditor: Bool = false,
        _ body: @escaping @MainActor (inout PaletteList, Palette.ID, PaletteForm) throws -> Void
    ) async throws -> Response {
        let id = try Self.palette(in: context)
        return try await change(request, context) { store, form in
            // Changes a copy, so that an error leaves the list unchanged.
            var list = store.list
            try body(&list, id, form)
            try store.edit { current throws(PaletteError) in current = list }
            return isEditor ? PaletteQuery(store: store.name, palette: id) : nil
        }
    }

    /// Changes a store and saves it; responds with its palettes as JSON, or redirects to the form's `open`, or else to
    /// the query that `body` returns.
    @MainActor
    func change(
        _ request: Request, _ context: SiteContext,
        _ body: @MainActor (PaletteStore, PaletteForm) async throws -> PaletteQuery?
    ) async throws -> Response {
        // A form without fields may have no content type.
        let form =
            request.headers[.contentType] == nil
            ? PaletteForm() : try await request.decode(as: PaletteForm.self, context: context)
        let store = try palettes.store(named: context.parameters.get("store") ?? "")
        try await store.open()
        let shown = try await body(store, form)
        try await store.save()
        if request.wantsJSON { return try .json(PaletteDocument(palettes, of: store.name)) }
        let query = form.open.map { PaletteQuery($0) } ?? shown ?? PaletteQuery()
        return .redirect(to: query.path, type: .normal)
    }
}

// MARK: - Errors

extension PaletteError: PresentableError {
    /// The problem to present.
    public var problem: Problem {
        switch self {
        case .noPalette: Problem(.notFound, title: ArtWords.paletteNotFound, detail: description)
        case .noStore: Problem(.notFound, title: ArtWords.palettesNotFound, detail: description)
        case .noSetAside: Problem(.notFound, title: ArtWords.notSetAside, detail: description)
        case .notRestorable: Problem(.conflict, title: ArtWords.notRestorable, detail: description)
        case .lastPalette: Problem(.conflict, title: ArtWords.lastPalette, detail: description)
        case .name: Problem(.unprocessableContent, title: ArtWords.checkName, detail: description)
        case .noEmoji: Problem(.unprocessableContent, title: ArtWords.noEmoji, detail: description)
        case .tooManyPalettes, .tooManyEmojis:
            Problem(.unprocessableContent, title: ArtWords.limitReached, detail: description)
        case .newerVersion:
            Problem(.internalServerError, title: ArtWords.newerVersion, detail: description)
        case .failed:
            Problem(.internalServerError, title: ArtWords.palettesFailed, detail: description)
        }
    }
}
