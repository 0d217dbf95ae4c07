import EmojiArtModel
import Site

extension ArtTemplates {
    /// The templates of the palettes.
    static let paletteSources: [String: [UInt8]] = [
        "palettes": PackageResources.palettes_mustache,
        "paletteeditor": PackageResources.paletteeditor_mustache,
        "palettestore": PackageResources.palettestore_mustache,
        "palettesetaside": PackageResources.palettesetaside_mustache,
    ]

    /// How many of its emoji the list shows of a palette: more than there is room for.
    private static let previewLength = 16

    /// The page of the palettes.
    ///
    /// - Parameters:
    ///   - snapshot: All palettes.
    ///   - query: Which of them is open, and what is searched for.
    ///   - failure: Why they could not be read.
    ///   - notice: What everybody who comes should be told.
    /// - Returns: The HTML.
    func palettes(
        _ snapshot: PaletteSnapshot, _ query: PaletteQuery, failure: String? = nil, notice: String?
    ) -> HTML {
        var values = Self.head(.palettes, notice: notice)
        let opened = query.opened(in: snapshot)
        values["version"] = snapshot.version
        values["failure"] = failure
        values["setAside"] = snapshot.stores.flatMap { Self.setAside(in: $0, query) }
        values["editor"] = opened.map { Self.editor(of: $0.palette, in: $0.store, snapshot, query) }
        values["stores"] = snapshot.stores.map { store in
            Self.values(of: store, in: snapshot, query: query, opened: opened?.palette.id)
        }
        return render("palettes", values)
    }

    // MARK: - A store

    private static func values(
        of store: PaletteSnapshot.Store, in snapshot: PaletteSnapshot, query: PaletteQuery, opened: Palette.ID?
    ) -> [String: Any] {
        let all = store.list.palettes
        let others = snapshot.stores.map(\.name).filter { $0 != store.name }
        let rows = all.enumerated().map { index, palette -> [String: Any] in
            [
                "id": "\(palette.id)", "store": store.name, "name": palette.name, "index": "\(index)",
                "preview": palette.emojis.prefix(previewLength).joined(),
                "count": counted(palette.emojis.count, "emoji", "emoji"),
                "path": Link(PaletteQuery(store: store.name, palette: palette.id).path),
                "action": action(palette.id, in: store.name), "isOpen": palette.id == opened,
                "up": "\(index - 1)", "down": "\(index + 1)", "isFirst": index == 0,
                "isLast": index == all.count - 1, "others": others, "open": query.text,
            ]
        }
        return ["name": store.name, "count": counted(all.count, "palette", "palettes"), "palettes": rows]
    }

    private static func action(_ id: Palette.ID, in store: String) -> Link { Link("/art/palettes/\(store)/\(id)") }

    private static func counted(_ count: Int, _ one: String, _ many: String) -> String {
        count == 1 ? "1 \(one)" : "\(count) \(many)"
    }

    // MARK: - The editor

    private static func editor(
        of palette: Palette, in store: String, _ snapshot: PaletteSnapshot, _ query: PaletteQuery
    ) -> [String: Any] {
        let present = Set(palette.emojis)
        var values: [String: Any] = [
            "id": "\(palette.id)", "store": store, "name": palette.name, "open": query.text,
            "action": action(palette.id, in: store), "count": "\(palette.emojis.count)",
            "isNameless": PaletteField.first(forName: palette.name) == .name,
            "contents": palette.emojis.map { button($0, isIn: false) }, "isEmpty": palette.emojis.isEmpty,
        ]
        if let text = query.q {
            let hits = EmojiSearch.search(text, limit: PalettePages.foundLength)
            values["query"] = text
            values["found"] = [
                "count": hits.isEmpty ? "" : "\(hits.count) found: tap one to add it",
                "hits": hits.map { button($0.emoji, named: $0.name, isIn: present.contains($0.emoji)) },
            ]
        }
        if !snapshot.recents.isEmpty {
            values["recents"] = ["used": snapshot.recents.map { button($0, isIn: present.contains($0)) }]
        }
        return values
    }

    private static func button(_ emoji: String, named name: String? = nil, isIn: Bool) -> [String: Any] {
        ["emoji": emoji, "label": name ?? EmojiSearch.name(of: emoji) ?? emoji, "isIn": isIn]
    }
}
