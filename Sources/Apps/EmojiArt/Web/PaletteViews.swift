import EmojiArtModel
import Foundation
import Site

/// The values of the template `palettes`.
struct PalettesView: Sendable {
    let tabs = ArtTab.all(current: .palettes)
    let notice: String?
    let version: String
    /// Why the palettes couldn't be read.
    let failure: String?
    let setAside: [SetAsideView]
    let editor: PaletteEditorView?
    let stores: [PaletteStoreView]

    init(_ snapshot: PaletteSnapshot, _ query: PaletteQuery, failure: String?, notice: String?) {
        let opened = query.opened(in: snapshot)
        (self.failure, self.notice) = (failure, notice)
        version = snapshot.version
        setAside = snapshot.stores.flatMap { SetAsideView.all(in: $0, query) }
        editor = opened.map { PaletteEditorView($0.palette, in: $0.store, recents: snapshot.recents, query) }
        stores = snapshot.stores.map { store in
            PaletteStoreView(
                store, others: snapshot.stores.map(\.name).filter { $0 != store.name }, query,
                opened: opened?.palette.id)
        }
    }

    fileprivate static func action(_ id: Palette.ID, in store: String) -> Link {
        Link("/art/palettes/\(store)/\(id)")
    }
}

/// The values of the template `palettestore`.
struct PaletteStoreView: Sendable {
    struct Row: Sendable {
        let id, store, name, index, preview, count: String
        let path, action: Link
        let isOpen: Bool
        let up, down: String
        let isFirst, isLast: Bool
        let others: [String]
        let open: String
    }

    /// The number of emoji in a palette's preview: more than fit.
    private static let previewLength = 16

    let name, count: String
    let palettes: [Row]

    init(_ store: PaletteSnapshot.Store, others: [String], _ query: PaletteQuery, opened: Palette.ID?) {
        let all = store.list.palettes
        name = store.name
        count = all.count == 1 ? "1 palette" : "\(all.count) palettes"
        palettes = all.enumerated().map { index, palette in
            Row(
                id: "\(palette.id)", store: store.name, name: palette.name, index: "\(index)",
                preview: palette.emojis.prefix(Self.previewLength).joined(), count: "\(palette.emojis.count) emoji",
                path: Link(PaletteQuery(store: store.name, palette: palette.id).path),
                action: PalettesView.action(palette.id, in: store.name), isOpen: palette.id == opened,
                up: "\(index - 1)", down: "\(index + 1)", isFirst: index == 0, isLast: index == all.count - 1,
                others: others, open: query.text)
        }
    }
}

/// The values of the template `paletteeditor`.
struct PaletteEditorView: Sendable {
    struct Button: Sendable {
        let emoji, label: String
        let isIn: Bool
    }

    struct Found: Sendable {
        let count: String
        let hits: [Button]
    }

    struct Recents: Sendable {
        let used: [Button]
    }

    let id, store, name, open: String
    let action: Link
    let count: String
    let isNameless: Bool
    let contents: [Button]
    let isEmpty: Bool
    let query: String?
    let found: Found?
    let recents: Recents?

    init(_ palette: Palette, in store: String, recents: [String], _ query: PaletteQuery) {
        let present = Set(palette.emojis)
        func button(_ emoji: String) -> Button {
            Button(emoji: emoji, label: EmojiSearch.name(of: emoji) ?? emoji, isIn: present.contains(emoji))
        }
        (id, name, self.store, open) = ("\(palette.id)", palette.name, store, query.text)
        action = PalettesView.action(palette.id, in: store)
        count = "\(palette.emojis.count)"
        isNameless = PaletteField.first(forName: palette.name) == .name
        contents = palette.emojis.map(button)
        isEmpty = palette.emojis.isEmpty
        self.query = query.q
        found = query.q.map { text in
            let hits = EmojiSearch.search(text, limit: ArtPages.foundLength)
            return Found(
                count: hits.isEmpty ? "" : "\(hits.count) found: tap one to add it",
                hits: hits.map { Button(emoji: $0.emoji, label: $0.name, isIn: present.contains($0.emoji)) })
        }
        self.recents = recents.isEmpty ? nil : Recents(used: recents.map(button))
    }
}

/// The values of the template `palettesetaside`: a message about palettes that were set aside.
struct SetAsideView: Sendable {
    struct Restorable: Sendable {
        let label: String
    }

    /// The maximum number of messages per store.
    ///
    /// If there are more, the newest are shown. The page “Your data” lists all of them.
    private static let most = 5

    let id, store, open: String
    let action: Link
    let isReplaced: Bool
    let heading, happened: String
    let problem: String?
    let restorable: Restorable?

    /// The messages about a store's palettes, the newest first.
    static func all(in store: PaletteSnapshot.Store, _ query: PaletteQuery) -> [SetAsideView] {
        store.setAside.suffix(most).reversed().map { SetAsideView($0, in: store, query) }
    }

    private init(_ palettes: SetAsidePalettes, in store: PaletteSnapshot.Store, _ query: PaletteQuery) {
        (id, self.store, open) = (palettes.id, store.name, query.text)
        action = Link("/art/palettes/\(store.name)/set-aside/\(palettes.id)")
        isReplaced = palettes.cause == .replaced
        let time = palettes.time.formatted(Self.shownTime)
        switch palettes.cause {
        case .replaced:
            heading = "Earlier palettes of “\(store.name)” are set aside"
            happened = "You restored other palettes on \(time). These were stored until then."
        case .unreadable(let reason):
            heading = "The palettes of “\(store.name)” couldn’t be read"
            happened =
                "On \(time) they were set aside unchanged. Reason: \(reason.hasSuffix(".") ? reason : "\(reason).") "
                + (store.isBuiltIn
                    ? "The built-in palettes replaced them."
                    : "The last copy that could be read replaced them, or the built-in palettes where there was none.")
        }
        problem = palettes.problem.map {
            palettes.cause == .unreadable($0) ? "The data still can’t be read." : $0
        }
        restorable =
            palettes.problem == nil
            ? Restorable(label: "Restore \(palettes.count == 1 ? "1 palette" : "\(palettes.count) palettes")") : nil
    }

    private static let shownTime = Date.FormatStyle(locale: Locale(identifier: "en_GB"), timeZone: .current)
        .day().month(.wide).year().hour().minute()
}
